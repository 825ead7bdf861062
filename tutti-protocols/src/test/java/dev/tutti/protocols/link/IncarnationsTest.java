package dev.tutti.protocols.link;

import static dev.tutti.protocols.link.HandshakeScene.PEER;
import static dev.tutti.protocols.link.HandshakeScene.SELF;
import static dev.tutti.protocols.link.HandshakeScene.again;
import static dev.tutti.protocols.link.HandshakeScene.certificate;
import static dev.tutti.protocols.link.HandshakeScene.hello;
import static dev.tutti.protocols.link.HandshakeScene.proof;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import dev.tutti.core.driver.DialFailure;
import org.junit.jupiter.api.Test;

/** Handshakes of a process whose address or name another one had or has. */
class IncarnationsTest {

    private final HandshakeScene scene = new HandshakeScene();

    private static final NodeId NEXT = new NodeId(61, "next", PEER.address());

    private static Packet welcome(NodeId node) {
        return new Welcome(HandshakeScene.VERSIONS.max(), node, 9, new SessionState(1, true, 0), 0).encode(Memory.onHeap());
    }

    private static Packet refusal(NodeId node, Refusal refusal, int number) {
        Packet frame = Packet.create(Memory.onHeap(), 500)
                .appendByte(Frames.REFUSE)
                .appendByte(refusal.ordinal())
                .appendInt(number)
                .appendText("test");
        Wire.append(frame, node);
        return frame;
    }

    @Test
    void aNewcomerThatAnswersAtItsAddressEndsTheSessionWithItsPredecessor() {
        int old = scene.say(hello(PEER));
        int newcomer = scene.say(hello(NEXT));
        assertThat(scene.events).containsExactly("opened peer");
        scene.links.onFrame(scene.dialBack(newcomer, ""), welcome(NEXT));
        assertThat(scene.events).containsExactly(
                "opened peer", "closed peer: another process is at host:2", "opened next");
        assertThat(scene.closes).first().asString().startsWith(old + ": another process");
        assertThat(scene.answer()).startsWith("KNOWN");
    }

    @Test
    void aNewcomerReplacesAPredecessorWhoseConnectionIsOverWithoutACheck() {
        int old = scene.say(hello(PEER));
        scene.links.onDisconnected(old, false, "reset");
        int dials = scene.dialed.size();
        scene.say(hello(NEXT));
        assertThat(scene.answer()).startsWith("welcome");
        assertThat(scene.dialed).hasSize(dials);
        assertThat(scene.links.link(PEER).isOpen()).isFalse();
    }

    @Test
    void aLivingSessionIsNotEndedByWhoClaimsItsAddress() {
        scene.sayWith(certificate("CN=peer", "p"), hello(PEER));
        int newcomer = scene.sayWith(certificate("CN=next", "n"), hello(NEXT));
        scene.links.onFrame(scene.dialBack(newcomer, "p"), refusal(PEER, Refusal.KNOWN, 1));
        assertThat(scene.links.link(PEER).isConnected()).isTrue();
        assertThat(scene.answer())
                .startsWith("IDENTITY 0 next (CN=next) advertises host:2, from where peer (CN=peer) is connected")
                .contains("peer has answered there", "bind.advertise");
        assertThat(scene.events).first().isEqualTo("opened peer");
        assertThat(scene.events).last().asString().startsWith("refused IDENTITY stranger: next (CN=next) advertises host:2");
    }

    @Test
    void aLivingSessionIsNotEndedByWhoCannotBeReachedAtItsAddress() {
        scene.say(hello(PEER));
        int newcomer = scene.say(hello(NEXT));
        scene.links.onDialFailed(newcomer + 1, DialFailure.UNREACHABLE, "no route");
        assertThat(scene.links.link(PEER).isConnected()).isTrue();
        assertThat(scene.answer()).startsWith("IDENTITY").contains("nobody could be reached there");
        assertThat(scene.events).doesNotContain("FAILED host:2");
        // Another attempt is checked anew.
        int again = scene.say(hello(NEXT));
        scene.links.onFrame(scene.dialBack(again, ""), welcome(NEXT));
        assertThat(scene.links.link(NEXT).isOpen()).isTrue();
    }

    @Test
    void aLivingSessionIsNotTakenOverWithAnotherKey() {
        scene.sayWith(certificate("CN=peer", "p"), hello(PEER));
        int thief = scene.sayWith(certificate("CN=thief", "t"), again(new SessionState(1, true, 0), 7));
        scene.links.onFrame(scene.dialBack(thief, "p"), refusal(PEER, Refusal.KNOWN, 1));
        assertThat(scene.answer()).startsWith("IDENTITY 0 peer (CN=thief) advertises host:2");
        assertThat(scene.links.link(PEER).isConnected()).isTrue();
        scene.sayWith(certificate("CN=peer", "p"), again(new SessionState(1, true, 0), 7));
        assertThat(scene.answer()).startsWith("welcome");
    }

