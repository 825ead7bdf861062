package dev.tutti.core;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Unit of the protocols: many small messages, a piece of a large one, or a control message; a range of a {@link Block}.
 *
 * <p>On the way down layers {@code prepend} their headers into the room before {@code start}; on the way up they
 * {@code take} them again. A packet has one owner, and passing it on passes its ownership. A caller that wants to keep
 * it as well keeps a {@link #slice}, which shares the memory. {@link #release} ends the packet.
 *
 * <p>Reading hostile bytes never throws: a {@code take} beyond the end gives zero or an empty text and marks the packet
 * {@linkplain #isMalformed() malformed}, which a decoder checks once, at its end; nothing more is found in it. Writing
 * beyond the capacity is a bug and throws.
 */
public final class Packet {

    /** Bytes before the payload that a packet made by {@link #create} keeps free for headers. */
    public static final int HEADROOM = 128;

    /** Largest frame on the wire that a decoder has to accept, including headers: slightly less than 2^17 bytes. */
    public static final int FRAME_MAX = 127 * 1024;

    /** Largest datagram. */
    public static final int DATAGRAM_MAX = 64 * 1024;

    /** Largest payload of a data packet. */
    public static final int PAYLOAD_MAX = FRAME_MAX - HEADROOM;

    /** Longest text on the wire, in bytes. */
    public static final int TEXT_MAX = 16 * 1024;

    private final Block block;
    private final ByteBuffer bytes;
    private int start;
    private int end;
    private boolean malformed;
    private boolean expendable;
    private boolean outOfBand;
    private long ticket;
    private @Nullable Member peer;
    private @Nullable Receipt receipt;

    private Packet(Block block, int start, int end) {
        this.block = block;
        this.bytes = block.bytes();
        this.start = start;
        this.end = end;
    }

    /** Creates an empty packet with {@link #HEADROOM} and room for at least {@code payloadBytes}. */
    public static Packet create(Memory memory, int payloadBytes) {
        return new Packet(memory.acquire(HEADROOM + payloadBytes), HEADROOM, HEADROOM);
    }

    /**
     * Creates an empty packet with room for {@code length} bytes, which may already contain headers: with {@link #HEADROOM},
     * or less if a frame would be too long.
     *
     * @throws IllegalArgumentException if {@code length} is above {@link #FRAME_MAX}
     */
    public static Packet withRoom(Memory memory, int length) {
        int headroom = Math.clamp((long) FRAME_MAX - length, 0, HEADROOM);
        return new Packet(memory.acquire(headroom + length), headroom, headroom);
    }

    /** Creates a packet over a range of a block, and takes over the reference to the block. */
    public static Packet of(Block block, int offset, int length) {
        if (offset < 0 || length < 0 || length > block.capacity() - offset) {
            throw new IllegalArgumentException(
                    "range " + offset + "+" + length + " of a block of " + block.capacity() + " bytes");
        }
        return new Packet(block, offset, offset + length);
    }

    /** Returns another packet over the present content, which shares the memory and has its own bounds and release. */
    public Packet slice() {
        block.retain();
        Packet slice = new Packet(block, start, end);
        slice.peer = peer;
        return slice;
    }

    /** Returns a copy in memory of its own, with {@link #HEADROOM}, or less if it already contains headers. */
    public Packet copy(Memory memory) {
        Packet copy = withRoom(memory, length());
        copy.append(this);
        copy.peer = peer;
        return copy;
    }

    public void release() {
        block.release();
    }

    // ------------------------------------------------------------------ bounds

    public int length() {
        return end - start;
    }

    public boolean isEmpty() {
        return end == start;
    }

    /** Returns the number of bytes that can still be appended. */
    public int room() {
        return bytes.capacity() - end;
    }

    /** Returns the memory, for access by absolute index only, between {@link #offset} and {@code offset + length}. */
    public ByteBuffer bytes() {
        return bytes;
    }

    public int offset() {
        return start;
    }

    /** Returns the bytes of memory that this packet keeps occupied, shared or not. */
    public int footprint() {
        return block.capacity();
    }

    // ------------------------------------------------------------------ whose

    /**
     * Returns the sender on the way up; on the way down the receiver, or null for all members of the view.
     */
    public @Nullable Member peer() {
        return peer;
    }

    public Packet withPeer(@Nullable Member member) {
        this.peer = member;
        return this;
    }

    /** Returns the receipt for the layer that delivered the packet, which it gets back once the packet is consumed. */
    public @Nullable Receipt receipt() {
        return receipt;
    }

    public Packet withReceipt(@Nullable Receipt receipt) {
        this.receipt = receipt;
        return this;
    }

    /**
     * Returns, on the way down, whether it may be lost, repeated and reordered because its sender repairs that. Such a
     * packet may go to all members at once.
     */
    public boolean isExpendable() {
        return expendable;
    }

    /** Marks the packet as expendable. For a layer that repairs losses. */
    public Packet markExpendable() {
        expendable = true;
        return this;
    }

    /** Returns, on the way down, whether it has no order with others and may overtake them. */
    public boolean isOutOfBand() {
        return outOfBand;
    }

    public Packet markOutOfBand() {
        outOfBand = true;
        return this;
    }

    /**
     * Returns, on the way down, the number by which the application learns which members deliver the packet; 0 if it
     * does not ask. A {@link #slice} or {@link #copy} has none.
     */
    public long ticket() {
        return ticket;
    }

    public Packet withTicket(long number) {
        this.ticket = number;
        return this;
    }

    /**
     * Takes over peer, marks, ticket and receipt of a packet, in whose place a layer sends or delivers this one. The other
     * one remains its owner's, who releases it.
     */
    public Packet inPlaceOf(Packet other) {
        peer = other.peer;
        expendable = other.expendable;
        outOfBand = other.outOfBand;
        ticket = other.ticket;
        receipt = other.receipt;
        return this;
    }

    // ------------------------------------------------------------------ down: prepend headers

    public Packet prependByte(int value) {
        start -= 1;
        bytes.put(start, (byte) value);
        return this;
    }

    public Packet prependInt(int value) {
        start -= 4;
        bytes.putInt(start, value);
        return this;
    }

    public Packet prependLong(long value) {
        start -= 8;
        bytes.putLong(start, value);
        return this;
    }

    // ------------------------------------------------------------------ up: take headers

    public boolean isMalformed() {
        return malformed;
    }

    /**
     * Marks the packet as malformed and empties it, for decoders that find a wrong value. Further reading costs
     * nothing, whatever the bytes after the fault would have meant.
     */
    public void markMalformed() {
        malformed = true;
        start = end;
    }

    public int takeByte() {
        if (start < end) {
            return bytes.get(start++) & 0xff;
        }
        markMalformed();
        return 0;
    }

    public boolean takeBoolean() {
        int value = takeByte();
        if (value > 1) {
            markMalformed();
        }
        return value == 1;
    }

    public int takeInt() {
        if (4 <= end - start) {
            int value = bytes.getInt(start);
            start += 4;
            return value;
        }
        markMalformed();
        return 0;
    }

    public long takeLong() {
        if (8 <= end - start) {
            long value = bytes.getLong(start);
            start += 8;
            return value;
        }
        markMalformed();
        return 0;
    }

    /**
     * Takes a count of elements of {@code elementBytesMin} bytes or more; 0 and malformed if the rest of the packet
     * could not hold that many, so that nothing is allocated that has not arrived.
     */
    public int takeCount(int elementBytesMin) {
        int count = takeInt();
        if (count < 0 || count > length() / elementBytesMin) {
            markMalformed();
            return 0;
        }
        return count;
    }

    public String takeText() {
        return takeText(TEXT_MAX);
    }

    /** Takes a text of at most {@code bytesMax} bytes. */
    public String takeText(int bytesMax) {
        int length = takeCount(1);
        if (length > bytesMax) {
            markMalformed();
        }
        if (malformed || length == 0) {
            return "";
        }
        byte[] text = new byte[length];
        bytes.get(start, text);
        start += length;
        return new String(text, StandardCharsets.UTF_8);
    }

    /** Returns the integer {@code at} bytes after the start without taking it; 0 if the packet is shorter. */
    public int peekInt(int at) {
        return at < 0 || length() - 4 < at ? 0 : bytes.getInt(start + at);
    }

    /** Returns the long {@code at} bytes after the start without taking it; 0 if the packet is shorter. */
    public long peekLong(int at) {
        return at < 0 || length() - 8 < at ? 0 : bytes.getLong(start + at);
    }

    /** Skips {@code length} bytes; the packet becomes malformed if it is shorter. */
    public void skip(int length) {
        if (length < 0 || length > length()) {
            markMalformed();
            return;
        }
        start += length;
    }

    /** Puts back the last {@code length} bytes that were taken, without writing memory. */
    public Packet untake(int length) {
        if (length < 0 || length > start) {
            throw new IllegalArgumentException(length + " bytes put back before " + start + " of a block");
        }
        start -= length;
        return this;
    }

    /** Keeps only the first {@code length} bytes. */
    public Packet shorten(int length) {
        if (length < 0 || length > length()) {
            throw new IllegalArgumentException("a packet of " + length() + " bytes shortened to " + length);
        }
        end = start + length;
        return this;
    }

    // ------------------------------------------------------------------ build

    public Packet appendByte(int value) {
        bytes.put(end, (byte) value);
        end += 1;
        return this;
    }

    public Packet appendBoolean(boolean value) {
        return appendByte(value ? 1 : 0);
    }

    public Packet appendInt(int value) {
        bytes.putInt(end, value);
        end += 4;
        return this;
    }

    public Packet appendLong(long value) {
        bytes.putLong(end, value);
        end += 8;
        return this;
    }

    public Packet appendText(String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        if (encoded.length > TEXT_MAX) {
            throw new IllegalArgumentException("text of " + encoded.length + " bytes, at most " + TEXT_MAX);
        }
        appendInt(encoded.length);
        return append(encoded, 0, encoded.length);
    }

    /** Returns the bytes of a text on the wire, without its length. */
    static int textBytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    public Packet append(byte[] source, int offset, int length) {
        bytes.put(end, source, offset, length);
        end += length;
        return this;
    }

    public Packet append(ByteBuffer source, int offset, int length) {
        bytes.put(end, source, offset, length);
        end += length;
        return this;
    }

    /** Takes in {@code length} bytes after the end, which the caller has written into {@link #bytes}. */
    public Packet grow(int length) {
        if (length < 0 || length > room()) {
            throw new IllegalArgumentException(length + " bytes added to a packet with room for " + room());
        }
        end += length;
        return this;
    }

    /** Appends the content of {@code other}, which is not changed. */
    public Packet append(Packet other) {
        return append(other.bytes, other.start, other.length());
    }

    @Override
    public String toString() {
        return "packet of " + length() + " bytes" + (peer == null ? "" : ", peer " + peer);
    }
}
