package dev.tutti.protocols.datagram;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.crypto.DatagramSeal;
import dev.tutti.core.driver.Credentials;
import dev.tutti.core.driver.DatagramEffects;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.datagram.recovery.Recovery;
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

        /** Takes the first datagram of the other end that is authentic: it trusts this end. The state becomes OPEN. */
        void onConfirmed(DatagramConnection flow);

        /** Counts a datagram that pretends to be of the other end. */
        void onForged();

        /** Returns the number of bytes that one sender may have in flight to this node. */
        int allowanceBytes();

        /** The checksum of datagrams. */
        Datagrams seals();
    }

    enum State {
        /** Dialled: the address is not known, or the other side has not accepted. */
        OPENING,
        /** The two ends authenticate each other; at the dialling end it also waits for a sign that it is trusted. */
        SECURING,
        OPEN,
        /** The node has closed it; written frames are still in flight. */
        CLOSING,
        GONE
    }

    private static final long MILLISECOND = 1_000_000;
    private static final long LINGER_NANOS = 2_000 * MILLISECOND;

    /** Parts read of a datagram: a part of one byte costs as much as a full one. Senders write three at most. */
    private static final int PARTS_MAX = 8;

    /** In place of the number of an accepted connection whose other end is not authenticated. */
    static final int NO_NUMBER = -1;

    /** Time for which a RESET is doubted where it can't be authentic: an answer of the other end refutes it. */
    private static final long DOUBT_NANOS = 300 * MILLISECOND;

    /** Number of the hosted machine. */
    int number;

    final long localId;
    final String address;
    State state = State.OPENING;

    /** The node has queued this flow as one with something to send. */
    boolean isDirty;

    /** The node has asked for a watch over the process at the other end. */
    boolean isWatched;

    @Nullable Endpoint endpoint;
    long remoteId;

    final Opening opening = new Opening();

    private final Owner owner;
    private final Memory memory;
    private final long giveUpNanos;
    private boolean isDialed;
    private final boolean isSecure;
    private final SendSide sending;
    private final ReceiveSide receiving;

    /** Time at which a closed connection is forgotten, whatever has arrived. */
    private long lingerNanos = Recovery.NEVER;

    /** Time at which a RESET is believed unless something authentic arrives. */
    private long doubtNanos = Recovery.NEVER;

    /** Handshake of the two ends; null if connections are not secure. */
    final @Nullable HandshakeStream handshake;

    /** Proof of the other end's identity, once there is one. */
    Credentials credentials = Credentials.NONE;

    private @Nullable DatagramSeal sealing;
    private @Nullable DatagramSeal unsealing;

    /** Bytes received since the node last counted its active senders. */
    long recentBytes;

    DatagramConnection(
            Owner owner, int number, long localId, String address, DatagramLimits limits, Memory memory) {
        this.owner = owner;
        this.number = number;
        this.isSecure = limits.isSecure();
        this.handshake = isSecure ? new HandshakeStream(memory) : null;
        this.localId = localId;
        this.address = address;
        this.giveUpNanos = 2 * limits.connectNanos();
        this.memory = memory;
        this.sending = new SendSide(limits.datagramBytesMax(), limits.windowBytes());
        this.receiving = new ReceiveSide(memory, limits.windowBytes(), this::onFrame);
    }

    // ------------------------------------------------------------------ opening

    /** Starts sending OPEN to the endpoint. */
    void open(Endpoint to, long nowNanos) {
        endpoint = to;
        isDialed = true;
        opening.start(nowNanos);
    }

    boolean isOpenDue(long nowNanos) {
        return state == State.OPENING && opening.isDue(nowNanos);
    }

    /** Takes the answer to OPEN on the dialling side, and a valid OPEN on the other one. */
    void onOpened(long id, int peerDatagramBytesMax, long nowNanos) {
        long roundTripNanos = opening.roundTripNanos(nowNanos);
        if (roundTripNanos >= 0) {
            sending.onHandshake(roundTripNanos);
        }
        remoteId = id;
        sending.limitDatagrams(peerDatagramBytesMax);
        state = isSecure ? State.SECURING : State.OPEN;
    }

    /** Takes the keys that the handshake has given. */
    void onSecured(byte[] sendSecret, byte[] receiveSecret, Credentials proof) {
        sealing = new DatagramSeal(sendSecret);
        unsealing = new DatagramSeal(receiveSecret);
        credentials = proof;
        sending.onSecured(DatagramSeal.TAG_BYTES);
    }

    boolean isSecured() {
        return sealing != null;
    }

    /** Opens an accepted connection, and lets the other end know that it is trusted. */
    void confirm() {
        state = State.OPEN;
        sending.requestProbe();
    }

    /** Returns whether this end has dialled. */
    boolean isDialed() {
        return isDialed;
    }

    /** Takes a RESET, which anybody who sees the packets can forge: it counts unless the other end gives a sign of life. */
    void doubt(long nowNanos) {
        if (doubtNanos == Recovery.NEVER) {
            doubtNanos = nowNanos + DOUBT_NANOS;
            sending.requestProbe();
        }
    }

    // ------------------------------------------------------------------ from the node

    /** Sends a frame. Ownership passes to the flow. */
    void write(Packet frame) {
        sending.write(frame);
    }

    /** Returns the number of bytes that were written and have not arrived. */
    long keptBytes() {
        return sending.keptBytes();
    }

    /** Returns the smoothed round trip; 10 ms before the first measurement. */
    long roundTripNanos() {
        return sending.roundTripNanos();
    }

    /** Closes the flow once everything written has been sent. */
    void close(long nowNanos) {
        state = State.CLOSING;
        sending.close();
        lingerNanos = nowNanos + LINGER_NANOS;
    }

    void release() {
        state = State.GONE;
        sending.releaseAll();
        receiving.releaseAll();
    }

    // ------------------------------------------------------------------ receiving

    /** Takes a datagram for this flow, of which the id has been read. The caller releases it. */
    void onDatagram(Packet datagram, long nowNanos) {
        int length = datagram.length();
        long packetNumber = datagram.takeLong();
        if (datagram.isMalformed() || packetNumber < 0) {
            receiving.onMalformed();
            return;
        }
        if (!receiving.isNew(packetNumber) || !isAuthentic(packetNumber, datagram)) {
            return;
        }
        recentBytes += length;
        receiving.onDatagram(length);
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
                receiving.onMalformed();
                return;
            }
        }
        if (state == State.GONE) {
            return;
        }
        receiving.onRead(packetNumber, isEliciting, nowNanos);
    }

    /** Decrypts a datagram and returns whether the other end has sealed it; true if connections are not secure. */
    private boolean isAuthentic(long packetNumber, Packet datagram) {
        if (!isSecure) {
            return true;
        }
        if (unsealing == null || !unsealing.open(packetNumber, datagram, Datagrams.DATA_HEADER_BYTES)) {
            owner.onForged();
            return false;
        }
        doubtNanos = Recovery.NEVER;
        if (state == State.SECURING) {
            state = State.OPEN;
            if (handshake != null) {
                handshake.onConfirmed();
            }
            owner.onConfirmed(this);
        }
        return state != State.GONE;
    }

    /** Returns whether the other side has closed, and everything before that has been taken. */
    boolean isFinTaken() {
        return receiving.isFinTaken();
    }

    private boolean onAck(Packet datagram, long nowNanos) {
        long largest = datagram.takeLong();
        long delayNanos = Integer.toUnsignedLong(datagram.takeInt()) * 1_000;
        long limit = datagram.takeLong();
        int allowanceBytes = datagram.takeInt();
        return sending.onAck(datagram, largest, delayNanos, limit, allowanceBytes, nowNanos);
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
        if (!receiving.onChunk(offset, length, datagram)) {
            owner.onEnded(this, false, "a frame of an impossible length");
            return false;
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
            receiving.acknowledgements().hasten();
        } else {
            receiving.onFin(offset);
        }
        return true;
    }

    // ------------------------------------------------------------------ sending

    /** Sends what may be sent now. */
    void flush(DatagramEffects effects, long nowNanos) {
        Endpoint to = endpoint;
        if (handshake != null && to != null) {
            for (Packet chunk = handshake.poll(remoteId, nowNanos); chunk != null; chunk = handshake.poll(remoteId, nowNanos)) {
                owner.seals().seal(chunk);
                effects.send(to, chunk);
            }
        }
        if (state != State.OPEN && state != State.CLOSING) {
            return;
        }
        if (sending.takeProbe()) {
            probe(effects, nowNanos);
            if (sending.hasRoom()) {
                // At least one of two probes is likelier to arrive than a single one.
                send(effects, nowNanos, sending.nextStart(), sending.nextEnd());
            }
        }
        while (sending.maySend(nowNanos)) {
            send(effects, nowNanos, sending.nextStart(), sending.nextEnd());
        }
        sending.onFlushed();
        if (receiving.acknowledgements().isDue(nowNanos)) {
            sendAck(effects, nowNanos);
        }
    }

    /** Sends the last acknowledgement of a flow that is about to be forgotten. */
    void acknowledge(DatagramEffects effects, long nowNanos) {
        if (state == State.OPEN) {
            sendAck(effects, nowNanos);
        }
    }

    /** Asks for an acknowledgement, by sending the oldest data that has not arrived: it is what would be missing. */
    private void probe(DatagramEffects effects, long nowNanos) {
        if (sending.hasRoom()) {
            send(effects, nowNanos, sending.probeStart(), sending.probeEnd());
        }
    }

    /** Sends a datagram with as much of the stream from {@code start} on as fits, or a PING if there is nothing. */
    private void send(DatagramEffects effects, long nowNanos, long start, long end) {
        int datagramBytes = sending.datagramBytes();
        int room = datagramBytes - Datagrams.DATA_HEADER_BYTES - Datagrams.STREAM_HEADER_BYTES;
        int ackBytes = receiving.acknowledgements().owedBytes();
        if (ackBytes > ACK_BYTES_ASIDE && end - start > room - ackBytes) {
            // A long acknowledgement would split a frame that fills a datagram: it is sent separately.
            ackBytes = 0;
        }
        int length = sending.chunkBytes(start, end, room - ackBytes);
        int capacity = Datagrams.DATA_HEADER_BYTES + ackBytes + Datagrams.STREAM_HEADER_BYTES + length + Datagrams.FIN_BYTES;
        Packet datagram = begin(Math.min(capacity, datagramBytes));
        if (ackBytes > 0) {
            appendAck(datagram, nowNanos);
        }
        sending.append(datagram, start, length, nowNanos);
        finish(effects, datagram);
    }

    private void sendAck(DatagramEffects effects, long nowNanos) {
        if (receiving.acknowledgements().isEmpty()) {
            return;
        }
        Packet datagram = begin(Datagrams.DATA_HEADER_BYTES + receiving.acknowledgements().bytes());
        appendAck(datagram, nowNanos);
        sending.onSentUntracked();
        finish(effects, datagram);
    }

    private Packet begin(int bytes) {
        return Packet.of(memory.acquire(sealing == null ? bytes : bytes + DatagramSeal.TAG_BYTES), 0, 0)
                .appendInt(sealing == null ? 0 : Datagrams.SEALED)
                .appendByte(Datagrams.DATA)
                .appendLong(remoteId)
                .appendLong(sending.nextNumber());
    }

    private void finish(DatagramEffects effects, Packet datagram) {
        Endpoint to = endpoint;
        if (to == null) {
            throw new IllegalStateException("a datagram is sent before the endpoint of " + address + " is known");
        }
        if (sealing == null) {
            owner.seals().seal(datagram);
        } else {
            sealing.seal(datagram.peekLong(Datagrams.NUMBER_OFFSET), datagram, Datagrams.DATA_HEADER_BYTES);
        }
        sending.onSent(datagram.length());
        effects.send(to, datagram);
    }

    private void appendAck(Packet datagram, long nowNanos) {
        receiving.acknowledgements().append(datagram, receiving.limit(), owner.allowanceBytes(), nowNanos);
    }

    // ------------------------------------------------------------------ timers

    /** Returns the time at which {@link #onTimer} or {@link #flush} has something to do. */
    long deadlineNanos() {
        return switch (state) {
            case OPENING -> opening.deadlineNanos();
            case SECURING ->
                Math.min(opening.beforeNanos(), handshake == null ? Recovery.NEVER : handshake.deadlineNanos());
            case OPEN, CLOSING ->
                Math.min(
                        Math.min(sending.deadlineNanos(), receiving.acknowledgements().deadlineNanos()),
                        Math.min(lingerNanos, doubtNanos));
            case GONE -> Recovery.NEVER;
        };
    }

    /** Handles timers that are due; {@link #flush} follows. */
    void onTimer(long nowNanos) {
        if (state != State.OPEN && state != State.CLOSING) {
            return;
        }
        sending.onTimer(nowNanos);
        if (doubtNanos <= nowNanos) {
            owner.onEnded(this, false, UNKNOWN_THERE);
        } else if (lingerNanos <= nowNanos) {
            owner.onEnded(this, false, "not all that was written has arrived within 2 s after it was closed");
        } else if (sending.quietNanos(nowNanos) > giveUpNanos) {
            owner.onEnded(this, false, "no acknowledgement for " + giveUpNanos / MILLISECOND + " ms");
        }
    }

    /** Returns whether this side has closed and the other side has acknowledged it. */
    boolean isDone() {
        return state == State.CLOSING && sending.isFinArrived() && sending.isAllArrived();
    }

    /** Returns whether everything written has arrived. */
    boolean isQuiet() {
        return sending.isAllArrived();
    }

    // ------------------------------------------------------------------ report

    void report(Report report) {
        report.put("address", address);
        report.put("state", state.name().toLowerCase(Locale.ROOT));
        sending.report(report);
        receiving.report(report);
    }

    /** Reason for the end of a connection after a RESET. */
    static final String UNKNOWN_THERE = "the other process does not know the connection";

    /** A longer acknowledgement does not share a datagram that could be full without it. */
    private static final int ACK_BYTES_ASIDE = 64;
}
