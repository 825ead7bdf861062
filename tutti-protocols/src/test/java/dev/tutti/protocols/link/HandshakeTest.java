package dev.tutti.protocols.link;

import static dev.tutti.protocols.link.HandshakeScene.PEER;
import static dev.tutti.protocols.link.HandshakeScene.SECOND;
import static dev.tutti.protocols.link.HandshakeScene.SELF;
import static dev.tutti.protocols.link.HandshakeScene.VERSIONS;
import static dev.tutti.protocols.link.HandshakeScene.again;
import static dev.tutti.protocols.link.HandshakeScene.bytes;
import static dev.tutti.protocols.link.HandshakeScene.hello;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Answers of a node to incoming connections: every outcome of a handshake, and hostile bytes. */
class HandshakeTest {

    private final HandshakeScene scene = new HandshakeScene();

    // ------------------------------------------------------------------ who is accepted

    @Test
    void aPeerIsWelcome() {
        scene.say(hello(PEER));
        assertThat(scene.answer()).isEqualTo("welcome 1 open received 0 from 0");
        assertThat(scene.events).containsExactly("opened peer");
    }

    @Test
    void anotherClusterIsRefused() {
        scene.say(new Hello(VERSIONS, "other", PEER, 7, 0, SessionState.NONE, Hello.NONE));
        assertThat(scene.answer()).isEqualTo("CLUSTER 0 peer is of cluster 'other', self of 'test'");
        assertThat(scene.closes).hasSize(1);
        assertThat(scene.events).containsExactly("refused CLUSTER stranger: peer is of cluster 'other', self of 'test'");
    }

    @Test
    void theNodeItselfIsRefusedQuietly() {
        scene.say(hello(SELF));
        assertThat(scene.answer()).startsWith("SELF");
        assertThat(scene.events).isEmpty();
    }

    @Test
    void anIncarnationThatIsInUseAtAnotherAddressIsRefused() {
        scene.say(hello(new NodeId(SELF.incarnation(), "twin", "host:9")));
        assertThat(scene.answer()).isEqualTo("INCARNATION 0 another node has the incarnation 50 at another address");
        scene.say(hello(PEER));
        scene.say(hello(new NodeId(PEER.incarnation(), "twin", "host:9")));
        assertThat(scene.answer()).startsWith("INCARNATION");
    }

    @Test
    void aSuspectIsRefused() {
        scene.objection = "not heard by 7 of its 10 watchers";
        scene.say(hello(PEER));
        assertThat(scene.answer()).isEqualTo("SUSPECTED 0 not heard by 7 of its 10 watchers");
    }

    // ------------------------------------------------------------------ strangers

    @Test
    void anHttpRequestIsTakenForWhatItIs() {
        scene.say(bytes("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
        assertThat(scene.answer()).isEqualTo("MALFORMED 0 this is not a tutti peer: looks like an HTTP request");
        assertThat(scene.events).singleElement().asString().contains("looks like an HTTP request");
    }

    @Test
    void whatTheDriverCouldNotReadIsCounted() {
        int connection = scene.links.onAccepted("stranger");
        scene.links.onDisconnected(connection, false, "a frame of 1195725856 bytes");
        assertThat(scene.events).containsExactly(
                "refused MALFORMED stranger: this is not a tutti peer: a frame of 1195725856 bytes");
    }

    @Test
    void aLargeHelloIsRefusedUnread() {
        Packet frame = Packet.create(Memory.onHeap(), 60_000);
        frame.append(hello(PEER).encode(Memory.onHeap())).append(new byte[5_000], 0, 5_000);
        scene.say(frame);
        assertThat(scene.answer()).startsWith("MALFORMED");
    }

    @Test
    void aFrameBeforeTheHelloIsRefused() {
        scene.say(Packet.create(Memory.onHeap(), 9).appendByte(Frames.LINK_ACK).appendLong(0));
        assertThat(scene.answer()).startsWith("MALFORMED 0 this is not a tutti peer: its first frame is of type 5");
    }

    @Test
    void whoSaysNothingIsClosedAfterTheTimeout() {
        scene.links.beginTurn(0);
        scene.links.onAccepted("silent");
        assertThat(scene.links.nextDeadline()).isEqualTo(5 * SECOND);
        scene.links.beginTurn(5 * SECOND - 1);
        scene.links.onTimer();
        assertThat(scene.closes).isEmpty();
        scene.links.beginTurn(5 * SECOND);
        scene.links.onTimer();
        assertThat(scene.closes).containsExactly("1: silent for link.handshake-timeout (5000 ms)");
        assertThat(scene.links.nextDeadline()).isEqualTo(Links.NEVER);
    }

    @Test
    void theOldestOfTooManySilentConnectionsIsClosed() {
        for (int index = 0; index < 5; index++) {
            scene.links.onAccepted("silent " + index);
        }
        assertThat(scene.closes).singleElement().asString().startsWith("1: more than link.handshakes-max (4)");
        scene.say(hello(PEER));
        assertThat(scene.events).last().isEqualTo("opened peer");
    }

    @Test
    void noByteOfAHelloCanBeChangedIntoAnExceptionOrAnotherNode() {
        Packet whole = hello(PEER).encode(Memory.onHeap());
        SplittableRandom random = new SplittableRandom(5);
        for (int run = 0; run < 20_000; run++) {
            byte[] changed = new byte[random.nextInt(whole.length() + 1)];
            whole.bytes().get(whole.offset(), changed);
            for (int flips = random.nextInt(3); flips > 0 && changed.length > 0; flips--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            }
            int dials = scene.dialed.size();
            scene.say(bytes(changed));
            // Each is answered, or its address is dialled to see who is there.
            assertThat(scene.written.size() + scene.dialed.size() - dials).isPositive();
            scene.written.clear();
        }
        assertThat(scene.closes).hasSizeGreaterThan(10_000);
    }

    @Test
    void garbageFromAPeerNeverThrows() {
        SplittableRandom random = new SplittableRandom(6);
        for (int run = 0; run < 5_000; run++) {
            int connection = scene.say(again(new SessionState(run, false, 0), Hello.NONE));
            byte[] garbage = new byte[random.nextInt(40)];
            random.nextBytes(garbage);
            scene.links.onFrame(connection, bytes(garbage));
            Link link = scene.links.link(PEER);
            scene.links.close(link, false, "next");
            assertThat(link.isOpen()).isFalse();
        }
    }

    @Test
    void whoDialsAStrangerIsNotFooled() {
        scene.links.dial("host:80", null);
        scene.links.onConnected(1);
        scene.links.onFrame(1, bytes("HTTP/1.1 400 Bad Request".getBytes(StandardCharsets.US_ASCII)));
        assertThat(scene.events).containsExactly(
                "refused MALFORMED host:80: this is not a tutti peer: looks like an HTTP request", "REFUSED host:80");
    }

    @Test
    void aRefusalIsToldOnBothSides() {
        scene.links.dial("host:2", null);
        scene.links.onConnected(1);
        Packet refusal = Packet.create(Memory.onHeap(), 500)
                .appendByte(Frames.REFUSE)
                .appendByte(Refusal.CLUSTER.ordinal())
                .appendInt(0)
                .appendText("another cluster");
        Wire.append(refusal, PEER);
        scene.links.onFrame(1, refusal);
        assertThat(scene.events).containsExactly("refused CLUSTER host:2: peer refuses: another cluster", "REFUSED host:2");
    }
}
