package dev.tutti.study.setup;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.HexFormat;

/**
 * Value of a session: the numbers of its updates, padded to the size that a session has in the study.
 *
 * <p>An update that is missing after it was confirmed is lost, whatever overwrote it. Immutable.
 */
public final class VisitState {

    /** Updates of a session at most. */
    public static final int UPDATES_MAX = 4_096;

    private static final VisitState EMPTY = new VisitState(new BitSet());

    private final BitSet done;

    private VisitState(BitSet done) {
        this.done = done;
    }

    /** Returns the state of a session without updates. */
    public static VisitState empty() {
        return EMPTY;
    }

    /** Parses {@link #bytes}. */
    public static VisitState of(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int length = buffer.remaining() < Integer.BYTES ? -1 : buffer.getInt();
        if (length < 0 || length > buffer.remaining()) {
            throw new IllegalArgumentException("not a session's value: " + bytes.length + " bytes with a length of " + length);
        }
        return new VisitState(BitSet.valueOf(buffer.limit(buffer.position() + length)));
    }

    /** Parses {@link #text}. */
    public static VisitState parse(String text) {
        return new VisitState(BitSet.valueOf(HexFormat.of().parseHex(text)));
    }

    /** Returns this state with one more update. */
    public VisitState with(int number) {
        if (number < 0 || number >= UPDATES_MAX) {
            throw new IllegalArgumentException("update " + number + " is not one of 0 to " + (UPDATES_MAX - 1));
        }
        BitSet more = (BitSet) done.clone();
        more.set(number);
        return new VisitState(more);
    }

    /** Returns the numbers of the updates; a copy. */
    public BitSet done() {
        return (BitSet) done.clone();
    }

    /** Returns the bytes that a session keeps: at least {@code bytesMin}. */
    public byte[] bytes(int bytesMin) {
        byte[] bits = done.toByteArray();
        return ByteBuffer.allocate(Math.max(bytesMin, Integer.BYTES + bits.length)).putInt(bits.length).put(bits).array();
    }

    /** Returns the numbers as hexadecimal digits, for answers. */
    public String text() {
        return HexFormat.of().formatHex(done.toByteArray());
    }
}
