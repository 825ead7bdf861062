package dev.tutti.protocols.reliability;

import dev.tutti.core.Packet;

/**
 * How much of what this member multicasts over sessions may be unacknowledged while others multicast too.
 *
 * <p>What is under way is kept at both ends until it is stable, so that it cycles through the processors' caches: written,
 * read and looked at. With less of it rates of several senders are higher. All who send share one and a half windows, as if
 * they were eight if they are more, and who sends alone has all of its own
 * (docs/decisions/0226-those-who-send-share-a-window.md).
 */
final class SharedWindow {

    /** How long a sender counts as one. */
    static final long ACTIVE_NANOS = 50_000_000;

    /** Smaller shares, of more senders, were not seen to help. */
    private static final int SENDERS_MAX = 8;

    private final long windowBytes;

    /** A packet may be under way whatever the others do. */
    private final long leastBytes;

    SharedWindow(long windowBytes) {
        this.windowBytes = windowBytes;
        this.leastBytes = Math.min(windowBytes, Packet.FRAME_MAX + (long) Charge.OVERHEAD_BYTES);
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

    /** What may be under way of each of so many. */
    long bytes(int senders) {
        return Math.clamp(windowBytes * 3 / 2 / Math.min(senders, SENDERS_MAX), leastBytes, windowBytes);
    }

    /** How far this member may send, of which it has sent {@code sentBytes}: never less than that; no limit if it is alone. */
    long limitBytes(long sentBytes, PacketRing unacknowledged, int senders) {
        if (senders == 1) {
            return Long.MAX_VALUE;
        }
        long bytes = unacknowledged.bytes() + (long) Charge.OVERHEAD_BYTES * unacknowledged.size();
        return Math.max(sentBytes, sentBytes - bytes + bytes(senders));
    }

    /** Received bytes after which a sender should know, so that it need not wait. */
    long ackBytes(int senders) {
        return bytes(senders) / 4;
    }
}
