package dev.tutti.protocols.datagram;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.DatagramEffects;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.stack.Report;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A connection over datagrams: frames in order, without loss while it lasts, at the rate that the path and the receiver
 * bear. {@code docs/design/datagrams.md} has its states, timers and bounds.
 */
final class DatagramConnection {

    /** Node that a flow belongs to, and that it reports to. */
    interface Owner {

        /** Takes a frame that has arrived. Ownership passes to the callee. */
        void onFrame(DatagramConnection flow, Packet frame);

        /** Takes the end of the flow: the other side closed it, sent something malformed, or is silent. */
        void onEnded(DatagramConnection flow, boolean isOrderly, String detail);

        /** Returns the number of bytes that one sender may have in flight to this node. */
        int allowanceBytes();

        /** The checksum of datagrams. */
        Datagrams seals();
    }

    enum State {
        /** Dialled: the address is not known, or the other side has not accepted. */
        OPENING,
        OPEN,
        /** The node has closed it; written frames are still in flight. */
        CLOSING,
        GONE
    }

    private static final long MILLISECOND = 1_000_000;
    private static final long LINGER_NANOS = 2_000 * MILLISECOND;
    private static final long OPEN_RETRY_NANOS = 30 * MILLISECOND;
    private static final long OPEN_RETRY_NANOS_MAX = 500 * MILLISECOND;
    private static final int ACK_RANGES_MAX = 64;

    /** Parts read of a datagram: a part of one byte costs as much as a full one. Senders write three at most. */
    private static final int PARTS_MAX = 8;

    private static final int DATAGRAM_BYTES_MIN = 1_200;

    final int number;
    final long localId;
    final String address;
    final boolean isDialed;
    State state = State.OPENING;

    /** The node has queued this flow as one with something to send. */
    boolean isDirty;

    @Nullable Endpoint endpoint;
    long remoteId;
    long cookie;
    long connectBeforeNanos;
    private long openNanos;
    private int openAttempts;
    private long openSentNanos;

    private final Owner owner;
    private final Memory memory;
    private final long giveUpNanos;
    private final SendStream out = new SendStream();
    private final Congestion congestion = new Congestion(INITIAL_WINDOW_BYTES);
    private final Recovery recovery = new Recovery(out, congestion);
    private final ReceiveStream in;
    private int datagramBytesMax;

    /** Limits from the other side: the end of the stream it accepts, and the bytes that may be in flight. */
    private long peerLimit;

    private int peerAllowanceBytes = Integer.MAX_VALUE;

    // Receiving.
    private final Ranges received = new Ranges();
    private long receivedFloor;
    private long largestReceivedNanos;
    private int unansweredCount;
    private boolean isAckDue;
    private long ackNanos = Recovery.NEVER;
    private long finOffset = -1;
    private boolean isFinTaken;

    // Closing.
    private boolean isFinWanted;
    private long lingerNanos = Recovery.NEVER;

    private boolean isProbeDue;

    /** Bytes received since the node last counted its active senders. */
    long recentBytes;

    // Counters.
    private long sentDatagrams;
    private long sentBytes;
    private long sentStreamBytes;
    private long resentBytes;
    private long receivedDatagrams;
    private long receivedBytes;
    private long duplicates;
    private long beyondWindow;
    private long malformed;

    DatagramConnection(
            Owner owner, int number, long localId, boolean isDialed, String address, int datagramBytesMax,
            long windowBytes, long giveUpNanos, Memory memory) {
        this.owner = owner;
        this.number = number;
        this.localId = localId;
        this.isDialed = isDialed;
        this.address = address;
        this.datagramBytesMax = datagramBytesMax;
        this.giveUpNanos = giveUpNanos;
        this.memory = memory;
        this.peerLimit = windowBytes;
        this.in = new ReceiveStream(memory, windowBytes, this::onFrame);
    }

    // ------------------------------------------------------------------ opening

    /** Starts sending OPEN to the endpoint. */
    void open(Endpoint to, long nowNanos) {
        endpoint = to;
        openNanos = nowNanos;
    }

    /** Takes the cookie; the next OPEN is sent at once. */
    void onCookie(long value, long nowNanos) {
        cookie = value;
        openNanos = nowNanos;
        openAttempts = 0;
    }

