package dev.tutti.campaign.rollout;

import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Shell;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A {@link PodProcess}, as the run sees it. Thread-safe. */
final class Pod {

    /** Numbers that a pod reports. */
    record Counts(long delivered, long toOne, long toAll, long chosenAgain, int members) {

        static final Counts NONE = new Counts(0, 0, 0, 0, 0);

        Counts plus(Counts other) {
            return new Counts(
                    delivered + other.delivered, toOne + other.toOne, toAll + other.toAll, chosenAgain + other.chosenAgain, members);
        }
    }

    private static final int PROBE_TIMEOUT_MILLIS = 2_000;

    private final String name;
    private final PodAddress address;
    private final int machine;
    private final long createdNanos = System.nanoTime();
    private final Consumer<String> findings;
    private final Process process;
    private final BufferedWriter input;
    private final Thread reader;

    private volatile long readyNanos;
    private volatile long terminatedNanos;
    private volatile boolean isReady;

    // Guarded by this.
    private final Map<String, Feed.Range> ranges = new TreeMap<>();
    private @Nullable Counts counts;
    private long sent = -1;

    Pod(String name, PodAddress address, int machine, Place place, Consumer<String> findings) {
        this.name = name;
        this.address = address;
        this.machine = machine;
        this.findings = findings;
        List<String> arguments = List.of(
                name,
                address.host(),
                Integer.toString(address.nodePort()),
                Integer.toString(address.httpPort()),
                Integer.toString(address.healthPort()),
                place.peers().path().toString(),
                place.directory().resolve(name + "-" + address.host()).toString(),
                Boolean.toString(place.isDraining()));
        try {
            process = new ProcessBuilder(Shell.java(List.of(), place.options(), PodProcess.class.getName(), arguments))
                    .redirectError(ProcessBuilder.Redirect.appendTo(place.directory().resolve(name + ".log").toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("can't start the process of " + name, e);
        }
        input = new BufferedWriter(process.outputWriter(StandardCharsets.UTF_8));
        reader = Thread.ofVirtual().name("reader of " + name).start(this::read);
    }

    /**
     * The place where all pods of a run live.
     *
     * @param isDraining whether members drain before they leave
     * @param options options of the JVM
     */
    record Place(PeersFile peers, Path directory, boolean isDraining, List<String> options) {}

    String name() {
        return name;
    }

    /** Returns a name that no other pod has. */
    String id() {
        return address.id(name);
    }

    PodAddress address() {
        return address;
    }

    int machine() {
        return machine;
    }

    // ------------------------------------------------------------------ what the kubelet does

    /** Asks the readiness probe. */
    void probe() {
        try {
            HttpURLConnection connection = (HttpURLConnection)
                    URI.create("http://" + address.host() + ":" + address.healthPort() + "/health/ready").toURL().openConnection();
            connection.setConnectTimeout(PROBE_TIMEOUT_MILLIS);
            connection.setReadTimeout(PROBE_TIMEOUT_MILLIS);
            isReady = connection.getResponseCode() == 200;
        } catch (IOException e) {
            isReady = false;
        }
        if (isReady && readyNanos == 0) {
            readyNanos = System.nanoTime();
        }
    }

    boolean isReady() {
        return isReady && terminatedNanos == 0;
    }

    /** Returns the time since the first successful probe. */
    Duration readySince() {
        return readyNanos == 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - readyNanos);
    }

    Duration startTime() {
        return Duration.ofNanos(readyNanos - createdNanos);
    }

    boolean isTerminating() {
        return terminatedNanos != 0;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Notes that its end begins: from now on it is not to get requests. */
    void onTerminating() {
        terminatedNanos = System.nanoTime();
    }

    long terminatedNanos() {
        return terminatedNanos;
    }

    long readyNanos() {
        return readyNanos;
    }

    /**
     * Sends SIGTERM, and SIGKILL when the time is over, which is a finding.
     *
     * @return time from SIGTERM to the end
     */
    Duration end(Duration grace) {
        long beganNanos = System.nanoTime();
        // Not of the process, which would close its input and output, too.
        process.toHandle().destroy();
        try {
            if (!process.waitFor(grace.toMillis(), TimeUnit.MILLISECONDS)) {
                findings.accept(name + " has not ended within " + grace.toSeconds() + " s after SIGTERM");
                process.destroyForcibly().waitFor();
            }
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChaosException("interrupted", e);
        }
        return Duration.ofNanos(System.nanoTime() - beganNanos);
    }

    void kill() {
        onTerminating();
        process.destroyForcibly();
    }

    // ------------------------------------------------------------------ what it reports

    void say(String command) {
        try {
            input.write(command);
            input.newLine();
            input.flush();
        } catch (IOException e) {
            findings.accept(name + " can't be told to " + command + ": " + e.getMessage());
        }
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String text = output.readLine(); text != null; text = output.readLine()) {
                if (text.startsWith(PodProcess.MARK)) {
                    take(text.substring(PodProcess.MARK.length()));
                }
            }
        } catch (IOException e) {
            findings.accept("the output of " + name + " can't be read: " + e.getMessage());
        }
        if (!isTerminating()) {
            findings.accept(name + " has ended by itself");
        }
    }

    private synchronized void take(String text) {
        String[] words = text.split(" ", 2);
        long[] numbers = words[0].equals("counts") ? Arrays.stream(words[1].split(" ")).mapToLong(Long::parseLong).toArray() : new long[0];
        switch (words[0]) {
            case "found" -> findings.accept(words[1]);
            case "sent" -> sent = Long.parseLong(words[1]);
            case "got" -> {
                String[] range = words[1].split(" ");
                ranges.put(range[0], new Feed.Range(Long.parseLong(range[1]), Long.parseLong(range[2])));
            }
            case "counts" -> counts = new Counts(numbers[0], numbers[1], numbers[2], numbers[3], (int) numbers[4]);
            default -> findings.accept(name + " says: " + text);
        }
    }

    /** Forgets the last report, and asks for another. */
    void ask() {
        synchronized (this) {
            counts = null;
        }
        say("report");
    }

    synchronized @Nullable Counts counts() {
        return counts;
    }

    synchronized Map<String, Feed.Range> ranges() {
        return new TreeMap<>(ranges);
    }

    /** Returns the number of messages that it has sent, once it rests or has ended; -1 before. */
    synchronized long sent() {
        return sent;
    }
}
