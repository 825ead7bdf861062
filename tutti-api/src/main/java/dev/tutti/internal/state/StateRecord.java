package dev.tutti.internal.state;

import dev.tutti.core.Packet;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Messages between members about the state; layouts in docs/wire.md. */
sealed interface StateRecord {

    /** Bytes of state in a chunk; all but the last of a transfer have this length. */
    int CHUNK_BYTES = 60 * 1024;

    /** Bytes of the header of a chunk. */
    int CHUNK_HEADER_BYTES = 1 + 8 + 8 + 4;

    int REASON_BYTES_MAX = 1_024;

    /**
     * Status of the sender at the beginning of a view.
     *
     * @param state name of its state, or of the one that it is getting; 0 for none
     * @param unlost name of the state that it has given up and not lost yet; 0 for none
     * @param epoch epoch of the last primary view that settled on its state and that it has left; if it does not have
     *     {@code state}, that of {@code unlost} when it was given up; 0 for none
     * @param isComplete whether it has {@code state}
     * @param isClean whether it has no state, and has not begun to get one
     */
    record Status(CutId view, long state, long unlost, long epoch, boolean isComplete, boolean isClean)
            implements StateRecord {}

    /** Says that the sender has got the state {@code state}, as it is named in {@code view}. */
    record Have(CutId view, long state) implements StateRecord {}

    /** Asks the receiver for its snapshot of a cut. */
    record Pull(long transfer, CutId cut, long offset, long limit) implements StateRecord {}

    /** Allows the receiver to send up to {@code limit}. */
    record Grant(long transfer, long limit) implements StateRecord {}

    /** Asks the receiver to stop the transfer. */
    record Stop(long transfer) implements StateRecord {}

    /** Begins a transfer. */
    record Begin(long transfer, long totalBytes) implements StateRecord {}

    record Chunk(long transfer, long offset, int checksum, byte[] bytes) implements StateRecord {

        boolean isIntact() {
            CRC32C crc = new CRC32C();
            crc.update(bytes);
            return (int) crc.getValue() == checksum;
        }
    }

    /** Ends a transfer: the state has {@code length} bytes. */
    record End(long transfer, long length) implements StateRecord {}

    /** Refuses a request, or to continue a transfer. */
    record Refused(long transfer, String reason) implements StateRecord {}

    int STATUS = 1;
    int HAVE = 2;
    int PULL = 3;
    int GRANT = 4;
    int STOP = 5;
    int BEGIN = 6;
    int CHUNK = 7;
    int END = 8;
    int REFUSED = 9;

    /** Reads the rest of a record after its type; null if it can't be decoded. */
    static @Nullable StateRecord read(Packet packet) {
        int type = packet.takeByte();
        StateRecord read = switch (type) {
            case STATUS -> new Status(
                    takeCut(packet),
                    packet.takeLong(),
                    packet.takeLong(),
                    packet.takeLong(),
                    packet.takeBoolean(),
                    packet.takeBoolean());
            case HAVE -> new Have(takeCut(packet), packet.takeLong());
            case PULL -> new Pull(packet.takeLong(), takeCut(packet), packet.takeLong(), packet.takeLong());
            case GRANT -> new Grant(packet.takeLong(), packet.takeLong());
            case STOP -> new Stop(packet.takeLong());
            case BEGIN -> new Begin(packet.takeLong(), packet.takeLong());
            case CHUNK -> new Chunk(packet.takeLong(), packet.takeLong(), packet.takeInt(), takeRest(packet));
            case END -> new End(packet.takeLong(), packet.takeLong());
            case REFUSED -> new Refused(packet.takeLong(), new String(takeRest(packet), StandardCharsets.UTF_8));
            default -> null;
        };
        return packet.isMalformed() || !packet.isEmpty() ? null : read;
    }

    private static CutId takeCut(Packet packet) {
        return new CutId(packet.takeLong(), packet.takeInt(), packet.takeLong(), packet.takeInt());
    }

    private static byte[] takeRest(Packet packet) {
        byte[] rest = new byte[packet.length()];
        packet.bytes().get(packet.offset(), rest);
        packet.skip(rest.length);
        return rest;
    }

    /** Returns the record in its wire format. Chunks are written in place, by {@link #writeChunkHeader}. */
    default byte[] bytes() {
        ByteBuffer out = ByteBuffer.allocate(64 + REASON_BYTES_MAX);
        switch (this) {
            case Status status -> {
                put(out.put((byte) STATUS), status.view).putLong(status.state).putLong(status.unlost);
                out.putLong(status.epoch);
                out.put((byte) (status.isComplete ? 1 : 0)).put((byte) (status.isClean ? 1 : 0));
            }
            case Have have -> put(out.put((byte) HAVE), have.view).putLong(have.state);
            case Pull pull -> put(out.put((byte) PULL).putLong(pull.transfer), pull.cut)
                    .putLong(pull.offset)
                    .putLong(pull.limit);
            case Grant grant -> out.put((byte) GRANT).putLong(grant.transfer).putLong(grant.limit);
            case Stop stop -> out.put((byte) STOP).putLong(stop.transfer);
            case Begin begin -> out.put((byte) BEGIN).putLong(begin.transfer).putLong(begin.totalBytes);
            case End end -> out.put((byte) END).putLong(end.transfer).putLong(end.length);
            case Refused refused -> {
                byte[] reason = refused.reason.getBytes(StandardCharsets.UTF_8);
                out.put((byte) REFUSED).putLong(refused.transfer).put(reason, 0, Math.min(reason.length, REASON_BYTES_MAX));
            }
            case Chunk chunk -> throw new IllegalStateException("a chunk is written in place");
        }
        byte[] written = new byte[out.position()];
        out.flip().get(written);
        return written;
    }

    private static ByteBuffer put(ByteBuffer out, CutId cut) {
        return out.putLong(cut.number()).putInt(cut.attempt()).putLong(cut.incarnation()).putInt(cut.join());
    }

    /** Makes a chunk of an array that has the state from {@link #CHUNK_HEADER_BYTES} to {@code end}. */
    static void writeChunkHeader(byte[] array, int end, long transfer, long offset) {
        CRC32C crc = new CRC32C();
        crc.update(array, CHUNK_HEADER_BYTES, end - CHUNK_HEADER_BYTES);
        ByteBuffer.wrap(array)
                .put((byte) CHUNK)
                .putLong(transfer)
                .putLong(offset)
                .putInt((int) crc.getValue());
    }
}
