package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;
import dev.tutti.protocols.datagram.recovery.Ranges;
import dev.tutti.protocols.datagram.recovery.Recovery;

/**
 * Numbers of the datagrams received on a connection, and the acknowledgement that is owed for them: at the end of a turn
 * with two datagrams or with one out of order, else after {@link Recovery#ACK_DELAY_NANOS}.
 */
final class Acknowledgements {

    private static final int RANGES_MAX = 64;

    private final Ranges received = new Ranges();

    /** Numbers below it count as received. */
    private long floor;

    private long largestReceivedNanos;
    private int unansweredCount;
    private boolean isDue;
    private long delayedNanos = Recovery.NEVER;

    /** Returns whether a datagram of this number was received before. */
    boolean contains(long number) {
        return number < floor || received.contains(number);
    }

    /**
     * Takes the number of a datagram that was read.
     *
     * @param isEliciting whether the datagram is to be acknowledged
     */
    void onReceived(long number, boolean isEliciting, long nowNanos) {
        boolean isNext = received.isEmpty() || number == received.end(received.count() - 1);
        if (received.isEmpty() || number >= received.end(received.count() - 1)) {
            largestReceivedNanos = nowNanos;
        }
        received.add(number, number + 1);
        if (received.count() > RANGES_MAX) {
            floor = received.end(0);
            received.removeFirst();
        }
        if (isEliciting) {
            unansweredCount++;
            if (unansweredCount >= 2 || !isNext) {
                isDue = true;
            } else if (delayedNanos == Recovery.NEVER) {
                delayedNanos = nowNanos + Recovery.ACK_DELAY_NANOS;
            }
        }
    }

    /** Makes the acknowledgement due at the end of the turn. */
    void hasten() {
        isDue = true;
    }

    boolean isDue(long nowNanos) {
        return !received.isEmpty() && (isDue || delayedNanos <= nowNanos);
    }

    /** Returns whether nothing was received, so that there is nothing to acknowledge. */
    boolean isEmpty() {
        return received.isEmpty();
    }

    /** Returns the bytes of the acknowledgement that a datagram sent now should carry; 0 for none. */
    int owedBytes() {
        return unansweredCount > 0 || isDue ? bytes() : 0;
    }

    /** Returns the bytes of an acknowledgement. */
    int bytes() {
        int count = received.count();
        return count == 0 ? 0 : Datagrams.ACK_BYTES_MIN + (count - 1) * Recovery.RANGE_BYTES;
    }

    /**
     * Appends an acknowledgement; nothing more is owed then. There must be something to acknowledge.
     *
     * @param limit end of the stream that this side accepts
     * @param allowanceBytes bytes that the other side may have in flight
     */
    void append(Packet datagram, long limit, int allowanceBytes, long nowNanos) {
        int last = received.count() - 1;
        long low = received.start(last);
        long high = received.end(last) - 1;
        datagram.appendByte(Datagrams.ACK)
                .appendLong(high)
                .appendInt((int) Math.min(Integer.MAX_VALUE, Math.max(0, nowNanos - largestReceivedNanos) / 1_000))
                .appendLong(limit)
                .appendInt(allowanceBytes)
                .appendByte(last)
                .appendInt((int) (high - low));
        for (int index = last - 1; index >= 0; index--) {
            datagram.appendInt((int) (low - received.end(index)))
                    .appendInt((int) (received.end(index) - 1 - received.start(index)));
            low = received.start(index);
        }
        unansweredCount = 0;
        isDue = false;
        delayedNanos = Recovery.NEVER;
    }

    /** Returns the time at which a delayed acknowledgement is due. */
    long deadlineNanos() {
        return delayedNanos;
    }
}
