package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.Scope;
import dev.tutti.SendException;
import dev.tutti.core.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that are large for the memory that members have for them arrive whole, once and in order, and that memory is kept to. */
@Order(1)
class LargeMessagesTest {

    private static final int LIMIT = 1 << 20;
    private static final int LARGE = 900_000;

    /** Sends from threads of its own, and keeps what it gets. */
    static final class Sender {
        private final Node node;
        private final Group group;
        private final List<String> got = new ArrayList<>();
        private final List<String> failures = new ArrayList<>();
        private final List<String> closed = new ArrayList<>();
        private int working;

        Sender(Node node, UnaryOperator<GroupBuilder> settings) {
            this.node = node;
            this.group = settings.apply(node.group("large")
                            .set("window", "256 KiB")
                            .set("message-bytes-max", LIMIT + " B"))
                    .onMessage(this::onMessage)
                    .onClosed(closed::add)
                    .join();
        }

        private void onMessage(Message message) {
            byte[] bytes = message.bytes();
            int number = bytes[0];
            for (byte one : bytes) {
                if (one != number) {
                    throw new IllegalStateException("a message of other bytes");
                }
            }
            got.add(message.sender() + (message.isUnicast() ? " to one " : " ") + number + " " + bytes.length);
        }

        private static byte[] content(int number, int length) {
            byte[] bytes = new byte[length];
            Arrays.fill(bytes, (byte) number);
            return bytes;
        }

        /** @param receiver null for all */
        void send(@Nullable Member receiver, int count, int length, @Nullable Scope scope) {
            working++;
            node.threads().start("sender", () -> {
                for (int number = 1; number <= count; number++) {
                    try {
                        byte[] bytes = content(number, length);
                        if (receiver != null) {
                            group.sendTo(receiver, bytes);
                        } else if (scope != null) {
                            group.send(bytes, scope);
                        } else {
                            group.send(bytes);
                        }
                    } catch (SendException e) {
                        failures.add(e.reason() + " " + e.getMessage());
                    }
                }
                working--;
            });
        }

        long number(String part, String name) {
            return node.inspection().groups().getFirst().part(part).value(name);
        }

        private List<String> from(Member sender, boolean isToOne) {
            return got.stream()
                    .filter(one -> one.startsWith(sender + " ") && one.contains(" to one ") == isToOne)
                    .toList();
        }
    }

    private static List<String> numbered(Member sender, String to, int count, int length) {
        List<String> all = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            all.add(sender + to + number + " " + length);
        }
        return all;
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

    private static void await(Cluster cluster, Components<Sender> senders) {
        cluster.advanceUntil("all is sent", Duration.ofMinutes(2), () -> senders.running().stream().allMatch(one -> one.working == 0));
        cluster.awaitRest();
    }

    @ParameterizedTest
    @ValueSource(strings = {"fifo", "causal", "sequencer", "rotation", "safe", "ring", "scopes", "inline"})
    void allSendAtOnceToAllAndToOneAnother(String stack) {
        try (Cluster cluster = Cluster.of(4, 7)) {
            Components<Sender> senders = cluster.startAll(node -> new Sender(node, settings(stack)));
            cluster.awaitOneView();
            Scope scope = stack.equals("scopes") ? Scope.of("one") : null;
            List<Member> members = senders.on(1).group.view().members();
            for (Sender sender : senders.running()) {
                sender.send(null, 4, LARGE, scope);
                int next = (members.indexOf(sender.group.self()) + 1) % members.size();
                sender.send(members.get(next), 2, LARGE, null);
            }
            await(cluster, senders);
            for (Sender sender : senders.running()) {
                assertThat(sender.failures).isEmpty();
                for (Member from : members) {
                    assertThat(sender.from(from, false)).isEqualTo(numbered(from, " ", 4, LARGE));
                }
                int before = (members.indexOf(sender.group.self()) + 3) % members.size();
                assertThat(sender.from(members.get(before), true))
                        .isEqualTo(numbered(members.get(before), " to one ", 2, LARGE));
                assertThat(sender.number("packing", "turns")).as("turns").isEqualTo(6);
                // The one with the turn, and the tail of the one before.
                assertThat(sender.number("delivery", "assembly-bytes-most")).as("memory").isBetween((long) LARGE, 2L * LIMIT);
                assertThat(sender.number("delivery", "assembly-bytes")).isZero();
                assertThat(sender.number("delivery", "abandoned-messages")).isZero();
            }
            cluster.assertSafe();
        }
    }

    @Test
    void membersThatCrashHoldNobodyUp() {
        for (int seed = 1; seed <= 10; seed++) {
            try (Cluster cluster = Cluster.of(4, seed)) {
                Components<Sender> senders = cluster.startAll(node -> new Sender(node, settings("fifo")));
                cluster.awaitOneView();
                for (Sender sender : senders.running()) {
                    sender.send(null, 3, LARGE, null);
                }
                // The oldest member assigns the turns, and some member has one.
                cluster.advance(Duration.ofMillis(seed)).crash(1).advance(Duration.ofMillis(3)).crash(2);
                await(cluster, senders);
                List<Member> members = senders.on(3).group.view().members();
                assertThat(members).hasSize(2);
                for (Sender sender : senders.running()) {
                    assertThat(sender.failures).isEmpty();
                    for (Member from : members) {
                        assertThat(sender.from(from, false)).isEqualTo(numbered(from, " ", 3, LARGE));
                    }
                    assertThat(sender.number("delivery", "assembly-bytes")).as("halves of the crashed are gone").isZero();
                }
                cluster.assertSafe();
            }
        }
    }

