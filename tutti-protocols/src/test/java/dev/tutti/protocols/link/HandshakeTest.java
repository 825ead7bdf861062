package dev.tutti.protocols.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import dev.tutti.core.driver.Credentials;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Effects;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Answers of a node to incoming connections: every outcome of a handshake, and hostile bytes. */
class HandshakeTest {

    private static final long SECOND = 1_000_000_000L;
    private static final NodeId SELF = new NodeId(50, "self", "host:1");
    private static final NodeId PEER = new NodeId(60, "peer", "host:2");

    private final List<String> events = new ArrayList<>();
    private final List<String> closes = new ArrayList<>();
    private final List<Packet> written = new ArrayList<>();
    private final List<String> dialed = new ArrayList<>();
    private String objection;
    private final Links links = new Links(
            SELF, "test", new Links.Limits(1 << 20, 5 * SECOND, 4), Memory.onHeap(), new Driver(), new Owner());

    private final class Driver implements Effects {
        @Override
        public void dial(int connection, String address) {
            dialed.add(address);
        }

        @Override
        public void write(int connection, Packet frame) {
            written.add(frame.copy(Memory.onHeap()));
        }

        @Override
        public void close(int connection, String reason) {
            closes.add(connection + ": " + reason);
        }
    }

    private final class Owner implements Links.Owner {
        @Override
        public void onOpened(Link link, boolean isFirst) {
            events.add("opened " + link.node());
        }

        @Override
        public void onGone(Link link) {
            events.add("gone " + link.node());
        }

        @Override
        public void onClosed(Link link, boolean isGraceful, String reason) {
            events.add("closed " + link.node() + (isGraceful ? " gracefully: " : ": ") + reason);
        }

        @Override
        public void onFrame(Link link, int type, Packet frame) {
            events.add("frame " + type);
        }

        @Override
        public void onHeartbeat(Link link, Packet heartbeat) {
            events.add("heartbeat");
        }

        @Override
        public void onResumed(Link link) {
            events.add("resumed " + link.node());
        }

        @Override
        public void onRefused(String remote, Refusal refusal, String reason) {
            events.add("refused " + refusal + " " + remote + ": " + reason);
        }

        @Override
        public void onDialFailed(String address, DialFailure failure, String detail) {
            events.add(failure + " " + address + ": " + detail);
        }

        @Override
        public void onNoHandshake(String address, String detail) {}

        @Override
        public void onAnswered(String address, Links.Answer answer, NodeId node) {
            events.add(answer + " " + address);
        }

        @Override
        public String objection(NodeId node) {
            return objection;
        }
    }

    private static Hello hello(NodeId node) {
        return new Hello("test", node, 7, 0, SessionState.NONE, Hello.NONE);
    }

    private int say(Packet frame) {
        int connection = links.onAccepted("stranger");
        links.onFrame(connection, frame);
        return connection;
    }

    private int say(Hello hello) {
        return say(hello.encode(Memory.onHeap()));
    }

    private static Packet bytes(byte[] bytes) {
        return Packet.create(Memory.onHeap(), bytes.length).append(bytes, 0, bytes.length);
    }

    private String answer() {
        Packet frame = written.getLast();
        return switch (frame.takeByte()) {
            case Frames.WELCOME -> {
                Welcome welcome = Welcome.decode(frame);
                yield "welcome " + welcome.session().epoch() + (welcome.session().isOpen() ? " open" : " closed")
                        + " received " + welcome.session().received() + " from " + welcome.from();
            }
            case Frames.REFUSE -> {
                Refusal refusal = Refusal.of(frame.takeByte());
                int number = frame.takeInt();
                String reason = frame.takeText();
                assertThat(Wire.takeNode(frame)).isEqualTo(SELF);
                assertThat(frame.isMalformed()).isFalse();
                yield refusal + " " + number + " " + reason;
            }
            default -> throw new AssertionError(frame.toString());
        };
    }

    // ------------------------------------------------------------------ who is accepted

    @Test
    void aPeerIsWelcome() {
        say(hello(PEER));
        assertThat(answer()).isEqualTo("welcome 1 open received 0 from 0");
        assertThat(events).containsExactly("opened peer");
    }

    @Test
    void anotherClusterIsRefused() {
        say(new Hello("other", PEER, 7, 0, SessionState.NONE, Hello.NONE));
        assertThat(answer()).isEqualTo("CLUSTER 0 peer is of cluster 'other', self of 'test'");
        assertThat(closes).hasSize(1);
        assertThat(events).containsExactly("refused CLUSTER stranger: peer is of cluster 'other', self of 'test'");
    }

