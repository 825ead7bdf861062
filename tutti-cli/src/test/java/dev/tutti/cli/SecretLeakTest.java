package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Event;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.netty.tls.ClusterSecret;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A secret that a node was given is nowhere in what the node and its commands tell. */
@Tag("slow")
@Timeout(120)
class SecretLeakTest {

    private static final long LIMIT_SECONDS = 30;

    @TempDir
    private Path directory;

    @Test
    void theSecretIsNowhereToBeSeen() throws Exception {
        String canary = ClusterSecret.generate();
        List<Event> events = new CopyOnWriteArrayList<>();
        NodeBuilder builder = Node.tcp(0).name("a").secret(canary);
        try (Node node = builder.start();
                Node other = Node.tcp(0).name("b").secret(ClusterSecret.generate()).seeds(node.address()).start()) {
            BlockingQueue<Event> refused = new LinkedBlockingQueue<>();
            node.onEvent(event -> {
                events.add(event);
                if (event.kind() == Event.Kind.REFUSED) {
                    refused.add(event);
                }
            });
            assertThat(refused.poll(LIMIT_SECONDS, TimeUnit.SECONDS)).isNotNull();
            Map<String, Object> seen = Map.of(
                    "builder", builder.spec(),
                    "spec", node.spec(),
                    "values", node.spec().node().explicit(),
                    "settings", node.inspection().settings(),
                    "inspection", node.inspection().json(),
                    "events", events,
                    "health", node.health(),
                    "other", other.inspection().json());
            seen.forEach((what, value) -> assertThat(String.valueOf(value)).as(what).doesNotContain(canary));
        }
        Path file = directory.resolve("node.yaml");
        Files.writeString(file, "security: {secret: " + canary + "}\n");
        for (String command : List.of("show", "print")) {
            Run run = Run.of("config", command, "--config", file.toString());
            assertThat(run.out() + run.err()).as(command).contains("not shown").doesNotContain(canary);
        }
        assertThat(Run.of("node", "-D", "security.secret=" + canary).err()).doesNotContain(canary);
        System.setProperty("tutti.security.secret", canary);
        try {
            assertThatThrownBy(() -> Node.tcp(0).start())
                    .hasMessageContaining("security.secret-file")
                    .message()
                    .doesNotContain(canary);
        } finally {
            System.clearProperty("tutti.security.secret");
        }
    }
}
