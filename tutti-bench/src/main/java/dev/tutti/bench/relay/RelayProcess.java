package dev.tutti.bench.relay;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.process.Host;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A relay in a process of its own. Linux: its memory and its CPU time are read from /proc. */
public final class RelayProcess implements AutoCloseable {

    private static final int EXIT_SECONDS_MAX = 5;
    private static final long START_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

    private final Process process;
    private final int port;
    private final @Nullable Path file;

    private RelayProcess(Process process, int port, @Nullable Path file) {
        this.process = process;
        this.port = port;
        this.file = file;
    }

    /**
     * Starts a rendezvous server on loopback.
     *
     * @param settings as {@code name=value}
     */
    public static RelayProcess rendezvous(List<String> jvmOptions, List<String> settings) {
        List<String> command = new ArrayList<>(Host.javaCommand(jvmOptions));
        command.add(RelayMain.class.getName());
        command.add("rendezvous-server.port=0");
        command.addAll(settings);
        try {
            Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            String line = process.inputReader().readLine();
            if (line == null) {
                throw new BenchException("the rendezvous server has not started; its reason is above");
            }
            return new RelayProcess(process, Integer.parseInt(line), null);
        } catch (IOException e) {
            throw new BenchException("can't start the rendezvous server: " + e.getMessage(), e);
        }
    }

    /** Starts HAProxy in TCP mode, from one port of loopback to another. */
    public static RelayProcess haproxy(Path program, int target) {
        try {
            int port = freePort();
            Path file = Files.createTempFile("tutti-bench-", ".cfg");
            Files.writeString(file, """
                    global
                      maxconn 1000
                    defaults
                      mode tcp
                      timeout connect 5s
                      timeout client 1h
                      timeout server 1h
                    listen relay
                      bind 127.0.0.1:%d
                      server target 127.0.0.1:%d
                    """.formatted(port, target));
            Process process = new ProcessBuilder(program.toString(), "-db", "-f", file.toString()).inheritIO().start();
            RelayProcess relay = new RelayProcess(process, port, file);
            relay.awaitPort();
            return relay;
        } catch (IOException e) {
            throw new BenchException("can't start " + program + ": " + e.getMessage(), e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void awaitPort() {
        long endNanos = System.nanoTime() + START_NANOS_MAX;
        while (System.nanoTime() - endNanos < 0 && process.isAlive()) {
            try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return;
            } catch (IOException e) {
                Thread.onSpinWait();
            }
        }
        close();
        throw new BenchException("HAProxy has not opened its port " + port);
    }

    public int port() {
        return port;
    }

    /** Returns its resident memory in bytes. */
    public long residentBytes() {
        try (var lines = Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            throw new BenchException("can't read the memory of a process: " + e.getMessage(), e);
        }
    }

    /** Returns the CPU time that it has used. */
    public Duration processorTime() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (file != null || !process.waitFor(EXIT_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
