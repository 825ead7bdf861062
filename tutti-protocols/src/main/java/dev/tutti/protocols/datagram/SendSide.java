package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.datagram.recovery.Congestion;
import dev.tutti.protocols.datagram.recovery.Recovery;
import dev.tutti.protocols.datagram.recovery.SendStream;

/**
 * Sending side of a connection: the stream, and the decision on what of it is sent when, within the limits of the path
 * and of the receiver. The connection makes the datagrams.
 */
final class SendSide {

    private static final int INITIAL_WINDOW_BYTES = 14_000;
    private static final int CHUNK_BYTES_MAX = 0xffff;

    private final SendStream stream = new SendStream();
    private final Congestion congestion = new Congestion(INITIAL_WINDOW_BYTES);
    private final Recovery recovery = new Recovery(stream, congestion);
    private int datagramBytesMax;

    /** Bytes that encryption adds to a datagram. */
    private int tagBytes;

    /** End of the stream that the other side accepts. */
    private long peerLimit;

    /** Bytes that the other side allows to be in flight. */
    private int peerAllowanceBytes = Integer.MAX_VALUE;

    private boolean isFinWanted;
    private boolean isProbeDue;

    // Counters.
    private long datagrams;
    private long bytes;
    private long streamBytes;
    private long resentBytes;

    SendSide(int datagramBytesMax, long windowBytes) {
        this.datagramBytesMax = datagramBytesMax;
        this.peerLimit = windowBytes;
    }

    // ------------------------------------------------------------------ from the connection

    /** Takes the duration of the handshake as the first estimate of the round trip. */
    void onHandshake(long tookNanos) {
        recovery.onHandshake(tookNanos);
    }

    /** Lowers the size of datagrams to what the other side takes. */
    void limitDatagrams(int peerDatagramBytesMax) {
        datagramBytesMax =
                Math.max(DatagramLimits.DATAGRAM_BYTES_MIN, Math.min(datagramBytesMax, peerDatagramBytesMax));
    }

    /** Takes the bytes that encryption adds to each datagram. */
    void onSecured(int bytes) {
        tagBytes = bytes;
    }

    /** Appends a frame. Ownership passes to the callee. */
    void write(Packet frame) {
        stream.append(frame);
    }

    /** Returns the number of bytes that were written and have not arrived. */
    long keptBytes() {
        return stream.keptBytes();
    }

    /** Sends FIN once everything written has been sent. */
    void close() {
        isFinWanted = true;
    }

    boolean isFinArrived() {
        return recovery.isFinArrived();
    }

    /** Returns the smoothed round trip; 10 ms before the first measurement. */
    long roundTripNanos() {
        return recovery.smoothedNanos();
    }

    /** Returns whether everything written has arrived. */
    boolean isAllArrived() {
        return stream.isAllArrived();
    }

    void releaseAll() {
        stream.releaseAll();
    }

    /**
     * Takes an acknowledgement, of which the ranges are still to be read.
     *
     * @return false if it is malformed
     */
    boolean onAck(
            Packet ranges, long largest, long delayNanos, long limit, int allowanceBytes, long nowNanos) {
        if (largest < 0 || limit < 0 || allowanceBytes < 0 || !recovery.onAck(ranges, largest, delayNanos, nowNanos)) {
            return false;
        }
        peerLimit = Math.max(peerLimit, limit);
        peerAllowanceBytes = Math.max(DatagramLimits.DATAGRAM_BYTES_MIN, allowanceBytes);
        return true;
    }

    // ------------------------------------------------------------------ what to send

    private boolean hasSomething() {
        return stream.hasLost() || stream.hasNew(peerLimit) || isFinDue();
    }

    private boolean isFinDue() {
        return isFinWanted && stream.isAllSent() && !recovery.isFinArrived() && !recovery.isFinUnderWay();
    }

    /** Returns whether another datagram can be tracked. */
    boolean hasRoom() {
        return recovery.hasRoom();
    }

    /** Returns whether there is something to send, and path and receiver take it now. */
    boolean maySend(long nowNanos) {
        if (!hasSomething() || !recovery.hasRoom()) {
            return false;
        }
        return recovery.inFlightBytes() == 0 || isWindowOpen() && congestion.nextSendNanos() <= nowNanos;
    }

    private boolean isWindowOpen() {
        int datagramBytes = datagramBytes();
        return recovery.inFlightBytes() + datagramBytes <= windowBytes(datagramBytes);
    }

    private long windowBytes(int datagramBytes) {
        return Math.min(congestion.windowBytes(datagramBytes), peerAllowanceBytes);
    }

    /** Returns the size of a datagram before encryption: full, unless the receiver has so little room that several should share it. */
    int datagramBytes() {
        return Math.min(datagramBytesMax, Math.max(DatagramLimits.DATAGRAM_BYTES_MIN, peerAllowanceBytes / 2)) - tagBytes;
    }

    /** Returns the offset of the next byte to send: lost ones first. */
    long nextStart() {
        return stream.hasLost() ? stream.lostStart() : stream.nextUnsent();
    }

