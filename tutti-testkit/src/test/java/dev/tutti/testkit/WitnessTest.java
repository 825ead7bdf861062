package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Message;
import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.Receipt;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.Application;
import dev.tutti.protocols.packing.Outgoing;
import dev.tutti.protocols.packing.Submissions;
import dev.tutti.sim.CountingMemory;
import dev.tutti.sim.check.Promise;
import dev.tutti.sim.check.PropertyChecker;
import dev.tutti.sim.check.Violation;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The witness reports enough for the checker to see a broken guarantee, although messages carry no numbers. */
class WitnessTest {

    private static final Member ONE = LayerTest.member(1);
    private static final Member TWO = LayerTest.member(2);
    private static final View BOTH = new View(
            new ViewId(2, 1, ONE),
            List.of(ONE, TWO),
            List.of(
                    new View.Part(View.alone(ONE).id(), List.of(ONE), new TreeMap<>()),
                    new View.Part(View.alone(TWO).id(), List.of(TWO), new TreeMap<>())));

    private static final Receipt TO_ALL = () -> false;
    private static final Receipt TO_ONE = () -> true;

    /** An application that releases what it gets. */
    private static final class Sink implements Application {
        @Override
        public void onPacket(Member sender, Packet packet) {
            packet.release();
        }

        @Override
        public void onView(View view) {}

        @Override
        public void onJoined() {}

        @Override
        public void onLeft(String reason) {}
    }

    private final Cluster cluster = Cluster.of(2, 1);
    private final CountingMemory memory = new CountingMemory(1 << 24);
    private final GroupHistory record = new GroupHistory(Promise.RELIABLE, false, false);
    private final Outgoing outgoing = new Outgoing(memory, 1 << 20);
    private final Witness witnessOfOne = witness("g", 1, ONE, record);
    private final Witness witnessOfTwo = witness("g", 2, TWO, record);
    private final Submissions submissions = witnessOfOne.above(outgoing);
    private final Application one = witnessOfOne.above(new Sink());
    private final Application two = witnessOfTwo.above(new Sink());

    WitnessTest() {
        one.onView(View.alone(ONE));
        two.onView(View.alone(TWO));
        one.onView(BOTH);
        two.onView(BOTH);
        one.onJoined();
        two.onJoined();
    }

    @AfterEach
    void closeCluster() {
        cluster.close();
    }

    /** Member one sends, which it delivers itself at once; gives the packet for the other. */
    private Packet send(@Nullable Member receiver, String... messages) {
        for (String message : messages) {
            byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
            outgoing.offer(receiver, bytes, 0, bytes.length);
        }
        Packet packet = submissions.take(receiver, Packet.PAYLOAD_MAX);
        assertThat(packet).isNotNull();
        if (receiver == null) {
            one.onPacket(ONE, packet.slice().withPeer(ONE).withReceipt(TO_ALL));
        }
        return packet.withPeer(ONE).withReceipt(receiver == null ? TO_ALL : TO_ONE);
    }

    private TreeSet<String> broken(boolean isAtRest) {
        List<Violation> violations = isAtRest
                ? PropertyChecker.violationsAtRest(record.history, List.of(ONE, TWO))
                : PropertyChecker.violations(record.history);
        TreeSet<String> properties = new TreeSet<>();
        violations.forEach(violation -> properties.add(violation.property()));
        return properties;
    }

    @Test
    void nothingIsBrokenWhenAllArrivesInOrder() {
        two.onPacket(ONE, send(null, "a", "b"));
        two.onPacket(ONE, send(null, "b"));
        two.onPacket(ONE, send(TWO, "u"));
        assertThat(broken(true)).isEmpty();
        assertThat(record.history.entries()).hasSize(2 + 4 + 4 + 3 + 4);
        assertThat(memory.outstandingBlocks()).isZero();
    }

    @Test
    void largeMessagesAreOneMessage() {
        byte[] large = new byte[200_000];
        outgoing.offerLarge(null, large, 0, large.length);
        Packet piece = submissions.take(null, Packet.PAYLOAD_MAX);
        while (piece != null) {
            one.onPacket(ONE, piece.slice().withPeer(ONE).withReceipt(TO_ALL));
            two.onPacket(ONE, piece.withPeer(ONE).withReceipt(TO_ALL));
            piece = submissions.take(null, Packet.PAYLOAD_MAX);
        }
        assertThat(broken(true)).isEmpty();
        assertThat(record.history.entries()).hasSize(2 + 4 + 3);
    }

    @Test
    void missingMessageIsAGap() {
        send(null, "a").release();
        two.onPacket(ONE, send(null, "b"));
        assertThat(broken(false)).contains("S11");
    }

