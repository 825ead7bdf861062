package dev.tutti.protocols.reliability;

import static dev.tutti.protocols.LayerTest.member;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReceiptsTest {

    private static final long LIMIT = ReliabilityScene.WINDOW;

    private final ReliabilityScene three = ReliabilityScene.of(3);
    private final List<String> unsaid = new ArrayList<>();

    private static void send(ReliabilityScene scene, String text, long ticket) {
        scene.layer.sendDown(scene.payload(text).withTicket(ticket));
        scene.layer.endTurn();
    }

    private static void sendTo(ReliabilityScene scene, int receiver, String text, long ticket) {
        scene.layer.sendDown(scene.payload(text).withPeer(member(receiver)).withTicket(ticket));
        scene.layer.endTurn();
    }

    private static void ack(ReliabilityScene scene, int from, long received) {
        scene.ack(from, received, LIMIT, 0, LIMIT);
        scene.layer.endTurn();
    }

    /** Returns the receipts since the last call: ticket, and members that deliver, miss, or are unknown. */
    private List<String> told(ReliabilityScene scene) {
        unsaid.clear();
        for (Signal.Receipts.Known known : scene.layer.takeRaised(Signal.Receipts.Known.class)) {
            Delivery delivery = known.delivery();
            unsaid.add(known.ticket() + ": " + names(delivery.deliveredBy()) + " not " + names(delivery.missedBy()) + " ? "
                    + names(delivery.unknown()));
        }
        return List.copyOf(unsaid);
    }

    private static String names(List<Member> members) {
        return String.join("", members.stream().map(member -> member.name().substring(1)).toList());
    }

    private static List<Member> members(int... numbers) {
        return IntStream.of(numbers).mapToObj(number -> member(number)).toList();
    }

    /** The next view, of these members of the present one. */
    private static void next(ReliabilityScene scene, int... numbers) {
        scene.freeze();
        scene.install(scene.next(members(numbers)));
    }

    private static void followed(ReliabilityScene scene) {
        scene.layer.signalUp(new Signal.ViewChange.ViewStable(scene.view));
    }

    private static void delivered(ReliabilityScene scene, int from, ViewId in, long number) {
        Packet packet = Packet.create(scene.layer.memory, 0).prependLong(number);
        Wire.prependTag(packet, in);
        Wire.prependTag(packet, scene.view.id());
        scene.layer.receive(member(from), packet.prependByte(PacketKind.DELIVERED));
    }

    // ------------------------------------------------------------------ in a view

    @Test
    void packetsWithoutATicketCostNothing() {
        three.send("a");
        three.layer.endTurn();
        ack(three, 2, 1);
        ack(three, 3, 1);
        assertThat(told(three)).isEmpty();
        assertThat(three.sent()).containsExactly("MULTICAST 1 stable 0 a");
    }

    @Test
    void majorityAndAllAreTold() {
        ReliabilityScene five = ReliabilityScene.of(5);
        send(five, "a", 7);
        assertThat(told(five)).containsExactly("7: 1 not  ? 2345");
        ack(five, 4, 1);
        assertThat(told(five)).as("two of five").isEmpty();
        ack(five, 2, 1);
        assertThat(told(five)).containsExactly("7: 124 not  ? 35");
        ack(five, 3, 1);
        assertThat(told(five)).as("a majority was told already").isEmpty();
        ack(five, 5, 1);
        assertThat(told(five)).containsExactly("7: 12345 not  ? ");
    }

    @Test
    void ofFourMembersTwoAreNoMajority() {
        ReliabilityScene four = ReliabilityScene.of(4);
        send(four, "a", 1);
        told(four);
        ack(four, 2, 1);
        assertThat(told(four)).isEmpty();
        ack(four, 3, 1);
        assertThat(told(four)).containsExactly("1: 123 not  ? 4");
    }

    @Test
    void eachTicketIsToldInTheOrderOfItsPackets() {
        send(three, "a", 1);
        three.send("between");
        send(three, "b", 2);
        send(three, "c", 3);
        told(three);
        ack(three, 2, 4);
        assertThat(told(three)).containsExactly("1: 12 not  ? 3", "2: 12 not  ? 3", "3: 12 not  ? 3");
        ack(three, 3, 3);
        assertThat(told(three)).containsExactly("1: 123 not  ? ", "2: 123 not  ? ");
        ack(three, 3, 4);
        assertThat(told(three)).containsExactly("3: 123 not  ? ");
    }

    @Test
    void memberThatIsAloneHasWhatItSends() {
        ReliabilityScene one = ReliabilityScene.of(1);
        send(one, "a", 1);
        assertThat(told(one)).containsExactly("1: 1 not  ? ", "1: 1 not  ? ");
    }

    @Test
    void acknowledgementsAreAskedForOncePerTurn() {
        three.layer.sendDown(three.payload("a").withTicket(1));
        three.layer.sendDown(three.payload("b").withTicket(2));
        three.layer.endTurn();
        three.layer.endTurn();
        assertThat(three.sent())
                .containsExactly("MULTICAST 1 stable 0 a", "MULTICAST 2 stable 0 b", "ASK 2");
    }

    @Test
    void whoIsAskedAcknowledgesAtOnceAndWhatComesLaterToo() {
        three.multicast(2, 1, "a");
        three.layer.endTurn();
        assertThat(three.sent()).as("nobody is in a hurry").isEmpty();
        three.ask(2, 3);
        three.layer.endTurn();
        assertThat(three.sent()).hasSize(1).allMatch(text -> text.startsWith("ACK 1 ") && text.endsWith("to n2"));
        three.multicast(2, 2, "b");
        three.multicast(2, 3, "c");
        three.layer.endTurn();
        assertThat(three.sent()).hasSize(1).allMatch(text -> text.startsWith("ACK 3 "));
        three.multicast(2, 4, "d");
        three.layer.endTurn();
        assertThat(three.sent()).as("beyond what was asked for").isEmpty();
    }

    @Test
    void askingInAnotherViewIsDropped() {
        View before = three.view;
        next(three, 1, 2);
        three.layer.endTurn();
        three.forget();
        three.ask(3, 1);
        Packet old = Packet.create(three.layer.memory, 0).prependLong(9);
        Wire.prependTag(old, before.id());
        three.layer.receive(member(2), old.prependByte(PacketKind.ASK));
        three.layer.receive(member(2), Packet.create(three.layer.memory, 0).prependLong(1).prependByte(PacketKind.ASK));
        assertThat(three.layer.takeDropped())
                .containsExactly(DropReason.OLD_VIEW, DropReason.OLD_VIEW, DropReason.MALFORMED);
    }

    // ------------------------------------------------------------------ unicasts

    @Test
    void unicastIsToldWhenItsReceiverHasIt() {
        sendTo(three, 2, "a", 1);
        sendTo(three, 2, "b", 2);
        assertThat(three.sent())
                .containsExactly(
                        "UNICAST since 2 number 1 a to n2", "ASK 0 to n2", "UNICAST since 2 number 2 b to n2", "ASK 0 to n2");
        assertThat(told(three)).containsExactly("1:  not  ? 2", "2:  not  ? 2");
        three.ack(2, 0, LIMIT, 1, LIMIT);
        assertThat(told(three)).containsExactly("1: 2 not  ? ");
        next(three, 1, 2);
        assertThat(told(three)).as("the stream goes on").isEmpty();
        three.ack(2, three.view.id(), 2, 0, LIMIT, 2, LIMIT);
        assertThat(told(three)).containsExactly("2: 2 not  ? ");
    }

    @Test
    void unicastToOneselfIsThereAfterItsDelivery() {
        sendTo(three, 1, "me", 1);
        assertThat(told(three)).containsExactly("1: 1 not  ? ");
        assertThat(three.delivered()).containsExactly("n1:me");
    }

    @Test
    void unicastToAMemberThatGoesIsUnknown() {
        sendTo(three, 3, "a", 1);
        told(three);
        next(three, 1, 2);
        assertThat(told(three)).containsExactly("1:  not  ? 3");
    }

    @Test
    void unicastToAStrangerIsNotSent() {
        sendTo(three, 9, "a", 1);
        assertThat(told(three)).containsExactly("1:  not 9 ? ");
    }

    // ------------------------------------------------------------------ over views

    @Test
    void whoComesAlongHasEverythingWhenAllHaveFollowed() {
        send(three, "a", 1);
        told(three);
        next(three, 1, 2);
        assertThat(told(three)).as("n2 may still lack it, and n1 be the only one that has it").isEmpty();
        followed(three);
        assertThat(told(three)).containsExactly("1: 12 not  ? 3");
    }

    @Test
    void whoHasAcknowledgedAndGoesHasIt() {
        send(three, "a", 1);
        ack(three, 3, 1);
        send(three, "b", 2);
        told(three);
        next(three, 1, 2);
        followed(three);
        assertThat(told(three)).containsExactly("1: 123 not  ? ", "2: 12 not  ? 3");
    }

    @Test
    void ofThoseWhoCameAlongOnlyWhoComesAlongAgainIsCertain() {
        send(three, "a", 1);
        told(three);
        next(three, 1, 2, 3);
        next(three, 1, 3);
        assertThat(told(three)).containsExactly("1: 13 not  ? 2");
    }

    @Test
    void memberThatIsLeftAloneKnowsAtOnceThatItKnowsNothing() {
        send(three, "a", 1);
        ack(three, 2, 1);
        told(three);
        next(three, 1);
        assertThat(told(three)).containsExactly("1: 12 not  ? 3");
    }

    @Test
    void membersThatComeBackTellWhatTheyHave() {
        send(three, "a", 1);
        send(three, "b", 2);
        ViewId sentIn = three.view.id();
        next(three, 1);
        assertThat(told(three)).contains("1: 1 not  ? 23", "2: 1 not  ? 23");
        three.install(three.nextWith(members(1, 2, 3), member(2), member(3)));
        delivered(three, 2, sentIn, 1);
        assertThat(told(three)).containsExactly("1: 12 not  ? 3", "2: 1 not 2 ? 3");
        delivered(three, 2, sentIn, 2);
        delivered(three, 2, new ViewId(7, 7, member(3)), 1);
        assertThat(told(three)).as("it has told").isEmpty();
        delivered(three, 3, sentIn, 0);
        assertThat(told(three)).containsExactly("1: 12 not 3 ? ", "2: 1 not 23 ? ");
        delivered(three, 3, sentIn, 0);
        assertThat(told(three)).isEmpty();
        three.layer.receive(member(3), Packet.create(three.layer.memory, 0).prependLong(1).prependByte(PacketKind.DELIVERED));
        assertThat(three.layer.takeDropped()).containsExactly(DropReason.MALFORMED);
    }

    @Test
    void whoWentAnotherWayIsToldHowMuchOfItWasDelivered() {
        ViewId before = three.view.id();
        three.multicast(3, 1, "a");
        three.multicast(3, 2, "b");
        next(three, 1, 2);
        three.layer.endTurn();
        three.forget();
        three.install(three.nextWith(members(1, 2, 3), member(3)));
        assertThat(three.sent()).contains("DELIVERED 2 in " + before.number() + " to n3").doesNotContain("to n2");
        next(three, 1, 2, 3);
        assertThat(three.sent()).noneMatch(text -> text.startsWith("DELIVERED"));
    }

    @Test
    void viewsOfWhichSomethingIsUnknownAreBounded() {
        List<ViewId> views = new ArrayList<>();
        for (long round = 1; round <= 6; round++) {
            views.add(three.view.id());
            send(three, "a", round);
            next(three, 1);
            three.install(three.nextWith(members(1, 2, 3), member(2), member(3)));
            three.layer.endTurn();
        }
        told(three);
        delivered(three, 2, views.get(1), 0);
        assertThat(told(three)).as("the second of six views was forgotten").isEmpty();
        delivered(three, 2, views.get(2), 0);
        assertThat(told(three)).containsExactly("3: 1 not 2 ? 3");
    }
}
