package dev.tutti.protocols.datagram;

/** Share of one sender in the receive buffer, by the number of connections that have received much lately. */
final class ReceiveShare {

    /** Time after which senders are counted again. */
    private static final long SENDERS_NANOS = 50_000_000;

    /** Bytes received in that time that make the other end count as a sender. */
    private static final long SENDER_BYTES_MIN = 16 * 1024;

    private final DatagramConnections connections;
    private final int bufferBytes;
    private long countedNanos;
    private int senders = 1;

    ReceiveShare(DatagramConnections connections, int bufferBytes) {
        this.connections = connections;
        this.bufferBytes = bufferBytes;
    }

    void onStart(long nowNanos) {
        countedNanos = nowNanos;
    }

    /** Returns the share of one sender, of which a quarter of the buffer is no part: it is for small datagrams. */
    int bytes(long nowNanos) {
        if (nowNanos - countedNanos >= SENDERS_NANOS) {
            countedNanos = nowNanos;
            int count = 0;
            for (int slot = 0; slot < connections.slots(); slot++) {
                DatagramConnection connection = connections.at(slot);
                if (connection != null) {
                    count += connection.recentBytes >= SENDER_BYTES_MIN ? 1 : 0;
                    connection.recentBytes = 0;
                }
            }
            senders = Math.max(1, count);
        }
        return bufferBytes / 4 * 3 / senders;
    }

    /** Returns the number of senders that were last counted; at least 1. */
    int senders() {
        return senders;
    }
}