    @Test
    void theNodeItselfIsRefusedQuietly() {
        say(hello(SELF));
        assertThat(answer()).startsWith("SELF");
        assertThat(events).isEmpty();
    }

    @Test
    void anIncarnationThatIsInUseAtAnotherAddressIsRefused() {
        say(hello(new NodeId(SELF.incarnation(), "twin", "host:9")));
        assertThat(answer()).isEqualTo("INCARNATION 0 another node has the incarnation 50 at another address");
        say(hello(PEER));
        say(hello(new NodeId(PEER.incarnation(), "twin", "host:9")));
        assertThat(answer()).startsWith("INCARNATION");
    }

    @Test
    void aNewerProtocolAloneIsRefusedInPlainWords() {
        Packet frame = hello(PEER).encode(Memory.onHeap());
        frame.bytes().put(frame.offset() + 5, (byte) 2).put(frame.offset() + 6, (byte) 3);
        say(frame);
        assertThat(answer()).isEqualTo("VERSION 0 it speaks protocol versions 2 to 3, this node 1 to 1");
    }

    @Test
    void aPeerThatAlsoSpeaksANewerProtocolIsWelcome() {
        Packet frame = hello(PEER).encode(Memory.onHeap());
        frame.bytes().put(frame.offset() + 6, (byte) 9);
        say(frame);
        assertThat(answer()).startsWith("welcome");
    }

    @Test
    void aSuspectIsRefused() {
        objection = "not heard by 7 of its 10 watchers";
        say(hello(PEER));
        assertThat(answer()).isEqualTo("SUSPECTED 0 not heard by 7 of its 10 watchers");
    }

    // ------------------------------------------------------------------ incarnations

    private static final NodeId NEXT = new NodeId(61, "next", PEER.address());

    /** The dial of an address that is checked: it gets the number after the last one. */
    private int dialBack(int newcomer, String key) {
        assertThat(dialed).last().isEqualTo("host:2");
        links.onCredentials(newcomer + 1, certificate("of who answers", key));
        links.onConnected(newcomer + 1);
        return newcomer + 1;
    }

    private int sayWith(Credentials credentials, Hello hello) {
        int connection = links.onAccepted("stranger");
        links.onCredentials(connection, credentials);
        links.onFrame(connection, hello.encode(Memory.onHeap()));
        return connection;
    }

    private static Credentials certificate(String subject, String key) {
        return new Credentials() {
            @Override
            public String subject() {
                return subject;
            }

            @Override
            public String key() {
                return key;
            }

            @Override
            public String objection(String name, String address) {
                return subject.equals("CN=other") ? "the certificate CN=other is not of " + name : null;
            }
        };
    }

    private static Packet welcome(NodeId node) {
        return new Welcome(1, node, 9, new SessionState(1, true, 0), 0).encode(Memory.onHeap());
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
        int old = say(hello(PEER));
        int newcomer = say(hello(NEXT));
        assertThat(events).containsExactly("opened peer");
        links.onFrame(dialBack(newcomer, ""), welcome(NEXT));
        assertThat(events).containsExactly(
                "opened peer", "closed peer: another process is at host:2", "opened next");
        assertThat(closes).first().asString().startsWith(old + ": another process");
        assertThat(answer()).startsWith("KNOWN");
    }

    @Test
    void aNewcomerReplacesAPredecessorWhoseConnectionIsOverWithoutACheck() {
        int old = say(hello(PEER));
        links.onDisconnected(old, false, "reset");
        int dials = dialed.size();
        say(hello(NEXT));
        assertThat(answer()).startsWith("welcome");
        assertThat(dialed).hasSize(dials);
        assertThat(links.link(PEER).isOpen()).isFalse();
    }

    @Test
    void aLivingSessionIsNotEndedByWhoClaimsItsAddress() {
        sayWith(certificate("CN=peer", "p"), hello(PEER));
        int newcomer = sayWith(certificate("CN=next", "n"), hello(NEXT));
        links.onFrame(dialBack(newcomer, "p"), refusal(PEER, Refusal.KNOWN, 1));
        assertThat(links.link(PEER).isConnected()).isTrue();
        assertThat(answer())
                .startsWith("IDENTITY 0 next (CN=next) advertises host:2, from where peer (CN=peer) is connected")
                .contains("peer has answered there", "bind.advertise");
        assertThat(events).first().isEqualTo("opened peer");
        assertThat(events).last().asString().startsWith("refused IDENTITY stranger: next (CN=next) advertises host:2");
    }

