package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.Scope;
import dev.tutti.SendException;
import dev.tutti.Stability;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Listeners that send more than their member's window has room for. */
@Timeout(60)
class OwnWindowTest {

    private static final Duration SOON = Duration.ofSeconds(1);
    private static final byte[] MESSAGE = new byte[1_000];

    private final Cluster cluster = Cluster.of(3, 1);

    /** Action of n2's listeners when they are asked. */
    private BiConsumer<Component, Message> answer = (component, message) -> {};

    private UnaryOperator<GroupBuilder> settings = builder -> builder;

    @AfterEach
    void closeCluster() {
        cluster.close();
    }

    private final class Component {
        final Node node;
        final Group group;
        final Group other;
        final List<SendException> failures = new ArrayList<>();
        final List<Duration> failedAfter = new ArrayList<>();
        Duration lasted = Duration.ZERO;
        int got;
        int gotInOther;

        Component(Node node) {
            this.node = node;
            other = node.group("other").set("window", "128 KiB").onMessage(message -> gotInOther++).join();
            group = settings.apply(node.group("g").set("window", "128 KiB"))
                    .onMessage(message -> {
                        got++;
                        if (message.length() == 3 && node.name().equals("n2")) {
                            answer.accept(this, message);
                        }
                    })
                    .join();
        }

        /** Sends until that fails. */
        void flood(Runnable send) {
            flood(300, send);
        }

        void flood(int times, Runnable send) {
            Duration before = cluster.elapsed();
            try {
                for (int count = 0; count < times; count++) {
                    send.run();
                }
                lasted = cluster.elapsed().minus(before);
            } catch (SendException e) {
                failures.add(e);
                failedAfter.add(cluster.elapsed().minus(before));
            }
        }
    }

    private Components<Component> start() {
        Components<Component> components = cluster.deploy(Component::new);
        cluster.start(1, 2, 3).awaitOneView();
        return components;
    }

    private static void ask(Components<Component> components) {
        components.on(1).group.send("ask");
    }

    private static void assertFailedAtOnce(Component component) {
        assertThat(component.failures).singleElement().satisfies(failure -> {
            assertThat(failure.reason()).isEqualTo(SendException.Reason.LISTENER);
            assertThat(failure.reason().isFinal()).isFalse();
            assertThat(failure).hasMessageContaining("the window is closed by n2").hasMessageContaining("use sendAsync");
        });
        assertThat(component.failedAfter).allMatch(time -> time.compareTo(SOON) < 0);
    }

