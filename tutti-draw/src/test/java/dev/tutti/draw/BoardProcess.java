package dev.tutti.draw;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A member with a board, in a process that can be killed. */
final class BoardProcess implements AutoCloseable {

    final String address;
    final String url;
    private final Process process;

    private BoardProcess(Process process, String address, String url) {
        this.process = process;
        this.address = address;
        this.url = url;
    }

    /** @param seed where another member is; empty for none */
    static BoardProcess start(String name, String seed) throws IOException {
        Process process = new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        BoardProcess.class.getName(),
                        name,
                        seed))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        String address = out.readLine();
        String url = out.readLine();
        if (url == null) {
            throw new AssertionError("member " + name + " did not start");
        }
        return new BoardProcess(process, address, url);
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        assertThat(process.destroyForcibly().waitFor(20, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    /** Arguments: name and seed. Ends when its input does. */
    public static void main(String[] arguments) throws IOException {
        NodeBuilder builder = Node.tcp(0).name(arguments[0]).set("preset", "fast");
        if (!arguments[1].isEmpty()) {
            builder.seeds(arguments[1]);
        }
        try (Node node = builder.start();
                DrawingBoard board = DrawingBoard.start(node, server -> server.port(0))) {
            System.out.println(node.address());
            System.out.println(board.url());
            while (System.in.read() >= 0) {
                // Until whoever has started it is gone.
            }
        }
    }
}