    @Test
    void aLivingSessionIsNotEndedByWhoCannotBeReachedAtItsAddress() {
        say(hello(PEER));
        int newcomer = say(hello(NEXT));
        links.onDialFailed(newcomer + 1, DialFailure.UNREACHABLE, "no route");
        assertThat(links.link(PEER).isConnected()).isTrue();
        assertThat(answer()).startsWith("IDENTITY").contains("nobody could be reached there");
        assertThat(events).doesNotContain("FAILED host:2");
        // Another attempt is checked anew.
        int again = say(hello(NEXT));
        links.onFrame(dialBack(again, ""), welcome(NEXT));
        assertThat(links.link(NEXT).isOpen()).isTrue();
    }

    @Test
    void aLivingSessionIsNotTakenOverWithAnotherKey() {
        sayWith(certificate("CN=peer", "p"), hello(PEER));
        int thief = sayWith(certificate("CN=thief", "t"), again(new SessionState(1, true, 0), 7));
        links.onFrame(dialBack(thief, "p"), refusal(PEER, Refusal.KNOWN, 1));
        assertThat(answer()).startsWith("IDENTITY 0 peer (CN=thief) advertises host:2");
        assertThat(links.link(PEER).isConnected()).isTrue();
        sayWith(certificate("CN=peer", "p"), again(new SessionState(1, true, 0), 7));
        assertThat(answer()).startsWith("welcome");
    }

    @Test
    void whoWasDialledElsewhereDoesNotEndALivingSession() {
        say(hello(PEER));
        links.dial("elsewhere:1", null);
        links.onConnected(2);
        links.onFrame(2, welcome(NEXT));
        assertThat(events).containsExactly("opened peer", "SUSPECTED elsewhere:1");
        links.onFrame(dialBack(2, ""), refusal(PEER, Refusal.KNOWN, 1));
        assertThat(links.link(PEER).isConnected()).isTrue();
        assertThat(links.link(NEXT)).isNull();
    }

    @Test
    void oneNewcomerOfAnAddressIsCheckedAtATime() {
        say(hello(PEER));
        say(hello(NEXT));
        int dials = dialed.size();
        say(hello(new NodeId(62, "third", PEER.address())));
        assertThat(answer()).isEqualTo("SUSPECTED 0 its address is being checked");
        assertThat(dialed).hasSize(dials);
    }

    @Test
    void aNodeThatAdvertisesTheAddressOfThisOneIsRefused() {
        say(hello(new NodeId(60, "peer", SELF.address())));
        assertThat(answer()).isEqualTo("IDENTITY 0 peer advertises host:1, the address of self; give each node an address"
                + " of its own: bind.advertise, or bind.address and bind.port");
        links.dial("alias:1", null);
        links.onConnected(2);
        links.onFrame(2, welcome(new NodeId(60, "peer", SELF.address())));
        assertThat(events).last().isEqualTo("REFUSED alias:1");
        assertThat(links.link(new NodeId(60, "peer", SELF.address()))).isNull();
    }

    @Test
    void aNodeThatItsCertificateDoesNotNameIsRefusedOnBothSides() {
        sayWith(certificate("CN=other", "o"), hello(PEER));
        assertThat(answer()).isEqualTo("IDENTITY 0 the certificate CN=other is not of peer");
        links.dial("host:2", null);
        links.onCredentials(2, certificate("CN=other", "o"));
        links.onConnected(2);
        links.onFrame(2, welcome(PEER));
        assertThat(events).contains("refused IDENTITY host:2: the certificate CN=other is not of peer");
        assertThat(links.link(PEER)).isNull();
    }

    @Test
    void anOlderIncarnationIsRefusedWhileTheNewerIsConnected() {
        int newer = say(hello(PEER));
        say(hello(new NodeId(59, "peer", PEER.address())));
        assertThat(answer()).isEqualTo("OLDER 0 a newer incarnation of host:2 is connected");
        links.onDisconnected(newer, false, "reset");
        // A clock that was set back makes an incarnation look older: it is there all the same.
        say(hello(new NodeId(59, "peer", PEER.address())));
        assertThat(answer()).startsWith("welcome");
        assertThat(events).contains("closed peer: another process is at host:2");
    }

    // ------------------------------------------------------------------ sessions

    private Hello again(SessionState state, int gone) {
        return new Hello("test", PEER, 8, SELF.incarnation(), state, gone);
    }

    @Test
    void whoDialsAgainWithoutKnowingOfTheConnectionIsToldOfIt() {
        say(hello(PEER));
        say(again(new SessionState(1, true, 0), Hello.NONE));
        assertThat(answer()).isEqualTo("KNOWN 7 the two are connected");
        say(hello(PEER));
        assertThat(answer()).isEqualTo("KNOWN 7 the two have met");
        assertThat(events).containsExactly("opened peer");
    }