    boolean isOpenDue(long nowNanos) {
        return state == State.OPENING && endpoint != null && openNanos <= nowNanos;
    }

    void onOpenSent(long nowNanos) {
        openSentNanos = nowNanos;
        openNanos = nowNanos + Math.min(OPEN_RETRY_NANOS << Math.min(openAttempts, 5), OPEN_RETRY_NANOS_MAX);
        openAttempts++;
    }

    void onOpened(long id, int peerDatagramBytesMax, long nowNanos) {
        if (isDialed && openAttempts == 1) {
            recovery.onHandshake(nowNanos - openSentNanos);
        }
        remoteId = id;
        datagramBytesMax = Math.max(DATAGRAM_BYTES_MIN, Math.min(datagramBytesMax, peerDatagramBytesMax));
        state = State.OPEN;
    }

    int datagramBytesMax() {
        return datagramBytesMax;
    }

    // ------------------------------------------------------------------ from the node

    /** Sends a frame. Ownership passes to the flow. */
    void write(Packet frame) {
        out.append(frame);
    }

    /** Returns the number of bytes that were written and have not arrived. */
    long keptBytes() {
        return out.keptBytes();
    }

    /** Closes the flow once everything written has been sent. */
    void close(long nowNanos) {
        state = State.CLOSING;
        isFinWanted = true;
        lingerNanos = nowNanos + LINGER_NANOS;
    }

    void release() {
        state = State.GONE;
        out.releaseAll();
        in.releaseAll();
    }

    // ------------------------------------------------------------------ receiving

    /** Takes a datagram for this flow, of which the id has been read. The caller releases it. */
    void onDatagram(Packet datagram, long nowNanos) {
        int length = datagram.length();
        long packetNumber = datagram.takeLong();
        if (datagram.isMalformed() || packetNumber < 0) {
            malformed++;
            return;
        }
        receivedDatagrams++;
        receivedBytes += length;
        recentBytes += length;
        if (packetNumber < receivedFloor || received.contains(packetNumber)) {
            duplicates++;
            return;
        }
        boolean isEliciting = false;
        for (int parts = 1; !datagram.isEmpty() && state != State.GONE; parts++) {
            int type = datagram.takeByte();
            boolean isGood = parts <= PARTS_MAX
                    && switch (type) {
                        case Datagrams.ACK -> onAck(datagram, nowNanos);
                        case Datagrams.STREAM -> {
                            isEliciting = true;
                            yield onStream(datagram);
                        }
                        case Datagrams.FIN -> {
                            isEliciting = true;
                            yield onFin(datagram);
                        }
                        case Datagrams.PING -> {
                            isEliciting = true;
                            yield true;
                        }
                        default -> false;
                    };
            if (!isGood) {
                malformed++;
                return;
            }
        }
        if (state == State.GONE) {
            return;
        }
        note(packetNumber, isEliciting, nowNanos);
        if (finOffset >= 0 && in.next() >= finOffset) {
            isFinTaken = true;
            isAckDue = true;
        }
    }

    /** Returns whether the other side has closed, and everything before that has been taken. */
    boolean isFinTaken() {
        return isFinTaken;
    }

    private void note(long packetNumber, boolean isEliciting, long nowNanos) {
        boolean isNext = received.isEmpty() || packetNumber == received.end(received.count() - 1);
        if (received.isEmpty() || packetNumber >= received.end(received.count() - 1)) {
            largestReceivedNanos = nowNanos;
        }
        received.add(packetNumber, packetNumber + 1);
        if (received.count() > ACK_RANGES_MAX) {
            receivedFloor = received.end(0);
            received.removeFirst();
        }
        if (isEliciting) {
            unansweredCount++;
            if (unansweredCount >= 2 || !isNext) {
                isAckDue = true;
            } else if (ackNanos == Recovery.NEVER) {
                ackNanos = nowNanos + Recovery.ACK_DELAY_NANOS;
            }
        }
    }

