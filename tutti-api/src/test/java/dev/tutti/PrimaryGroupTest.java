package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.View;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.SettingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Groups with a primary partition, on real sockets and with real files. */
@Timeout(60)
class PrimaryGroupTest {

    @TempDir
    private Path directory;

    private final List<Node> nodes = new ArrayList<>();
    private final BlockingQueue<View> views = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> reasons = new LinkedBlockingQueue<>();

    @AfterEach
    void closeAll() {
        nodes.forEach(Node::close);
    }

    private Node node(String name) {
        NodeBuilder builder = Node.tcp(0).name(name);
        builder.set(TransportSettings.RECORDS_DIRECTORY, directory.resolve(name).toString());
        if (!nodes.isEmpty()) {
            builder.seeds(nodes.getFirst().address());
        }
        Node node = builder.start();
        nodes.add(node);
        return node;
    }

    private Group join(Node node, String... founders) {
        return node.group("locks").primary(founders).onView(views::add).onSuspended(reasons::add).join();
    }

    private View awaitPrimary(int size) throws InterruptedException {
        View view = views.poll(20, TimeUnit.SECONDS);
        while (view != null && !(view.isPrimary() && view.size() == size)) {
            view = views.poll(20, TimeUnit.SECONDS);
        }
        assertThat(view).as("primary view of " + size).isNotNull();
        return view;
    }

    @Test
    void epochGrowsOverARestart() throws InterruptedException {
        Group group = join(node("a"), "a");
        View first = awaitPrimary(1);
        assertThat(first.epoch()).isOne();
        assertThat(group.isPrimary()).isTrue();
        nodes.removeFirst().close();
        join(node("a"), "a");
        assertThat(awaitPrimary(1).epoch()).isEqualTo(2);
    }

    @Test
    void memberThatIsNoFounderWaitsForThem() throws InterruptedException {
        Node first = node("b");
        Group group = join(first, "a");
        assertThat(reasons.poll(20, TimeUnit.SECONDS)).contains("primary partition");
        assertThat(group.isPrimary()).isFalse();
        assertThat(group.view().isPrimary()).isFalse();
        assertThat(group.waitsFor()).contains("primary partition");
        assertThat(group.trySend(new byte[0])).as("it waits for the loop").isTrue();
        join(node("a"), "a");
        awaitPrimary(2);
    }

    @Test
    void votesNeedAPlaceToKeepThem() {
        Node node = Node.tcp(0).name("a").start();
        nodes.add(node);
        assertThatThrownBy(() -> join(node, "a"))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("records.directory")
                .hasMessageContaining("memory");
    }

    @Test
    void foundersHaveToBeNamed() {
        Node node = node("a");
        assertThatThrownBy(() -> join(node))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("founders is empty");
    }
}