    @Test
    void aNodeThatItsCertificateProvesMayChangeItsKey() {
        scene.sayWith(certificate("CN=peer", "p"), hello(PEER));
        int dials = scene.dialed.size();
        scene.sayWith(proof("peer", "q"), again(new SessionState(1, true, 0), 7));
        assertThat(scene.answer()).startsWith("welcome");
        assertThat(scene.dialed).hasSize(dials);
        // A proof of another name proves nothing.
        int thief = scene.sayWith(proof("thief", "t"), again(new SessionState(1, true, 0), 8));
        scene.links.onFrame(scene.dialBack(thief, "q"), refusal(PEER, Refusal.KNOWN, 1));
        assertThat(scene.answer()).startsWith("IDENTITY");
    }

    @Test
    void aNodeWhoseKeyChangesAgainWhileItIsCheckedMayTryAgain() {
        scene.sayWith(certificate("CN=peer", "p"), hello(PEER));
        int newcomer = scene.sayWith(certificate("CN=peer", "q"), again(new SessionState(1, true, 0), 7));
        scene.links.onFrame(scene.dialBack(newcomer, "r"), refusal(PEER, Refusal.KNOWN, 1));
        assertThat(scene.answer()).isEqualTo("SUSPECTED 0 its certificate has changed while its address was being checked");
        int again = scene.sayWith(certificate("CN=peer", "r"), again(new SessionState(1, true, 0), 7));
        scene.links.onFrame(scene.dialBack(again, "r"), refusal(PEER, Refusal.KNOWN, 1));
        assertThat(scene.answer()).startsWith("welcome");
    }

    @Test
    void whoWasDialledElsewhereDoesNotEndALivingSession() {
        scene.say(hello(PEER));
        scene.links.dial("elsewhere:1", null);
        scene.links.onConnected(2);
        scene.links.onFrame(2, welcome(NEXT));
        assertThat(scene.events).containsExactly("opened peer", "SUSPECTED elsewhere:1");
        scene.links.onFrame(scene.dialBack(2, ""), refusal(PEER, Refusal.KNOWN, 1));
        assertThat(scene.links.link(PEER).isConnected()).isTrue();
        assertThat(scene.links.link(NEXT)).isNull();
    }

    @Test
    void oneNewcomerOfAnAddressIsCheckedAtATime() {
        scene.say(hello(PEER));
        scene.say(hello(NEXT));
        int dials = scene.dialed.size();
        scene.say(hello(new NodeId(62, "third", PEER.address())));
        assertThat(scene.answer()).isEqualTo("SUSPECTED 0 its address is being checked");
        assertThat(scene.dialed).hasSize(dials);
    }

    @Test
    void aNodeThatAdvertisesTheAddressOfThisOneIsRefused() {
        scene.say(hello(new NodeId(60, "peer", SELF.address())));
        assertThat(scene.answer()).isEqualTo("IDENTITY 0 peer advertises host:1, the address of self; give each node an address"
                + " of its own: bind.advertise, or bind.address and bind.port");
        scene.links.dial("alias:1", null);
        scene.links.onConnected(2);
        scene.links.onFrame(2, welcome(new NodeId(60, "peer", SELF.address())));
        assertThat(scene.events).last().isEqualTo("REFUSED alias:1");
        assertThat(scene.links.link(new NodeId(60, "peer", SELF.address()))).isNull();
    }

    @Test
    void aNodeThatItsCertificateDoesNotNameIsRefusedOnBothSides() {
        scene.sayWith(certificate("CN=other", "o"), hello(PEER));
        assertThat(scene.answer()).isEqualTo("IDENTITY 0 the certificate CN=other is not of peer");
        scene.links.dial("host:2", null);
        scene.links.onCredentials(2, certificate("CN=other", "o"));
        scene.links.onConnected(2);
        scene.links.onFrame(2, welcome(PEER));
        assertThat(scene.events).contains("refused IDENTITY host:2: the certificate CN=other is not of peer");
        assertThat(scene.links.link(PEER)).isNull();
    }

    @Test
    void anOlderIncarnationIsRefusedWhileTheNewerIsConnected() {
        int newer = scene.say(hello(PEER));
        scene.say(hello(new NodeId(59, "peer", PEER.address())));
        assertThat(scene.answer()).isEqualTo("OLDER 0 a newer incarnation of host:2 is connected");
        scene.links.onDisconnected(newer, false, "reset");
        // A clock that was set back makes an incarnation look older: it is there all the same.
        scene.say(hello(new NodeId(59, "peer", PEER.address())));
        assertThat(scene.answer()).startsWith("welcome");
        assertThat(scene.events).contains("closed peer: another process is at host:2");
    }
}
