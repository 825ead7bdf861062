package dev.tutti.protocols.link;

import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.Report;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What joins this node with one other: a session, and the connection that carries it when there is one.
 *
 * <p>A session is FIFO, without loss and repetition. It lives as long as both nodes want it, over any number of
 * connections: what was sent is retained until it is acknowledged, and sent again where a new connection takes over.
 */
public final class Link {

    private final NodeId node;

    // The session.
    private long epoch;
    private boolean isOpen;
    private boolean wasOpened;
    private long received;
    private long acknowledged;
    private final ArrayDeque<Packet> retained = new ArrayDeque<>(1);
    private long retainedCost;

    // What the other side does not know yet.
    private long unconfirmed;
    private long unconfirmedCost;

    /** The connection that carries the session; null while there is none. */
    @Nullable Connection connection;

    /** The other side's key as it was when the session's last connection began. */
    String key = "";

    /** This side's number of the last connection of the session, which is over. */
    int gone = Hello.NONE;

    /** The connection by which this side tries to resume, until its handshake is over. */
    @Nullable Connection resuming;

    /** Multicast: when something of the node was heard last, what it was told about that, and what it tells. */
    public long multicastHeardNanos = Links.NEVER;

    public boolean isMulticastHeard;
    public boolean isReachedByMulticast;

    /** Another one at the same address, met before. */
    @Nullable Link nextThere;

    /** Another one with the same incarnation, met before. */
    @Nullable Link nextOfIncarnation;

    long resumeNanos = Links.NEVER;
    int resumeAttempts;

    private long heardNanos;
    private long sentNanos;
    private long confirmedNanos;

    // Counters.
    private long sentFrames;
    private long sentBytes;
    private long receivedFrames;
    private long receivedBytes;
    private long resentFrames;
    private long resumes;

    Link(NodeId node, long epoch) {
        this.node = node;
        this.epoch = epoch;
    }

    public NodeId node() {
        return node;
    }

    public boolean isOpen() {
        return isOpen;
    }

    /** Whether there is or was a session. */
    public boolean wasOpened() {
        return wasOpened;
    }

    public boolean isConnected() {
        return connection != null;
    }

    /** When something of it has arrived last. */
    public long heardNanos() {
        return heardNanos;
    }

    /** When something was last sent to it. */
    public long sentNanos() {
        return sentNanos;
    }

    /** When it was last told what has arrived. */
    public long confirmedNanos() {
        return confirmedNanos;
    }

    /** Whether frames have arrived that the other side does not know to have arrived. */
    public boolean isConfirmationDue() {
        return unconfirmed > 0;
    }

    SessionState state() {
        return new SessionState(epoch, isOpen, received);
    }

    long epoch() {
        return epoch;
    }

    long received() {
        return received;
    }

    /** Number of the next frame to be sent. */
    long next() {
        return acknowledged + retained.size();
    }

    long retainedCost() {
        return retainedCost;
    }

    long unconfirmedCost() {
        return unconfirmedCost;
    }

    /** Whether the other side can go on from {@code number}: all from there on is still here. */
    boolean canResumeFrom(long number) {
        return acknowledged <= number && number <= next();
    }

    /** Whether the other side has confirmed more of this session than {@code theirs} says: then that is old. */
    boolean hasOutrun(SessionState theirs) {
        return isOpen && theirs.isOpen() && theirs.epoch() == epoch && theirs.received() < acknowledged;
    }

    // ------------------------------------------------------------------ session

    void open(long newEpoch, long nowNanos) {
        epoch = newEpoch;
        isOpen = true;
        wasOpened = true;
        received = 0;
        acknowledged = 0;
        unconfirmed = 0;
        unconfirmedCost = 0;
        heardNanos = nowNanos;
        sentNanos = nowNanos;
    }

    /** Ends the session; its memory is released. */
    void close() {
        isOpen = false;
        for (Packet frame = retained.poll(); frame != null; frame = retained.poll()) {
            frame.release();
        }
        retainedCost = 0;
        received = 0;
        acknowledged = 0;
        unconfirmed = 0;
        unconfirmedCost = 0;
        resumeNanos = Links.NEVER;
        resumeAttempts = 0;
    }

    /** Notes that the session is closed up to an epoch that this side may never have had. */
    void raiseEpoch(long least) {
        if (isOpen) {
            throw new IllegalStateException("epoch of the open session " + epoch + " with " + node + " raised");
        }
        epoch = Math.max(epoch, least);
    }

    void retain(Packet frame) {
        retained.add(frame);
        retainedCost += Frames.cost(frame.length());
        sentFrames++;
        sentBytes += frame.length();
    }

    /** The other side has everything before {@code number}. */
    void acknowledge(long number) {
        while (acknowledged < number) {
            Packet frame = retained.remove();
            acknowledged++;
            retainedCost -= Frames.cost(frame.length());
            frame.release();
        }
    }

    /** Everything that is retained, for the caller to slice and to send on a new connection. */
    Iterable<Packet> resend(boolean isAgain) {
        if (isAgain) {
            resentFrames += retained.size();
        }
        return retained;
    }

    void count(int frameLength, boolean isNumbered) {
        receivedFrames++;
        receivedBytes += frameLength;
        if (isNumbered) {
            received++;
            unconfirmed++;
            unconfirmedCost += Frames.cost(frameLength);
        }
    }

    /** The other side is about to be told {@link #received}. */
    void confirm(long nowNanos) {
        confirmedNanos = nowNanos;
        unconfirmed = 0;
        unconfirmedCost = 0;
    }

    void heard(long nowNanos) {
        heardNanos = nowNanos;
    }

    void sent(long nowNanos) {
        sentNanos = nowNanos;
    }

    void resumed() {
        resumes++;
    }

    void report(Report report, long nowNanos) {
        report.put("address", node.address());
        report.put("incarnation", node.incarnation());
        report.put("state", isOpen ? connection == null ? "resuming" : "open" : "closed");
        Connection carrier = connection;
        report.put("connection", carrier == null ? -1 : carrier.number);
        report.put("epoch", epoch);
        report.put("silent-millis", Math.max(0, nowNanos - heardNanos) / 1_000_000);
        report.put("sent-frames", sentFrames);
        report.put("sent-bytes", sentBytes);
        report.put("received-frames", receivedFrames);
        report.put("received-bytes", receivedBytes);
        report.put("retained-frames", retained.size());
        report.put("retained-bytes", retainedCost);
        report.put("resent-frames", resentFrames);
        report.put("resumes", resumes);
    }

    @Override
    public String toString() {
        return node + (isOpen ? ", open" : ", closed");
    }
}
