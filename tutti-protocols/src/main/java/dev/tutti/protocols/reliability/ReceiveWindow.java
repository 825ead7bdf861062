package dev.tutti.protocols.reliability;

import dev.tutti.core.Receipt;
import org.jspecify.annotations.Nullable;

/**
 * Receiving end of one sender's stream: the packets received, and the limit of the window.
 *
 * <p>Bytes are counted across views from the moment the two members came together. An absolute limit can't be counted
 * twice, and if it is lost, the next acknowledgement repairs it. Counting follows TCP and QUIC (RFC 9000, section 4.1).
 *
 * <p>When two members meet again after a separation their stream starts anew, but unconsumed bytes of the previous one
 * still fill the window. Otherwise each split and merge would give a stuck consumer another window.
 */
final class ReceiveWindow implements Receipt {

    private final boolean isUnicast;
    private final long windowBytes;
    private @Nullable ReceiveWindow before;
    private long received;
    private long arrivedBytes;
    private long consumedBytes;
    private long acknowledged;
    private long announcedLimit;

    ReceiveWindow(boolean isUnicast, long windowBytes) {
        this(isUnicast, windowBytes, null);
    }

    /**
     * @param before the same member's previous stream, of which bytes may not be consumed yet
     */
    ReceiveWindow(boolean isUnicast, long windowBytes, @Nullable ReceiveWindow before) {
        this.isUnicast = isUnicast;
        this.windowBytes = windowBytes;
        this.before = before;
    }

    @Override
    public boolean isUnicast() {
        return isUnicast;
    }

    /** Returns the number of the last packet received without gap. */
    long received() {
        return received;
    }

    /** Returns the bytes delivered and not consumed, including previous streams. */
    long backlogBytes() {
        return arrivedBytes - consumedBytes + backlogBeforeBytes();
    }

    private long backlogBeforeBytes() {
        long bytes = 0;
        ReceiveWindow at = this;
        while (at.before != null) {
            ReceiveWindow older = at.before;
            if (older.arrivedBytes == older.consumedBytes) {
                at.before = older.before;
            } else {
                bytes += older.arrivedBytes - older.consumedBytes;
                at = older;
            }
        }
        return bytes;
    }

    /** Returns the total number of bytes that the sender may send; it never decreases. */
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

    /** Restarts packet numbers in a new view; byte counts continue. */
    void startView() {
        received = 0;
        acknowledged = 0;
    }

    /** Returns whether there is something to acknowledge. */
    boolean isNews() {
        return received != acknowledged || limitBytes() != announcedLimit;
    }

    /** Returns whether packets up to {@code asked} were received and not acknowledged. */
    boolean isAwaited(long asked) {
        return acknowledged < asked && acknowledged < received;
    }

    /** Returns whether to acknowledge at once, before the sender has to wait: a quarter of the window has changed. */
    boolean isUrgent(long unacknowledgedBytes) {
        return limitBytes() - announcedLimit >= windowBytes / 4 || unacknowledgedBytes >= windowBytes / 4;
    }

    void onAnnounced() {
        acknowledged = received;
        announcedLimit = limitBytes();
    }
}
