package dev.tutti.bench.relay;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.process.Host;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
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
    private final List<String> words;
    private final List<Integer> ports;
    private final @Nullable Path file;

    private RelayProcess(Process process, List<String> words, List<Integer> ports, @Nullable Path file) {
        this.process = process;
        this.words = words;
        this.ports = ports;
        this.file = file;
    }

    /**
     * Starts a rendezvous server on loopback.
     *
     * @param settings as {@code name=value}
     */
    public static RelayProcess rendezvous(List<String> jvmOptions, List<String> settings) {
        List<String> all = new ArrayList<>(List.of("rendezvous-server.port=0"));
        all.addAll(settings);
        return java("rendezvous server", RelayMain.class, jvmOptions, all);
    }

    /** Starts a GossipRouter of JGroups on loopback, as its own main class does by default. */
    public static RelayProcess gossipRouter(List<String> jvmOptions) {
        List<String> options = new ArrayList<>(jvmOptions);
        // It complains of each member that leaves.
        options.add("-Dorg.slf4j.simpleLogger.log.org.jgroups=off");
        return java("GossipRouter", GossipRouterMain.class, options, List.of(Integer.toString(freePort())));
    }

    /** Starts a class that prints a line when it is open, with its port as the last word if it is a number, and ends with its input. */
    public static RelayProcess java(String name, Class<?> main, List<String> jvmOptions, List<String> arguments) {
        List<String> command = new ArrayList<>(Host.javaCommand(jvmOptions));
        command.add(main.getName());
        command.addAll(arguments);
        try {
            Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            String line = process.inputReader().readLine();
            if (line == null) {
                throw new BenchException("the " + name + " has not started; its reason is above");
            }
            List<String> words = List.of(line.split(" "));
            String last = words.getLast();
            List<Integer> ports = last.matches("[0-9]+") ? List.of(Integer.valueOf(last)) : List.of();
            return new RelayProcess(process, words, ports, null);
        } catch (IOException e) {
            throw new BenchException("can't start the " + name + ": " + e.getMessage(), e);
        }
    }

    /** Starts HAProxy in TCP mode, with a port of loopback for each of these. */
    public static RelayProcess haproxy(Path program, List<Integer> targets) {
        try {
            List<Integer> ports = new ArrayList<>();
            StringBuilder text = new StringBuilder("""
                    global
                      maxconn 1000
                    defaults
                      mode tcp
                      timeout connect 5s
                      timeout client 1h
                      timeout server 1h
                    """);
            for (int target : targets) {
                int port = freePort();
                ports.add(port);
                text.append("""
                        listen relay%d
                          bind 127.0.0.1:%d
                          server target 127.0.0.1:%d
                        """.formatted(port, port, target));
            }
            return haproxy(program, text.toString(), ports);
        } catch (IOException e) {
            throw new BenchException("can't start " + program + ": " + e.getMessage(), e);
        }
    }

    /** Starts HAProxy in HTTP mode, with one port of loopback for all of these, by round robin. */
    public static RelayProcess haproxyForHttp(Path program, List<Integer> targets) {
        int port = freePort();
        StringBuilder text = new StringBuilder("""
                global
                  maxconn 1000
                  nbthread %d
                defaults
                  mode http
                  timeout connect 5s
                  timeout client 1h
                  timeout server 1h
                listen web
                  bind 127.0.0.1:%d
                  balance roundrobin
                  option forwardfor
                """.formatted(Runtime.getRuntime().availableProcessors(), port));
        for (int target : targets) {
            text.append("  server web%d 127.0.0.1:%d\n".formatted(target, target));
        }
        try {
            return haproxy(program, text.toString(), List.of(port));
        } catch (IOException e) {
            throw new BenchException("can't start " + program + ": " + e.getMessage(), e);
        }
    }

    private static RelayProcess haproxy(Path program, String configuration, List<Integer> ports) throws IOException {
        Path file = Files.createTempFile("tutti-bench-", ".cfg");
        Files.writeString(file, configuration);
        Process process = new ProcessBuilder(program.toString(), "-db", "-f", file.toString()).inheritIO().start();
        return new RelayProcess(process, List.of(), ports, file);
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new BenchException("no free port: " + e.getMessage(), e);
        }
    }

    /** Waits until its port is open, by a connection to its target. */
    public RelayProcess awaitPort() {
        long endNanos = System.nanoTime() + START_NANOS_MAX;
        while (System.nanoTime() - endNanos < 0 && process.isAlive()) {
            try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port())) {
                return this;
            } catch (IOException e) {
                Thread.onSpinWait();
            }
        }
        close();
        throw new BenchException("HAProxy has not opened its port " + port());
    }

    /** Returns the words of the line that the process has printed. */
    public List<String> words() {
        return words;
    }

    public int port() {
        return ports.getFirst();
    }

    /** Returns a port for each target, or the only one. */
    public List<Integer> ports() {
        return ports;
    }

    /** Returns a number from the page {@code /metrics} of a rendezvous server. */
    public long number(String name) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            socket.getOutputStream().write("GET /metrics HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            String text = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return text.lines()
                    .filter(line -> line.startsWith(name + " "))
                    .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1)))
                    .findFirst()
                    .orElseThrow(() -> new BenchException("the rendezvous server has no number " + name));
        } catch (IOException e) {
            throw new BenchException("can't read the numbers of the rendezvous server: " + e.getMessage(), e);
        }
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

    /** Gives its input an empty line. */
    public void tell() {
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new BenchException("a process has ended: " + e.getMessage(), e);
        }
    }

    /** Kills it as {@code kill -9} does, and waits for its end. */
    public void kill() {
        process.destroyForcibly().onExit().join();
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
