package dev.tutti.campaign.chaos.process;

import dev.tutti.campaign.chaos.journal.Notation;
import dev.tutti.campaign.chaos.network.ProxyNetwork;
import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Shell;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A member's process, as the coordinator of the run sees it. */
public final class Child {

    /**
     * A view that the process has reported.
     *
     * @param atNanos time, by the clock that all processes share
     * @param members members by rank, in {@link Notation}, as is {@code self}
     */
    public record Seen(long atNanos, String id, String self, List<String> members) {}

    /** Numbers of messages that it has submitted and delivered. */
    public record Count(long submitted, long delivered) {}

    /** Number of latest views that are kept; older ones are never asked for. */
    private static final int SEEN_MAX = 256;

    private final int slot;
    private final Process process;
    private final BufferedWriter input;
    private final Path journal;
    private final Path log;
    private final Object news;
    private final Lateness lateness = new Lateness();

    // Guarded by the monitor of news.
    private final ArrayDeque<Seen> seen = new ArrayDeque<>();
    private final List<String> remarks = new ArrayList<>();
    private @Nullable Count count;
    private @Nullable String status;
    private Map<String, Long> told = Map.of();
    private boolean isJoined;
    private boolean isOver;
    private long killedAtNanos;
    private boolean isStopped;

    /**
     * @param slot slot of the process
     * @param command command that starts it
     * @param news monitor that is notified whenever it has reported something
     */
    Child(int slot, List<String> command, Path journal, Path log, Object news) {
        this.slot = slot;
        this.journal = journal;
        this.log = log;
        this.news = news;
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("can't start " + command.getFirst(), e);
        }
        input = new BufferedWriter(process.outputWriter(StandardCharsets.UTF_8));
        Thread.ofVirtual().name("reader of " + this).start(this::read);
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String text = output.readLine(); text != null; text = output.readLine()) {
                if (text.startsWith(MemberProcess.MARK)) {
                    take(text.substring(MemberProcess.MARK.length()));
                }
            }
        } catch (IOException e) {
            remark("its output can't be read: " + e);
        } finally {
            synchronized (news) {
                isOver = true;
                news.notifyAll();
            }
        }
    }

    private void take(String text) {
        String[] words = text.split(" ", 3);
        // A kill may have torn the line.
        if (words.length < 2) {
            return;
        }
        String rest = words.length > 2 ? words[2] : "";
        long atNanos = Long.parseLong(words[0]);
        synchronized (news) {
            switch (words[1]) {
                case "view" -> {
                    String[] fields = rest.split(" ");
                    if (fields.length == 3) {
                        if (seen.size() == SEEN_MAX) {
                            seen.removeFirst();
                        }
                        seen.addLast(new Seen(atNanos, fields[1], fields[0], List.of(fields[2].split(","))));
                    }
                }
                case "joined" -> isJoined = true;
                case "left" -> isJoined = false;
                case "late" -> lateness.add(atNanos, Long.parseLong(rest));
                case "count" -> {
                    String[] fields = rest.split(" ");
                    count = new Count(Long.parseLong(fields[0]), Long.parseLong(fields[1]));
                }
                case "status" -> status = rest;
                case "told" -> {
                    Map<String, Long> kinds = new LinkedHashMap<>();
                    for (String kind : rest.split(",")) {
                        int equals = kind.indexOf('=');
                        kinds.put(kind.substring(0, equals), Long.parseLong(kind.substring(equals + 1)));
                    }
                    told = kinds;
                }
                default -> remarks.add(text);
            }
            news.notifyAll();
        }
    }

    private void remark(String text) {
        synchronized (news) {
            remarks.add(text);
        }
    }

    // ------------------------------------------------------------------ reports

    public int slot() {
        return slot;
    }

    public Path journal() {
        return journal;
    }

    Lateness lateness() {
        return lateness;
    }

    /** Returns the latest view; null before the first. */
    public @Nullable Seen seen() {
        synchronized (news) {
            return seen.peekLast();
        }
    }

    /** Returns its latest views, the oldest first: all of a short run. */
    public List<Seen> views() {
        return seenSince(Long.MIN_VALUE);
    }

    /** Returns the views since then, the oldest first. */
    List<Seen> seenSince(long nanos) {
        synchronized (news) {
            return seen.stream().filter(each -> each.atNanos() >= nanos).toList();
        }
    }

    /** Returns its member in its latest view; empty before the first. */
    public String self() {
        Seen latest = seen();
        return latest == null ? "" : latest.self();
    }

    public boolean isJoined() {
        synchronized (news) {
            return isJoined;
        }
    }

    /** Reports whether it has ended. */
    public boolean isOver() {
        synchronized (news) {
            return isOver;
        }
    }

    /** Returns the time at which it was killed; 0 if it was not. */
    public long killedAtNanos() {
        return killedAtNanos;
    }

    public boolean isStopped() {
        return isStopped;
    }

    public @Nullable Count count() {
        synchronized (news) {
            return count;
        }
    }

    public @Nullable String status() {
        synchronized (news) {
            return status;
        }
    }

    /** Returns the number of lies of each kind that it has sent, zeros included, as it said last; empty before that. */
    public Map<String, Long> told() {
        synchronized (news) {
            return told;
        }
    }

    public Path log() {
        return log;
    }

    /** Returns its unsolicited reports: failures, and groups that were lost. */
    public List<String> remarks() {
        synchronized (news) {
            return List.copyOf(remarks);
        }
    }

    // ------------------------------------------------------------------ faults and commands

    /** Sends it a command; does nothing if it has ended. */
    public void say(String command) {
        synchronized (news) {
            count = null;
            status = null;
        }
        try {
            input.write(command);
            input.newLine();
            input.flush();
        } catch (IOException e) {
            remark("can't be told to " + command + ": " + e.getMessage());
        }
    }

    /** Ends it at once, with SIGKILL; returns the time, by the clock that all processes share. */
    long kill() {
        long nanos = System.nanoTime();
        process.destroyForcibly();
        killedAtNanos = nanos;
        isStopped = false;
        return nanos;
    }

    /** Closes its input, so that it ends, and waits until it has ended. */
    void end() {
        try {
            input.close();
        } catch (IOException e) {
            remark("its input can't be closed: " + e.getMessage());
        }
        awaitEnd();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits until it has ended. */
    void awaitEnd() {
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChaosException("interrupted", e);
        }
    }

    public void stop() {
        Shell.require("kill", "-STOP", Long.toString(process.pid()));
        isStopped = true;
    }

    public void go() {
        if (isStopped) {
            Shell.require("kill", "-CONT", Long.toString(process.pid()));
            isStopped = false;
        }
    }

    @Override
    public String toString() {
        return ProxyNetwork.name(slot);
    }
}
