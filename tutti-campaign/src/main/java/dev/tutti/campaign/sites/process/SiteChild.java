package dev.tutti.campaign.sites.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A site's process, as the coordinator of the run sees it. Thread-safe. */
public final class SiteChild {

    /** Number of findings that are kept; more say nothing new. */
    private static final int FINDINGS_MAX = 1_000;

    private final int id;
    private final String site;
    private final ProcessPipe pipe;

    // Guarded by this.
    private final Map<Integer, Range> delivered = new HashMap<>();
    private final List<String> findings = new ArrayList<>();
    private final List<Long> heaps = new ArrayList<>();
    private long accepted;
    private long refused;
    private long retained;
    private long missing;
    private long late;
    private long duplicates;
    private int sitesUp;
    private boolean isJoined;
    private boolean isFirst;
    private boolean isQuiet;

    SiteChild(int id, String site, List<String> command, Path log) {
        this.id = id;
        this.site = site;
        // The last: lines may come at once.
        this.pipe = new ProcessPipe(command, log, this::take, this::find);
    }

    private synchronized void take(String text) {
        String[] words = text.split(" ");
        switch (words[0]) {
            case "joined" -> isJoined = true;
            case "heap" -> heaps.add(Long.parseLong(words[1]));
            case "refused" -> refused++;
            case "has" -> {
                accepted = Long.parseLong(words[1]);
                isQuiet = Boolean.parseBoolean(words[2]);
                sitesUp = Integer.parseInt(words[3]);
                isFirst = Boolean.parseBoolean(words[4]);
                retained = Long.parseLong(words[5]);
                for (String range : List.of(words).subList(6, words.length)) {
                    String[] fields = range.split(":");
                    delivered.put(
                            Integer.parseInt(fields[0]),
                            new Range(Long.parseLong(fields[1]), Long.parseLong(fields[2])));
                }
            }
            case "counts" -> {
                missing = Long.parseLong(words[1]);
                late = Long.parseLong(words[2]);
                duplicates = Long.parseLong(words[3]);
            }
            default -> find(text);
        }
    }

    private synchronized void find(String text) {
        if (findings.size() < FINDINGS_MAX) {
            findings.add("process " + id + " at " + site + ": " + text);
        }
    }

    public int id() {
        return id;
    }

    public String site() {
        return site;
    }

    /** Tells whether it has joined. */
    public synchronized boolean isJoined() {
        return isJoined;
    }

    /** Returns the number of sites that are connected, its own included, as it has said last. */
    public synchronized int sitesUp() {
        return sitesUp;
    }

    /** Tells whether it is the first master of its site, as it has said last. */
    public synchronized boolean isFirst() {
        return isFirst;
    }

    /** Tells whether it sends nothing, as it was told, and has said so. */
    public synchronized boolean isQuiet() {
        return isQuiet;
    }

    /** Returns the number of messages that it has passed over and that have not come, as it has said last. */
    public synchronized long missing() {
        return missing - late;
    }

    /** Returns the number of messages that have come after later ones. */
    public synchronized long late() {
        return late;
    }

    /** Returns the number of messages that have come again. */
    public synchronized long duplicates() {
        return duplicates;
    }

    /** Returns the number of messages that it keeps for other sites, as it has said last. */
    public synchronized long retained() {
        return retained;
    }

    /** Returns the number of sends that have failed. */
    public synchronized long refused() {
        return refused;
    }

    /** Returns its used heap after collections, in bytes, the oldest first. */
    public synchronized List<Long> heaps() {
        return List.copyOf(heaps);
    }

    /** Returns the violations that it has told, or shows, each a sentence. */
    public synchronized List<String> findings() {
        if (pipe.hasEndedByItself()) {
            find("has ended by itself");
        }
        return List.copyOf(findings);
    }

    /** Returns what it has said last. */
    public synchronized Life life() {
        return new Life(id, site, !pipe.isKilled(), accepted, Map.copyOf(delivered));
    }

    /** Sends it a command. */
    public void say(String command) {
        pipe.say(command);
    }

    /** Ends it at once, with SIGKILL, and does not wait; {@link #kill} does. */
    public void beginKill() {
        pipe.beginKill();
    }

    /** Ends it at once, with SIGKILL, and returns when all that it has said was read. */
    public void kill() {
        pipe.kill();
    }

    @Override
    public String toString() {
        return "process " + id + " at " + site;
    }
}
