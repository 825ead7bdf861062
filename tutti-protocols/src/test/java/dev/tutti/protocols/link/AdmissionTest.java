package dev.tutti.protocols.link;

import static dev.tutti.protocols.link.HandshakeScene.PEER;
import static dev.tutti.protocols.link.HandshakeScene.SELF;
import static dev.tutti.protocols.link.HandshakeScene.certificate;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import dev.tutti.core.admission.AdmissionDesk.Answer;
import dev.tutti.core.admission.Newcomer;
import dev.tutti.core.admission.TokenProof;
import dev.tutti.core.driver.Credentials;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The exchange in which two nodes decide about each other, seen from one of them. */
class AdmissionTest {

    private static final byte[] KEY = "a key that is not random".getBytes(StandardCharsets.UTF_8);
    private static final byte[] TOKEN = "token".getBytes(StandardCharsets.UTF_8);
    private static final byte[] THEIRS = new byte[TokenProof.BYTES];

    private final HandshakeScene scene = new HandshakeScene();
    private final List<Newcomer> asked = new ArrayList<>();
    private int question;

    private void decideLater() {
        scene.links.admission().useToken(TOKEN);
        scene.links.admission().use((connection, newcomer) -> {
            question = connection;
            asked.add(newcomer);
        }, KEY);
    }

    private static Packet frame(int type, byte[]... parts) {
        Packet frame = Packet.create(Memory.onHeap(), 4_096).appendByte(type);
        for (byte[] part : parts) {
            frame.append(part, 0, part.length);
        }
        return frame;
    }

    private static byte[] code(byte[] code) {
        byte[] bytes = new byte[1 + code.length];
        bytes[0] = (byte) code.length;
        System.arraycopy(code, 0, bytes, 1, code.length);
        return bytes;
    }

    private static byte[] bytes(Packet frame) {
        byte[] bytes = new byte[frame.length()];
        frame.bytes().get(frame.offset(), bytes);
        return bytes;
    }

    private Packet lastOf(int type) {
        Packet frame = scene.written.getLast();
        assertThat(frame.takeByte()).isEqualTo(type);
        return frame;
    }

    private byte[] challengeOf(int connection) {
        assertThat(connection).isPositive();
        return bytes(lastOf(Frames.CHALLENGE));
    }

    private void prove(int connection, byte[] challenge, byte[] token) {
        byte[] exchange = TokenProof.exchange(true, new byte[0], challenge, THEIRS, "test", PEER);
        scene.links.onFrame(connection, frame(Frames.PROOF, THEIRS, code(TokenProof.make(token, exchange))));
    }

    // ------------------------------------------------------------------ the node that was dialled

    @Test
    void aNodeThatIsAdmittedSaysHelloAgainAndIsWelcome() {
        decideLater();
        int connection = scene.say(HandshakeScene.hello(PEER));
        prove(connection, challengeOf(connection), TOKEN);
        assertThat(asked).singleElement().satisfies(newcomer -> {
            assertThat(newcomer.remote()).isEqualTo("stranger");
            assertThat(newcomer.name()).isEqualTo("peer");
            assertThat(newcomer.address()).isEqualTo("host:2");
            assertThat(newcomer.cluster()).isEqualTo("test");
            assertThat(newcomer.isDialled()).isFalse();
            assertThat(newcomer.knowsToken("token")).isTrue();
            assertThat(newcomer.knowsToken("another")).isFalse();
        });
        assertThat(scene.events).isEmpty();
        scene.links.admission().onDecided(question, Answer.admitted());
        Packet admitted = lastOf(Frames.ADMITTED);
        assertThat(Wire.takeNode(admitted)).isEqualTo(SELF);
        assertThat(scene.events).isEmpty();
        scene.links.onFrame(connection, HandshakeScene.hello(PEER).encode(Memory.onHeap()));
        assertThat(scene.answer()).startsWith("welcome 1 open");
        assertThat(scene.events).containsExactly("opened peer");
    }

    @Test
    void aRefusedNodeLearnsTheClassOfTheReasonAlone() {
        decideLater();
        int connection = scene.say(HandshakeScene.hello(PEER));
        prove(connection, challengeOf(connection), "wrong".getBytes(StandardCharsets.UTF_8));
        assertThat(asked.getFirst().knowsToken("token")).isFalse();
        assertThat(asked.getFirst().proof().isGiven()).isTrue();
        scene.links.admission().onDecided(question, Answer.refused("it has another token"));
        Packet refusal = lastOf(Frames.REFUSE);
        assertThat(Refusal.of(refusal.takeByte())).isEqualTo(Refusal.ADMISSION);
        assertThat(refusal.takeInt()).isZero();
        assertThat(refusal.takeText()).isEqualTo("it gives no details (admission)");
        assertThat(Wire.takeNode(refusal)).isEqualTo(new NodeId(0, "", ""));
        assertThat(scene.events).containsExactly("refused ADMISSION stranger: it has another token");
        assertThat(scene.closes).containsExactly("1: it has another token");
    }