    @Test
    void missingEndShowsAtRest() {
        send(null, "same").release();
        assertThat(broken(false)).isEmpty();
        assertThat(broken(true)).contains("L2");
    }

    @Test
    void changedContentWasSentByNobody() {
        send(null, "a").release();
        Packet changed = Packet.create(memory, 10);
        changed.appendByte(0).appendInt(1).appendByte('x');
        two.onPacket(ONE, changed.withPeer(ONE).withReceipt(TO_ALL));
        assertThat(broken(false)).contains("S1");
    }

    @Test
    void secondDeliveryWasSentByNobody() {
        Packet packet = send(null, "a");
        two.onPacket(ONE, packet.slice().withReceipt(TO_ALL));
        two.onPacket(ONE, packet);
        assertThat(broken(false)).contains("S1");
    }

    @Test
    void missingUnicastShowsAtRest() {
        send(TWO, "u").release();
        assertThat(broken(true)).contains("L2");
    }

    // ------------------------------------------------------------------ what listeners are told, where no two messages are equal

    private Witness witness(String group, int number, Member member, GroupHistory history) {
        SimulatedProcess process = cluster.process(number);
        return new Witness(new GroupHistory.Key("tutti", group), process, process.first(), member.node(), history);
    }

    private final GroupHistory distinct = new GroupHistory(Promise.TOTAL, true, false);
    private final Witness watched = witness("d", 1, ONE, distinct);
    private final Application stack = watched.above(new Sink());

    /** Member one sends messages in a group of itself, and its stack delivers them. */
    private void deliver(String... messages) {
        Submissions taken = watched.above(outgoing);
        for (String message : messages) {
            byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
            outgoing.offer(null, bytes, 0, bytes.length);
        }
        Packet packet = taken.take(null, Packet.PAYLOAD_MAX);
        assertThat(packet).isNotNull();
        stack.onPacket(ONE, packet.withPeer(ONE).withReceipt(TO_ALL));
    }

    private TreeSet<String> brokenOfDistinct(boolean isAtRest) {
        TreeSet<String> properties = new TreeSet<>();
        (isAtRest ? distinct.violationsAtRest(List.of(ONE)) : distinct.violations())
                .forEach(violation -> properties.add(violation.property()));
        return properties;
    }

    private static Message told(String content) {
        return (Message) Proxy.newProxyInstance(
                WitnessTest.class.getClassLoader(), new Class<?>[] {Message.class}, (proxy, method, arguments) ->
                        switch (method.getName()) {
                            case "bytes" -> content.getBytes(StandardCharsets.UTF_8);
                            case "sender" -> ONE;
                            case "isUnicast" -> false;
                            default -> throw new IllegalStateException(method.getName());
                        });
    }

    @Test
    void listenersThatAreToldWhatTheStackDeliversAreRight() {
        stack.onView(View.alone(ONE));
        stack.onJoined();
        deliver("a", "b");
        watched.onTold(View.alone(ONE));
        watched.onTold(told("a"));
        watched.onTold(told("b"));
        assertThat(brokenOfDistinct(true)).isEmpty();
    }

    @Test
    void listenersThatAreNotToldOfAMessageShow() {
        stack.onView(View.alone(ONE));
        stack.onJoined();
        deliver("a", "b");
        watched.onTold(View.alone(ONE));
        watched.onTold(told("a"));
        assertThat(brokenOfDistinct(false)).isEmpty();
        assertThat(brokenOfDistinct(true)).containsExactly("T2");
    }

    @Test
    void listenersThatAreToldInAnotherOrderOrAgainShow() {
        stack.onView(View.alone(ONE));
        stack.onJoined();
        deliver("a", "b");
        watched.onTold(View.alone(ONE));
        watched.onTold(told("b"));
        assertThat(brokenOfDistinct(false)).containsExactly("T2");
    }

    @Test
    void lastMessageOfAnUnreliableGroupMayBeLost() {
        GroupHistory lossy = new GroupHistory(Promise.UNRELIABLE, true, false);
        Witness witness = witness("u", 1, ONE, lossy);
        Application above = witness.above(new Sink());
        above.onView(View.alone(ONE));
        above.onJoined();
        witness.onTold(View.alone(ONE));
        outgoing.offer(null, new byte[] {1}, 0, 1);
        Packet lost = witness.above(outgoing).take(null, Packet.PAYLOAD_MAX);
        assertThat(lost).isNotNull();
        assertThat(lossy.violationsAtRest(List.of(ONE))).isEmpty();
    }

    @Test
    void listenersThatAreToldOfNoViewShow() {
        stack.onView(View.alone(ONE));
        stack.onJoined();
        deliver("a");
        watched.onTold(told("a"));
        assertThat(brokenOfDistinct(false)).containsExactly("T2");
    }
}
