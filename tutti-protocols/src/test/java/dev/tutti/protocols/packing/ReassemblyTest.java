package dev.tutti.protocols.packing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
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
        return reassembly.add(ByteBuffer.wrap(piece), 0, length, new Records.Piece(message, total, at));
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
