package dev.tutti.protocols.reliability;

import dev.tutti.core.stack.Receipt;
import org.jspecify.annotations.Nullable;

/**
 * What one sender's stream has brought here, and how much more is welcome.
 *
 * <p>Bytes are counted from when the two members came together, over views; an absolute limit can neither be lost nor
 * counted twice, the next acknowledgement repairs it. Counting follows TCP's and QUIC's (RFC 9000, section 4.1).
 *
 * <p>When two members that were apart come together their stream starts anew, but what the application has not consumed
 * of the one before still fills the window: else each split and merge would give a stuck consumer another one.
 */
final class Inflow implements Receipt {

    private final boolean isUnicast;
    private final long windowBytes;
    private @Nullable Inflow before;
    private long received;
    private long arrivedBytes;
    private long consumedBytes;
    private long acknowledged;
    private long announcedLimit;

    Inflow(boolean isUnicast, long windowBytes) {
        this(isUnicast, windowBytes, null);
    }

    /**
     * @param before the same member's stream until now, of which something may not be consumed yet
     */
    Inflow(boolean isUnicast, long windowBytes, @Nullable Inflow before) {
        this.isUnicast = isUnicast;
        this.windowBytes = windowBytes;
        this.before = before;
    }

    @Override
    public boolean isUnicast() {
        return isUnicast;
    }

    /** The number of the last packet received without gap. */
    long received() {
        return received;
    }

    /** Bytes delivered and not consumed, of the streams before too. */
    long backlogBytes() {
        return arrivedBytes - consumedBytes + backlogBeforeBytes();
    }

    private long backlogBeforeBytes() {
        long bytes = 0;
        Inflow at = this;
        while (at.before != null) {
            Inflow older = at.before;
            if (older.arrivedBytes == older.consumedBytes) {
                at.before = older.before;
            } else {
                bytes += older.arrivedBytes - older.consumedBytes;
                at = older;
            }
        }
        return bytes;
    }

    /** Up to how many bytes the sender may send; grows only. */
    long limitBytes() {
        return consumedBytes + windowBytes - backlogBeforeBytes();
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

    /** Whether something up to {@code asked} was received that was not acknowledged. */
    boolean isAwaited(long asked) {
        return acknowledged < asked && acknowledged < received;
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