    private boolean onAck(Packet datagram, long nowNanos) {
        long largest = datagram.takeLong();
        long delayNanos = Integer.toUnsignedLong(datagram.takeInt()) * 1_000;
        long limit = datagram.takeLong();
        int allowanceBytes = datagram.takeInt();
        if (largest < 0 || limit < 0 || allowanceBytes < 0 || !recovery.onAck(datagram, largest, delayNanos, nowNanos)) {
            return false;
        }
        peerLimit = Math.max(peerLimit, limit);
        peerAllowanceBytes = Math.max(DATAGRAM_BYTES_MIN, allowanceBytes);
        return true;
    }

    private boolean onStream(Packet datagram) {
        long offset = datagram.takeLong();
        int length = datagram.takeByte() << 8 | datagram.takeByte();
        if (datagram.isMalformed() || length > datagram.length()) {
            return false;
        }
        if (state != State.OPEN) {
            // The node has closed the flow: nobody needs the data that still arrives.
            datagram.skip(length);
            return true;
        }
        switch (in.onChunk(offset, length, datagram)) {
            case TAKEN -> {}
            case DUPLICATE -> duplicates++;
            case BEYOND_WINDOW -> beyondWindow++;
            case MALFORMED -> {
                owner.onEnded(this, false, "a frame of an impossible length");
                return false;
            }
        }
        return true;
    }

    private void onFrame(Packet frame) {
        if (state == State.OPEN) {
            owner.onFrame(this, frame);
        } else {
            frame.release();
        }
    }

    private boolean onFin(Packet datagram) {
        long offset = datagram.takeLong();
        if (datagram.isMalformed() || offset < 0) {
            return false;
        }
        if (state == State.CLOSING) {
            isAckDue = true;
        } else {
            finOffset = offset;
        }
        return true;
    }

    // ------------------------------------------------------------------ sending

    /** Sends what may be sent now. */
    void flush(DatagramEffects effects, long nowNanos) {
        if (state != State.OPEN && state != State.CLOSING) {
            return;
        }
        if (isProbeDue) {
            isProbeDue = false;
            probe(effects, nowNanos);
            if (recovery.hasRoom()) {
                // At least one of two probes is likelier to arrive than a single one.
                send(effects, nowNanos, datagramBytes());
            }
        }
        int datagramBytes = datagramBytes();
        while (maySend(datagramBytes, nowNanos)) {
            send(effects, nowNanos, datagramBytes);
        }
        if (out.isAllSent() || !out.hasLost() && !out.hasNew(peerLimit)) {
            if (recovery.inFlightBytes() < windowBytes(datagramBytes)) {
                congestion.onAppLimited(recovery.inFlightBytes());
            }
        }
        if (isAckDue || ackNanos <= nowNanos) {
            sendAck(effects, nowNanos);
        }
    }

    /** Sends the last acknowledgement of a flow that is about to be forgotten. */
    void acknowledge(DatagramEffects effects, long nowNanos) {
        if (state == State.OPEN) {
            sendAck(effects, nowNanos);
        }
    }

    private boolean hasSomething() {
        return out.hasLost() || out.hasNew(peerLimit) || isFinDue();
    }

    private boolean isFinDue() {
        return isFinWanted && out.isAllSent() && !recovery.isFinArrived() && !recovery.isFinUnderWay();
    }

    private boolean maySend(int datagramBytes, long nowNanos) {
        if (!hasSomething() || !recovery.hasRoom()) {
            return false;
        }
        long inFlightBytes = recovery.inFlightBytes();
        return inFlightBytes == 0
                || inFlightBytes + datagramBytes <= windowBytes(datagramBytes) && congestion.nextSendNanos() <= nowNanos;
    }

    private long windowBytes(int datagramBytes) {
        return Math.min(congestion.windowBytes(datagramBytes), peerAllowanceBytes);
    }

    /** Returns the size of a datagram: full, unless the receiver has so little room that several should share it. */
    private int datagramBytes() {
        return Math.min(datagramBytesMax, Math.max(DATAGRAM_BYTES_MIN, peerAllowanceBytes / 2));
    }

    private void send(DatagramEffects effects, long nowNanos, int datagramBytes) {
        if (out.hasLost()) {
            send(effects, nowNanos, datagramBytes, out.lostStart(), out.lostEnd());
        } else {
            long start = out.nextUnsent();
            send(effects, nowNanos, datagramBytes, start, Math.max(start, Math.min(out.end(), peerLimit)));
        }
    }

