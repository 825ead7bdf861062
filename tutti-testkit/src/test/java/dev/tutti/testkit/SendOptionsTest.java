package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Node;
import dev.tutti.Scope;
import dev.tutti.SendException;
import dev.tutti.SendOptions;
import dev.tutti.Stability;
import dev.tutti.core.Delivery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that their sender does not get, and sends that do not wait. */
@Timeout(60)
class SendOptionsTest {

    private static final int PACKETS = 200_000;
    private static final int IN_PLACE = 400_000;

    private static final class Part {
        final Node node;
        final List<String> got = new ArrayList<>();
        final Group group;

        Part(Node node, UnaryOperator<GroupBuilder> settings) {
            this.node = node;
            group = settings.apply(node.group("g").set("window", "128 KiB"))
                    .onMessage(message -> {
                        String text = new String(message.bytes(), 0, Math.min(message.length(), 3), StandardCharsets.UTF_8);
                        got.add(text);
                    })
                    .join();
        }

        List<String> got(String start) {
            return got.stream().filter(text -> text.startsWith(start)).toList();
        }
    }

    private static byte[] bytes(String text, int length) {
        return Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), length);
    }

    private static byte[] bytes(String text) {
        return bytes(text, 3);
    }

    private static UnaryOperator<GroupBuilder> settings(String stack) {
        return switch (stack) {
            case "causal" -> GroupBuilder::causal;
            case "sequencer" -> GroupBuilder::total;
            case "rotation" -> builder -> builder.total().set("total.by", "rotation");
            case "safe" -> builder -> builder.total().set("total.delivery", "safe");
            case "ring" -> builder -> builder.set("dissemination", "ring");
            case "inline" -> GroupBuilder::inline;
            default -> builder -> builder;
        };
    }

    private static Components<Part> start(Cluster cluster, UnaryOperator<GroupBuilder> settings) {
        Components<Part> parts = cluster.startAll(node -> new Part(node, settings));
        cluster.awaitOneView();
        return parts;
    }

    @ParameterizedTest
    @ValueSource(strings = {"fifo", "causal", "sequencer", "rotation", "safe", "ring", "inline"})
    void theOthersGetWhatTheSenderDoesNotInTheSameOrder(String stack) {
        try (Cluster cluster = Cluster.of(3, 5).distinctMessages(group -> true)) {
            Components<Part> parts = start(cluster, settings(stack));
            parts.run(1, part -> {
                Group group = part.group;
                group.send(bytes("a1"));
                group.send(bytes("a2"), SendOptions.NOT_TO_SELF);
                group.send(bytes("a3"), SendOptions.NOT_TO_SELF);
                group.send(bytes("a4"));
                // In pieces, copied and not.
                group.send(bytes("a5", PACKETS), SendOptions.NOT_TO_SELF);
                group.send(bytes("a6", PACKETS));
                group.send(bytes("a7", IN_PLACE), SendOptions.NOT_TO_SELF);
                group.send(bytes("a8"));
                // Those in one scope are in order, beside those without one.
                group.send(bytes("s1"), Scope.of("s"));
                group.send(bytes("s2"), Scope.of("s").notToSelf());
                group.send(bytes("s3", PACKETS), Scope.of("s").notToSelf());
                group.send(bytes("s4"), Scope.of("s"));
                group.send(bytes("o1"), Scope.OUT_OF_BAND.notToSelf());
                group.send(bytes("o2"), Scope.OUT_OF_BAND);
            });
            cluster.awaitRest();
            assertThat(parts.on(1).got("a")).extracting(String::trim).containsExactly("a1", "a4", "a6", "a8");
            assertThat(parts.on(1).got("s")).extracting(String::trim).containsExactly("s1", "s4");
            assertThat(parts.on(1).got("o")).extracting(String::trim).containsExactly("o2");
            for (int number = 2; number <= 3; number++) {
                Part other = parts.on(number);
                assertThat(other.got("a")).extracting(String::trim).containsExactly("a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8");
                assertThat(other.got("s")).extracting(String::trim).containsExactly("s1", "s2", "s3", "s4");
                assertThat(other.got("o")).extracting(String::trim).containsExactlyInAnyOrder("o1", "o2");
            }
            cluster.assertSafe();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fifo", "sequencer", "ring"})
    void theOthersAgreeOnThemDuringFaults(String stack) {
        for (int seed = 1; seed <= 3; seed++) {
            try (Cluster cluster = Cluster.of(4, seed).distinctMessages(group -> true)) {
                AtomicInteger number = new AtomicInteger(1_000);
                Components<Part> parts = start(cluster, settings(stack));
                parts.keep(Duration.ofMillis(20), part -> {
                    boolean isForOthers = number.incrementAndGet() % 2 == 0;
                    // A letter that only own messages of n1 to n4 to the others have.
                    String text = (isForOthers ? "ABCD" : "abcd").charAt(cluster.numberOf(part.node) - 1) + "" + number;
                    try {
                        part.group.trySend(text.getBytes(StandardCharsets.UTF_8), isForOthers ? SendOptions.NOT_TO_SELF : SendOptions.DEFAULT);
                    } catch (SendException e) {
                        // It leaves.
                        assertThat(e.reason().isFinal()).isTrue();
                    }
                });
                cluster.randomFaults(Duration.ofSeconds(20)).quiet().awaitRest();
                for (Part part : parts.running()) {
                    int own = cluster.numberOf(part.node) - 1;
                    assertThat(part.got("ABCD".substring(own, own + 1))).isEmpty();
                }
                // A member may have started again at the end.
                assertThat(parts.running()).anySatisfy(part -> assertThat(part.got).anyMatch(text -> text.compareTo("E") < 0).anyMatch(text -> text.compareTo("a") > 0));
                cluster.assertSafe();
            }
        }
    }

    @Test
    void aReceiptNamesTheSenderToo() {
        try (Cluster cluster = Cluster.of(3, 1)) {
            Components<Part> parts = start(cluster, settings("fifo"));
            CompletableFuture<Delivery> receipt =
                    parts.ask(1, part -> part.group.sendStable(bytes("abc"), SendOptions.NOT_TO_SELF, Stability.ALL));
            cluster.awaitRest();
            assertThat(receipt.join().isByAll()).isTrue();
            assertThat(parts.on(1).got).isEmpty();
            assertThat(parts.on(3).got).containsExactly("abc");
        }
    }

    /** A listener can't wait for messages that it has to consume itself; of these there is nothing to consume. */
    @Test
    void aListenerMaySendMoreThanItsWindowToTheOthers() {
        try (Cluster cluster = Cluster.of(3, 1)) {
            int count = 400;
            List<SendException> failures = new ArrayList<>();
            Components<Group> groups = cluster.startAll(node -> node.group("g")
                    .set("window", "128 KiB")
                    .onMessage((group, message) -> {
                        if (message.length() == 1 && node.name().equals("n1")) {
                            try {
                                for (int index = 0; index < count; index++) {
                                    group.send(new byte[1_000], SendOptions.NOT_TO_SELF);
                                }
                            } catch (SendException e) {
                                failures.add(e);
                            }
                        }
                    })
                    .join());
            cluster.awaitOneView();
            groups.run(2, group -> group.send(new byte[1]));
            cluster.awaitRest();
            assertThat(failures).isEmpty();
        }
    }

    @Test
    void aSendThatWouldWaitForTheWindowFailsAtOnceWithTheReason() {
        try (Cluster cluster = Cluster.of(2, 1)) {
            Components<Part> parts = start(cluster, settings("fifo"));
            cluster.slow(2, Duration.ofMillis(100));
            Scope scope = Scope.of("s");
            for (int round = 0; round < 5; round++) {
                parts.run(1, part -> {
                    int sent = 0;
                    while (sent < 1_000 && part.group.trySend(bytes("abc", 10_000), scope)) {
                        sent++;
                    }
                    assertThat(sent).isLessThan(1_000);
                });
                cluster.advance(Duration.ofMillis(5));
            }
            assertThat(parts.on(1).group.waitsFor()).contains("n2");
            parts.run(1, part -> {
                Duration before = cluster.elapsed();
                assertThat(part.group.trySend(bytes("abc", 10_000), SendOptions.NOT_TO_SELF)).isFalse();
                assertThat(part.group.trySend(bytes("abc", 10_000), Scope.OUT_OF_BAND)).isFalse();
                assertThatThrownBy(() -> part.group.trySend(new byte[200_000], Scope.OUT_OF_BAND))
                        .isInstanceOfSatisfying(SendException.class, e -> assertThat(e.reason()).isEqualTo(SendException.Reason.TOO_LARGE));
                assertThat(cluster.elapsed()).isEqualTo(before);
            });
            cluster.awaitRest();
        }
    }

    @Test
    void optionsSayWhatTheyAre() {
        assertThat(SendOptions.DEFAULT).hasToString("in order");
        assertThat(SendOptions.NOT_TO_SELF).hasToString("in order, not to self");
        assertThat(Scope.OUT_OF_BAND.notToSelf()).hasToString("out of band, not to self");
        assertThat(Scope.of(7)).hasToString("scope 7");
    }
}
