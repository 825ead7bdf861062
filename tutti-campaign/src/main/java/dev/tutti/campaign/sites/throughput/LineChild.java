package dev.tutti.campaign.sites.throughput;

import dev.tutti.campaign.sites.process.ProcessPipe;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A {@link LineProcess}, as the coordinator of the run sees it. Thread-safe. */
final class LineChild {

    private static final int FINDINGS_MAX = 100;

    private final String name;
    private final ProcessPipe pipe;

    // Guarded by this.
    private final List<String> findings = new ArrayList<>();
    private boolean isQuiet;
    private boolean isConnected;
    private long sent;
    private long arrived;
    private Meter.@Nullable Reading reading;

    LineChild(String name, List<String> command, Path log) {
        this.name = name;
        // The last: lines may come at once.
        this.pipe = new ProcessPipe(command, log, this::take, this::find);
    }

    private synchronized void take(String text) {
        String[] words = text.split(" ");
        switch (words[0]) {
            case "has" -> {
                isQuiet = Boolean.parseBoolean(words[1]);
                isConnected = Boolean.parseBoolean(words[2]);
                sent = Long.parseLong(words[3]);
                arrived = Long.parseLong(words[4]);
            }
            case "read" -> reading = new Meter.Reading(
                    Long.parseLong(words[1]), Double.parseDouble(words[2]), Long.parseLong(words[3]), Long.parseLong(words[4]));
            default -> find(text);
        }
    }

    private synchronized void find(String text) {
        if (findings.size() < FINDINGS_MAX) {
            findings.add(name + ": " + text);
        }
    }

    /** Sends a command. */
    void say(String command) {
        pipe.say(command);
    }

    /** Asks for the figures since {@code begin}; {@link #reading} has them soon. */
    void askReading() {
        synchronized (this) {
            reading = null;
        }
        pipe.say("read");
    }

    synchronized Meter.@Nullable Reading reading() {
        return reading;
    }

    synchronized boolean isQuiet() {
        return isQuiet;
    }

    synchronized boolean isConnected() {
        return isConnected;
    }

    synchronized long sent() {
        return sent;
    }

    synchronized long arrived() {
        return arrived;
    }

    synchronized List<String> findings() {
        if (pipe.hasEndedByItself()) {
            find("has ended by itself");
        }
        return List.copyOf(findings);
    }

    void kill() {
        pipe.kill();
    }
}