    @Test
    void aStrangerLearnsNothingOfANodeWithRules() {
        decideLater();
        scene.say(new Hello(HandshakeScene.VERSIONS, "elsewhere", PEER, 7, 0, SessionState.NONE, Hello.NONE));
        Packet refusal = lastOf(Frames.REFUSE);
        assertThat(Refusal.of(refusal.takeByte())).isEqualTo(Refusal.CLUSTER);
        refusal.takeInt();
        assertThat(refusal.takeText()).isEqualTo("it gives no details (cluster)");
        assertThat(Wire.takeNode(refusal)).isEqualTo(new NodeId(0, "", ""));
        int connection = scene.say(HandshakeScene.hello(PEER));
        assertThat(challengeOf(connection)).hasSize(TokenProof.BYTES);
    }

    @Test
    void noTwoChallengesAreEqual() {
        decideLater();
        byte[] first = challengeOf(scene.say(HandshakeScene.hello(PEER)));
        byte[] second = challengeOf(scene.say(HandshakeScene.hello(PEER)));
        assertThat(first).isNotEqualTo(second);
    }

    @Test
    void aProofOfAnotherConnectionIsWorthNothing() {
        decideLater();
        byte[] other = challengeOf(scene.say(HandshakeScene.hello(PEER)));
        int connection = scene.say(HandshakeScene.hello(PEER));
        challengeOf(connection);
        prove(connection, other, TOKEN);
        assertThat(asked.getFirst().knowsToken("token")).isFalse();
    }

    @Test
    void aProofOfTheOtherEndIsWorthNothing() {
        byte[] own = TokenProof.exchange(false, new byte[0], THEIRS, THEIRS, "test", PEER);
        byte[] reflected = TokenProof.exchange(true, new byte[0], THEIRS, THEIRS, "test", PEER);
        assertThat(new TokenProof(reflected, TokenProof.make(TOKEN, own)).isOf(TOKEN)).isFalse();
        assertThat(new TokenProof(own, TokenProof.make(TOKEN, own)).isOf(TOKEN)).isTrue();
    }

    @Test
    void aProofIsBoundToTheChannel() {
        byte[] one = TokenProof.exchange(true, new byte[] {1}, THEIRS, THEIRS, "test", PEER);
        byte[] other = TokenProof.exchange(true, new byte[] {2}, THEIRS, THEIRS, "test", PEER);
        assertThat(new TokenProof(other, TokenProof.make(TOKEN, one)).isOf(TOKEN)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"61, peer, host:2", "60, other, host:2", "60, peer, host:3"})
    void theAdmittedNodeIsTheOneThatSaysHello(long incarnation, String name, String address) {
        decideLater();
        int connection = scene.say(HandshakeScene.hello(PEER));
        prove(connection, challengeOf(connection), TOKEN);
        scene.links.admission().onDecided(question, Answer.admitted());
        scene.links.onFrame(connection, HandshakeScene.hello(new NodeId(incarnation, name, address)).encode(Memory.onHeap()));
        assertThat(scene.answer()).startsWith("MALFORMED");
        assertThat(scene.events).containsExactly("refused MALFORMED stranger: a second HELLO before its admission");
    }

    @Test
    void nothingButAProofFollowsAChallenge() {
        decideLater();
        int connection = scene.say(HandshakeScene.hello(PEER));
        scene.links.onFrame(connection, HandshakeScene.hello(PEER).encode(Memory.onHeap()));
        assertThat(scene.events).containsExactly("refused MALFORMED stranger: a second HELLO before its admission");
    }

    @Test
    void proofsThatCannotBeRightAreRefused() {
        decideLater();
        for (Packet proof : List.of(
                frame(Frames.PROOF),
                frame(Frames.PROOF, new byte[TokenProof.BYTES]),
                frame(Frames.PROOF, THEIRS, new byte[] {7, 1, 2, 3, 4, 5, 6, 7}),
                frame(Frames.PROOF, THEIRS, new byte[] {32, 1, 2, 3}))) {
            int connection = scene.say(HandshakeScene.hello(PEER));
            scene.links.onFrame(connection, proof);
            assertThat(scene.events).last().isEqualTo("refused MALFORMED stranger: its proof can't be right");
        }
        int early = scene.say(frame(Frames.PROOF, THEIRS, new byte[] {0}));
        assertThat(early).isPositive();
        assertThat(scene.events).last().isEqualTo("refused MALFORMED stranger: its proof can't be right");
        assertThat(asked).isEmpty();
    }

