package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Event;
import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.Problem;
import dev.tutti.Scope;
import dev.tutti.SendException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member whose listener never returns: it keeps the others waiting, or leaves if its settings say so. */
@Timeout(60)
class StuckListenerTest {

    private final Cluster cluster = Cluster.of(3, 1);
    private final Map<String, List<String>> closed = new TreeMap<>();
    private Map<String, String> settings = Map.of("on-stuck", "leave", "stuck-timeout", "20 s");

    /** Node whose listener is not to return yet. */
    private String stuck = "";

    @AfterEach
    void closeCluster() {
        stuck = "";
        cluster.close();
    }

    private static final class Component {
        final Group group;

        Component(Group group) {
            this.group = group;
        }
    }

    private Components<Component> start() {
        Components<Component> components = cluster.deploy(node -> {
            var builder = node.group("g")
                    .set("window", "128 KiB")
                    .onClosed(reason -> closed.computeIfAbsent(node.name(), key -> new ArrayList<>()).add(reason))
                    .onMessage(message -> hang(node));
            settings.forEach(builder::set);
            return new Component(builder.join());
        });
        cluster.start(1, 2, 3).awaitOneView();
        return components;
    }

    private void hang(Node node) {
        while (stuck.equals(node.name())) {
            cluster.process(cluster.numberOf(node)).threads().sleep(Duration.ofMillis(50).toNanos());
        }
    }

    private static void keepSending(Components<Component> components) {
        components.keep(Duration.ofMillis(2), component -> {
            try {
                component.group.send(new byte[5_000]);
            } catch (SendException e) {
                assertThat(e.reason()).isIn(SendException.Reason.WINDOW_CLOSED, SendException.Reason.LOST);
            }
        });
    }

    private List<String> events(int number, Event.Kind kind) {
        return cluster.node(number).events(0).list().stream().filter(event -> event.kind() == kind).map(Event::toString).toList();
    }

    private int members(Components<Component> components, int number) {
        return components.on(number).group.view().size();
    }

    @Test
    void memberLeavesAfterItsTimeAndTheOthersGoOn() {
        Components<Component> components = start();
        stuck = "n2";
        keepSending(components);
        cluster.advance(Duration.ofSeconds(18));
        assertThat(members(components, 1)).isEqualTo(3);
        cluster.advance(Duration.ofSeconds(8));
        assertThat(members(components, 1)).isEqualTo(2);
        // Told like other failures, while the listener still has not returned.
        String reason = "callback onMessage for a message of n";
        assertThat(closed.get("n2")).singleElement().asString().contains(reason, "has not returned for 2", "stuck-timeout");
        assertThat(components.on(2).group.failure()).hasMessageContaining(reason);
        assertThat(events(2, Event.Kind.CALLBACK_FAILED)).singleElement().asString().contains(reason, "the group is left");
        assertThat(events(2, Event.Kind.LEFT)).singleElement().asString().contains("has not returned");
        cluster.advance(Duration.ofSeconds(10));
        assertThat(cluster.node(2).health().problems())
                .extracting(Problem::kind)
                .containsExactly(Problem.Kind.GROUP_LOST);
        assertThat(cluster.node(2).health().isReady()).isFalse();
        assertThat(cluster.node(1).health().problems()).isEmpty();
        assertThat(closed).containsOnlyKeys("n2");
        stuck = "";
        cluster.awaitRest();
        assertThat(closed.get("n2")).hasSize(1);
    }

    @Test
    void memberStaysIfItsSettingsDoNotSayOtherwise() {
        settings = Map.of();
        Components<Component> components = start();
        stuck = "n2";
        keepSending(components);
        cluster.advance(Duration.ofMinutes(5));
        assertThat(members(components, 1)).isEqualTo(3);
        stuck = "";
        cluster.awaitRest();
        assertThat(closed).isEmpty();
    }

    @Test
    void memberStaysWhileNobodyWaits() {
        Components<Component> components = start();
        stuck = "n2";
        cluster.runOn(1, () -> components.on(1).group.send("one"));
        cluster.advance(Duration.ofMinutes(2));
        assertThat(members(components, 1)).isEqualTo(3);
        // This message has to wait.
        cluster.runOn(1, () -> components.on(1).group.send("two"));
        cluster.advance(Duration.ofSeconds(5));
        assertThat(members(components, 1)).isEqualTo(2);
        stuck = "";
        cluster.awaitRest();
    }

    @Test
    void memberLeavesForAListenerOfAScopeToo() {
        Components<Component> components = start();
        stuck = "n2";
        cluster.runOn(1, () -> {
            for (int count = 0; count < 20; count++) {
                components.on(1).group.send(new byte[5_000], Scope.of("a"));
            }
        });
        cluster.advance(Duration.ofSeconds(26));
        assertThat(members(components, 1)).isEqualTo(2);
        assertThat(closed.get("n2")).singleElement().asString().contains("has not returned");
        stuck = "";
        cluster.awaitRest();
    }

    @Test
    void listenerThatReturnsNowAndThenIsNotStuck() {
        Components<Component> components = start();
        cluster.slow(2, Duration.ofSeconds(6));
        components.keep(Duration.ofSeconds(1), component -> component.group.sendAsync(new byte[10]));
        cluster.advance(Duration.ofMinutes(2));
        assertThat(members(components, 1)).isEqualTo(3);
    }
}