    /** Asks for an acknowledgement, by sending the oldest data that has not arrived: it is what would be missing. */
    private void probe(DatagramEffects effects, long nowNanos) {
        if (!recovery.hasRoom()) {
            return;
        }
        if (out.hasLost() || out.oldest() >= out.oldestEnd()) {
            send(effects, nowNanos, datagramBytes());
        } else {
            send(effects, nowNanos, datagramBytes(), out.oldest(), out.oldestEnd());
        }
    }

    /** Sends a datagram with as much of the stream from {@code start} on as fits, or a PING if there is nothing. */
    private void send(DatagramEffects effects, long nowNanos, int datagramBytes, long start, long end) {
        int ranges = unansweredCount > 0 || isAckDue ? received.count() : 0;
        int ackBytes = ranges == 0 ? 0 : Datagrams.ACK_BYTES_MIN + (ranges - 1) * Datagrams.RANGE_BYTES;
        int room = datagramBytes - Datagrams.DATA_HEADER_BYTES - Datagrams.STREAM_HEADER_BYTES;
        if (ackBytes > ACK_BYTES_ASIDE && end - start > room - ackBytes) {
            // A long acknowledgement would split a frame that fills a datagram: it is sent separately.
            ranges = 0;
            ackBytes = 0;
        }
        room -= ackBytes;
        int length = (int) Math.min(Math.min(end - start, room), STREAM_BYTES_MAX);
        if (length < end - start) {
            // Frames that arrive in one piece need no copy, but a datagram should not be half empty.
            long whole = out.frameEnd(start, start + length) - start;
            length = whole >= length / 4 * 3 ? (int) whole : length;
        }
        int capacity = Datagrams.DATA_HEADER_BYTES + ackBytes + Datagrams.STREAM_HEADER_BYTES + length + Datagrams.FIN_BYTES;
        Packet datagram = begin(Math.min(capacity, datagramBytes));
        if (ranges > 0) {
            appendAck(datagram, nowNanos);
        }
        if (length > 0) {
            datagram.appendByte(Datagrams.STREAM).appendLong(start).appendByte(length >> 8).appendByte(length);
            out.copy(start, start + length, datagram);
            long fresh = Math.max(0, start + length - Math.max(start, out.nextUnsent()));
            sentStreamBytes += fresh;
            resentBytes += length - fresh;
            out.onSent(start, start + length);
        }
        boolean isFin = isFinDue() && datagram.length() + Datagrams.FIN_BYTES <= datagramBytes;
        if (isFin) {
            datagram.appendByte(Datagrams.FIN).appendLong(out.end());
        } else if (length == 0) {
            datagram.appendByte(Datagrams.PING);
        }
        recovery.onSent(nowNanos, datagram.length(), start, length, isFin);
        finish(effects, datagram);
    }

    private void sendAck(DatagramEffects effects, long nowNanos) {
        if (received.isEmpty()) {
            isAckDue = false;
            ackNanos = Recovery.NEVER;
            return;
        }
        Packet datagram = begin(Datagrams.DATA_HEADER_BYTES
                + Datagrams.ACK_BYTES_MIN
                + (received.count() - 1) * Datagrams.RANGE_BYTES);
        appendAck(datagram, nowNanos);
        recovery.onSentUntracked();
        finish(effects, datagram);
    }

    private Packet begin(int bytes) {
        return Packet.of(memory.acquire(bytes), 0, 0)
                .appendInt(0)
                .appendByte(Datagrams.DATA)
                .appendLong(remoteId)
                .appendLong(recovery.nextNumber());
    }

    private void finish(DatagramEffects effects, Packet datagram) {
        Endpoint to = endpoint;
        if (to == null) {
            throw new IllegalStateException("a datagram is sent before the endpoint of " + address + " is known");
        }
        owner.seals().seal(datagram);
        sentDatagrams++;
        sentBytes += datagram.length();
        effects.send(to, datagram);
    }

