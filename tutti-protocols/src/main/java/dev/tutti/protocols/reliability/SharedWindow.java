package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;

/**
 * How much of what this member multicasts over sessions may be unacknowledged while others multicast too.
 *
 * <p>What is under way is kept at both ends until it is stable, so that it cycles through the processors' caches: written,
 * read and looked at. With less of it rates of several senders are higher. All who send share one and a half windows, as if
 * they were eight if they are more, and who sends alone has all of its own
 * (docs/decisions/0226-senders-share-a-window.md).
 */
final class SharedWindow {

    /** How long a sender counts as one. */
    static final long ACTIVE_NANOS = 50_000_000;

    /** Smaller shares, of more senders, were not seen to help. */
    private static final int SENDERS_MAX = 8;

    /** Of a packet of many messages, however many members send. */
    private static final long LEAST_BYTES = 64 * 1024;

    private final long windowBytes;

    SharedWindow(long windowBytes) {
        this.windowBytes = windowBytes;
    }

    /** This member and those of {@code others} whose multicasts have come lately. */
    static int senders(Pair[] others, long nowNanos) {
        int count = 1;
        for (Pair pair : others) {
            if (pair.multicastNanos != 0 && nowNanos - pair.multicastNanos < ACTIVE_NANOS) {
                count++;
            }
        }
        return count;
    }

    /** The member that has acknowledged least of this member's multicasts; the first of several. There is at least one. */
    static Member slowest(Pair[] others) {
        Pair slowest = others[0];
        for (Pair pair : others) {
            if (pair.acknowledged < slowest.acknowledged) {
                slowest = pair;
            }
        }
        return slowest.member();
    }

    /** What may be under way of each of so many. */
    long bytes(int senders) {
        return Math.clamp(windowBytes * 3 / 2 / Math.min(senders, SENDERS_MAX), LEAST_BYTES, windowBytes);
    }

    /** How far this member may send, of which it has sent {@code sentBytes}: never less than that; no limit if it is alone. */
    long limitBytes(long sentBytes, PacketRing unacknowledged, int senders) {
        if (senders == 1) {
            return Long.MAX_VALUE;
        }
        if (unacknowledged.size() == 0) {
            // One packet may always be under way, whatever its length.
            return sentBytes + Math.clamp(bytes(senders), Packet.FRAME_MAX + (long) Charge.OVERHEAD_BYTES, windowBytes);
        }
        long bytes = unacknowledged.bytes() + (long) Charge.OVERHEAD_BYTES * unacknowledged.size();
        return Math.max(sentBytes, sentBytes - bytes + bytes(senders));
    }

    /** Received bytes after which a sender should know, so that it need not wait. */
    long ackBytes(int senders) {
        return bytes(senders) / 4;
    }
}