    @Test
    void anAnswerThatComesTooLateIsIgnored() {
        decideLater();
        int connection = scene.say(HandshakeScene.hello(PEER));
        prove(connection, challengeOf(connection), TOKEN);
        scene.links.onDisconnected(connection, true, "gone");
        scene.links.admission().onDecided(question, Answer.admitted());
        assertThat(scene.events).isEmpty();
    }

    @Test
    void aNodeThatWaitsForADecisionEndsWithTheHandshakesTimeOut() {
        decideLater();
        int connection = scene.say(HandshakeScene.hello(PEER));
        prove(connection, challengeOf(connection), TOKEN);
        scene.links.beginTurn(5 * HandshakeScene.SECOND);
        scene.links.onTimer();
        assertThat(scene.events).last().asString().startsWith("refused OVERLOAD stranger");
    }

    @Test
    void nodesThatWaitAreBoundedLikeAllStrangers() {
        decideLater();
        for (int index = 0; index < 10; index++) {
            int connection = scene.say(HandshakeScene.hello(PEER));
            prove(connection, challengeOf(connection), TOKEN);
        }
        assertThat(scene.events).hasSize(6).allMatch(event -> event.startsWith("refused OVERLOAD"));
    }

    @Test
    void aNodeForWhichThereIsNoRoomMayComeBackSoon() {
        decideLater();
        int connection = scene.say(HandshakeScene.hello(PEER));
        prove(connection, challengeOf(connection), TOKEN);
        scene.links.admission().onDecided(question, Answer.overloaded("too many"));
        Packet refusal = lastOf(Frames.REFUSE);
        assertThat(Refusal.of(refusal.takeByte())).isEqualTo(Refusal.OVERLOAD);
        refusal.takeInt();
        assertThat(refusal.takeText()).isEqualTo("too many");
    }

    @Test
    void anOlderVersionIsRefused() {
        decideLater();
        Packet old = HandshakeScene.hello(PEER).encode(Memory.onHeap());
        scene.say(old.shorten(old.length() - 1));
        assertThat(scene.events).containsExactly(
                "refused ADMISSION stranger: peer (host:2) runs a version without admission");
    }

    @Test
    void aNodeWithoutRulesProvesItselfToOneThatHasThem() {
        scene.links.admission().useToken(TOKEN);
        Hello hello = new Hello(HandshakeScene.VERSIONS, "test", PEER, 7, 0, SessionState.NONE, Hello.NONE, Hello.EXCHANGE_REQUIRED);
        int connection = scene.say(hello);
        byte[] challenge = challengeOf(connection);
        scene.links.onFrame(connection, frame(Frames.PROOF, THEIRS, new byte[] {0}));
        Packet admitted = lastOf(Frames.ADMITTED);
        assertThat(Wire.takeNode(admitted)).isEqualTo(SELF);
        byte[] proof = bytes(admitted);
        byte[] exchange = TokenProof.exchange(false, new byte[0], challenge, THEIRS, "test", SELF);
        assertThat(new TokenProof(exchange, Arrays.copyOfRange(proof, 1, proof.length)).isOf(TOKEN)).isTrue();
        scene.links.onFrame(connection, hello.encode(Memory.onHeap()));
        assertThat(scene.answer()).startsWith("welcome 1 open");
    }

    @Test
    void certificatesAreSeenByTheRules() {
        decideLater();
        Credentials credentials = certificate("CN=peer", "k");
        int connection = scene.sayWith(credentials, HandshakeScene.hello(PEER));
        prove(connection, challengeOf(connection), TOKEN);
        assertThat(asked.getFirst().certificates()).isEmpty();
        assertThat(asked.getFirst().subject()).isEmpty();
    }

    @Test
    void aNodeThatMayNotStayLosesItsSession() {
        decideLater();
        int connection = scene.say(HandshakeScene.hello(PEER));
        prove(connection, challengeOf(connection), TOKEN);
        scene.links.admission().onDecided(question, Answer.admitted());
        scene.links.onFrame(connection, HandshakeScene.hello(PEER).encode(Memory.onHeap()));
        asked.clear();
        scene.links.admission().askAgain((number, newcomer) -> {
            assertThat(number).isEqualTo(connection);
            asked.add(newcomer);
        });
        assertThat(asked).hasSize(1);
        scene.links.admission().onDecided(connection, Answer.refused("off the list"));
        assertThat(scene.events).containsExactly(
                "opened peer", "refused ADMISSION stranger: off the list", "closed peer: it may not stay: off the list");
    }

    // ------------------------------------------------------------------ the node that has dialled

    private int dial() {
        scene.links.dial("host:2", null);
        scene.links.onConnected(1);
        return 1;
    }