    private static void assertGoesOn(Cluster cluster, Components<Component> components) {
        int before = components.on(3).got;
        components.on(2).group.send("afterwards");
        cluster.awaitRest();
        assertThat(components.on(3).got).isEqualTo(before + 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fifo", "causal", "total"})
    void sendThatWouldWaitForItsOwnListenerFailsAtOnce(String stack) {
        settings = builder -> builder.set("stack", stack);
        answer = (component, message) -> component.flood(() -> component.group.send(MESSAGE));
        Components<Component> components = start();
        ask(components);
        cluster.awaitRest();
        assertFailedAtOnce(components.on(2));
        assertThat(components.on(2).got).as("what was accepted arrives").isEqualTo(components.on(3).got).isGreaterThan(50);
        assertGoesOn(cluster, components);
    }

    @Test
    void listenerOfAMemberAloneFailsAtOnce() {
        answer = (component, message) -> component.flood(() -> component.group.send(MESSAGE));
        Components<Component> components = cluster.deploy(Component::new);
        cluster.start(2);
        components.on(2).group.send("ask");
        cluster.awaitRest();
        assertFailedAtOnce(components.on(2));
    }

    @Test
    void messagesToTheMemberItselfFailAtOnce() {
        answer = (component, message) -> component.flood(() -> component.group.sendTo(component.group.self(), MESSAGE));
        Components<Component> components = start();
        ask(components);
        cluster.awaitRest();
        assertFailedAtOnce(components.on(2));
        assertGoesOn(cluster, components);
    }

    @Test
    void messagesToOthersDoNotWaitForTheListener() {
        answer = (component, message) -> component.flood(() -> component.group.sendTo(message.sender(), MESSAGE));
        Components<Component> components = start();
        cluster.slow(1, Duration.ofMillis(5));
        ask(components);
        cluster.awaitRest();
        assertThat(components.on(2).failures).isEmpty();
        assertThat(components.on(1).got).isEqualTo(301);
    }

    @Test
    void messageThatIsLongerThanTheWindowFailsAtOnce() {
        byte[] large = new byte[1_000_000];
        answer = (component, message) -> component.flood(() -> component.group.send(large));
        Components<Component> components = start();
        ask(components);
        cluster.awaitRest();
        assertFailedAtOnce(components.on(2));
        assertGoesOn(cluster, components);
    }

    @Test
    void receiptsAreNoWayAroundTheWindow() {
        answer = (component, message) -> component.flood(() -> {
            var unused = component.group.sendStable(MESSAGE, Stability.ALL);
        });
        Components<Component> components = start();
        ask(components);
        cluster.awaitRest();
        assertFailedAtOnce(components.on(2));
    }

    @Test
    void listenerWaitsForAnotherMember() {
        answer = (component, message) -> component.flood(150, () -> component.group.send(MESSAGE));
        Components<Component> components = start();
        // n2 has consumed its own, n3 has not.
        cluster.slow(3, Duration.ofMillis(20));
        cluster.runOn(2, () -> {
            for (int count = 0; count < 125; count++) {
                components.on(2).group.send(MESSAGE);
            }
        });
        ask(components);
        cluster.awaitRest();
        assertThat(components.on(2).failures).isEmpty();
        assertThat(components.on(2).lasted).as("it had to wait").isGreaterThan(SOON);
        assertThat(components.on(3).got).isEqualTo(126 + 150);
    }

    @Test
    void listenerThatAnotherMemberHasKeptWaitingFailsWhenItIsItsOwnTurn() {
        answer = (component, message) -> component.flood(() -> component.group.send(MESSAGE));
        Components<Component> components = start();
        cluster.slow(3, Duration.ofMillis(20));
        ask(components);
        cluster.awaitRest();
        assertThat(components.on(2).failures).singleElement()
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(SendException.Reason.LISTENER));
        assertThat(components.on(2).failedAfter).allMatch(time -> time.compareTo(Duration.ofSeconds(10)) < 0);
    }

    @Test
    void listenerOfOneGroupMayWaitForAnother() {
        answer = (component, message) -> component.flood(() -> component.other.send(MESSAGE));
        Components<Component> components = start();
        cluster.slow(3, Duration.ofMillis(2));
        ask(components);
        cluster.awaitRest();
        assertThat(components.on(2).failures).isEmpty();
        assertThat(components.on(3).gotInOther).isEqualTo(300);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void listenerBesideTheOrderMayWait(boolean isOutOfBand) {
        answer = (component, message) -> component.flood(() -> component.group.send(MESSAGE));
        Components<Component> components = start();
        components.on(1).group.send("ask".getBytes(StandardCharsets.UTF_8), isOutOfBand ? Scope.OUT_OF_BAND : Scope.of("questions"));
        cluster.awaitRest();
        assertThat(components.on(2).failures).isEmpty();
        assertThat(components.on(3).got).isEqualTo(301);
    }

    @Test
    void listenerWaitsForWhatOtherThreadsOfItsMemberDeliver() {
        answer = (component, message) -> {
            if (message.text().equals("asi")) {
                cluster.process(2).threads().sleep(Duration.ofSeconds(2).toNanos());
            } else {
                component.flood(150, () -> component.group.send(MESSAGE));
            }
        };
        Components<Component> components = start();
        cluster.runOn(2, () -> {
            components.on(2).group.send("asi".getBytes(StandardCharsets.UTF_8), Scope.of("slow"));
            for (int count = 0; count < 125; count++) {
                components.on(2).group.send(MESSAGE, Scope.of("slow"));
            }
        });
        ask(components);
        cluster.awaitRest();
        assertThat(components.on(2).failures).isEmpty();
        assertThat(components.on(2).lasted).as("it had to wait").isGreaterThan(SOON);
        assertThat(components.on(3).got).isEqualTo(1 + 126 + 150);
    }
}
