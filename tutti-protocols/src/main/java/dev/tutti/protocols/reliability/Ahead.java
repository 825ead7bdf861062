package dev.tutti.protocols.reliability;

import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What of one sender's multicasts came before those before them, and what of these was asked for.
 *
 * <p>Asking and repeating go over the session, which loses nothing: so each packet is asked for once as long as the
 * session lasts. What it cost beyond that would be sent in vain.
 */
final class Ahead {

    private final TreeMap<Long, Packet> packets = new TreeMap<>();
    private long bytes;

    /** The highest number that is known to have been sent. */
    private long known;

    /** What was known when the wait began. */
    private long noted;

    /** Everything missing up to here was asked for. */
    private long asked;

    /** Whether {@code number} is there. */
    boolean contains(long number) {
        return packets.containsKey(number);
    }

    int size() {
        return packets.size();
    }

    /** Keeps a packet, which passes; false, and it does not, if there is no room. */
    boolean keep(long number, Packet packet, long bytesMax) {
        known = Math.max(known, number);
        if (bytes + packet.length() > bytesMax || packets.size() >= PACKETS_MAX) {
            return false;
        }
        packets.put(number, packet);
        bytes += packet.length();
        return true;
    }

    /** The packet with {@code number}, if it is there. */
    @Nullable Packet take(long number) {
        Packet packet = packets.remove(number);
        if (packet != null) {
            bytes -= packet.length();
        }
        return packet;
    }

    /** The sender says that it has sent up to {@code number}. */
    void onKnown(long number) {
        known = Math.max(known, number);
    }

    /** Whether something is missing that was not asked for. */
    boolean isDue(long received) {
        return Math.max(received, asked) < known;
    }

    /** Begins to wait: what is known to be missing now, and no later one, is due at the end. */
    void note() {
        noted = known;
    }

    /**
     * Writes what was missing when it was noted, still is, and was not asked for yet: pairs of first and last number.
     *
     * @return how many pairs
     */
    int ask(long received, Packet nack) {
        long from = Math.max(received, asked) + 1;
        long end = noted;
        int count = 0;
        for (Map.Entry<Long, Packet> entry : packets.tailMap(from).entrySet()) {
            long present = entry.getKey();
            if (present > end || count == RANGES_MAX - 1) {
                break;
            }
            if (from < present) {
                nack.appendLong(from).appendLong(present - 1);
                count++;
            }
            from = present + 1;
        }
        if (from <= end) {
            boolean isFull = count == RANGES_MAX - 1;
            Long next = isFull ? packets.ceilingKey(from) : null;
            long last = next == null ? end : Math.min(end, next - 1);
            if (from <= last) {
                nack.appendLong(from).appendLong(last);
                count++;
            }
            end = last;
        }
        asked = Math.max(asked, end);
        return count;
    }

    /** What was asked for may not come: the session was lost. */
    void forgetAsked() {
        asked = 0;
    }

    void free() {
        packets.values().forEach(Packet::release);
        packets.clear();
        bytes = 0;
    }

    /** A new view, or one that is being prepared: numbers start again, or what is missing comes by other ways. */
    void clear(DropReason reason, Outbox out) {
        packets.values().forEach(packet -> out.drop(packet, reason));
        packets.clear();
        bytes = 0;
        known = 0;
        noted = 0;
        asked = 0;
    }

    static final int RANGES_MAX = 256;
    private static final int PACKETS_MAX = 64 * 1024;
}
