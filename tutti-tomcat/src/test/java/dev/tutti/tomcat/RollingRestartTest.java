package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.testing.Ports;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes with TLS are restarted one after the other, as the page for operators describes, while others serve. */
@Tag("slow")
class RollingRestartTest {

    private static final int USERS = 20;
    private static final int ROUNDS = 2;

    private final List<Integer> ports = new ArrayList<>();
    private final List<TomcatNode> nodes = new ArrayList<>();

    @TempDir
    Path directory;

    private static final class User {
        final Browser browser = new Browser();
        final List<String> items = new ArrayList<>();

        void add(TomcatNode node, String item) {
            items.add(item);
            assertThat(browser.get(node, "/add?item=" + item)).isEqualTo("" + items.size());
        }
    }

    private static int freePort() throws IOException {
        return Ports.lasting();
    }

    private TomcatNode start(int index) {
        List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port).toList();
        TuttiManager manager = new TuttiManager();
        manager.setPort(ports.get(index));
        manager.setNodeName("n" + index);
        manager.setSeeds(String.join(",", seeds));
        manager.setSecret("q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0GjKx6Pu4EaSc");
        return new TomcatNode("n" + index, directory, manager, ShopNode.pages(), none -> {});
    }

    private static void awaitComplete(TomcatNode node, int members) {
        until(node.name + " is complete", () -> {
            Map<String, Object> status = node.manager.status();
            return status.get("state-complete").equals(true) && ((List<?>) status.get("members")).size() == members;
        });
    }

    @AfterEach
    void stopAll() {
        nodes.forEach(TomcatNode::close);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void restartsOneAfterTheOtherLoseNothing(int count) throws Exception {
        for (int index = 0; index < count; index++) {
            ports.add(freePort());
        }
        for (int index = 0; index < count; index++) {
            nodes.add(start(index));
            awaitComplete(nodes.get(index), index + 1);
        }
        List<User> users = new ArrayList<>();
        for (int index = 0; index < USERS; index++) {
            users.add(new User());
            users.getLast().add(nodes.get(index % count), "first");
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (int index = 0; index < count; index++) {
                TomcatNode other = nodes.get((index + 1) % count);
                AtomicBoolean isOver = new AtomicBoolean();
                CompletableFuture<Void> load = CompletableFuture.runAsync(() -> {
                    for (int item = 0; !isOver.get(); item++) {
                        users.get(item % USERS).add(other, "" + item);
                    }
                });
                nodes.get(index).close();
                TomcatNode again = start(index);
                nodes.set(index, again);
                isOver.set(true);
                load.join();
                for (User user : users.subList(0, USERS / 2)) {
                    assertThat(user.browser.get(again, "/cart")).as("at once").isEqualTo(user.items.toString());
                }
                awaitComplete(again, count);
                assertThat(again.manager.getActiveSessions()).isEqualTo(USERS);
                assertThat(again.manager.status().get("start").toString()).startsWith("joined");
            }
        }
        for (TomcatNode node : nodes) {
            for (User user : users) {
                assertThat(user.browser.get(node, "/cart")).isEqualTo(user.items.toString());
            }
        }
    }
}
