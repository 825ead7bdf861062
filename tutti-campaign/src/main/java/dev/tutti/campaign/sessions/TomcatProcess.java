package dev.tutti.campaign.sessions;

import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Pause;
import dev.tutti.campaign.host.Shell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A Tomcat in a process of its own, started by its own script. Used by one thread, except for {@link #page}. */
final class TomcatProcess implements AutoCloseable {

    private static final int STOP_SECONDS_MAX = 60;
    private static final Duration START_MAX = Duration.ofSeconds(90);
    private static final int POLL_MILLIS = 50;

    private final String name;
    private final Path home;
    private final Path base;
    private final Place place;
    private final List<String> options;
    private volatile @Nullable Process process;
    private volatile boolean isPaused;

    /** @param options options for its JVM */
    TomcatProcess(int number, Path home, Path base, Place place, List<String> options) {
        this.name = "node" + (number + 1);
        this.home = home;
        this.base = base;
        this.place = place;
        this.options = options;
    }

    /** Returns the address of its page; {@code query} names the operation. */
    URI page(String query) {
        return URI.create("http://" + place.host() + ":" + place.httpPort() + "/shop/shop?" + query);
    }

    Path log() {
        return base.resolve("logs/catalina.out");
    }

    void start() {
        List<String> command = new ArrayList<>(place.prefix());
        command.addAll(List.of("/bin/sh", home.resolve("bin/catalina.sh").toString(), "run"));
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> environment = builder.environment();
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        environment.put("CATALINA_HOME", home.toString());
        environment.put("CATALINA_BASE", base.toString());
        environment.put("CATALINA_OPTS", String.join(" ", options));
        builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException("can't start " + name, e);
        }
    }

    /** Waits until {@code isReady}; fails if the process ends before that, or after 90 s. */
    void awaitReady(BooleanSupplier isReady) {
        long deadline = System.nanoTime() + START_MAX.toNanos();
        while (!isReady.getAsBoolean()) {
            if (!process().isAlive()) {
                throw new ChaosException(name + " has ended by itself; see " + log());
            }
            if (System.nanoTime() - deadline > 0) {
                throw new ChaosException(name + " is not ready after " + START_MAX.toSeconds() + " s; see " + log());
            }
            Pause.millis(POLL_MILLIS);
        }
    }

    boolean isRunning() {
        Process present = process;
        return present != null && present.isAlive() && !isPaused;
    }

    /** Returns the CPU time that the process has used since its start, in seconds; 0 where the system does not tell. */
    double cpuSeconds() {
        return process().info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e9;
    }

    /** Returns the bytes of all objects that are reachable in it, after a full collection. */
    long liveBytes() {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        String histogram = Shell.require(jcmd, Long.toString(process().pid()), "GC.class_histogram");
        for (String line : histogram.split("\n")) {
            String[] words = line.strip().split("\\s+");
            if (words.length == 3 && words[0].equals("Total")) {
                return Long.parseLong(words[2]);
            }
        }
        throw new ChaosException("the histogram of " + name + " has no total: " + histogram.lines().limit(3).toList());
    }

    /** Ends it with SIGKILL. */
    void kill() {
        process().destroyForcibly();
        awaitEnd();
    }

    /** Ends it with SIGTERM, as service managers do, and Tomcat's own script in the end. */
    void stop() {
        process().destroy();
        awaitEnd();
    }

    private void awaitEnd() {
        try {
            if (!process().waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
                process().destroyForcibly();
                throw new ChaosException(name + " has not stopped within " + STOP_SECONDS_MAX + " s; see " + log());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChaosException("interrupted", e);
        }
        isPaused = false;
    }

    /** Stops its threads with SIGSTOP. */
    void pause() {
        Shell.require("kill", "-STOP", Long.toString(process().pid()));
        isPaused = true;
    }

    /** Lets it go on after {@link #pause}. */
    void resume() {
        Shell.require("kill", "-CONT", Long.toString(process().pid()));
        isPaused = false;
    }

    private Process process() {
        Process present = process;
        if (present == null) {
            throw new IllegalStateException(name + " has not been started");
        }
        return present;
    }

    /** Ends it at once, if it runs. */
    @Override
    public void close() {
        Process present = process;
        if (present != null) {
            present.destroyForcibly();
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
