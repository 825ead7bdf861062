package dev.tutti.protocols.link;

import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.Report;
import org.jspecify.annotations.Nullable;

/**
 * Link of this node with one other node: a session, and the connection that carries it when there is one.
 *
 * <p>A session is FIFO, without loss and repetition. It lives as long as both nodes want it, over any number of
 * connections: frames are retained until they are acknowledged, and sent again when a new connection takes over.
 */
public final class Link {

    private final NodeId node;

    // The session.
    private long epoch;
    private int version;
    private boolean isOpen;
    private boolean wasOpened;
    private long received;
    private final RetainedFrames retained = new RetainedFrames();

    // Received frames that were not acknowledged to the other side yet.
    private long unconfirmed;
    private long unconfirmedCost;

    /** The connection that carries the session; null while there is none. */
    @Nullable LinkConnection connection;

    /** The other side's key as it was when the session's last connection began. */
    String key = "";

    /** This side's number of the last connection of the session, which is over. */
    int gone = Hello.NONE;

    /** Attempts of this side to resume the session. */
    final Resumption resumption = new Resumption();

    /** Multicast contact of the two nodes, beside their session. */
    public final MulticastContact multicast = new MulticastContact();

    /** Next link at the same address, met earlier. */
    @Nullable Link nextThere;

    /** Next link with the same incarnation, met earlier. */
    @Nullable Link nextOfIncarnation;

    private long heardNanos;
    private long sentNanos;
    private long confirmedNanos;

    // Counters.
    private long sentFrames;
    private long sentBytes;
    private long receivedFrames;
    private long receivedBytes;

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

    /** Returns the version that both ends use in the session, the same on all its connections; 0 before the first. */
    public int version() {
        return version;
    }

    /** Returns whether there is or was a session. */
    public boolean wasOpened() {
        return wasOpened;
    }

    public boolean isConnected() {
        return connection != null;
    }

    /** Returns the time at which something has last arrived from it. */
    public long heardNanos() {
        return heardNanos;
    }

    /** Returns the time at which something was last sent to it. */
    public long sentNanos() {
        return sentNanos;
    }

    /** Returns the time of the last acknowledgement sent to it. */
    public long confirmedNanos() {
        return confirmedNanos;
    }

    /** Returns whether frames have arrived that were not acknowledged to the other side. */
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

    /** Returns the frames that were sent in the session and are not acknowledged. */
    RetainedFrames retained() {
        return retained;
    }

    long unconfirmedCost() {
        return unconfirmedCost;
    }

    /** Returns whether {@code theirs} is outdated: the other side has acknowledged more of this session since. */
    boolean hasOutrun(SessionState theirs) {
        return isOpen && theirs.isOpen() && theirs.epoch() == epoch && theirs.received() < retained.first();
    }

    // ------------------------------------------------------------------ session

    void open(long newEpoch, int agreedVersion, long nowNanos) {
        epoch = newEpoch;
        version = agreedVersion;
        isOpen = true;
        wasOpened = true;
        received = 0;
        retained.reset();
        unconfirmed = 0;
        unconfirmedCost = 0;
        heardNanos = nowNanos;
        sentNanos = nowNanos;
    }

    /** Ends the session; its memory is released. */
    void close() {
        isOpen = false;
        retained.reset();
        received = 0;
        unconfirmed = 0;
        unconfirmedCost = 0;
        resumption.reset();
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
        sentFrames++;
        sentBytes += frame.length();
    }

    /** Returns all retained frames, for the caller to slice and to send on a new connection. */
    Iterable<Packet> resend(boolean isAgain) {
        if (isAgain) {
            resumption.onResent(retained.size());
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

    /** Notes that {@link #received} is about to be sent to the other side. */
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

    void report(Report report, long nowNanos) {
        report.put("address", node.address());
        report.put("incarnation", node.incarnation());
        report.put("state", isOpen ? connection == null ? "resuming" : "open" : "closed");
        LinkConnection carrier = connection;
        report.put("connection", carrier == null ? -1 : carrier.number);
        report.put("relay", carrier == null ? "" : carrier.relay);
        report.put("epoch", epoch);
        report.put("version", version);
        report.put("silent-millis", Math.max(0, nowNanos - heardNanos) / 1_000_000);
        report.put("sent-frames", sentFrames);
        report.put("sent-bytes", sentBytes);
        report.put("received-frames", receivedFrames);
        report.put("received-bytes", receivedBytes);
        report.put("retained-frames", retained.size());
        report.put("retained-bytes", retained.cost());
        resumption.report(report);
    }

    @Override
    public String toString() {
        return node + (isOpen ? ", open" : ", closed");
    }
}
