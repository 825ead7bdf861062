package dev.tutti.protocols.reliability;

import dev.tutti.core.stack.Receipt;

/**
 * What one sender's stream has brought here, and how much more is welcome.
 *
 * <p>Bytes are counted from when the two members came together, over views; an absolute limit can neither be lost nor
 * counted twice, the next acknowledgement repairs it. Counting follows TCP's and QUIC's (RFC 9000, section 4.1).
 */
final class Inflow implements Receipt {

    private final boolean isUnicast;
    private final long windowBytes;
    private long received;
    private long arrivedBytes;
    private long consumedBytes;
    private long acknowledged;
    private long announcedLimit;

    Inflow(boolean isUnicast, long windowBytes) {
        this.isUnicast = isUnicast;
        this.windowBytes = windowBytes;
    }

    @Override
    public boolean isUnicast() {
        return isUnicast;
    }

    /** The number of the last packet received without gap. */
    long received() {
        return received;
    }

    /** Bytes delivered and not consumed. */
    long backlogBytes() {
        return arrivedBytes - consumedBytes;
    }

    /** Up to how many bytes the sender may send. */
    long limitBytes() {
        return consumedBytes + windowBytes;
    }

    void onArrived(long chargedBytes) {
        received++;
        arrivedBytes += chargedBytes;
    }

    void onConsumed(long chargedBytes) {
        consumedBytes += chargedBytes;
        if (consumedBytes > arrivedBytes) {
            throw new IllegalStateException("consumed " + consumedBytes + " of " + arrivedBytes + " bytes");
        }
    }

    /** Numbers start again in a new view; bytes go on. */
    void startView() {
        received = 0;
        acknowledged = 0;
    }

    /** Whether the sender does not know yet what it could. */
    boolean isNews() {
        return received != acknowledged || limitBytes() != announcedLimit;
    }

    /** Whether the sender should know at once, before it has to wait: a quarter of the window has changed. */
    boolean isUrgent(long unacknowledgedBytes) {
        return limitBytes() - announcedLimit >= windowBytes / 4 || unacknowledgedBytes >= windowBytes / 4;
    }

    void onAnnounced() {
        acknowledged = received;
        announcedLimit = limitBytes();
    }
}
