package dev.tutti.protocols.reliability.buffer;

import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Multicasts of one sender that arrived ahead of a gap, and the requests for the missing ones.
 *
 * <p>Requests and repetitions go over the session, which loses nothing, so each packet is requested once as long as the
 * session lasts. Further requests would be useless.
 */
public final class OutOfOrderBuffer {

    private final TreeMap<Long, Packet> packets = new TreeMap<>();
    private long bytes;

    /** Highest number that is known to have been sent. */
    private long known;

    /** Value of {@link #known} when the wait began. */
    private long noted;

    /** Number up to which all missing packets were requested. */
    private long asked;

    /** Returns whether the packet with {@code number} is here. */
    public boolean contains(long number) {
        return packets.containsKey(number);
    }

    public int size() {
        return packets.size();
    }

    /** Keeps a packet and takes ownership of it; returns false, and does not, if there is no room. */
    public boolean keep(long number, Packet packet, long bytesMax) {
        known = Math.max(known, number);
        if (bytes + packet.length() > bytesMax || packets.size() >= PACKETS_MAX) {
            return false;
        }
        packets.put(number, packet);
        bytes += packet.length();
        return true;
    }

    /** Removes and returns the packet with {@code number}; null if it is not here. */
    public @Nullable Packet take(long number) {
        Packet packet = packets.remove(number);
        if (packet != null) {
            bytes -= packet.length();
        }
        return packet;
    }

    /** Notes that the sender has announced to have sent up to {@code number}. */
    public void onKnown(long number) {
        known = Math.max(known, number);
    }

    /** Returns whether packets are missing that were not requested. */
    public boolean isDue(long received) {
        return Math.max(received, asked) < known;
    }

    /** Begins a wait: only packets known to be missing now are due at its end. */
    public void note() {
        noted = known;
    }

    /**
     * Writes the packets missing since the wait began that were not requested yet, as pairs of first and last number.
     *
     * @return number of pairs
     */
    public int ask(long received, Packet nack) {
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

    /** Forgets all requests: the session was lost, and they may not be answered. */
    public void forgetAsked() {
        asked = 0;
    }

    public void free() {
        packets.values().forEach(Packet::release);
        packets.clear();
        bytes = 0;
    }

    /** Drops all packets for a view change: numbers start again, or missing packets come by other means. */
    public void clear(DropReason reason, Outbox out) {
        packets.values().forEach(packet -> out.drop(packet, reason));
        packets.clear();
        bytes = 0;
        known = 0;
        noted = 0;
        asked = 0;
    }

    public static final int RANGES_MAX = 256;
    private static final int PACKETS_MAX = 64 * 1024;
}
