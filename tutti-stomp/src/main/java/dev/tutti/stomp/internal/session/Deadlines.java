package dev.tutti.stomp.internal.session;

import dev.tutti.stomp.internal.codec.FrameException;
import dev.tutti.stomp.internal.codec.StompFault;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Deadlines of a connection: for CONNECT, for the rest of a frame, for the client's heart-beats, for the server's own,
 * and for the end. All times are of {@link System#nanoTime}. Belongs to the connection's thread.
 */
final class Deadlines {

    private final Options.Times times;
    private final long openedNanos;
    private long readNanos;
    private long writtenNanos;
    private long frameBegunNanos;
    private boolean isFrameBegun;
    private long enclosedNanos;
    private long silenceNanosMax;
    private long heartBeatNanos;
    private long closeByNanos;

    Deadlines(Options.Times times, long openedNanos) {
        this.times = times;
        this.openedNanos = openedNanos;
        this.readNanos = openedNanos;
        this.writtenNanos = openedNanos;
    }

    /**
     * Sets the agreed heart-beats.
     *
     * @param receiveMillis interval at which the client sends something; 0 if it need not
     * @param sendMillis interval at which the client expects something; 0 if it does not
     */
    void heartBeats(long receiveMillis, long sendMillis) {
        // A client is gone after twice its interval of silence, plus a second for its clock and the network.
        silenceNanosMax =
                receiveMillis == 0 ? 0 : TimeUnit.MILLISECONDS.toNanos(receiveMillis + Math.max(receiveMillis, 1_000));
        heartBeatNanos = TimeUnit.MILLISECONDS.toNanos(Math.max(0, sendMillis - Shard.TICK_MILLIS * 2));
        if (sendMillis > 0 && heartBeatNanos == 0) {
            heartBeatNanos = TimeUnit.MILLISECONDS.toNanos(sendMillis / 2);
        }
    }

    void onRead(long nowNanos) {
        readNanos = nowNanos;
    }

    void onWritten(long nowNanos) {
        writtenNanos = nowNanos;
    }

    /** Notes that a frame is complete. */
    void onFrame() {
        isFrameBegun = false;
    }

    /** Notes that the bytes read last end inside a frame; the time counts from the first note. */
    void onFrameBegun() {
        if (!isFrameBegun) {
            isFrameBegun = true;
            frameBegunNanos = readNanos;
        }
    }

    /** Notes that the WebSocket decoder has begun to hold bytes, or has let some go. */
    void onEnclosed(long nowNanos) {
        enclosedNanos = nowNanos;
    }

    /** Notes that reading goes on: time during which nothing was read does not count as the client's silence. */
    void onResumed(long nowNanos) {
        readNanos = nowNanos;
        frameBegunNanos = nowNanos;
        enclosedNanos = nowNanos;
    }

    void onClosing(long nowNanos) {
        closeByNanos = nowNanos + times.closeTimeoutNanos();
    }

    /** Returns whether a closing connection has had its time. */
    boolean isCloseOver(long nowNanos) {
        return nowNanos - closeByNanos >= 0;
    }

    boolean isConnectLate(long nowNanos) {
        return nowNanos - openedNanos > times.connectTimeoutNanos();
    }

    /**
     * Returns the reason to disconnect a client that is read from; null if there is none.
     *
     * @param isInsideFrame the bytes that were read end inside a frame
     * @param isEnclosed the WebSocket decoder holds bytes
     */
    @Nullable FrameException missed(long nowNanos, boolean isInsideFrame, boolean isEnclosed) {
        long sinceNanos = nowNanos - times.frameTimeoutNanos();
        boolean isInside = isFrameBegun && isInsideFrame && frameBegunNanos - sinceNanos < 0;
        if (isInside || (isEnclosed && enclosedNanos - sinceNanos < 0)) {
            return new FrameException(StompFault.TIMEOUT, "a frame is not complete within stomp.frame-timeout");
        }
        if (silenceNanosMax > 0 && nowNanos - readNanos > silenceNanosMax) {
            return new FrameException(StompFault.SILENT, "no heart-beat for " + (nowNanos - readNanos) / 1_000_000 + " ms");
        }
        return null;
    }

    boolean isHeartBeatDue(long nowNanos) {
        return heartBeatNanos > 0 && nowNanos - writtenNanos >= heartBeatNanos;
    }
}
