package dev.tutti.balancer;

import dev.tutti.Node;
import dev.tutti.announce.Announcer;
import dev.tutti.announce.message.WebContext;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** A web server in a process of its own, which can be killed. Ends with its input. */
final class WebProcess implements AutoCloseable {

    private final Process process;

    private WebProcess(Process process) {
        this.process = process;
    }

    /** @param seed address of a node of the cluster */
    static WebProcess start(String route, String cluster, String seed) throws IOException {
        String java = System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
        Process process = new ProcessBuilder(List.of(
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        WebProcess.class.getName(),
                        route,
                        cluster,
                        seed))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new WebProcess(process);
    }

    public static void main(String[] arguments) throws IOException {
        InputStream parent = System.in;
        try (Node node = Node.tcp(0).name(arguments[0]).cluster(arguments[1]).seeds(arguments[2]).start();
                WebServer web = new WebServer(arguments[0]);
                Announcer _ = web.announce(node, WebContext.of("/shop")).open()) {
            while (parent.read() >= 0) {
                // The parent says nothing.
            }
        }
    }

    /** Kills the process as {@code kill -9} does. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
