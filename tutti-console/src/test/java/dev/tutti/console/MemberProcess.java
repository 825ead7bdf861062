package dev.tutti.console;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.blocks.inspection.Inspection;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A process with a member: name, port, seeds, groups by commas, messages per second, and settings as {@code name=value}. It prints {@code
 * ready}.
 */
public final class MemberProcess {

    private MemberProcess() {}

    public static void main(String[] arguments) throws Exception {
        int rate = Integer.parseInt(arguments[4]);
        NodeBuilder builder = Node.tcp(Integer.parseInt(arguments[1]))
                .name(arguments[0])
                .cluster("orchestra")
                .seeds(arguments[2].split(","));
        for (String setting : List.of(arguments).subList(5, arguments.length)) {
            int equals = setting.indexOf('=');
            builder.set(setting.substring(0, equals), setting.substring(equals + 1));
        }
        try (ScheduledExecutorService senders = Executors.newSingleThreadScheduledExecutor();
                Node node = builder.start();
                Inspection _ = Inspection.open(node)) {
            for (String name : List.of(arguments[3].split(","))) {
                Group group = node.group(name).onMessage(message -> {}).join();
                if (rate > 0) {
                    byte[] content = new byte[200];
                    senders.scheduleAtFixedRate(() -> group.send(content), 0, 1_000_000 / rate, TimeUnit.MICROSECONDS);
                }
            }
            System.out.println("ready");
            // Until it is killed, or its parent ends.
            System.in.transferTo(OutputStream.nullOutputStream());
        }
    }

    /** Starts one, and returns when it is ready. */
    static Process start(String name, int port, String seeds, String... settings) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                MemberProcess.class.getName(),
                name,
                Integer.toString(port),
                seeds,
                "orders,chat",
                "50"));
        command.addAll(List.of(settings));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        List<String> said = new ArrayList<>();
        for (String line = out.readLine(); !"ready".equals(line); line = out.readLine()) {
            if (line == null) {
                throw new IOException(name + " does not start: " + said);
            }
            said.add(line);
        }
        Thread.ofVirtual().start(() -> out.lines().forEach(each -> {}));
        return process;
    }
}
