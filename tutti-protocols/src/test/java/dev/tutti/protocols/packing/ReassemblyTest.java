package dev.tutti.protocols.packing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReassemblyTest {

    private final Reassembly reassembly = new Reassembly();

    private byte[] add(int length, long total, long at) {
        return add(length, 1, total, at);
    }

    private byte[] add(int length, int message, long total, long at) {
        byte[] piece = new byte[length];
        for (int index = 0; index < length; index++) {
            piece[index] = (byte) (at + index);
        }
        ByteBuffer whole = reassembly.add(ByteBuffer.wrap(piece), 0, length, new Records.Piece(message, total, at));
        return whole == null ? null : whole.array();
    }

    private static byte[] message(int length) {
        byte[] message = new byte[length];
        for (int index = 0; index < length; index++) {
            message[index] = (byte) index;
        }
        return message;
    }

    @Test
    void putsPiecesTogether() {
        assertThat(add(400, 1_000, 0)).isNull();
        assertThat(add(400, 1_000, 400)).isNull();
        assertThat(add(200, 1_000, 800)).isEqualTo(message(1_000));
        assertThat(add(10, 10, 0)).as("and the next one").isEqualTo(message(10));
        assertThat(reassembly.abandoned()).isZero();
    }

    @Test
    void aGapEndsTheMessage() {
        add(400, 1_000, 0);
        assertThat(add(200, 1_000, 800)).isNull();
        assertThat(add(400, 1_000, 400)).as("its middle comes too late").isNull();
        assertThat(reassembly.abandoned()).isEqualTo(1);
    }

    @Test
    void anOverlapEndsTheMessage() {
        add(400, 1_000, 0);
        assertThat(add(700, 1_000, 300)).isNull();
        assertThat(reassembly.abandoned()).isEqualTo(1);
    }

    @Test
    void aTotalThatChangesEndsTheMessage() {
        add(400, 1_000, 0);
        assertThat(add(400, 800, 400)).isNull();
        assertThat(add(600, 1_000, 400)).isNull();
        assertThat(reassembly.abandoned()).isEqualTo(1);
    }

    @Test
    void piecesOfTwoMessagesOfTheSameLengthMakeNone() {
        add(500, 1, 1_000, 0);
        assertThat(add(500, 2, 1_000, 500)).as("the end of 1 and the begin of 2 are lost").isNull();
        assertThat(add(500, 1, 1_000, 500)).isNull();
        assertThat(reassembly.abandoned()).isEqualTo(1);
    }

    @Test
    void aNewStartReplacesWhatHadArrived() {
        add(400, 1_000, 0);
        assertThat(add(500, 1_000, 0)).isNull();
        assertThat(add(500, 1_000, 500)).isEqualTo(message(1_000));
        assertThat(reassembly.abandoned()).isEqualTo(1);
    }

    @Test
    void aPieceFromTheMiddleStartsNothing() {
        assertThat(add(500, 1_000, 500)).isNull();
        assertThat(add(400, 1_000, 0)).isNull();
        assertThat(reassembly.abandoned()).isZero();
    }

    @Test
    void aMessageAboveTheLimitIsNotBegun() {
        assertThat(add(10, Reassembly.MESSAGE_BYTES_MAX + 1, 0)).isNull();
        assertThat(add(10, Reassembly.MESSAGE_BYTES_MAX + 1, 10)).isNull();
        assertThat(reassembly.abandoned()).isEqualTo(1);
    }

    @Test
    void memoryThatIsSpareIsUsedForTheNextMessage() {
        SpareArrays spares = new SpareArrays(10_000);
        Reassembly reusing = new Reassembly(spares);
        byte[] larger = new byte[4_000];
        Arrays.fill(larger, (byte) 1);
        spares.give(larger);
        spares.give(new byte[500]);

        ByteBuffer whole = reusing.add(ByteBuffer.allocate(1_000), 0, 1_000, new Records.Piece(1, 1_000, 0));

        assertThat(whole).as("what is read of it has the message's length").isEqualTo(ByteBuffer.allocate(1_000));
        assertThat(whole.array()).isSameAs(larger);
        assertThat(spares.bytes()).as("it is this message's until it is given back").isEqualTo(500);
    }

    @Test
    void memoryThatWasTooShortIsSpareForOthers() {
        SpareArrays spares = new SpareArrays(10_000);
        Reassembly growing = new Reassembly(spares);
        growing.add(ByteBuffer.allocate(100), 0, 100, new Records.Piece(1, 2_000, 0));
        growing.add(ByteBuffer.allocate(1_900), 0, 1_900, new Records.Piece(1, 2_000, 100));
        assertThat(spares.bytes()).isEqualTo(400);

        growing.add(ByteBuffer.allocate(500), 0, 500, new Records.Piece(2, 3_000, 0));
        growing.abandon();
        assertThat(spares.bytes()).as("and that of a message that was abandoned").isEqualTo(400 + 750);
    }

    @Test
    void ofSpareMemoryTheOneUsedLongestAgoIsGivenUp() {
        SpareArrays spares = new SpareArrays(1_000);
        byte[] first = new byte[400];
        byte[] second = new byte[500];
        byte[] third = new byte[300];
        spares.give(first);
        spares.give(second);
        spares.give(third);
        assertThat(spares.bytes()).isEqualTo(800);
        assertThat(spares.take(100)).as("the shortest that suffices").isSameAs(third);
        assertThat(spares.take(100)).isSameAs(second);
        assertThat(spares.take(100)).isNull();
        spares.give(new byte[1_001]);
        assertThat(spares.bytes()).as("more than all may have is not kept").isZero();
    }

    @Test
    void copyingTakesAQuarterMoreThanTheMessageAtMost() {
        int total = 10_000_000;
        int piece = 127 * 1024;
        Reassembly reassembly = new Reassembly();
        long most = 0;
        long before = 0;
        for (int at = 0; at < total; at += piece) {
            int length = Math.min(piece, total - at);
            ByteBuffer whole = reassembly.add(ByteBuffer.allocate(length), 0, length, new Records.Piece(1, total, at));
            long now = whole == null ? reassembly.memoryBytes() : whole.array().length;
            if (now != before) {
                most = Math.max(most, now + before);
                before = now;
            }
        }
        assertThat(before).isEqualTo(total);
        assertThat(most).isLessThanOrEqualTo(total + total / 4 + piece);
    }

    @Test
    void memoryGrowsWithWhatArrivesNotWithWhatIsPromised() {
        // A gibibyte each was promised: taken at its word, two of these would be the end of this process.
        List<Reassembly> many = new ArrayList<>();
        for (int round = 0; round < 200; round++) {
            Reassembly begun = new Reassembly();
            assertThat(begun.add(ByteBuffer.allocate(64), 0, 64, new Records.Piece(1, Reassembly.MESSAGE_BYTES_MAX, 0))).isNull();
            many.add(begun);
        }
        many.forEach(Reassembly::abandon);
        assertThat(many).allMatch(begun -> begun.abandoned() == 1);
    }
}
