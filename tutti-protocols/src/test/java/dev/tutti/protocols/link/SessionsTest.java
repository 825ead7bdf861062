package dev.tutti.protocols.link;

import static dev.tutti.protocols.link.HandshakeScene.PEER;
import static dev.tutti.protocols.link.HandshakeScene.again;
import static dev.tutti.protocols.link.HandshakeScene.bytes;
import static dev.tutti.protocols.link.HandshakeScene.hello;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import org.junit.jupiter.api.Test;

/** Handshakes of nodes that have met before: sessions that go on, and those that do not. */
class SessionsTest {

    private final HandshakeScene scene = new HandshakeScene();

    @Test
    void whoDialsAgainWithoutKnowingOfTheConnectionIsToldOfIt() {
        scene.say(hello(PEER));
        scene.say(again(new SessionState(1, true, 0), Hello.NONE));
        assertThat(scene.answer()).isEqualTo("KNOWN 7 the two are connected");
        scene.say(hello(PEER));
        assertThat(scene.answer()).isEqualTo("KNOWN 7 the two have met");
        assertThat(scene.events).containsExactly("opened peer");
    }

    @Test
    void aSessionIsResumedWhereItWas() {
        scene.say(hello(PEER));
        Link link = scene.links.link(PEER);
        for (int index = 0; index < 5; index++) {
            scene.links.send(link, bytes(new byte[] {Frames.GROUP, (byte) index}));
        }
        scene.written.clear();
        scene.say(again(new SessionState(1, true, 3), 7));
        assertThat(scene.written).hasSize(3);
        assertThat(scene.written.get(1).bytes().get(scene.written.get(1).offset() + 1)).isEqualTo((byte) 3);
        assertThat(scene.events).containsExactly("opened peer", "resumed peer");
        Packet welcome = scene.written.getFirst();
        welcome.takeByte();
        assertThat(Welcome.decode(welcome).from()).isEqualTo(3);
    }

    @Test
    void aSessionOfWhoseStartTheOtherNeverHeardGoesOnFromItsStart() {
        int connection = scene.say(hello(PEER));
        scene.links.send(scene.links.link(PEER), bytes(new byte[] {Frames.GROUP}));
        scene.links.onDisconnected(connection, false, "reset");
        scene.written.clear();
        scene.say(again(SessionState.NONE, Hello.NONE));
        assertThat(scene.written).hasSize(2);
        scene.written.removeLast();
        assertThat(scene.answer()).isEqualTo("welcome 1 open received 0 from 0");
        assertThat(scene.events).containsExactly("opened peer");
    }

    @Test
    void aSessionThatOnlyTheOtherHasOpenedIsOpenedHereToo() {
        scene.say(again(new SessionState(4, true, 0), Hello.NONE));
        assertThat(scene.answer()).isEqualTo("welcome 4 open received 0 from 0");
        assertThat(scene.events).containsExactly("opened peer");
    }

    @Test
    void twoDifferentOpenSessionsAreBothClosed() {
        int connection = scene.say(hello(PEER));
        scene.links.onDisconnected(connection, false, "reset");
        scene.say(again(new SessionState(9, true, 0), 7));
        assertThat(scene.answer()).isEqualTo("welcome 9 closed received 0 from 0");
        assertThat(scene.links.link(PEER).isOpen()).isFalse();
    }

    @Test
    void aSessionThatTheOtherHasClosedIsClosedAndANewOneBegins() {
        scene.say(hello(PEER));
        scene.say(again(new SessionState(1, false, 0), 7));
        assertThat(scene.answer()).isEqualTo("welcome 2 open received 0 from 0");
        assertThat(scene.events).containsExactly(
                "opened peer", "closed peer: the other side has closed the session", "opened peer");
    }

    @Test
    void whoStillHasAClosedSessionIsToldToCloseIt() {
        scene.say(hello(PEER));
        scene.links.close(scene.links.link(PEER), false, "test");
        scene.say(again(new SessionState(1, true, 0), 7));
        assertThat(scene.answer()).isEqualTo("welcome 1 closed received 0 from 0");
        assertThat(scene.closes).last().asString().endsWith("the session is closed here");
        assertThat(scene.links.link(PEER).isOpen()).isFalse();
        scene.say(again(new SessionState(1, false, 0), 7));
        assertThat(scene.answer()).isEqualTo("welcome 2 open received 0 from 0");
    }

    @Test
    void aClaimToHaveReceivedWhatWasNotSentEndsTheSession() {
        scene.say(hello(PEER));
        scene.say(again(new SessionState(1, true, 99), 7));
        assertThat(scene.answer()).isEqualTo("welcome 1 closed received 0 from 0");
        assertThat(scene.events).last().asString().startsWith("closed peer");
    }

    @Test
    void anAcknowledgementOfWhatWasNotSentEndsTheSession() {
        int connection = scene.say(hello(PEER));
        scene.links.onFrame(connection, Packet.create(Memory.onHeap(), 9).appendByte(Frames.LINK_ACK).appendLong(5));
        assertThat(scene.events).last().isEqualTo("closed peer: it acknowledges frame 5 of 0");
    }

    @Test
    void aGoodbyeClosesGracefully() {
        int connection = scene.say(hello(PEER));
        scene.links.onFrame(connection, Packet.create(Memory.onHeap(), 20).appendByte(Frames.GOODBYE).appendText("bye"));
        assertThat(scene.events).last().isEqualTo("closed peer gracefully: bye");
        assertThat(scene.closes).hasSize(1);
    }

    @Test
    void aBrokenConnectionIsDialledAgainAtOnce() {
        int connection = scene.say(hello(PEER));
        scene.links.onDisconnected(connection, true, "closed");
        assertThat(scene.dialed).containsExactly("host:2");
        assertThat(scene.links.link(PEER).isOpen()).isTrue();
    }

    @Test
    void aSessionWithANodeThatWasForgottenIsNotTakenForANewOne() {
        scene.say(hello(PEER));
        scene.links.close(scene.links.link(PEER), false, "test");
        for (int number = 1; number <= LinkTable.LINKS_MAX; number++) {
            NodeId other = new NodeId(1_000 + number, "other", "other:" + number);
            scene.say(hello(other));
            scene.links.close(scene.links.link(other), false, "test");
        }
        assertThat(scene.links.link(PEER)).isNull();
        scene.say(again(new SessionState(1, true, 0), 7));
        assertThat(scene.answer()).isEqualTo("welcome 1 closed received 0 from 0");
    }
}
