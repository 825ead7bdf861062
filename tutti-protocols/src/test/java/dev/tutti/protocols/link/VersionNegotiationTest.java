package dev.tutti.protocols.link;

import static dev.tutti.protocols.link.HandshakeScene.PEER;
import static dev.tutti.protocols.link.HandshakeScene.again;
import static dev.tutti.protocols.link.HandshakeScene.hello;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes of different versions: the highest common version is used, and there is a plain refusal if there is none. */
class VersionNegotiationTest {

    private static final int MIN_OFFSET = 5;
    private static final int MAX_OFFSET = 6;

    /** The node of the scene speaks versions 3 and 4. */
    private final HandshakeScene scene = new HandshakeScene();

    private static Packet helloFrom(int min, int max) {
        Packet frame = hello(PEER).encode(Memory.onHeap());
        frame.bytes().put(frame.offset() + MIN_OFFSET, (byte) min).put(frame.offset() + MAX_OFFSET, (byte) max);
        return frame;
    }

    @Nested
    class Dialled {

        @ParameterizedTest
        @CsvSource({"3, 4, 4", "4, 5, 4", "2, 3, 3", "3, 3, 3", "4, 4, 4", "1, 255, 4"})
        void takesTheHighestCommonVersion(int min, int max, int common) {
            scene.say(helloFrom(min, max));
            Packet welcome = scene.written.getLast();
            assertThat(welcome.takeByte()).isEqualTo(Frames.WELCOME);
            assertThat(Welcome.decode(welcome).version()).isEqualTo(common);
            assertThat(scene.links.link(PEER).version()).isEqualTo(common);
        }

        @ParameterizedTest
        @CsvSource({"1, 1", "1, 2", "0, 2", "5, 5", "5, 6"})
        void refusesWithBothRanges(int min, int max) {
            scene.say(helloFrom(min, max));
            String reason = "the dialling node speaks protocol versions " + min + " to " + max + ", self speaks 3 to 4";
            assertThat(scene.answer()).isEqualTo("VERSION 0 " + reason);
            assertThat(scene.events).containsExactly("refused VERSION stranger: " + reason);
            assertThat(scene.links.link(PEER)).isNull();
        }

        @Test
        void refusesARangeThatIsNone() {
            scene.say(helloFrom(4, 3));
            assertThat(scene.answer()).isEqualTo("MALFORMED 0 its hello can't be decoded");
        }

        @Test
        void readsNothingBeyondTheVersionsOfAHelloThatItDoesNotSpeak() {
            Packet frame = Packet.create(Memory.onHeap(), 16).appendByte(Frames.HELLO).appendInt(Frames.MAGIC).appendByte(7).appendByte(8);
            scene.say(frame);
            assertThat(scene.answer()).startsWith("VERSION");
        }

        @Test
        void ignoresTheFieldsOfLaterVersions() {
            Packet frame = helloFrom(3, 9).appendText("a field of version 9").appendLong(9);
            scene.say(frame);
            assertThat(scene.answer()).isEqualTo("welcome 1 open received 0 from 0");
        }

        @Test
        void endsASessionThatTheSameProcessWantsToContinueInAnotherVersion() {
            scene.say(hello(PEER));
            Packet frame = again(new SessionState(1, true, 0), 7).encode(Memory.onHeap());
            frame.bytes().put(frame.offset() + MAX_OFFSET, (byte) 3);
            scene.say(frame);
            assertThat(scene.answer()).startsWith("welcome 1 closed");
            assertThat(scene.events).last().isEqualTo("closed peer: the other side does not have the same session");
        }
    }

    @Nested
    class Dialling {

        private void dial() {
            scene.links.dial("host:2", null);
            scene.links.onConnected(1);
        }