    private void appendAck(Packet datagram, long nowNanos) {
        int last = received.count() - 1;
        long low = received.start(last);
        long high = received.end(last) - 1;
        datagram.appendByte(Datagrams.ACK)
                .appendLong(high)
                .appendInt((int) Math.min(Integer.MAX_VALUE, Math.max(0, nowNanos - largestReceivedNanos) / 1_000))
                .appendLong(in.limit())
                .appendInt(owner.allowanceBytes())
                .appendByte(last)
                .appendInt((int) (high - low));
        for (int index = last - 1; index >= 0; index--) {
            datagram.appendInt((int) (low - received.end(index)))
                    .appendInt((int) (received.end(index) - 1 - received.start(index)));
            low = received.start(index);
        }
        unansweredCount = 0;
        isAckDue = false;
        ackNanos = Recovery.NEVER;
    }

    // ------------------------------------------------------------------ timers

    /** Returns the time at which {@link #onTimer} or {@link #flush} has something to do. */
    long deadlineNanos() {
        return switch (state) {
            case OPENING -> Math.min(connectBeforeNanos, endpoint == null ? Recovery.NEVER : openNanos);
            case OPEN, CLOSING -> {
                long deadline = Math.min(Math.min(recovery.deadlineNanos(), ackNanos), lingerNanos);
                boolean isPaced = hasSomething() && recovery.hasRoom();
                int datagramBytes = datagramBytes();
                boolean isWindowOpen = recovery.inFlightBytes() + datagramBytes <= windowBytes(datagramBytes);
                yield isPaced && isWindowOpen ? Math.min(deadline, congestion.nextSendNanos()) : deadline;
            }
            case GONE -> Recovery.NEVER;
        };
    }

    /** Handles timers that are due; {@link #flush} follows. */
    void onTimer(long nowNanos) {
        if (state != State.OPEN && state != State.CLOSING) {
            return;
        }
        if (recovery.onTimer(nowNanos)) {
            isProbeDue = true;
        }
        if (lingerNanos <= nowNanos) {
            owner.onEnded(this, false, "not all that was written has arrived within 2 s after it was closed");
        } else if (recovery.quietNanos(nowNanos) > giveUpNanos) {
            owner.onEnded(this, false, "no acknowledgement for " + giveUpNanos / MILLISECOND + " ms");
        }
    }

    /** Returns whether this side has closed and the other side has acknowledged it. */
    boolean isDone() {
        return state == State.CLOSING && recovery.isFinArrived() && out.isAllArrived();
    }

    /** Returns whether everything written has arrived. */
    boolean isQuiet() {
        return out.isAllArrived();
    }

    // ------------------------------------------------------------------ report

    void report(Report report) {
        report.put("address", address);
        report.put("state", state.name().toLowerCase(Locale.ROOT));
        report.put("datagram-bytes", datagramBytesMax);
        report.put("sent-datagrams", sentDatagrams);
        report.put("sent-bytes", sentBytes);
        report.put("sent-stream-bytes", sentStreamBytes);
        report.put("resent-bytes", resentBytes);
        report.put("lost-datagrams", recovery.lostPackets);
        report.put("lost-bytes", recovery.lostBytes);
        report.put("late-datagrams", recovery.foundPackets);
        report.put("probes", recovery.probes);
        report.put("received-datagrams", receivedDatagrams);
        report.put("received-bytes", receivedBytes);
        report.put("duplicates", duplicates);
        report.put("beyond-window", beyondWindow);
        report.put("malformed", malformed);
        report.put("round-trip-micros", recovery.smoothedNanos() / 1_000);
        report.put("bandwidth-bytes-per-second", (long) (congestion.bandwidth() * 1e9));
        report.put("loss-percent", Math.round(congestion.loss() * 100));
        report.put("window-bytes", windowBytes(datagramBytes()));
        report.put("in-flight-bytes", recovery.inFlightBytes());
        report.put("kept-bytes", out.keptBytes());
    }

    private static final int INITIAL_WINDOW_BYTES = 14_000;
    private static final int STREAM_BYTES_MAX = 0xffff;

    /** A longer acknowledgement does not share a datagram that could be full without it. */
    private static final int ACK_BYTES_ASIDE = 64;
}
