package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cli.terminal.Terminal;
import dev.tutti.internal.Json;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commands that serve the console, until they are interrupted. */
@Timeout(120)
class ConsoleCommandTest {

    private final BlockingQueue<String> printed = new LinkedBlockingQueue<>();

    private Thread start(String... arguments) {
        StringWriter out = new StringWriter() {
            @Override
            public void write(String text, int offset, int length) {
                String line = text.substring(offset, offset + length).strip();
                if (!line.isEmpty()) {
                    printed.add(line);
                }
            }
        };
        Terminal terminal =
                new Terminal(InputStream.nullInputStream(), new PrintWriter(out), new PrintWriter(new StringWriter()), false);
        return Thread.ofPlatform().start(() -> Tutti.execute(terminal, arguments));
    }

    private Map<?, ?> event(String kind) throws InterruptedException {
        while (true) {
            String line = printed.poll(60, TimeUnit.SECONDS);
            assertThat(line).as("an event " + kind).isNotNull();
            Map<?, ?> event = (Map<?, ?>) Json.parse(line);
            if (event.get("event").equals(kind)) {
                return event;
            }
        }
    }

    private static HttpURLConnection get(Object address) throws Exception {
        return (HttpURLConnection) URI.create(address.toString()).toURL().openConnection();
    }

    @Test
    void printsALinkThatLogsInOnce() throws Exception {
        Thread command = start("console", "--json", "--port", "0", "--console-port", "0");
        Map<?, ?> event = event("console");
        HttpURLConnection first = get(event.get("link"));
        assertThat(first.getResponseCode()).isEqualTo(200);
        assertThat(first.getHeaderField("Set-Cookie")).contains("HttpOnly");
        assertThat(get(event.get("link")).getResponseCode()).isEqualTo(403);
        assertThat(get(event.get("address") + "ready").getResponseCode()).isEqualTo(200);
        command.interrupt();
        command.join();
    }

    @Test
    void anyNodeServesItIfItIsWanted() throws Exception {
        Thread command =
                start("node", "--json", "--port", "0", "--group", "g", "-D", "console.enabled=true", "-D", "console.port=0");
        Map<?, ?> event = event("console");
        assertThat(get(event.get("address") + "health").getResponseCode()).isEqualTo(200);
        assertThat(get(event.get("address") + "api/cluster").getResponseCode()).isEqualTo(401);
        command.interrupt();
        command.join();
    }
}
