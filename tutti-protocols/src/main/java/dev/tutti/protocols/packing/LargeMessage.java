package dev.tutti.protocols.packing;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import org.jspecify.annotations.Nullable;

/**
 * A message larger than a packet, which is taken piece by piece. Its array must not change until {@link #isTaken} or a
 * failure.
 */
public final class LargeMessage {

    private final byte[] bytes;
    private final int offset;
    private final int length;
    private final Marks marks;
    private final int number;
    private final boolean isCopy;
    private int at;
    private boolean hasTurn;
    private long moves;
    private boolean isTooLarge;
    private @Nullable String failure;
    private long ticket;

    /**
     * @param number its number among its sender's large messages
     * @param isCopy whether it was copied, and counts among the bytes that wait
     */
    LargeMessage(byte[] bytes, int offset, int length, Marks marks, int number, boolean isCopy) {
        this.bytes = bytes;
        this.offset = offset;
        this.length = length;
        this.marks = marks;
        this.number = number;
        this.isCopy = isCopy;
    }

    public boolean isTaken() {
        return at == length;
    }

    /**
     * Returns a number that changes whenever more of it was taken, a view change made it start again, or messages
     * whose turn is before its own progressed.
     */
    public long progress() {
        return at + moves;
    }

    /** Returns whether it will never be taken because a receiver does not take so large a message any more. */
    public boolean isTooLarge() {
        return isTooLarge;
    }

    /** Returns why it will never be taken; null if it may. */
    public @Nullable String failure() {
        return failure;
    }

    int number() {
        return number;
    }

    int length() {
        return length;
    }

    /** Returns the array that it is in; a spare one if it {@linkplain #isCopy is a copy}. */
    byte[] bytes() {
        return bytes;
    }

    boolean isCopy() {
        return isCopy;
    }

    /** Returns the ticket of its receipt; 0 if none was asked for. */
    long ticket() {
        return ticket;
    }

    void withTicket(long given) {
        ticket = given;
    }

    void fail(@Nullable String reason) {
        failure = reason;
    }

    void failTooLarge(@Nullable String reason) {
        isTooLarge = true;
        failure = reason;
    }

    // ------------------------------------------------------------------ pieces

    /**
     * Takes the next piece.
     *
     * @param pieceBytesMax longest payload of a piece
     * @param payloadBytesMax longest payload that may be taken now
     * @return null if the piece is longer
     */
    @Nullable Packet nextPiece(Memory memory, int pieceBytesMax, long payloadBytesMax) {
        int headerBytes = headerBytes();
        int pieceBytes = Math.min(length - at, pieceBytesMax - headerBytes);
        if (headerBytes + pieceBytes > payloadBytesMax) {
            return null;
        }
        Packet piece = header(memory, at, pieceBytes).append(bytes, offset + at, pieceBytes);
        at += pieceBytes;
        return piece;
    }

    /**
     * Returns the packet that makes receivers abandon a half, which they would else keep until their sender's next large
     * message; null if nothing was taken.
     */
    @Nullable Packet end(Memory memory) {
        return at == 0 ? null : header(memory, length, 0);
    }

    private int headerBytes() {
        return Records.PIECE_HEADER_BYTES + marks.scopeBytes();
    }

    private Packet header(Memory memory, int position, int pieceBytes) {
        Integer scope = marks.scope();
        Packet piece = Packet.create(memory, headerBytes() + pieceBytes)
                .appendByte(marks.pieceKind())
                .appendInt(number)
                .appendLong(length)
                .appendLong(position);
        return scope == null ? piece : piece.appendInt(scope);
    }

    /** Makes it start again, because a view change has cut it off. */
    void restart() {
        at = 0;
        hasTurn = false;
    }

    // ------------------------------------------------------------------ turns

    /** Returns whether it needs a turn, being longer than {@code shareBytes}. One that was begun does not. */
    boolean needsTurn(long shareBytes) {
        return length > shareBytes && !hasTurn && at == 0;
    }

    void giveTurn() {
        hasTurn = true;
    }

    /** Returns the bytes taken in its turn; -1 if it has none. */
    long takenInTurn() {
        return hasTurn ? at : -1;
    }

    /** Notes that messages whose turn is before its own have progressed. */
    void onQueueMoved() {
        moves++;
    }
}
