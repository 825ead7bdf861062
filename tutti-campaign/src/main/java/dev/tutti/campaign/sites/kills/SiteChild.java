package dev.tutti.campaign.sites.kills;

import dev.tutti.campaign.host.ChaosException;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A site's process, as the coordinator of the run sees it. Thread-safe. */
final class SiteChild {

    /** Number of findings that are kept; more say nothing new. */
    private static final int FINDINGS_MAX = 1_000;

    private final int id;
    private final String site;
    private final Process process;
    private final BufferedWriter input;
    private final Thread reader;

    // Guarded by this.
    private final Map<Integer, KillsCheck.Range> delivered = new HashMap<>();
    private final List<String> findings = new ArrayList<>();
    private final List<Long> heaps = new ArrayList<>();
    private long accepted;
    private long refused;
    private long retained;
    private int sitesUp;
    private boolean isJoined;
    private boolean isFirst;
    private boolean isKilled;

    SiteChild(int id, String site, List<String> command, Path log) {
        this.id = id;
        this.site = site;
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("can't start " + command.getFirst(), e);
        }
        input = new BufferedWriter(process.outputWriter(StandardCharsets.UTF_8));
        reader = Thread.ofVirtual().name("reader of " + id).start(this::read);
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String text = output.readLine(); text != null; text = output.readLine()) {
                if (text.startsWith(SitesProcess.MARK)) {
                    take(text.substring(SitesProcess.MARK.length()));
                }
            }
        } catch (IOException | RuntimeException e) {
            synchronized (this) {
                // A kill may have torn the last line.
                if (!isKilled) {
                    find("can't be read: " + e);
                }
            }
        }
    }

    private synchronized void take(String text) {
        String[] words = text.split(" ");
        switch (words[0]) {
            case "joined" -> isJoined = true;
            case "heap" -> heaps.add(Long.parseLong(words[1]));
            case "refused" -> refused++;
            case "has" -> {
                accepted = Long.parseLong(words[1]);
                sitesUp = Integer.parseInt(words[2]);
                isFirst = Boolean.parseBoolean(words[3]);
                retained = Long.parseLong(words[4]);
                for (String range : List.of(words).subList(5, words.length)) {
                    String[] fields = range.split(":");
                    delivered.put(
                            Integer.parseInt(fields[0]),
                            new KillsCheck.Range(Long.parseLong(fields[1]), Long.parseLong(fields[2])));
                }
            }
            default -> find(text);
        }
    }

    private void find(String text) {
        if (findings.size() < FINDINGS_MAX) {
            findings.add("process " + id + " at " + site + ": " + text);
        }
    }

    String site() {
        return site;
    }

    synchronized boolean isJoined() {
        return isJoined;
    }

    /** Returns the number of sites that are connected, its own included, as it has said last. */
    synchronized int sitesUp() {
        return sitesUp;
    }

    /** Tells whether it is the first master of its site, as it has said last. */
    synchronized boolean isFirst() {
        return isFirst;
    }

    synchronized long retained() {
        return retained;
    }

    synchronized long refused() {
        return refused;
    }

    /** Returns its used heap after collections, in bytes, the oldest first. */
    synchronized List<Long> heaps() {
        return List.copyOf(heaps);
    }

    synchronized List<String> findings() {
        if (!isKilled && !process.isAlive()) {
            find("has ended by itself");
        }
        return List.copyOf(findings);
    }

    synchronized KillsCheck.Life life() {
        return new KillsCheck.Life(id, site, !isKilled, accepted, Map.copyOf(delivered));
    }

    /** Sends it a command. */
    void say(String command) {
        try {
            input.write(command);
            input.newLine();
            input.flush();
        } catch (IOException e) {
            synchronized (this) {
                find("can't be told to " + command + ": " + e.getMessage());
            }
        }
    }

    /** Ends it at once, with SIGKILL, and returns when all that it has said was read. */
    void kill() {
        synchronized (this) {
            isKilled = true;
        }
        process.destroyForcibly();
        try {
            process.waitFor();
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChaosException("interrupted", e);
        }
    }

    @Override
    public String toString() {
        return "process " + id + " at " + site;
    }
}
