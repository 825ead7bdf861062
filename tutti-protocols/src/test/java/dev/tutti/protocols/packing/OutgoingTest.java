package dev.tutti.protocols.packing;

import static dev.tutti.protocols.LayerTest.member;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.protocols.CountingMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutgoingTest {

    /** Bytes of a message in a piece. */
    private static final int PIECE_MAX = PacketSizes.STREAM.sharedBytes() - Records.PIECE_HEADER_BYTES;

    private final CountingMemory memory = new CountingMemory();
    private final Outgoing outgoing = new Outgoing(memory, 1 << 20);

    private boolean offer(Member receiver, int length) {
        return outgoing.offer(receiver, new byte[length], 0, length);
    }

    /** Everything that waits for the receiver, {@code message length} and {@code piece at+length/total}, per packet. */
    private List<List<String>> takeAll(Member receiver) {
        List<List<String>> packets = new ArrayList<>();
        Packet packet = outgoing.take(receiver, Long.MAX_VALUE);
        while (packet != null) {
            List<String> records = new ArrayList<>();
            assertThat(packet.length()).isLessThanOrEqualTo(Packet.PAYLOAD_MAX);
            assertThat(Records.read(packet, new Records.Visitor() {
                        @Override
                        public void onMessage(ByteBuffer bytes, int offset, int length) {
                            records.add("message " + length);
                        }

                        @Override
                        public void onPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
                            records.add("piece " + piece.at() + "+" + length + "/" + piece.total());
                        }
                    }))
                    .isTrue();
            packet.release();
            packets.add(records);
            packet = outgoing.take(receiver, Long.MAX_VALUE);
        }
        return packets;
    }

    @Test
    void manySmallMessagesShareAPacket() {
        for (int index = 0; index < 100; index++) {
            assertThat(offer(null, 10)).isTrue();
        }
        List<List<String>> packets = takeAll(null);
        assertThat(packets).as("a small one, which may stay alone, and one for all the others").hasSize(2);
        assertThat(packets.get(0)).hasSizeLessThan(50);
        assertThat(packets.get(0).size() + packets.get(1).size()).isEqualTo(100);
        assertThat(outgoing.bytes()).isZero();
        assertThat(outgoing.isEmpty()).isTrue();
        assertThat(memory.outstanding()).isZero();
    }

    @Test
    void orderHoldsAcrossSmallAndLarge() {
        offer(null, 1);
        outgoing.offerLarge(null, new byte[PIECE_MAX + 5], 0, PIECE_MAX + 5);
        offer(null, 2);
        offer(null, 3);
        assertThat(takeAll(null))
                .containsExactly(
                        List.of("message 1"),
                        List.of("piece 0+" + PIECE_MAX + "/" + (PIECE_MAX + 5)),
                        List.of("piece " + PIECE_MAX + "+5/" + (PIECE_MAX + 5)),
                        List.of("message 2", "message 3"));
        assertThat(outgoing.largeTaken()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2_042, 2_043, 2_044, Records.WHOLE_MAX - 1, Records.WHOLE_MAX})
    void aMessageUpToTheLimitIsPackedWhole(int length) {
        assertThat(outgoing.isSmall(length)).isTrue();
        assertThat(offer(null, length)).isTrue();
        assertThat(takeAll(null)).containsExactly(List.of("message " + length));
        assertThat(memory.outstanding()).isZero();
    }

    @Test
    void aMessageAboveTheLimitIsLarge() {
        assertThat(outgoing.isSmall(Records.WHOLE_MAX + 1)).isFalse();
        outgoing.offerLarge(null, new byte[Records.WHOLE_MAX + 1], 0, Records.WHOLE_MAX + 1);
        assertThat(takeAll(null)).hasSize(2);
    }

    @Test
    void aMessageThatFillsAPacketHasItAlone() {
        offer(null, 1);
        offer(null, PacketSizes.STREAM.sharedBytes());
        offer(null, 2);
        assertThat(takeAll(null))
                .containsExactly(
                        List.of("message 1"), List.of("message " + PacketSizes.STREAM.sharedBytes()), List.of("message 2"));
    }

    @Test
    void onDatagramsAMessageBeyond64KiBIsOfPieces() {
        Outgoing onDatagrams = new Outgoing(memory, 1 << 20, PacketSizes.ofDatagrams(9_000));
        assertThat(onDatagrams.isSmall(65_000)).isTrue();
        assertThat(onDatagrams.isSmall(66_000)).isFalse();
        assertThat(onDatagrams.offer(null, new byte[66_000], 0, 66_000)).isTrue();
        Packet piece = onDatagrams.take(null, Long.MAX_VALUE);
        assertThat(piece.length()).isEqualTo(9_000);
        piece.release();
    }

    @Test
    void aFullPacketIsFullToTheByte() {
        int full = PacketSizes.STREAM.sharedBytes();
        int half = (full - 1) / 2 - 4;
        offer(null, half);
        offer(null, full - 1 - (half + 4) - 4);
        offer(null, 0);
        List<List<String>> packets = takeAll(null);
        assertThat(packets.stream().mapToInt(List::size).sum()).isEqualTo(3);
        assertThat(packets.getLast()).contains("message 0");
    }

    @Test
    void thePartOfAnArrayIsTaken() {
        byte[] source = {1, 2, 3, 4, 5};
        outgoing.offer(null, source, 1, 3);
        Packet packet = outgoing.take(null, Long.MAX_VALUE);
        packet.skip(5);
        assertThat(List.of(packet.takeByte(), packet.takeByte(), packet.takeByte())).containsExactly(2, 3, 4);
        assertThat(packet.isEmpty()).isTrue();
    }

    @Test
    void receiversHaveQueuesOfTheirOwn() {
        offer(null, 1);
        offer(member(2), 2);
        offer(null, 3);
        assertThat(outgoing.receivers()).containsExactly(null, member(2));
        assertThat(takeAll(member(2))).containsExactly(List.of("message 2"));
        assertThat(outgoing.isWaiting(member(2))).isFalse();
        assertThat(takeAll(null)).containsExactly(List.of("message 1", "message 3"));
        assertThat(outgoing.take(member(3), Long.MAX_VALUE)).isNull();
    }

    @Test
    void theWindowDecidesWhatIsTaken() {
        offer(null, 100);
        assertThat(outgoing.take(null, 104)).isNull();
        Packet packet = outgoing.take(null, 105);
        assertThat(packet).isNotNull();
        packet.release();
        outgoing.offerLarge(null, new byte[100_000], 0, 100_000);
        assertThat(outgoing.take(null, PacketSizes.STREAM.sharedBytes() - 1)).as("pieces are full").isNull();
        assertThat(outgoing.take(null, -5)).isNull();
    }

    @Test
    void theQueueIsBounded() {
        Outgoing small = new Outgoing(memory, 1_000);
        assertThat(small.offer(null, new byte[5_000], 0, 5_000)).as("one always fits").isTrue();
        assertThat(small.offer(null, new byte[0], 0, 0)).isFalse();
        assertThat(small.offer(member(2), new byte[1], 0, 1)).as("for all receivers together").isFalse();
        small.take(null, Long.MAX_VALUE).release();
        assertThat(small.offer(null, new byte[1], 0, 1)).isTrue();
    }

    @Test
    void aHalfTakenLargeMessageStartsAgain() {
        LargeMessage large = outgoing.offerLarge(null, new byte[100_000], 0, 100_000);
        outgoing.take(null, Long.MAX_VALUE).release();
        assertThat(large.progress()).isEqualTo(PIECE_MAX);
        outgoing.restart(null);
        assertThat(large.progress()).isZero();
        assertThat(takeAll(null)).hasSize(2);
        assertThat(large.isTaken()).isTrue();
        outgoing.restart(null);
        assertThat(large.isTaken()).as("what is taken as a whole is not taken again").isTrue();
    }

    @Test
    void aCopyDoesNotChangeWithItsOriginalAndStartsAgainAsWell() {
        byte[] original = new byte[130_000];
        original[129_999] = 7;
        assertThat(outgoing.offer(null, original, 0, 130_000)).isTrue();
        Arrays.fill(original, (byte) 1);
        outgoing.take(null, Long.MAX_VALUE).release();
        assertThat(outgoing.bytes()).as("until all of it is taken").isEqualTo(130_000);
        outgoing.restart(null);
        outgoing.take(null, Long.MAX_VALUE).release();
        Packet end = outgoing.take(null, Long.MAX_VALUE);
        assertThat(end.bytes().get(end.offset() + end.length() - 1)).isEqualTo((byte) 7);
        assertThat(end.bytes().get(end.offset() + end.length() - 2)).isZero();
        end.release();
        assertThat(outgoing.isEmpty()).isTrue();
        assertThat(outgoing.bytes()).isZero();
    }

    @Test
    void copiesAreBoundedAndTheirMemoryIsSpareAfterwards() {
        SpareArrays spares = new SpareArrays(1_000_000);
        Outgoing copying = new Outgoing(memory, spares, 180_000, PacketSizes.STREAM);
        byte[] message = new byte[130_000];
        assertThat(copying.offer(null, message, 0, 130_000, Marks.inScope(5))).isTrue();
        assertThat(copying.offer(member(2), message, 0, 130_000)).as("too much waits").isFalse();
        assertThat(copying.offer(null, message, 0, 60_000)).as("for small ones too").isFalse();
        assertThat(spares.bytes()).isZero();

        copying.take(null, Long.MAX_VALUE).release();
        copying.take(null, Long.MAX_VALUE).release();
        assertThat(spares.bytes()).isEqualTo(130_000);

        assertThat(copying.offer(member(2), message, 0, 129_990)).isTrue();
        assertThat(spares.bytes()).as("in use").isZero();
        copying.take(member(2), Long.MAX_VALUE).release();
        copying.discard(member(2), "n2 is gone");
        assertThat(spares.bytes()).isEqualTo(130_000);
        assertThat(copying.bytes()).isZero();
        assertThat(copying.discardedBytes()).isEqualTo(129_990);
        assertThat(copying.largeTaken()).as("nobody waits for these").isZero();
        assertThat(memory.outstanding()).isZero();
    }

    @Test
    void aWithdrawnMessageIsGoneAndTheRestGoesOn() {
        LargeMessage first = outgoing.offerLarge(null, new byte[100_000], 0, 100_000);
        offer(null, 7);
        outgoing.take(null, Long.MAX_VALUE).release();
        outgoing.withdraw(first);
        assertThat(takeAll(null))
                .as("receivers of the half are told")
                .containsExactly(List.of("piece 100000+0/100000"), List.of("message 7"));
        assertThat(outgoing.bytes()).isZero();
        LargeMessage alone = outgoing.offerLarge(member(2), new byte[100_000], 0, 100_000);
        outgoing.withdraw(alone);
        outgoing.withdraw(alone);
        assertThat(outgoing.isEmpty()).isTrue();
    }

    @Test
    void whatWaitsForADepartedReceiverFailsWithAReason() {
        LargeMessage large = outgoing.offerLarge(member(2), new byte[100_000], 0, 100_000);
        offer(member(2), 10);
        offer(null, 5);
        outgoing.discard(member(2), "n2 is gone");
        outgoing.discard(member(2), "again");
        assertThat(outgoing.discardedBytes()).isEqualTo(10 + Records.LENGTH_BYTES);
        assertThat(large.failure()).isEqualTo("n2 is gone");
        assertThat(large.isTaken()).isFalse();
        assertThat(takeAll(null)).containsExactly(List.of("message 5"));
        assertThat(outgoing.bytes()).isZero();
        assertThat(memory.outstanding()).isZero();
    }

    @Test
    void closingEndsEverything() {
        LargeMessage large = outgoing.offerLarge(null, new byte[100_000], 0, 100_000);
        offer(member(2), 10);
        outgoing.close("closed");
        assertThat(outgoing.isEmpty()).isTrue();
        assertThat(large.failure()).isEqualTo("closed");
        assertThat(memory.outstanding()).isZero();
    }

    @Test
    void aMessageAboveAGibibyteIsRefusedWithBothNumbers() {
        assertThatThrownBy(() -> outgoing.offerLarge(null, new byte[0], 0, (1 << 30) + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1073741825")
                .hasMessageContaining("1073741824");
    }

    private boolean offerScoped(int length, int scope) {
        return outgoing.offer(null, new byte[length], 0, length, Marks.inScope(scope));
    }

    @Test
    void scopedMessagesShareAPacketAmongThemselves() {
        offerScoped(1, 5);
        offerScoped(2, 6);
        offer(null, 3);
        offerScoped(4, 5);
        outgoing.offerLarge(null, new byte[100_000], 0, 100_000, Marks.inScope(5));
        offerScoped(5, 5);
        int scopedMax = PIECE_MAX - Records.SCOPE_BYTES;
        assertThat(takeAll(null))
                .containsExactly(
                        List.of("message 1", "message 2"),
                        List.of("message 3"),
                        List.of("message 4"),
                        List.of("piece 0+" + scopedMax + "/100000"),
                        List.of("piece " + scopedMax + "+" + (100_000 - scopedMax) + "/100000"),
                        List.of("message 5"));
        assertThat(outgoing.isEmpty()).isTrue();
        assertThat(memory.outstanding()).isZero();
    }

    @Test
    void whatIsOutOfBandGoesFirstEvenBetweenPieces() {
        outgoing.offerLarge(null, new byte[100_000], 0, 100_000);
        offer(null, 1);
        outgoing.take(null, Long.MAX_VALUE).release();
        outgoing.offer(null, new byte[7], 0, 7, Marks.OUT_OF_BAND);
        outgoing.offer(null, new byte[8], 0, 8, Marks.OUT_OF_BAND);
        assertThat(outgoing.take(null, 5)).as("it waits for the window too").isNull();
        Packet packet = outgoing.take(null, Long.MAX_VALUE);
        assertThat(packet.isOutOfBand()).isTrue();
        assertThat(Records.isOutOfBand(packet)).isTrue();
        packet.release();
        assertThat(takeAll(null)).hasSize(2);
        assertThat(outgoing.bytes()).isZero();
        assertThat(memory.outstanding()).isZero();
    }

    @Test
    void whatIsOutOfBandIsBoundedAndDiscardedLikeTheRest() {
        while (outgoing.offer(member(2), new byte[60_000], 0, 60_000, Marks.OUT_OF_BAND)) {
            assertThat(outgoing.bytes()).isLessThanOrEqualTo(1 << 20);
        }
        assertThat(offerScoped(60_000, 1)).isFalse();
        outgoing.discard(member(2), "it has left");
        assertThat(outgoing.bytes()).isZero();
        assertThat(outgoing.isEmpty()).isTrue();
        assertThat(memory.outstanding()).isZero();
    }

    @Test
    void messagesThatTheirSenderDoesNotDeliverShareNoPacketWithOthers() {
        Marks forOthers = Marks.NONE.forOthers();
        outgoing.offer(null, new byte[1], 0, 1, forOthers);
        outgoing.offer(null, new byte[2], 0, 2, forOthers);
        offer(null, 3);
        outgoing.offer(null, new byte[4], 0, 4, Marks.inScope(5).forOthers());
        offerScoped(5, 5);
        outgoing.offerLarge(null, new byte[100_000], 0, 100_000, forOthers);
        outgoing.offer(null, new byte[6], 0, 6, Marks.OUT_OF_BAND);
        outgoing.offer(null, new byte[7], 0, 7, Marks.OUT_OF_BAND.forOthers());
        List<Boolean> areForOthers = new ArrayList<>();
        List<Boolean> areOutOfBand = new ArrayList<>();
        for (Packet packet = outgoing.take(null, Long.MAX_VALUE); packet != null; packet = outgoing.take(null, Long.MAX_VALUE)) {
            areForOthers.add(Records.isForOthers(packet));
            areOutOfBand.add(Records.isOutOfBand(packet));
            packet.release();
        }
        assertThat(areForOthers).containsExactly(false, true, true, false, true, false, true, true);
        assertThat(areOutOfBand).startsWith(true, true, false);
        assertThat(outgoing.bytes()).isZero();
        assertThat(memory.outstanding()).isZero();
    }
}
