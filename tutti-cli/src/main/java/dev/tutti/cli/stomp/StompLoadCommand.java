package dev.tutti.cli.stomp;

import dev.tutti.cli.terminal.CommandException;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Table;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.cli.terminal.WrongUsageException;
import dev.tutti.internal.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tutti stomp load}: measures how many MESSAGE frames a member delivers. */
@Command(
        name = "load",
        description = {
            "Subscribes many clients to one destination, sends to it at a steady rate, and counts what arrives.",
            "Without --connect it starts a member in a process of its own, and says what that takes."
        },
        footer = {
            "",
            "Examples:",
            "  tutti stomp load                                 100 clients, 100,000 frames/s",
            "  tutti stomp load --clients 5000 --rate 10 --java=-Xmx256m",
            "  tutti stomp load --connect 10.0.0.1:61613 --destination /topic/load"
        })
public final class StompLoadCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before the command is called
    private CommandSpec spec;

    @Option(names = "--connect", paramLabel = "HOST:PORT", description = "A member that serves already.")
    private @Nullable String connect;

    @Option(names = "--clients", paramLabel = "NUMBER", description = "Clients that subscribe. Default: ${DEFAULT-VALUE}.")
    private int clients = 100;

    @Option(
            names = "--rate",
            paramLabel = "NUMBER",
            description = "Messages sent each second; each client gets all. Default: ${DEFAULT-VALUE}.")
    private int rate = 1_000;

    @Option(names = "--size", paramLabel = "BYTES", description = "Body of a message. Default: ${DEFAULT-VALUE}.")
    private int size = 100;

    @Option(names = "--seconds", paramLabel = "NUMBER", description = "For how long. Default: ${DEFAULT-VALUE}.")
    private int seconds = 10;

    @Option(names = "--destination", paramLabel = "PATH", description = "Default: ${DEFAULT-VALUE}.")
    private String destination = "/topic/load";

    @Option(names = "--java", paramLabel = "OPTION", description = "An option for the JVM of the member; may be repeated.")
    private List<String> java = List.of();

    @Option(names = "--json", description = "Prints one JSON document.")
    private boolean isJson;

    public StompLoadCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        String place = connect;
        if (place != null) {
            return measure(address(place), null);
        }
        Process member = startMember();
        try {
            return measure(address(endpoint(member)), member);
        } finally {
            member.destroy();
            if (!member.waitFor(10, TimeUnit.SECONDS)) {
                member.destroyForcibly();
            }
        }
    }

    private static InetSocketAddress address(String hostPort) {
        URI uri = URI.create("stomp://" + hostPort);
        if (uri.getHost() == null || uri.getPort() < 0) {
            throw new WrongUsageException("'" + hostPort + "' is not host:port");
        }
        return new InetSocketAddress(uri.getHost(), uri.getPort());
    }

    private Process startMember() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(java);
        command.addAll(List.of(
                "-cp", System.getProperty("java.class.path"), spec.root().userObject().getClass().getName(),
                "stomp", "--json", "--port", "0",
                "--stomp-port", "0", "--seed", "127.0.0.1:1", "--group", destination.split("/", -1)[1],
                "-D", "stomp.clients-max=" + (clients + 10)));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String endpoint(Process member) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(member.getInputStream(), StandardCharsets.UTF_8));
        String line = lines.readLine();
        int start = line == null ? -1 : line.indexOf("stomp://");
        if (line == null || start < 0) {
            throw new CommandException("the member did not start; what it said is above");
        }
        return line.substring(start + "stomp://".length(), line.indexOf('"', start));
    }

    private int measure(InetSocketAddress server, @Nullable Process member) throws IOException {
        try (StompLoad load = new StompLoad(server, clients, destination)) {
            // A warm-up: code is compiled and sockets get their buffers.
            StompLoad.Result warm = load.run(Math.max(1, rate / 2), size, Math.max(1, seconds / 4));
            long memberCpu = cpuNanos(member);
            long ownCpu = cpuNanos(null);
            long startNanos = System.nanoTime();
            StompLoad.Result total = load.run(rate, size, seconds);
            long nanos = System.nanoTime() - startNanos;
            print(warm, total, nanos, cpuNanos(member) - memberCpu, cpuNanos(null) - ownCpu, member);
            boolean isWhole = total.closed() == 0 && total.received() - warm.received() == total.sent() * clients;
            return isWhole ? ExitCodes.DONE : ExitCodes.FAILED;
        }
    }

    private void print(
            StompLoad.Result warm, StompLoad.Result total, long nanos, long memberCpu, long ownCpu, @Nullable Process member)
            throws IOException {
        long received = total.received() - warm.received();
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("clients", clients);
        values.put("messages-sent", total.sent());
        values.put("frames-received", received);
        values.put("frames-expected", total.sent() * clients);
        values.put("frames-per-second", Math.round(received * 1e9 / total.nanos()));
        values.put("body-bytes", size);
        values.put("delay-p50-ms", round(total.delayMillis(0.5)));
        values.put("delay-p99-ms", round(total.delayMillis(0.99)));
        values.put("delay-max-ms", round(total.delayMillis(1)));
        values.put("disconnected", total.closed());
        values.put("load-cpus", round((double) ownCpu / nanos));
        if (member != null) {
            values.put("member-cpus", round((double) memberCpu / nanos));
            values.put("member-resident-mib", status(member, "VmRSS:") / 1_024);
            values.put("member-threads", status(member, "Threads:"));
        }
        if (isJson) {
            terminal.print(Json.write(values));
            return;
        }
        Table table = new Table("what", "value");
        values.forEach((name, value) -> table.add(name, String.valueOf(value)));
        table.print(terminal);
    }

    private static double round(double value) {
        return Math.round(value * 100) / 100.0;
    }

    /** Returns the CPU time of a process, or of this one. */
    private static long cpuNanos(@Nullable Process process) {
        ProcessHandle handle = process == null ? ProcessHandle.current() : process.toHandle();
        return handle.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }

    /** Returns a number from /proc on Linux, and 0 elsewhere. */
    private static long status(Process member, String name) throws IOException {
        Path file = Path.of(String.format(Locale.ROOT, "/proc/%d/status", member.pid()));
        if (!Files.exists(file)) {
            return 0;
        }
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith(name)) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return 0;
    }
}
