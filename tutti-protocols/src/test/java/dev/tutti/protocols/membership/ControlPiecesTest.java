package dev.tutti.protocols.membership;

import static dev.tutti.protocols.membership.MembershipScene.TIMING;
import static dev.tutti.protocols.membership.MembershipScene.id;
import static dev.tutti.protocols.membership.MembershipScene.m;
import static dev.tutti.protocols.membership.MembershipScene.members;
import static dev.tutti.protocols.membership.MembershipScene.part;
import static dev.tutti.protocols.membership.MembershipScene.steady;
import static dev.tutti.protocols.membership.MembershipScene.vector;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.LayerTest;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Control messages in pieces, because they do not fit into a frame. */
class ControlPiecesTest {

    private static final ViewId BALLOT = id(6, 1, 1);

    /** Member 2 of 5.1@n1 = {1, 2, 3}, with 1 for its coordinator. */
    private final MembershipScene member = steady(2, 1, 2, 3);

    private MembershipScene answered() {
        member.prepare(m(1), BALLOT);
        member.frozen(vector(1, 3, 2, 4, 3, 0));
        return member;
    }

    private View large() {
        List<Member> many = new ArrayList<>(members(1, 2, 3));
        for (int number = 10; number < 6_000; number++) {
            many.add(m(number));
        }
        return new View(BALLOT, many, List.of(part(member.view.id(), members(1, 2, 3), vector())));
    }

    private List<Packet> pieces() {
        LayerTest sender = new LayerTest(new Membership(m(1), 1, TIMING));
        Packet cut = MembershipScene.cut(BALLOT, large(), new TreeMap<>());
        Control.send(cut, m(2), sender);
        return sender.takeSent();
    }

    @Test
    void makeUpAMessageThatDoesNotFitIntoAFrame() {
        for (int number = 4; number <= 6_000; number++) {
            member.open(m(number));
        }
        answered();
        List<Packet> pieces = pieces();
        assertThat(pieces).hasSizeGreaterThan(1).allMatch(piece -> piece.length() <= Packet.PAYLOAD_MAX);
        pieces.forEach(piece -> member.layer.receive(m(1), piece));
        member.reached(BALLOT);
        assertThat(member.view.size()).isEqualTo(5_993);
    }

    @Test
    void areForgottenWithTheirSession() {
        answered();
        List<Packet> pieces = pieces();
        member.layer.receive(m(1), pieces.getFirst());
        member.close(m(1));
        member.open(m(1));
        pieces.subList(1, pieces.size()).forEach(piece -> member.layer.receive(m(1), piece));
        assertThat(member.layer.takeDropped()).containsExactly(DropReason.MALFORMED);
        assertThat(member.state()).isEqualTo("answered");
    }

    @Test
    void beyondTheLimitEndTheSession() {
        int sent = 0;
        while (member.layer.takeLowered(Signal.Peer.Expel.class).isEmpty()) {
            assertThat(sent).isLessThanOrEqualTo(Membership.CONTROL_BYTES_MAX);
            byte[] bytes = new byte[60_000];
            member.layer.receive(m(3), MembershipScene.control(MembershipMessage.PIECE)
                    .appendBoolean(false)
                    .append(bytes, 0, bytes.length));
            sent += bytes.length;
        }
        assertThat(sent).isGreaterThan(Membership.CONTROL_BYTES_MAX);
        assertThat(member.layer.takeDropped()).containsExactly(DropReason.MALFORMED);
    }

    @Test
    void doNotNest() {
        Packet inner = MembershipScene.control(MembershipMessage.PIECE).appendBoolean(true).appendByte(MembershipMessage.PIECE);
        member.layer.receive(m(3), MembershipScene.control(MembershipMessage.PIECE).appendBoolean(true).append(inner));
        assertThat(member.layer.takeDropped()).containsExactly(DropReason.MALFORMED);
    }
}