    @Test
    void aSessionIsResumedWhereItWas() {
        say(hello(PEER));
        Link link = links.link(PEER);
        for (int index = 0; index < 5; index++) {
            links.send(link, bytes(new byte[] {Frames.GROUP, (byte) index}));
        }
        written.clear();
        say(again(new SessionState(1, true, 3), 7));
        assertThat(written).hasSize(3);
        assertThat(written.get(1).bytes().get(written.get(1).offset() + 1)).isEqualTo((byte) 3);
        assertThat(events).containsExactly("opened peer", "resumed peer");
        Packet welcome = written.getFirst();
        welcome.takeByte();
        assertThat(Welcome.decode(welcome).from()).isEqualTo(3);
    }

    @Test
    void aSessionOfWhoseStartTheOtherNeverHeardGoesOnFromItsStart() {
        int connection = say(hello(PEER));
        links.send(links.link(PEER), bytes(new byte[] {Frames.GROUP}));
        links.onDisconnected(connection, false, "reset");
        written.clear();
        say(again(SessionState.NONE, Hello.NONE));
        assertThat(written).hasSize(2);
        written.removeLast();
        assertThat(answer()).isEqualTo("welcome 1 open received 0 from 0");
        assertThat(events).containsExactly("opened peer");
    }

    @Test
    void aSessionThatOnlyTheOtherHasOpenedIsOpenedHereToo() {
        say(again(new SessionState(4, true, 0), Hello.NONE));
        assertThat(answer()).isEqualTo("welcome 4 open received 0 from 0");
        assertThat(events).containsExactly("opened peer");
    }

    @Test
    void twoDifferentOpenSessionsAreBothClosed() {
        int connection = say(hello(PEER));
        links.onDisconnected(connection, false, "reset");
        say(again(new SessionState(9, true, 0), 7));
        assertThat(answer()).isEqualTo("welcome 9 closed received 0 from 0");
        assertThat(links.link(PEER).isOpen()).isFalse();
    }

    @Test
    void aSessionThatTheOtherHasClosedIsClosedAndANewOneBegins() {
        say(hello(PEER));
        say(again(new SessionState(1, false, 0), 7));
        assertThat(answer()).isEqualTo("welcome 2 open received 0 from 0");
        assertThat(events).containsExactly(
                "opened peer", "closed peer: the other side has closed the session", "opened peer");
    }

    @Test
    void whoStillHasAClosedSessionIsToldToCloseIt() {
        say(hello(PEER));
        links.close(links.link(PEER), false, "test");
        say(again(new SessionState(1, true, 0), 7));
        assertThat(answer()).isEqualTo("welcome 1 closed received 0 from 0");
        assertThat(closes).last().asString().endsWith("the session is closed here");
        assertThat(links.link(PEER).isOpen()).isFalse();
        say(again(new SessionState(1, false, 0), 7));
        assertThat(answer()).isEqualTo("welcome 2 open received 0 from 0");
    }

    @Test
    void aClaimToHaveReceivedWhatWasNotSentEndsTheSession() {
        say(hello(PEER));
        say(again(new SessionState(1, true, 99), 7));
        assertThat(answer()).isEqualTo("welcome 1 closed received 0 from 0");
        assertThat(events).last().asString().startsWith("closed peer");
    }

    @Test
    void anAcknowledgementOfWhatWasNotSentEndsTheSession() {
        int connection = say(hello(PEER));
        links.onFrame(connection, Packet.create(Memory.onHeap(), 9).appendByte(Frames.LINK_ACK).appendLong(5));
        assertThat(events).last().isEqualTo("closed peer: it acknowledges frame 5 of 0");
    }

    @Test
    void aGoodbyeClosesGracefully() {
        int connection = say(hello(PEER));
        links.onFrame(connection, Packet.create(Memory.onHeap(), 20).appendByte(Frames.GOODBYE).appendText("bye"));
        assertThat(events).last().isEqualTo("closed peer gracefully: bye");
        assertThat(closes).hasSize(1);
    }

    @Test
    void aBrokenConnectionIsDialledAgainAtOnce() {
        int connection = say(hello(PEER));
        links.onDisconnected(connection, true, "closed");
        assertThat(dialed).containsExactly("host:2");
        assertThat(links.link(PEER).isOpen()).isTrue();
    }

