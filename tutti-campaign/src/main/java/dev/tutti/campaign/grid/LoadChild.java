package dev.tutti.campaign.grid;

import dev.tutti.campaign.sites.process.ProcessPipe;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A {@link LoadProcess}, as the coordinator of the run sees it. Thread-safe. */
final class LoadChild {

    private static final int FINDINGS_MAX = 20;

    private final String name;
    private final ProcessPipe pipe;

    // Guarded by this.
    private final List<String> findings = new ArrayList<>();
    private final Set<String> told = new HashSet<>();
    private final List<Loss> losses = new ArrayList<>();
    private final Map<Integer, Long> publishedBy = new TreeMap<>();
    private final Map<String, String> times = new TreeMap<>();
    private List<String> entries = List.of();
    private long published;
    private long arrived;
    private long gaps;
    private long residentKib;

    LoadChild(String name, List<String> command, Path log) {
        this.name = name;
        // The last: lines may come at once.
        this.pipe = new ProcessPipe(command, log, this::take, this::find);
    }

    String name() {
        return name;
    }

    private synchronized void take(String text) {
        String[] words = text.split(" ");
        told.add(words[0]);
        switch (words[0]) {
            case "open", "wanted" -> {
                // Told once.
            }
            case "has" -> {
                published = Long.parseLong(words[1]);
                arrived = Long.parseLong(words[2]);
                residentKib = Math.max(residentKib, Long.parseLong(words[3]));
            }
            case "lost" -> losses.add(Loss.of(text.substring("lost ".length())));
            case "published" -> Arrays.stream(words).skip(1).map(each -> each.split(":"))
                    .forEach(each -> publishedBy.put(Integer.valueOf(each[0]), Long.valueOf(each[1])));
            case "times" -> times.put(words[1], words[2]);
            case "audience" -> {
                arrived = Long.parseLong(words[1]);
                gaps = Long.parseLong(words[2]);
            }
            case "entries" -> entries = List.of(words);
            default -> find(text);
        }
    }

    private synchronized void find(String text) {
        if (findings.size() < FINDINGS_MAX) {
            findings.add(name + ": " + text);
        }
    }

    /** Forgets that something was told, and sends a command that has it told again. */
    void say(String command, String answer) {
        synchronized (this) {
            told.remove(answer);
        }
        pipe.say(command);
    }

    /** Sends a command that is not answered. */
    void tell(String command) {
        pipe.say(command);
    }

    synchronized boolean hasTold(String answer) {
        return told.contains(answer);
    }

    synchronized List<Loss> losses() {
        return List.copyOf(losses);
    }

    synchronized Map<Integer, Long> publishedBy() {
        return new TreeMap<>(publishedBy);
    }

    synchronized Map<String, String> times() {
        return new TreeMap<>(times);
    }

    /** Returns the names of the registry's entries, after the number of parts that have not answered. */
    synchronized List<String> entries() {
        return entries.isEmpty() ? entries : entries.subList(1, entries.size());
    }

    synchronized long published() {
        return published;
    }

    synchronized long arrived() {
        return arrived;
    }

    synchronized long gaps() {
        return gaps;
    }

    /** Returns the most resident memory that it has said. */
    synchronized long residentKib() {
        return residentKib;
    }

    synchronized List<String> findings() {
        if (pipe.hasEndedByItself()) {
            find("has ended by itself");
        }
        return List.copyOf(findings);
    }

    /** Ends its input, and returns whether it has ended with that in time. */
    boolean end(Duration time) {
        return pipe.endInput(time);
    }

    void kill() {
        pipe.kill();
    }
}
