package dev.tutti.core;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Members that a decoder has met, one object each, so that a message that names sixteen of them creates no new ones,
 * and their texts are not decoded again. A hash table with linear probing, in which a member costs only its slot.
 */
public final class Members {

    /** Number of members that are remembered; beyond, it starts anew. */
    private static final int KNOWN_MAX = 4_096;

    private static final int SLOTS_MIN = 64;

    private @Nullable Member[] known = new Member[SLOTS_MIN];

    /** By slot, the bytes of the member's texts, lengths included. */
    private int[] textBytes = new int[SLOTS_MIN];

    private int count;

    /** Packet that is being read; below, the number of members in it that were not known. */
    private @Nullable Packet reading;

    private int newCount;

    /** Buffer from which texts are decoded. */
    private final byte[] scratch = new byte[Wire.TEXT_BYTES_MAX];

    /** Returns the member whose texts take that many bytes, lengths included; null if it was not met. */
    @Nullable Member find(long incarnation, int join, int bytes) {
        return known[place(incarnation, join, bytes)];
    }

    /** Returns the slot of that member, or the one it would get. */
    private int place(long incarnation, int join, int bytes) {
        int slot = slot(incarnation, join);
        for (Member member = known[slot]; member != null; member = known[slot]) {
            if (member.node().incarnation() == incarnation && member.join() == join && textBytes[slot] == bytes) {
                return slot;
            }
            slot = slot + 1 & known.length - 1;
        }
        return slot;
    }

    /**
     * Adds a member that was met itself: from now on messages that name it refer to this object. It replaces a member
     * of the same number with another name or address that others may have named before.
     */
    public void add(Member member) {
        NodeId node = member.node();
        int bytes = 8 + Packet.textBytes(node.name()) + Packet.textBytes(node.address());
        int slot = place(node.incarnation(), member.join(), bytes);
        if (known[slot] == null) {
            add(member, bytes);
        } else {
            known[slot] = member;
        }
    }

    /** Returns whether {@code packet} may name another member that was not met: {@link Wire#MEMBERS_MAX} in all. */
    boolean admitsNew(Packet packet) {
        if (packet != reading) {
            reading = packet;
            newCount = 0;
        }
        newCount++;
        return newCount <= Wire.MEMBERS_MAX;
    }

    void add(Member member, int bytes) {
        if (count >= KNOWN_MAX) {
            Arrays.fill(known, null);
            count = 0;
        } else if (4 * count >= 3 * known.length) {
            grow();
        }
        count++;
        put(member, bytes);
    }

    /** Returns the text at {@code start}, of at most {@link Wire#TEXT_BYTES_MAX} bytes. */
    String text(Packet packet, int start, int length) {
        if (length == 0) {
            return "";
        }
        packet.bytes().get(start, scratch, 0, length);
        return new String(scratch, 0, length, StandardCharsets.UTF_8);
    }

    private void grow() {
        @Nullable Member[] members = known;
        int[] bytes = textBytes;
        known = new Member[2 * members.length];
        textBytes = new int[2 * members.length];
        for (int slot = 0; slot < members.length; slot++) {
            Member member = members[slot];
            if (member != null) {
                put(member, bytes[slot]);
            }
        }
    }

    private void put(Member member, int bytes) {
        int slot = slot(member.node().incarnation(), member.join());
        while (known[slot] != null) {
            slot = slot + 1 & known.length - 1;
        }
        known[slot] = member;
        textBytes[slot] = bytes;
    }

    private int slot(long incarnation, int join) {
        long mixed = (incarnation * 31 + join) * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 40) & known.length - 1;
    }
}
