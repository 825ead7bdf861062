package dev.tutti.campaign.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that compares answers with its confirmed writes. */
class ClientTest {

    @TempDir
    Path directory;

    private volatile String answer = "session new\n";

    private Tomcat server() throws LifecycleException {
        Tomcat server = new Tomcat();
        server.setBaseDir(directory.toString());
        server.setPort(0);
        Context context = server.addContext("", directory.toString());
        HttpServlet page = new HttpServlet() {
            private static final long serialVersionUID = 1L;

            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                response.getWriter().print(answer);
            }
        };
        Tomcat.addServlet(context, "page", page).addMapping("/");
        server.getConnector();
        server.start();
        return server;
    }

    /** Returns a node whose process only runs; a server of the test answers for it. */
    private TomcatProcess node(int port) throws IOException {
        Files.createDirectories(directory.resolve("bin"));
        Files.createDirectories(directory.resolve("logs"));
        Files.writeString(directory.resolve("bin/catalina.sh"), "exec sleep 60\n");
        return new TomcatProcess(0, directory, directory, new Place(List.of(), "127.0.0.1", port, 0), List.of());
    }

    @Test
    void lostSessionIsCountedOnce() throws Exception {
        Tomcat server = server();
        Tally tally = new Tally();
        try (HttpClient http = HttpClient.newHttpClient();
                TomcatProcess node = node(server.getConnector().getLocalPort())) {
            node.start();
            Client client = new Client(1, http, List.of(node), tally, true);
            client.write();
            answer = "session none\n";
            assertThat(client.settle()).isFalse();
            assertThat(client.settle()).as("has no session to lose").isTrue();
            assertThat(tally.lostSessions).hasValue(1);
        } finally {
            server.stop();
            server.destroy();
        }
    }
}
