package dev.tutti.stomp.client;

import dev.tutti.Node;
import dev.tutti.stomp.StompServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A member that serves STOMP, in a process of its own that can be killed. */
final class MemberProcess implements AutoCloseable {

    private final Process process;
    private final String address;
    private final URI url;

    /** Starts a member. Returns when it serves. @param seed address of another member; empty for the first one */
    MemberProcess(String name, String seed) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1", "-Xmx128m", "-cp",
                System.getProperty("java.class.path"), MemberProcess.class.getName(), name));
        if (!seed.isEmpty()) {
            command.add(seed);
        }
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        CompletableFuture<String> ready = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> read(process.inputReader(StandardCharsets.UTF_8), ready));
        String[] words = ready.get(60, TimeUnit.SECONDS).split(" ");
        address = words[1];
        url = URI.create(words[2]);
    }

    private static void read(BufferedReader output, CompletableFuture<String> ready) {
        StringBuilder all = new StringBuilder();
        try {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                all.append(line).append('\n');
                if (line.startsWith("ready ")) {
                    ready.complete(line);
                }
            }
        } catch (IOException e) {
            all.append(e);
        }
        ready.completeExceptionally(new IOException("the member has ended: " + all));
    }

    /** The member itself: it ends with its standard input. */
    public static void main(String[] arguments) throws IOException {
        var builder = Node.tcp(0).name(arguments[0]).set("discovery.patience", "200 ms").set("discovery.pause-max", "500 ms");
        if (arguments.length > 1) {
            builder.seeds(arguments[1]);
        }
        Node node = builder.start();
        StompServer server = StompServer.on(node).port(0).start();
        System.out.println("ready " + node.address() + " stomp://127.0.0.1:" + server.port());
        while (System.in.read() >= 0) {
            continue;
        }
        System.exit(0);
    }

    String address() {
        return address;
    }

    URI url() {
        return url;
    }

    /** Ends it by SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
