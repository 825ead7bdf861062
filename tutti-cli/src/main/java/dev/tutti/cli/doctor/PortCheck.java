package dev.tutti.cli.doctor;

import dev.tutti.core.driver.TransportSettings;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Checks that bind.port is free, and finds the process that holds it if not. */
final class PortCheck implements Check {

    private static final Path PROC = Path.of("/proc");

    @Override
    public String name() {
        return "port";
    }

    @Override
    public Duration deadline() {
        return Duration.ofSeconds(5);
    }

    @Override
    public List<Finding> run(DoctorContext context) throws IOException {
        InetAddress bound = context.bound();
        int first = context.get(TransportSettings.BIND_PORT);
        if (bound == null || first == 0) {
            return List.of(Finding.ok(name(), first == 0 ? "any free one" : "not looked at without an address"));
        }
        boolean isUdp = context.isUdp();
        int last = Math.min(65_535, first + context.get(TransportSettings.BIND_PORT_RANGE));
        for (int port = first; port <= last; port++) {
            if (trouble(bound, port, isUdp) == null) {
                String text = bound.getHostAddress() + ":" + port + " is free";
                return List.of(Finding.ok(name(), port == first ? text : text + ", " + first + " is taken"));
            }
        }
        String where = bound.getHostAddress() + ":" + first + (last > first ? " to " + last : "");
        Holder holder = holder(first, isUdp);
        if (holder != null && isMember(holder.pid(), first)) {
            return List.of(Finding.ok(name(), where + " is taken by a node of tutti that runs here"));
        }
        String trouble = String.valueOf(trouble(bound, first, isUdp));
        boolean isDenied = trouble.toLowerCase(Locale.ROOT).contains("permission");
        return List.of(Finding.fault(
                name(),
                where + " can't be bound: " + trouble
                        + (holder == null ? "" : "; " + holder.command() + " has it (process " + holder.pid() + ")"),
                isDenied
                        ? "take a port from 1024 on: bind.port"
                        : "end that process (ss -lptn 'sport = :" + first + "' shows it), or set bind.port to another one, or"
                                + " bind.port-range: 9"));
    }

    private static @Nullable String trouble(InetAddress bound, int port, boolean isUdp) throws IOException {
        try {
            if (isUdp) {
                new DatagramSocket(new InetSocketAddress(bound, port)).close();
            } else {
                try (ServerSocket socket = new ServerSocket()) {
                    socket.setReuseAddress(true);
                    socket.bind(new InetSocketAddress(bound, port));
                }
            }
            return null;
        } catch (BindException e) {
            return e.getMessage();
        } catch (SocketException e) {
            return e.getMessage();
        }
    }

    private static boolean isMember(long pid, int port) throws IOException {
        return DiagnosticsDirectory.ofUser().entries().stream()
                .anyMatch(entry -> entry.pid() == pid && entry.port() == port);
    }

    /** A process that holds a port. */
    private record Holder(long pid, String command) {}

    /** Returns the process that holds the port, as far as this user may see it; null if that is not known. */
    private static @Nullable Holder holder(int port, boolean isUdp) throws IOException {
        String hex = String.format(":%04X", port);
        for (String table : isUdp ? List.of("udp", "udp6") : List.of("tcp", "tcp6")) {
            Path file = PROC.resolve("net").resolve(table);
            for (String line : Files.isReadable(file) ? Files.readAllLines(file) : List.<String>of()) {
                String[] words = line.strip().split(" +");
                boolean isHolder = words.length > 9 && words[1].endsWith(hex) && (isUdp || words[3].equals("0A"));
                if (isHolder) {
                    return process("socket:[" + words[9] + "]");
                }
            }
        }
        return null;
    }

    private static @Nullable Holder process(String socket) throws IOException {
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : processes) {
                if (Files.isReadable(process.resolve("fd")) && holds(process.resolve("fd"), socket)) {
                    String command = Files.readString(process.resolve("comm")).strip();
                    return new Holder(Long.parseLong(process.getFileName().toString()), command);
                }
            }
        }
        return null;
    }

    private static boolean holds(Path directory, String socket) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (Files.readSymbolicLink(file).toString().equals(socket)) {
                    return true;
                }
            }
        } catch (IOException e) {
            // The process ends or closes the file at this moment, and so is not the holder.
            return false;
        }
        return false;
    }
}
