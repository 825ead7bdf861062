package dev.tutti.protocols.datagram;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.datagram.recovery.ReceiveStream;

/** Receiving side of a connection: the stream, its end, and the numbers of the datagrams that brought it. */
final class ReceiveSide {

    private final ReceiveStream stream;
    private final Acknowledgements acknowledgements = new Acknowledgements();
    private long finOffset = -1;
    private boolean isFinTaken;

    // Counters.
    private long datagrams;
    private long bytes;
    private long duplicates;
    private long beyondWindow;
    private long malformed;

    ReceiveSide(Memory memory, long windowBytes, ReceiveStream.Frames frames) {
        this.stream = new ReceiveStream(memory, windowBytes, frames);
    }

    Acknowledgements acknowledgements() {
        return acknowledgements;
    }

    /** Returns the offset up to which the other side may send. */
    long limit() {
        return stream.limit();
    }

    /** Returns whether a datagram of this number is to be read, because none has arrived; counts it if not. */
    boolean isNew(long number) {
        if (acknowledgements.contains(number)) {
            duplicates++;
            return false;
        }
        return true;
    }

    /** Counts a datagram that is read. */
    void onDatagram(int length) {
        datagrams++;
        bytes += length;
    }

    void onMalformed() {
        malformed++;
    }

    /**
     * Takes the next {@code length} bytes of a datagram, which belong at {@code offset} in the stream.
     *
     * @return false if the stream can't be read any further
     */
    boolean onChunk(long offset, int length, Packet datagram) {
        return switch (stream.onChunk(offset, length, datagram)) {
            case TAKEN -> true;
            case DUPLICATE -> {
                duplicates++;
                yield true;
            }
            case BEYOND_WINDOW -> {
                beyondWindow++;
                yield true;
            }
            case MALFORMED -> false;
        };
    }

    /** Takes the offset at which the stream ends. */
    void onFin(long offset) {
        finOffset = offset;
    }

    /** Ends the reading of a datagram: its number counts as received. */
    void onRead(long number, boolean isEliciting, long nowNanos) {
        acknowledgements.onReceived(number, isEliciting, nowNanos);
        if (finOffset >= 0 && stream.next() >= finOffset) {
            isFinTaken = true;
            acknowledgements.hasten();
        }
    }

    /** Returns whether the stream has ended, and all of it has been taken. */
    boolean isFinTaken() {
        return isFinTaken;
    }

    void releaseAll() {
        stream.releaseAll();
    }

    void report(Report report) {
        report.put("received-datagrams", datagrams);
        report.put("received-bytes", bytes);
        report.put("duplicates", duplicates);
        report.put("beyond-window", beyondWindow);
        report.put("malformed", malformed);
    }
}