    @Test
    void aSessionWithANodeThatWasForgottenIsNotTakenForANewOne() {
        say(hello(PEER));
        links.close(links.link(PEER), false, "test");
        for (int number = 1; number <= LinkTable.LINKS_MAX; number++) {
            NodeId other = new NodeId(1_000 + number, "other", "other:" + number);
            say(hello(other));
            links.close(links.link(other), false, "test");
        }
        assertThat(links.link(PEER)).isNull();
        say(again(new SessionState(1, true, 0), 7));
        assertThat(answer()).isEqualTo("welcome 1 closed received 0 from 0");
    }

    // ------------------------------------------------------------------ strangers

    @Test
    void anHttpRequestIsTakenForWhatItIs() {
        say(bytes("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
        assertThat(answer()).isEqualTo("MALFORMED 0 this is not a tutti peer: looks like an HTTP request");
        assertThat(events).singleElement().asString().contains("looks like an HTTP request");
    }

    @Test
    void whatTheDriverCouldNotReadIsCounted() {
        int connection = links.onAccepted("stranger");
        links.onDisconnected(connection, false, "a frame of 1195725856 bytes");
        assertThat(events).containsExactly(
                "refused MALFORMED stranger: this is not a tutti peer: a frame of 1195725856 bytes");
    }

    @Test
    void aLargeHelloIsRefusedUnread() {
        Packet frame = Packet.create(Memory.onHeap(), 60_000);
        frame.append(hello(PEER).encode(Memory.onHeap())).append(new byte[5_000], 0, 5_000);
        say(frame);
        assertThat(answer()).startsWith("MALFORMED");
    }

    @Test
    void aFrameBeforeTheHelloIsRefused() {
        say(Packet.create(Memory.onHeap(), 9).appendByte(Frames.LINK_ACK).appendLong(0));
        assertThat(answer()).startsWith("MALFORMED 0 this is not a tutti peer: its first frame is of type 5");
    }

    @Test
    void whoSaysNothingIsClosedAfterTheTimeout() {
        links.beginTurn(0);
        links.onAccepted("silent");
        assertThat(links.nextDeadline()).isEqualTo(5 * SECOND);
        links.beginTurn(5 * SECOND - 1);
        links.onTimer();
        assertThat(closes).isEmpty();
        links.beginTurn(5 * SECOND);
        links.onTimer();
        assertThat(closes).containsExactly("1: silent for link.handshake-timeout (5000 ms)");
        assertThat(links.nextDeadline()).isEqualTo(Links.NEVER);
    }

    @Test
    void theOldestOfTooManySilentConnectionsIsClosed() {
        for (int index = 0; index < 5; index++) {
            links.onAccepted("silent " + index);
        }
        assertThat(closes).singleElement().asString().startsWith("1: more than link.handshakes-max (4)");
        say(hello(PEER));
        assertThat(events).last().isEqualTo("opened peer");
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
            int dials = dialed.size();
            say(bytes(changed));
            // Each is answered, or its address is dialled to see who is there.
            assertThat(written.size() + dialed.size() - dials).isPositive();
            written.clear();
        }
        assertThat(closes).hasSizeGreaterThan(10_000);
    }

    @Test
    void garbageFromAPeerNeverThrows() {
        SplittableRandom random = new SplittableRandom(6);
        for (int run = 0; run < 5_000; run++) {
            int connection = say(again(new SessionState(run, false, 0), Hello.NONE));
            byte[] garbage = new byte[random.nextInt(40)];
            random.nextBytes(garbage);
            links.onFrame(connection, bytes(garbage));
            Link link = links.link(PEER);
            links.close(link, false, "next");
            assertThat(link.isOpen()).isFalse();
        }
    }

    @Test
    void whoDialsAStrangerIsNotFooled() {
        links.dial("host:80", null);
        links.onConnected(1);
        links.onFrame(1, bytes("HTTP/1.1 400 Bad Request".getBytes(StandardCharsets.US_ASCII)));
        assertThat(events).containsExactly(
                "refused MALFORMED host:80: this is not a tutti peer: looks like an HTTP request", "REFUSED host:80");
    }

    @Test
    void aRefusalIsToldOnBothSides() {
        links.dial("host:2", null);
        links.onConnected(1);
        Packet refusal = Packet.create(Memory.onHeap(), 500)
                .appendByte(Frames.REFUSE)
                .appendByte(Refusal.CLUSTER.ordinal())
                .appendInt(0)
                .appendText("another cluster");
        Wire.append(refusal, PEER);
        links.onFrame(1, refusal);
        assertThat(events).containsExactly("refused CLUSTER host:2: peer refuses: another cluster", "REFUSED host:2");
    }
}
