package dev.tutti.protocols.reliability;

import static dev.tutti.protocols.LayerTest.member;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Member 1 of a view of three, where multicasts may be lost, repeated and overtaken. */
class LostMulticastTest {

    private static final long MILLISECOND = 1_000_000;

    private static final int BUFFER = 256 * 1024;

    private final ReliabilityScene three = ReliabilityScene.of(3, BUFFER);

    private List<String> sentBut(String unwanted) {
        return three.sent().stream().filter(text -> !text.startsWith(unwanted)).toList();
    }

    @Test
    void overtakenIsDeliveredInOrderAndOnce() {
        three.multicast(2, 2, "b");
        three.multicast(2, 3, "c");
        three.multicast(2, 3, "c");
        assertThat(three.delivered()).isEmpty();
        three.multicast(2, 1, "a");
        three.multicast(2, 2, "b");
        assertThat(three.delivered()).containsExactly("n2:a", "n2:b", "n2:c");
        assertThat(three.layer.takeDropped()).containsExactly(DropReason.DUPLICATE, DropReason.DUPLICATE);
        assertThat(three.received()).containsEntry(member(2), 3L);
    }

    @Test
    void whatIsMissingIsAskedForAfterAWhileAndOnce() {
        three.multicast(2, 2, "b");
        three.multicast(2, 3, "c");
        assertThat(sentBut("ACK")).isEmpty();
        three.layer.advance(MILLISECOND / 2);
        assertThat(sentBut("ACK")).containsExactly("NACK 1-1 to n2");
        three.multicast(2, 5, "e");
        three.multicast(2, 4, "d");
        three.multicast(2, 6, "f");
        three.layer.advance(20 * MILLISECOND);
        assertThat(sentBut("ACK")).isEmpty();
    }

    @Test
    void whatIsMissingForAShortTimeIsNotAskedForYet() {
        three.multicast(2, 2, "b");
        three.layer.advance(MILLISECOND / 4);
        three.multicast(2, 4, "d");
        three.layer.advance(MILLISECOND / 4);
        assertThat(sentBut("ACK")).containsExactly("NACK 1-1 to n2");
        three.layer.advance(MILLISECOND / 2);
        assertThat(sentBut("ACK")).containsExactly("NACK 3-3 to n2");
    }

    @Test
    void severalGapsAreAskedForTogether() {
        for (long number : new long[] {2, 5, 6, 9, 12, 13}) {
            three.multicast(2, number, "x");
        }
        three.layer.advance(MILLISECOND);
        List<Long> asked = new ArrayList<>();
        for (String nack : sentBut("ACK")) {
            for (String range : nack.replace("NACK ", "").replace(" to n2", "").split(" ")) {
                String[] bounds = range.split("-");
                LongStream.rangeClosed(Long.parseLong(bounds[0]), Long.parseLong(bounds[1])).forEach(asked::add);
            }
        }
        assertThat(asked).containsExactly(1L, 3L, 4L, 7L, 8L, 10L, 11L);
    }

    @Test
    void lastOnesAreMissedWhenTheirSenderSaysSo() {
        three.multicast(2, 1, "a");
        three.sentUpTo(2, 3);
        three.layer.advance(MILLISECOND / 2);
        assertThat(sentBut("ACK")).containsExactly("NACK 2-3 to n2");
    }

    /** Sessions and multicasts come by different sockets, which are read one after the other. */
    @Test
    void whatTheSendersWordHasOvertakenIsNotAskedFor() {
        three.multicast(2, 1, "a");
        three.sentUpTo(2, 3);
        three.layer.advance(MILLISECOND / 4);
        three.multicast(2, 2, "b");
        three.multicast(2, 3, "c");
        three.layer.advance(20 * MILLISECOND);
        assertThat(sentBut("ACK")).isEmpty();
    }

    @Test
    void aNewSessionMakesItAskAgain() {
        three.multicast(2, 2, "b");
        three.layer.advance(MILLISECOND);
        three.forget();
        three.layer.signalUp(new Signal.Peer.Opened(member(2), 1));
        three.layer.advance(MILLISECOND);
        assertThat(sentBut("ACK")).containsExactly("NACK 1-1 to n2");
    }

    @Test
    void askedForIsRepeatedToTheOneWhoAsked() {
        three.send("a");
        three.send("b");
        three.forget();
        three.nack(3, 2, 2);
        assertThat(three.sent()).containsExactly("MULTICAST 2 stable 0 b to n3");
    }

    @Test
    void onlyWhatWasSentIsRepeated() {
        three.send("a");
        three.forget();
        three.nack(3, -5, Long.MAX_VALUE);
        three.nack(3, 7, 3);
        three.nack(3, Long.MIN_VALUE, Long.MIN_VALUE);
        assertThat(three.sent()).containsExactly("MULTICAST 1 stable 0 a to n3");
    }

    @Test
    void whoAsksForMuchMoreThanWasSentIsNotAnswered() {
        three.send("a");
        three.forget();
        for (int round = 0; round < 3_000; round++) {
            three.nack(3, 1, 1);
        }
        assertThat(three.sent().size()).isLessThan(1_100);
    }

