package dev.tutti.protocols.reliability;

import dev.tutti.core.Packet;

/**
 * Window of unacknowledged multicasts of this member, besides its receivers' windows.
 *
 * <p>All senders of a group share each receiver's buffer for datagrams, so a share of it is the useful maximum. Within
 * that, loss decides. If many more packets are requested again than a lossy network explains, buffers overflow and the
 * window shrinks; if few are, it grows. Random loss of any usual amount does not change it.
 *
 * <p>A member that was silent does not know which others are about to send. It begins with the share for all of them.
 */
final class MulticastWindow {

    private static final long LEAST_BYTES = 2 * 1_400L;

    private final long bufferBytes;
    private long bytes;
    private long roundEnd;
    private long roundStart;
    private long repeated;

    MulticastWindow(int receiveBufferBytes) {
        this.bufferBytes = receiveBufferBytes / 4L * 3;
        this.bytes = bufferBytes;
    }

    /** Notes that a receiver has requested a packet of this member. */
    void onRepeated() {
        repeated++;
    }

    /** Notes that all members have everything up to {@code stable}, of {@code sent} packets. */
    void onStable(long stable, long sent, int receivers) {
        if (stable < roundEnd) {
            return;
        }
        long packets = Math.max(1, (roundEnd - roundStart) * receivers);
        if (repeated * 100 > packets * LOSS_PERCENT_MAX) {
            bytes = bytes * 7 / 10;
        } else {
            bytes = bytes * 5 / 4;
        }
        repeated = 0;
        roundStart = stable;
        roundEnd = Math.max(sent, stable + 1);
    }

    /** Restarts the window after this member was silent in a view of {@code members}. */
    void restart(int members) {
        bytes = Math.min(bytes, bufferBytes / members);
    }

    void startView() {
        roundStart = 0;
        roundEnd = 1;
        repeated = 0;
    }

    /** Returns the bytes that may be unacknowledged while {@code senders} members send. */
    long bytes(int senders) {
        // A buffer may be smaller than two packets, which are sent nevertheless.
        bytes = Math.max(2 * LEAST_BYTES, Math.min(bytes, bufferBytes));
        return Math.max(Math.min(bytes, bufferBytes / senders), LEAST_BYTES);
    }

    /** Returns the received bytes after which to acknowledge. */
    long ackBytes(int members) {
        return Math.max(1, Math.min(bufferBytes / members, Packet.DATAGRAM_MAX * 4L) / 4);
    }

    /** Highest loss that counts as the network's. */
    private static final int LOSS_PERCENT_MAX = 35;
}