    private byte[] challenged(int connection) {
        scene.links.onFrame(connection, frame(Frames.CHALLENGE, THEIRS));
        Packet proof = lastOf(Frames.PROOF);
        byte[] bytes = bytes(proof);
        assertThat(bytes).hasSize(2 * TokenProof.BYTES + 1);
        return Arrays.copyOf(bytes, TokenProof.BYTES);
    }

    private void admitted(int connection, byte[] challenge, byte[] token) {
        Packet frame = frame(Frames.ADMITTED);
        Wire.append(frame, PEER);
        byte[] exchange = TokenProof.exchange(false, new byte[0], THEIRS, challenge, "test", PEER);
        byte[] code = code(TokenProof.make(token, exchange));
        scene.links.onFrame(connection, frame.append(code, 0, code.length));
    }

    private static Packet welcome() {
        return new Welcome(HandshakeScene.VERSIONS.max(), PEER, 9, new SessionState(1, true, 0), 0).encode(Memory.onHeap());
    }

    @Test
    void theDiallerDecidesTooAndSaysHelloAgain() {
        decideLater();
        int connection = dial();
        byte[] challenge = challenged(connection);
        admitted(connection, challenge, TOKEN);
        assertThat(asked).singleElement().satisfies(newcomer -> {
            assertThat(newcomer.isDialled()).isTrue();
            assertThat(newcomer.remote()).isEqualTo("host:2");
            assertThat(newcomer.name()).isEqualTo("peer");
            assertThat(newcomer.knowsToken("token")).isTrue();
        });
        int written = scene.written.size();
        scene.links.admission().onDecided(connection, Answer.admitted());
        assertThat(scene.written).hasSize(written + 1);
        lastOf(Frames.HELLO);
        scene.links.onFrame(connection, welcome());
        assertThat(scene.events).containsExactly("opened peer", "CONNECTED host:2");
    }

    @Test
    void theDiallerRefusesAndTellsTheClassOfTheReason() {
        decideLater();
        int connection = dial();
        admitted(connection, challenged(connection), "wrong".getBytes(StandardCharsets.UTF_8));
        scene.links.admission().onDecided(connection, Answer.refused("it has another token"));
        assertThat(scene.events).containsExactly("refused ADMISSION host:2: it has another token", "REFUSED host:2");
        Packet refusal = lastOf(Frames.REFUSE);
        assertThat(Refusal.of(refusal.takeByte())).isEqualTo(Refusal.ADMISSION);
    }

    @Test
    void theNodeThatWasDialledHearsOfTheDiallersRefusal() {
        decideLater();
        int connection = scene.say(HandshakeScene.hello(PEER));
        Packet refusal = frame(Frames.REFUSE).appendByte(Refusal.ADMISSION.ordinal()).appendInt(0).appendText("no details");
        Wire.append(refusal, new NodeId(0, "", ""));
        scene.links.onFrame(connection, refusal);
        assertThat(scene.events).containsExactly("refused ADMISSION stranger: the other node refuses: no details");
        assertThat(scene.closes).hasSize(1);
    }

    @Test
    void aWelcomeWithoutTheExchangeIsOfNoUse() {
        decideLater();
        int connection = dial();
        scene.links.onFrame(connection, welcome());
        assertThat(scene.events).containsExactly(
                "refused ADMISSION host:2: peer (host:2) runs a version without admission", "REFUSED host:2");
    }

    @ParameterizedTest
    @CsvSource({"61, peer, host:2", "60, other, host:2", "60, peer, host:3"})
    void aWelcomeOfAnotherNodeThanTheAdmittedOneIsOfNoUse(long incarnation, String name, String address) {
        decideLater();
        int connection = dial();
        admitted(connection, challenged(connection), TOKEN);
        scene.links.admission().onDecided(connection, Answer.admitted());
        scene.links.onFrame(
                connection,
                new Welcome(HandshakeScene.VERSIONS.max(), new NodeId(incarnation, name, address), 9, new SessionState(1, true, 0), 0).encode(Memory.onHeap()));
        assertThat(scene.events).last().isEqualTo("REFUSED host:2");
        assertThat(scene.links.open()).isEmpty();
    }

    @Test
    void challengesAndAdmissionsThatCannotBeRightEndTheConnection() {
        decideLater();
        for (Packet wrong : List.of(
                frame(Frames.CHALLENGE), frame(Frames.CHALLENGE, new byte[8]), frame(Frames.ADMITTED), frame(Frames.PROOF, THEIRS))) {
            scene.links.dial("host:2", null);
            int connection = scene.dialed.size();
            scene.links.onConnected(connection);
            scene.links.onFrame(connection, wrong);
            assertThat(scene.events).last().isEqualTo("REFUSED host:2");
        }
    }
}
