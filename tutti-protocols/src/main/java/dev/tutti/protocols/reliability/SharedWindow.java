package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.protocols.reliability.buffer.PacketRing;

/**
 * Window of this member's unacknowledged multicasts over sessions while others multicast, too.
 *
 * <p>Packets in flight are kept at both ends until they are stable, and so pass through the CPUs' caches several times.
 * With fewer of them the rates of several senders are higher. All active senders share one and a half windows, counted
 * as eight if there are more. A single sender has all of its own window
 * (docs/decisions/0226-senders-share-a-window.md).
 */
final class SharedWindow {

    /** Time for which a member counts as a sender after its last multicast. */
    static final long ACTIVE_NANOS = 50_000_000;

    /** Number of senders beyond which shares do not shrink, since smaller ones showed no gain. */
    private static final int SENDERS_MAX = 8;

    /** Least share, enough for a packet of many messages. */
    private static final long LEAST_BYTES = 64 * 1024;

    private final long windowBytes;

    SharedWindow(long windowBytes) {
        this.windowBytes = windowBytes;
    }

    /** Returns the number of senders: this member and those of {@code others} whose multicasts have come lately. */
    static int senders(PeerStream[] others, long nowNanos) {
        int count = 1;
        for (PeerStream pair : others) {
            if (pair.multicastNanos != 0 && nowNanos - pair.multicastNanos < ACTIVE_NANOS) {
                count++;
            }
        }
        return count;
    }

    /** Returns the first member with the lowest acknowledged number. {@code others} must not be empty. */
    static Member slowest(PeerStream[] others) {
        PeerStream slowest = others[0];
        for (PeerStream pair : others) {
            if (pair.acknowledged < slowest.acknowledged) {
                slowest = pair;
            }
        }
        return slowest.member();
    }

    /** Returns the bytes that each of {@code senders} members may have in flight. */
    long bytes(int senders) {
        return Math.clamp(windowBytes * 3 / 2 / Math.min(senders, SENDERS_MAX), LEAST_BYTES, windowBytes);
    }

    /** Returns the total bytes that this member may send, at least {@code sentBytes}; no limit if it sends alone. */
    long limitBytes(long sentBytes, PacketRing unacknowledged, int senders) {
        if (senders == 1) {
            return Long.MAX_VALUE;
        }
        if (unacknowledged.size() == 0) {
            // One packet may always be in flight, whatever its length.
            return sentBytes + Math.clamp(bytes(senders), Packet.FRAME_MAX + (long) Charge.OVERHEAD_BYTES, windowBytes);
        }
        long bytes = unacknowledged.bytes() + (long) Charge.OVERHEAD_BYTES * unacknowledged.size();
        return Math.max(sentBytes, sentBytes - bytes + bytes(senders));
    }

    /** Returns the received bytes after which to acknowledge, so that a sender need not wait. */
    long ackBytes(int senders) {
        return bytes(senders) / 4;
    }
}
