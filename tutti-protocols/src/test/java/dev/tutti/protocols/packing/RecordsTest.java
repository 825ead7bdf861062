package dev.tutti.protocols.packing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The layout of a data packet, read from hostile bytes. */
class RecordsTest {

    private final List<String> visited = new ArrayList<>();
    private final Records.Visitor visitor = new Records.Visitor() {
        @Override
        public void onMessage(ByteBuffer bytes, int offset, int length) {
            byte[] message = new byte[length];
            bytes.get(offset, message);
            visited.add("message of " + length);
        }

        @Override
        public void onPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
            byte[] content = new byte[length];
            bytes.get(offset, content);
            visited.add("piece " + piece.at() + "+" + length + "/" + piece.total());
        }
    };

    private static Packet packet() {
        return Packet.create(Memory.onHeap(), Packet.PAYLOAD_MAX);
    }

    @Test
    void wholeMessagesOneAfterTheOther() {
        Packet packet = packet().appendByte(Records.WHOLE).appendInt(2).appendByte(1).appendByte(2).appendInt(0);
        assertThat(Records.read(packet, visitor)).isTrue();
        assertThat(visited).containsExactly("message of 2", "message of 0");
        assertThat(packet.length()).as("it stays as it is").isEqualTo(11);
    }

    @Test
    void noMessageIsNoFault() {
        assertThat(Records.read(packet().appendByte(Records.WHOLE), visitor)).isTrue();
        assertThat(visited).isEmpty();
    }

    @Test
    void anEmptyPacketOrAnUnknownKindIsRefused() {
        assertThat(Records.read(packet(), visitor)).isFalse();
        assertThat(Records.read(packet().appendByte(5), visitor)).isFalse();
        assertThat(Records.read(packet().appendByte(255), visitor)).isFalse();
        assertThat(visited).isEmpty();
    }

    @Test
    void everyTruncationInsideAMessageIsRefused() {
        Packet whole = packet().appendByte(Records.WHOLE).appendInt(3).appendInt(0x010203).appendInt(0).appendByte(9);
        Packet messages = packet().appendByte(Records.WHOLE).appendInt(4).appendInt(7).appendInt(4).appendInt(8);
        for (int length = 1; length < messages.length(); length++) {
            Packet truncated = packet().append(messages.bytes(), messages.offset(), length);
            boolean isBetweenMessages = length == 1 || length == 9;
            assertThat(Records.read(truncated, visitor)).as("%s bytes", length).isEqualTo(isBetweenMessages);
        }
        assertThat(Records.read(whole, visitor)).as("a length that reaches into the next message").isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 2})
    void lengthsThatLieAreRefused(int length) {
        assertThat(Records.read(packet().appendByte(Records.WHOLE).appendInt(length).appendByte(1), visitor)).isFalse();
        assertThat(visited).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "-1, 0", "0, 0", "4, -1", "4, 1", "4, 4", "4, 5",
        "-9223372036854775808, 1", "-9223372036854775808, 9223372036854775807",
        "9223372036854775807, 9223372036854775807", "9223372036854775807, 9223372036854775804",
        "0, -9223372036854775808", "-1, -1"
    })
    void piecesThatDoNotFitTheirMessageAreRefused(long total, long at) {
        Packet piece = packet().appendByte(Records.PIECE).appendInt(1).appendLong(total).appendLong(at).appendInt(7);
        assertThat(Records.read(piece, visitor)).isFalse();
        assertThat(visited).isEmpty();
    }

    @Test
    void everyTruncationOfAPiecesHeaderIsRefused() {
        Packet piece = packet().appendByte(Records.PIECE).appendInt(1).appendLong(8).appendLong(4).appendInt(7);
        for (int length = 1; length < Records.PIECE_HEADER_BYTES; length++) {
            assertThat(Records.read(packet().append(piece.bytes(), piece.offset(), length), visitor)).isFalse();
        }
        assertThat(Records.read(piece, visitor)).isTrue();
        assertThat(visited).containsExactly("piece 4+4/8");
    }

    @Test
    void randomBytesNeverThrow() {
        SplittableRandom random = new SplittableRandom(3);
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            if (bytes.length > 0) {
                bytes[0] = (byte) random.nextInt(3);
            }
            refused += Records.read(packet().append(bytes, 0, bytes.length), visitor) ? 0 : 1;
        }
        assertThat(refused).isGreaterThan(10_000);
    }

    @Test
    void scopedMessagesSayTheirScope() {
        List<Integer> scopes = new ArrayList<>();
        Records.Visitor scoped = new Records.Visitor() {
            @Override
            public void onMessage(ByteBuffer bytes, int offset, int length) {
                visited.add("without a scope");
            }

            @Override
            public void onPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
                visited.add("without a scope");
            }

            @Override
            public void onScoped(ByteBuffer bytes, int offset, int length, int scope) {
                visited.add("message of " + length);
                scopes.add(scope);
            }

            @Override
            public void onScopedPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece, int scope) {
                visited.add("piece " + piece.at() + "+" + length + "/" + piece.total());
                scopes.add(scope);
            }
        };
        Packet whole = packet().appendByte(Records.SCOPED).appendInt(2).appendInt(-7).appendByte(1).appendByte(2);
        assertThat(Records.read(whole.appendInt(0).appendInt(8), scoped)).isTrue();
        Packet piece = packet().appendByte(Records.SCOPED_PIECE).appendInt(1).appendLong(9).appendLong(4).appendInt(3).appendByte(1);
        assertThat(Records.read(piece, scoped)).isTrue();
        assertThat(visited).containsExactly("message of 2", "message of 0", "piece 4+1/9");
        assertThat(scopes).containsExactly(-7, 8, 3);
        assertThat(Records.read(packet().appendByte(Records.SCOPED).appendInt(0), scoped)).isFalse();
        assertThat(Records.read(packet().appendByte(Records.SCOPED).appendInt(1).appendInt(1), scoped)).isFalse();
        assertThat(Records.read(packet().appendByte(Records.SCOPED_PIECE).appendInt(1).appendLong(9).appendLong(4), scoped)).isFalse();
    }

    @Test
    void messagesForOthersAreReadAsMessages() {
        Packet whole = packet().appendByte(Records.WHOLE | Records.FOR_OTHERS).appendInt(1).appendByte(1);
        Packet piece = packet().appendByte(Records.PIECE | Records.FOR_OTHERS).appendInt(1).appendLong(8).appendLong(4).appendInt(7);
        assertThat(Records.isForOthers(whole)).isTrue();
        assertThat(Records.read(whole, visitor)).isTrue();
        assertThat(Records.read(piece, visitor)).isTrue();
        assertThat(visited).containsExactly("message of 1", "piece 4+4/8");
        assertThat(Records.isForOthers(packet().appendByte(Records.WHOLE))).isFalse();
        assertThat(Records.isOutOfBand(packet().appendByte(Records.OUT_OF_BAND | Records.FOR_OTHERS))).isTrue();
        assertThat(Records.read(packet().appendByte(Records.STATE | Records.FOR_OTHERS), visitor)).isFalse();
        assertThat(Records.isState(packet().appendByte(Records.STATE | Records.FOR_OTHERS))).isFalse();
    }
}