    @ClusterTest(nodes = 4, seeds = 10)
    @Tag("seeds")
    void arriveUnderFaultsAtRandom(Cluster cluster) {
        Components<Sender> senders = cluster.startAll(node -> new Sender(node, settings("fifo")));
        senders.keep(Duration.ofMillis(200), sender -> {
            try {
                sender.group.send(Sender.content(1, LARGE));
            } catch (SendException e) {
                assertThat(e.reason().isFinal()).isTrue();
            }
        });
        cluster.randomFaults(Duration.ofSeconds(6)).awaitRest();
        // To those too who have just come back.
        senders.on(1).send(null, 1, LARGE, null);
        await(cluster, senders);
        assertThat(senders.running()).allSatisfy(sender -> {
            assertThat(sender.got).isNotEmpty();
            assertThat(sender.number("delivery", "assembly-bytes")).isZero();
        });
    }

    private static Sender limited(Node node, Cluster cluster, int number, int limit) {
        return new Sender(node, builder -> cluster.numberOf(node) == number
                ? builder.set("message-bytes-max", limit + " B")
                : builder);
    }

    @Test
    void moreThanAMemberTakesIsRefusedAtOnceWithBothNumbersAndTheMember() {
        try (Cluster cluster = Cluster.of(3, 1)) {
            Components<Sender> senders = cluster.startAll(node -> limited(node, cluster, 3, LIMIT / 2));
            cluster.awaitOneView();
            Member third = senders.on(3).group.self();
            Sender first = senders.on(1);
            first.send(null, 1, LARGE, null);
            first.send(third, 1, LARGE, null);
            first.send(senders.on(2).group.self(), 1, LARGE, null);
            await(cluster, senders);
            assertThat(first.failures).hasSize(2).allSatisfy(failure -> assertThat(failure)
                    .startsWith("TOO_LARGE a message of " + LARGE + " bytes is too large: n3:7800 takes at most " + LIMIT / 2));
            assertThat(senders.on(2).got).isEqualTo(numbered(first.group.self(), " to one ", 1, LARGE));
            assertThat(senders.on(3).got).isEmpty();
        }
    }

    @Test
    void memberThatTakesLessJoinsInTheMiddleOfAMessage() {
        try (Cluster cluster = Cluster.of(3, 1)) {
            Components<Sender> senders = cluster.deploy(node -> limited(node, cluster, 3, LIMIT / 2));
            cluster.start(1, 2).awaitOneView();
            // It takes 50 ms a packet, so that the message is under way when the third one joins.
            cluster.slow(2, Duration.ofMillis(50));
            senders.on(1).send(null, 30, LARGE, null);
            cluster.advance(Duration.ofMillis(200)).start(3);
            await(cluster, senders);
            Sender first = senders.on(1);
            int taken = senders.on(2).got.size();
            assertThat(first.failures).isNotEmpty().hasSize(30 - taken).allMatch(failure -> failure.contains("n3:7800 takes at most"));
            assertThat(first.got).hasSize(taken);
            assertThat(senders.on(3).got).isEmpty();
            assertThat(senders.running()).allSatisfy(sender -> {
                assertThat(sender.closed).isEmpty();
                assertThat(sender.number("delivery", "assembly-bytes")).isZero();
            });
        }
    }

    @Test
    void messageThatIsGivenUpHalfWayLeavesNothingAtItsReceivers() {
        try (Cluster cluster = Cluster.of(3, 1)) {
            Components<Sender> senders =
                    cluster.startAll(node -> new Sender(node, builder -> builder.set("send-timeout", "1 s")));
            cluster.awaitOneView();
            cluster.slow(3, Duration.ofSeconds(30));
            // Keeps n3 busy, so that the window closes in the middle of the large one.
            senders.on(1).send(null, 1, 1_000, null);
            cluster.advance(Duration.ofMillis(100));
            senders.on(1).send(null, 1, LARGE, null);
            cluster.advance(Duration.ofSeconds(5));
            assertThat(senders.on(1).failures).singleElement().asString().startsWith("WINDOW_CLOSED");
            cluster.advance(Duration.ofMinutes(1));
            for (Sender sender : senders.running()) {
                assertThat(sender.number("delivery", "assembly-bytes")).isZero();
                assertThat(sender.number("delivery", "abandoned-messages")).isEqualTo(1);
            }
            // Its turn is given back.
            cluster.slow(3, Duration.ZERO);
            senders.on(2).send(null, 1, LARGE, null);
            await(cluster, senders);
            assertThat(senders.on(3).got.getLast()).isEqualTo(senders.on(2).group.self() + " 1 " + LARGE);
        }
    }
}