    /** Returns the end of the range to send from {@link #nextStart} on; equal to it if there is none. */
    long nextEnd() {
        return stream.hasLost()
                ? stream.lostEnd()
                : Math.max(stream.nextUnsent(), Math.min(stream.end(), peerLimit));
    }

    private boolean isOldestProbed() {
        return !stream.hasLost() && stream.oldest() < stream.oldestEnd();
    }

    /** Returns the offset from which a probe sends: of the oldest byte that has not arrived. */
    long probeStart() {
        return isOldestProbed() ? stream.oldest() : nextStart();
    }

    long probeEnd() {
        return isOldestProbed() ? stream.oldestEnd() : nextEnd();
    }

    /** Lets the next flush ask the other side for a sign of life. */
    void requestProbe() {
        isProbeDue = true;
    }

    /** Returns whether a probe is due, once. */
    boolean takeProbe() {
        boolean isDue = isProbeDue;
        isProbeDue = false;
        return isDue;
    }

    /** Returns the number of bytes from {@code start} on that a datagram with {@code room} for them should carry. */
    int chunkBytes(long start, long end, int room) {
        int length = (int) Math.min(Math.min(end - start, room), CHUNK_BYTES_MAX);
        if (length < end - start) {
            // Frames that arrive in one piece need no copy, but a datagram should not be half empty.
            long whole = stream.frameEnd(start, start + length) - start;
            length = whole >= length / 4 * 3 ? (int) whole : length;
        }
        return length;
    }

    // ------------------------------------------------------------------ sending

    /** Returns the number of the next datagram. */
    long nextNumber() {
        return recovery.nextNumber();
    }

    /** Ends a datagram that is to be acknowledged, with a range of the stream and FIN, or a PING if there is neither. */
    void append(Packet datagram, long start, int length, long nowNanos) {
        int datagramBytes = datagramBytes();
        if (length > 0) {
            datagram.appendByte(Datagrams.STREAM).appendLong(start).appendByte(length >> 8).appendByte(length);
            stream.copy(start, start + length, datagram);
            long fresh = Math.max(0, start + length - Math.max(start, stream.nextUnsent()));
            streamBytes += fresh;
            resentBytes += length - fresh;
            stream.onSent(start, start + length);
        }
        boolean isFin = isFinDue() && datagram.length() + Datagrams.FIN_BYTES <= datagramBytes;
        if (isFin) {
            datagram.appendByte(Datagrams.FIN).appendLong(stream.end());
        } else if (length == 0) {
            datagram.appendByte(Datagrams.PING);
        }
        recovery.onSent(nowNanos, datagram.length() + tagBytes, start, length, isFin);
    }

    /** Takes a number for a datagram that need not be acknowledged. */
    void onSentUntracked() {
        recovery.onSentUntracked();
    }

    /** Counts a datagram. */
    void onSent(int length) {
        datagrams++;
        bytes += length;
    }

    /** Notes that nothing more can be sent in this turn. */
    void onFlushed() {
        if (stream.isAllSent() || !stream.hasLost() && !stream.hasNew(peerLimit)) {
            if (recovery.inFlightBytes() < windowBytes(datagramBytes())) {
                congestion.onAppLimited(recovery.inFlightBytes());
            }
        }
    }

    // ------------------------------------------------------------------ timers

    /** Returns the time at which {@link #onTimer} has something to do, or at which more may be sent. */
    long deadlineNanos() {
        boolean isPaced = hasSomething() && recovery.hasRoom() && isWindowOpen();
        return isPaced ? Math.min(recovery.deadlineNanos(), congestion.nextSendNanos()) : recovery.deadlineNanos();
    }

    /** Detects losses by time, and notes that a probe is due. */
    void onTimer(long nowNanos) {
        if (recovery.onTimer(nowNanos)) {
            isProbeDue = true;
        }
    }

    /** Returns the time for which the other side has acknowledged nothing although datagrams are in flight. */
    long quietNanos(long nowNanos) {
        return recovery.quietNanos(nowNanos);
    }

    // ------------------------------------------------------------------ report

    void report(Report report) {
        report.put("datagram-bytes", datagramBytesMax);
        report.put("sent-datagrams", datagrams);
        report.put("sent-bytes", bytes);
        report.put("sent-stream-bytes", streamBytes);
        report.put("resent-bytes", resentBytes);
        report.put("lost-datagrams", recovery.lostPackets());
        report.put("lost-bytes", recovery.lostBytes());
        report.put("late-datagrams", recovery.foundPackets());
        report.put("probes", recovery.probes());
        report.put("round-trip-micros", recovery.smoothedNanos() / 1_000);
        report.put("bandwidth-bytes-per-second", (long) (congestion.bandwidth() * 1e9));
        report.put("loss-percent", Math.round(congestion.loss() * 100));
        report.put("window-bytes", windowBytes(datagramBytes()));
        report.put("in-flight-bytes", recovery.inFlightBytes());
        report.put("kept-bytes", stream.keptBytes());
    }
}
