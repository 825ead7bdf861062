package dev.tutti.protocols.reliability;

import dev.tutti.core.Packet;

/**
 * How much of what this member multicasts may be unacknowledged, beside what its receivers' windows allow.
 *
 * <p>All senders of a group share each receiver's buffer for datagrams: a share of it is the most that helps. Within that,
 * what gets lost decides: where much more is asked for again than a lossy network explains, buffers overflow, and less is
 * sent; where little is, more. Random loss of any usual amount leaves the window alone.
 *
 * <p>Who has been silent does not know who else is about to begin: it begins with the share that it has when all do.
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

    /** A receiver has asked for a packet of this member. */
    void onRepeated() {
        repeated++;
    }

    /** Everybody has everything up to {@code stable}; {@code sent} have been sent. */
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

    /** This member was silent, in a view of so many. */
    void restart(int members) {
        bytes = Math.min(bytes, bufferBytes / members);
    }

    void startView() {
        roundStart = 0;
        roundEnd = 1;
        repeated = 0;
    }

    /** What may be unacknowledged, with {@code senders} that send. */
    long bytes(int senders) {
        // A buffer may be smaller than two packets; these are sent all the same.
        bytes = Math.max(2 * LEAST_BYTES, Math.min(bytes, bufferBytes));
        return Math.max(Math.min(bytes, bufferBytes / senders), LEAST_BYTES);
    }

    /** Received bytes after which the sender should know. */
    long ackBytes(int members) {
        return Math.max(1, Math.min(bufferBytes / members, Packet.DATAGRAM_MAX * 4L) / 4);
    }

    /** More than that is not the network's loss, or one that no window helps against. */
    private static final int LOSS_PERCENT_MAX = 35;
}