        @Test
        void namesItsRangeAndUsesTheVersionOfTheAnswer() {
            dial();
            Packet hello = scene.written.getLast();
            assertThat(hello.bytes().get(hello.offset() + MIN_OFFSET)).isEqualTo((byte) 3);
            assertThat(hello.bytes().get(hello.offset() + MAX_OFFSET)).isEqualTo((byte) 4);
            scene.links.onFrame(1, new Welcome(3, PEER, 9, new SessionState(1, true, 0), 0).encode(Memory.onHeap()));
            assertThat(scene.events).containsExactly("opened peer", "CONNECTED host:2");
            assertThat(scene.links.link(PEER).version()).isEqualTo(3);
        }

        @ParameterizedTest
        @CsvSource({"0", "2", "5", "255"})
        void refusesAnAnswerInAVersionThatItDoesNotSpeak(int version) {
            dial();
            scene.links.onFrame(1, new Welcome(version, PEER, 9, new SessionState(1, true, 0), 0).encode(Memory.onHeap()));
            assertThat(scene.events).containsExactly(
                    "refused VERSION host:2: peer answers in protocol version " + version + ", self speaks 3 to 4", "REFUSED host:2");
        }

        @Test
        void reportsTheRefusalOfAPeerTwoVersionsNewer() {
            dial();
            Packet refusal = Packet.create(Memory.onHeap(), 500)
                    .appendByte(Frames.REFUSE)
                    .appendByte(Refusal.VERSION.ordinal())
                    .appendInt(0)
                    .appendText("the dialling node speaks protocol versions 3 to 4, peer speaks 5 to 6");
            Wire.append(refusal, PEER);
            scene.links.onFrame(1, refusal);
            assertThat(scene.events).containsExactly(
                    "refused VERSION host:2: peer refuses: the dialling node speaks protocol versions 3 to 4, peer speaks 5 to 6",
                    "REFUSED host:2");
        }
    }

    @Nested
    class Sessions {

        private LinkPair pair;

        private void settle(Versions low, Versions high) {
            pair = new LinkPair(low, high);
            pair.low.dialOther();
            pair.high.dialOther();
            pair.settle();
        }

        @ParameterizedTest
        @CsvSource({"1, 1, 1, 2, 1", "1, 2, 1, 1, 1", "1, 2, 1, 2, 2", "1, 2, 2, 3, 2", "2, 3, 1, 2, 2"})
        void useOneVersionAndKeepItOverEachConnection(int lowMin, int lowMax, int highMin, int highMax, int common) {
            settle(new Versions(lowMin, lowMax), new Versions(highMin, highMax));
            for (int round = 0; round < 3; round++) {
                assertThat(pair.low.link().version()).isEqualTo(common);
                assertThat(pair.high.link().version()).isEqualTo(common);
                assertThat(pair.low.received).isEqualTo(LinkPair.whole(1));
                assertThat(pair.high.received).isEqualTo(LinkPair.whole(1));
                pair.breakAll();
                pair.settle();
            }
            assertThat(pair.low.events).contains("resumed").noneMatch(event -> event.startsWith("closed"));
        }

        @Test
        void resumeInTheirVersionWhenFramesWereLostWithAConnection() {
            Interleavings.explore(20_000, choices -> {
                LinkPair lossy = new LinkPair(new Versions(1, 2), new Versions(1, 1));
                lossy.low.dialOther();
                int steps = choices.choose(9);
                for (int step = 0; step < steps && lossy.choices() > 0; step++) {
                    lossy.deliver(choices.choose(lossy.choices()));
                }
                lossy.breakAll();
                lossy.settle();
                assertThat(lossy.low.link().version()).as(lossy.toString()).isEqualTo(1);
                assertThat(lossy.high.link().version()).as(lossy.toString()).isEqualTo(1);
                assertThat(lossy.low.received).as(lossy.toString()).isEqualTo(LinkPair.whole(lossy.low.link().epoch()));
                assertThat(lossy.high.received).as(lossy.toString()).isEqualTo(LinkPair.whole(lossy.low.link().epoch()));
                return null;
            });
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "2, 1", "1, 256", "-1, 1"})
    void refusesWrongRanges(int min, int max) {
        assertThatThrownBy(() -> new Versions(min, max))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("versions " + min + " to " + max + "; both are 1 to 255, the lower first");
    }
}