    @Test
    void silentSenderSaysHowFarItHasSent() {
        three.send("a");
        three.forget();
        three.layer.advance(4 * MILLISECOND);
        assertThat(three.sent()).containsExactly("SENT 1");
        three.layer.advance(100 * MILLISECOND);
        assertThat(three.sent()).isEmpty();
    }

    @Test
    void acknowledgedSenderIsSilent() {
        three.send("a");
        three.forget();
        three.ack(2, 1, ReliabilityScene.WINDOW, 0, ReliabilityScene.WINDOW);
        three.ack(3, 1, ReliabilityScene.WINDOW, 0, ReliabilityScene.WINDOW);
        three.layer.advance(4 * MILLISECOND);
        assertThat(three.sent()).noneMatch(text -> text.startsWith("SENT"));
    }

    @Test
    void freezeDropsWhatIsAheadOfAGap() {
        three.multicast(2, 1, "a");
        three.multicast(2, 3, "c");
        assertThat(three.received()).containsEntry(member(2), 1L);
        assertThat(three.layer.takeDropped()).containsExactly(DropReason.FROZEN);
        three.reach(new TreeMap<>(Map.of(member(2), 3L)), new TreeMap<>(Map.of(member(2), member(3))));
        three.repair(3, three.view.id(), 2, 2, "b");
        three.repair(3, three.view.id(), 2, 3, "c");
        assertThat(three.delivered()).containsExactly("n2:a", "n2:b", "n2:c");
    }

    @Test
    void ofAComingViewIsHeldAndTheSenderOfTooManyIsNotExpelled() {
        ViewId coming = new ViewId(3, 1, member(1));
        String large = "x".repeat(4_000);
        for (int number = 1; number <= 100; number++) {
            three.multicast(2, coming, number, 0, large);
        }
        assertThat(three.layer.takeLowered(Signal.Peer.Expel.class)).isEmpty();
        assertThat(three.layer.takeDropped()).contains(DropReason.HELD_FULL);
        three.freeze();
        three.install(three.next(List.of(member(1), member(2), member(3))));
        assertThat(three.delivered().size()).isBetween(10, 99);
    }

    @Test
    void whatIsHeldOfASenderWhoseSessionIsOverIsReleased() {
        three.multicast(2, new ViewId(3, 1, member(1)), 1, 0, "a");
        assertThat(three.number("held-packets")).isOne();
        three.layer.signalUp(new Signal.Peer.Closed(member(2), false, "crashed"));
        assertThat(three.number("held-packets")).isZero();
    }

    @Test
    void impossibleNumbersAreDropped() {
        three.multicast(2, Long.MAX_VALUE, "end");
        three.sentUpTo(2, Long.MAX_VALUE);
        three.multicast(2, -1, "before");
        three.layer.advance(10 * MILLISECOND);
        assertThat(three.layer.takeDropped())
                .containsExactly(DropReason.MALFORMED, DropReason.MALFORMED, DropReason.DUPLICATE);
        assertThat(sentBut("ACK")).isEmpty();
    }

    /** All three may begin at the same moment, and none of them knows. */
    @Test
    void whoWasSilentBeginsWithTheShareOfAMember() {
        long share = BUFFER * 3 / 4 / 3;
        three.layer.advance(MILLISECOND);
        three.send("x".repeat(1_000));
        three.layer.endTurn();
        assertThat(three.number("window-open-bytes")).isLessThanOrEqualTo(share);
        for (int round = 1; round <= 20; round++) {
            three.send("x".repeat(1_000));
            acknowledge(round);
        }
        assertThat(three.number("window-open-bytes")).isGreaterThan(share);
        acknowledge(21);
        assertThat(three.number("window-open-bytes")).isEqualTo(share);
        three.layer.advance(60 * MILLISECOND);
        three.send("x".repeat(1_000));
        three.send("x".repeat(1_000));
        acknowledge(22);
        // A round without loss has made it larger again.
        assertThat(three.number("window-open-bytes")).isLessThanOrEqualTo(share * 5 / 4);
    }

    private void acknowledge(long number) {
        three.ack(2, number, 1L << 30, 0, ReliabilityScene.WINDOW);
        three.ack(3, number, 1L << 30, 0, ReliabilityScene.WINDOW);
        three.layer.endTurn();
    }

    @Test
    void sendersShareTheReceiveBuffer() {
        three.layer.advance(MILLISECOND);
        three.send("x".repeat(1_000));
        three.layer.endTurn();
        long alone = three.number("window-open-bytes");
        three.multicast(2, 1, "a");
        three.multicast(3, 1, "a");
        three.ack(2, 1, ReliabilityScene.WINDOW, 0, ReliabilityScene.WINDOW);
        three.send("x".repeat(1_000));
        three.layer.endTurn();
        assertThat(three.number("window-open-bytes")).isLessThan(alone);
    }
}
