package dev.tutti.protocols.link;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.Credentials;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.stack.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The links of a node, one per other node that it has met, and the connections below them.
 *
 * <p>Either side may dial, and no side refuses because it is dialling itself. When two dials cross, each side accepts
 * the other's, and then the one of the lower node takes over (docs/design/links.md has all interleavings). Both sides
 * redial a broken connection at once: that resumes the session, or shows that the other process is gone.
 */
public final class Links {

    /**
     * @param resendBytesMax that a link retains; its session is closed at the limit
     * @param handshakeNanos time-out of a handshake
     * @param handshakesMax accepted connections before their HELLO
     */
    public record Limits(long resendBytesMax, long handshakeNanos, int handshakesMax) {}

    public static final long NEVER = Long.MAX_VALUE;

    /** Received bytes after which an acknowledgement is sent at once, so that the sender can release them. */
    static final int ACK_BYTES = 256 * 1024;

    /** Lower bound of that with very many links. */
    static final int ACK_BYTES_MIN = 256;

    /** Links up to which {@link #ACK_BYTES} holds; with more it shrinks, so that all links of all nodes keep no more. */
    static final int LINKS_USUAL = 32;

    private static final long MILLISECOND = 1_000_000;
    private static final long RESUME_HANDSHAKE_NANOS = 1_000 * MILLISECOND;

    private final NodeId self;
    private final String cluster;
    private final Versions versions;
    private final Limits limits;
    private final Memory memory;
    private final Effects effects;
    private final LinkOwner owner;
    private final Handshake handshake;

    private final LinkTable table;

    /** Links whose session is open. */
    private final List<Link> open = new ArrayList<>();

    private final Connections connections;
    private final Redials redials;

    /** Addresses that are being dialled to check a {@link Claim}. */
    private final TreeSet<String> claims = new TreeSet<>();

    private long strayFrames;
    private long unknownFrames;
    private long ackBytes = ACK_BYTES;
    private long nowNanos;

    public Links(
            NodeId self, String cluster, Versions versions, Limits limits, Memory memory, Effects effects, LinkOwner owner) {
        this.self = self;
        this.cluster = cluster;
        this.versions = versions;
        this.table = new LinkTable(self);
        this.limits = limits;
        this.memory = memory;
        this.effects = effects;
        this.owner = owner;
        this.connections = new Connections(effects);
        this.redials = new Redials(connections);
        this.handshake = new Handshake(self, cluster, versions, this, memory, effects, owner);
    }

    /** Returns all known links, in the order in which the nodes were met. Sessions may be closed. */
    public Iterable<Link> all() {
        return table.all();
    }

    /** Returns the links with an open session, oldest session first. None may be closed in an iteration. */
    public Iterable<Link> open() {
        return open;
    }

    public @Nullable Link link(NodeId node) {
        return table.link(node);
    }

    /** Returns whether there is or was a session with a node. */
    public boolean hasMet(NodeId node) {
        Link link = link(node);
        return link != null && link.wasOpened();
    }

    @Nullable LinkConnection connection(int number) {
        return connections.get(number);
    }

    long nowNanos() {
        return nowNanos;
    }

    public void beginTurn(long now) {
        nowNanos = now;
    }

    /** Returns the time at which {@link #onTimer} may have something to do. */
    public long nextDeadline() {
        return Math.min(connections.nextDeadline(), redials.nextDeadline());
    }

    // ------------------------------------------------------------------ sending

    /** Sends a numbered frame, now or when the session resumes. Ownership of the packet passes to the link. */
    public void send(Link link, Packet frame) {
        if (!link.isOpen()) {
            strayFrames++;
            frame.release();
            return;
        }
        if (link.retained().cost() + Frames.cost(frame.length()) > limits.resendBytesMax()) {
            frame.release();
            close(link, false, "more than link.resend-buffer (" + limits.resendBytesMax()
                    + " bytes) is sent and not acknowledged");
            return;
        }
        LinkConnection connection = link.connection;
        if (connection == null) {
            link.retain(frame);
        } else {
            link.retain(frame.slice());
            link.sent(nowNanos);
            effects.write(connection.number, frame);
        }
    }

    /** Creates an empty heartbeat for the caller to append to and to pass to {@link #sendHeartbeat}. */
    public Packet heartbeat(Link link, int bytes) {
        link.confirm(nowNanos);
        return Frames.create(memory, Frames.HEARTBEAT, 8 + bytes).appendLong(link.received());
    }

    public void sendHeartbeat(Link link, Packet heartbeat) {
        write(link, heartbeat);
    }

    private void sendAck(Link link) {
        link.confirm(nowNanos);
        write(link, Frames.create(memory, Frames.LINK_ACK, 8).appendLong(link.received()));
    }

    private void write(Link link, Packet frame) {
        LinkConnection connection = link.connection;
        if (connection == null) {
            frame.release();
            return;
        }
        link.sent(nowNanos);
        effects.write(connection.number, frame);
    }

    /** Says goodbye: the session ends gracefully at both sides. */
    public void leave(Link link, String reason) {
        if (link.isOpen()) {
            send(link, Packet.create(memory, 5 + reason.length() * 3).appendByte(Frames.GOODBYE).appendText(reason));
            close(link, true, reason);
        }
    }

    /** Ends a session; the other side learns it when it dials again. */
    public void close(Link link, boolean isGraceful, String reason) {
        if (!link.isOpen()) {
            return;
        }
        link.close();
        open.remove(link);
        shareAcks();
        LinkConnection connection = link.connection;
        if (connection != null) {
            detach(link);
            end(connection, reason);
        }
        LinkConnection dialed = link.resumption.take();
        if (dialed != null) {
            end(dialed, reason);
        }
        owner.onClosed(link, isGraceful, reason);
    }

    /** Ends all connections. Sessions have to be left before. */
    public void stop() {
        for (LinkConnection connection : connections.handshakes()) {
            end(connection, "node stopped");
        }
        for (Link link : table.all()) {
            close(link, true, "node stopped");
        }
    }

    // ------------------------------------------------------------------ connections

    /**
     * Dials for discovery; {@link LinkOwner#onAnswered} follows.
     *
     * @param expected node that was last found there; null if not known
     */
    public void dial(String address, @Nullable NodeId expected) {
        connections.dial(address, expected, null);
    }

    public int onAccepted(String remote) {
        LinkConnection connection = connections.accept(remote);
        if (connections.accepted() > limits.handshakesMax()) {
            LinkConnection oldest = connections.oldestAccepted();
            if (oldest != null) {
                handshake.refuse(oldest, Refusal.OVERLOAD, Hello.NONE,
                        "more than link.handshakes-max (" + limits.handshakesMax()
                                + ") connections have not said who they are");
            }
        }
        setDeadline(connection);
        return connection.number;
    }

    /** Takes the credentials by which the other end of a connection has authenticated. */
    public void onCredentials(int number, Credentials credentials) {
        LinkConnection connection = connections.get(number);
        if (connection != null) {
            connection.credentials = credentials;
        }
    }

    /** Notes that a connection passes through a server. */
    public void onRelayed(int number, String server) {
        LinkConnection connection = connections.get(number);
        if (connection != null) {
            connection.relay = server;
        }
    }

    /** Returns the exchange in which nodes decide about each other. */
    public Admission admission() {
        return handshake.admission();
    }

    public void onConnected(int number) {
        LinkConnection connection = connections.get(number);
        if (connection == null) {
            return;
        }
        connection.isConnected = true;
        sayHello(connection);
        setDeadline(connection);
    }

    /** Sends HELLO with the present state of the session, on a connection that this node has dialled. */
    void sayHello(LinkConnection connection) {
        Link link = connection.expected == null ? null : link(connection.expected);
        SessionState state = link == null ? SessionState.NONE : link.state();
        int gone = link == null ? Hello.NONE : goneFor(connection, link);
        long expected = connection.expected == null ? 0 : connection.expected.incarnation();
        int admission = admission().isRequired() ? Hello.EXCHANGE_REQUIRED : Hello.EXCHANGE_KNOWN;
        Hello hello = new Hello(versions, cluster, self, connection.number, expected, state, gone, admission);
        effects.write(connection.number, hello.encode(memory));
    }

    private static int goneFor(LinkConnection connection, Link link) {
        LinkConnection present = link.connection;
        if (present == null || connection.resuming != link) {
            return link.gone;
        }
        connection.replaces = present.number;
        return present.number;
    }

    void setDeadline(LinkConnection connection) {
        long handshakeNanos = limits.handshakeNanos();
        if (connection.resuming != null || connection.claim != null) {
            // A session or a newcomer waits for this: better to try twice than to wait until it is given up.
            handshakeNanos = Math.min(handshakeNanos, RESUME_HANDSHAKE_NANOS);
        }
        connections.setDeadline(connection, nowNanos + handshakeNanos);
    }

    public void onDialFailed(int number, DialFailure failure, String detail) {
        LinkConnection connection = connections.remove(number);
        if (connection == null) {
            return;
        }
        Link link = connection.resuming;
        if (link != null && connection.isDirect) {
            link.resumption.onDirectFailed(detail);
            missed(connection, DialAnswer.FAILED, null);
            return;
        }
        owner.onDialFailed(connection.address, failure, detail);
        if (link == null) {
            answered(connection, DialAnswer.FAILED, null);
            return;
        }
        link.resumption.take();
        if (failure == DialFailure.REFUSED && !link.resumption.wasRelayed()) {
            // The connection ended without a goodbye, or is silent, and nobody listens: two witnesses of one crash. Where a server
            // stood in between, it may have ended the connection, and what refuses may be another machine with the same address.
            owner.onGone(link);
            close(link, false, "its process is gone: " + link.node().address() + " refuses connections");
        } else {
            redials.later(link, nowNanos);
        }
    }

    public void onDisconnected(int number, boolean isOrderly, String detail) {
        LinkConnection connection = connections.remove(number);
        if (connection == null) {
            return;
        }
        Link link = connection.link;
        if (link != null) {
            broken(link);
        } else if (connection.isDialed) {
            noHandshake(connection, detail);
            missed(connection, DialAnswer.FAILED, null);
        } else if (!isOrderly) {
            handshake.stranger(connection, detail);
        }
    }

    /**
     * Checks a node whose process is said to be gone: it is dialled again, as if the connection had ended. The session
     * continues over the new one or ends at once, instead of only after the usual time of silence.
     */
    public void lookAfter(NodeId node, String reason) {
        Link link = link(node);
        if (link == null || !link.isOpen()) {
            return;
        }
        if (link.connection != null) {
            end(link.connection, reason);
            broken(link);
        } else {
            redials.redial(link);
        }
    }

    /**
     * Dials a node beside its connection because nothing is heard of it for longer than it is ever silent. TCP doubles
     * its time-out with each retransmission (RFC 6298), and so may stay silent for as long again as the network did. A
     * new connection does not, and replaces the old one if it is answered. The caller repeats this while the silence
     * lasts, since each attempt is short.
     */
    public void onSilent(Link link) {
        redials.beside(link, nowNanos);
    }

    /** Redials after the session has lost its connection, which shows whether the other side is still there. */
    private void broken(Link link) {
        detach(link);
        redials.restart(link);
    }

    /**
     * Takes the end of a dial that was not meant to resume a session.
     *
     * @param node that is there; null if none was found
     */
    void answered(LinkConnection connection, DialAnswer answer, @Nullable NodeId node) {
        Claim claim = connection.claim;
        if (claim == null) {
            owner.onAnswered(connection.address, answer, node);
            return;
        }
        connection.claim = null;
        claims.remove(connection.address);
        LinkConnection newcomer = claim.newcomer();
        if (connections.get(newcomer.number) == newcomer && newcomer.link == null) {
            handshake.onClaimChecked(claim, node, connection.credentials.key());
        }
    }

    /** Dials a newcomer's address to see which node is there. Returns false if another claim is already checking it. */
    boolean check(Claim claim) {
        String address = claim.hello().node().address();
        if (!claims.add(address)) {
            return false;
        }
        connections.dial(address, null, null).claim = claim;
        return true;
    }

    /** Takes the end of a dialled connection that never carried a session. */
    void missed(LinkConnection connection, DialAnswer answer, @Nullable NodeId node) {
        Link link = connection.resuming;
        if (link == null) {
            answered(connection, answer, node);
            return;
        }
        if (link.resumption.isBy(connection)) {
            link.resumption.take();
            redials.missed(link, answer == DialAnswer.AGAIN, nowNanos);
        }
    }

    void detach(Link link) {
        LinkConnection connection = link.connection;
        if (connection != null) {
            connection.link = null;
            link.gone = connection.number;
            link.connection = null;
        }
    }

    void end(LinkConnection connection, String reason) {
        connections.close(connection, reason);
    }

    public void onTimer() {
        if (nowNanos < nextDeadline()) {
            return;
        }
        for (LinkConnection connection : connections.handshakes()) {
            if (connection.deadlineNanos <= nowNanos && connections.isInHandshake(connection)) {
                expire(connection);
            }
        }
        redials.onTimer(List.copyOf(table.all()), nowNanos);
        connections.updateDeadline();
        redials.updateDeadline(table.all());
    }

    private void noHandshake(LinkConnection connection, String detail) {
        Link link = connection.resuming;
        if (link != null && connection.isDirect) {
            link.resumption.onDirectFailed(detail);
        } else {
            owner.onNoHandshake(connection.address, detail);
        }
    }

    private void expire(LinkConnection connection) {
        if (connection.isDialed) {
            end(connection, "not answered in time");
            noHandshake(connection, "no answer to the handshake in time");
            missed(connection, DialAnswer.FAILED, null);
        } else {
            handshake.refuse(connection, Refusal.OVERLOAD, Hello.NONE,
                    "silent for link.handshake-timeout (" + limits.handshakeNanos() / MILLISECOND + " ms)");
        }
    }

    // ------------------------------------------------------------------ frames

    public void onFrame(int number, Packet frame) {
        LinkConnection connection = connections.get(number);
        if (connection == null) {
            strayFrames++;
            frame.release();
            return;
        }
        Link link = connection.link;
        if (link == null) {
            handshake.onFrame(connection, frame);
            return;
        }
        int length = frame.length();
        int type = frame.takeByte();
        link.heard(nowNanos);
        link.count(length, type >= Frames.NUMBERED_MIN);
        if (link.unconfirmedCost() >= ackBytes) {
            sendAck(link);
        }
        if (type > Frames.GOODBYE) {
            owner.onFrame(link, type, frame);
        } else {
            onLinkFrame(link, type, frame);
            frame.release();
        }
    }

    private void onLinkFrame(Link link, int type, Packet frame) {
        switch (type) {
            case Frames.GOODBYE -> {
                String reason = frame.takeText();
                close(link, true, frame.isMalformed() ? "goodbye" : reason);
            }
            case Frames.LINK_ACK -> onAck(link, frame);
            case Frames.HEARTBEAT -> {
                if (onAck(link, frame)) {
                    owner.onHeartbeat(link, frame);
                }
            }
            default -> unknownFrames++;
        }
    }

    private boolean onAck(Link link, Packet frame) {
        long number = frame.takeLong();
        if (frame.isMalformed() || number > link.retained().next()) {
            close(link, false, "it acknowledges frame " + number + " of " + link.retained().next());
            return false;
        }
        link.retained().acknowledge(number);
        return true;
    }

    /** Counts and releases a numbered frame of a type that this version does not know. */
    public void unknown(Packet frame) {
        unknownFrames++;
        frame.release();
    }

    // ------------------------------------------------------------------ links

    void open(Link link, long epoch, int version) {
        boolean isFirst = !link.wasOpened();
        if (!link.isOpen()) {
            open.add(link);
        }
        link.open(epoch, version, nowNanos);
        shareAcks();
        owner.onOpened(link, isFirst);
    }

    /** Adapts {@link #ackBytes} to the number of open sessions. Links without a session do not count. */
    private void shareAcks() {
        long many = Math.max(LINKS_USUAL, open.size());
        ackBytes = Math.max(ACK_BYTES_MIN, ACK_BYTES * (long) LINKS_USUAL * LINKS_USUAL / (many * many));
    }

    long epochAfter(long epoch) {
        return epoch + 1;
    }

    void attach(Link link, LinkConnection connection, long from, boolean isResumed) {
        connections.onSession(connection);
        if (link.resumption.isBy(connection)) {
            link.resumption.take();
        }
        LinkConnection obsolete = link.resumption.dialed();
        if (obsolete != null && !obsolete.isConnected) {
            // It has not sent HELLO: the other side does not count on it.
            link.resumption.take();
            end(obsolete, "the other side was quicker");
        }
        redials.onAttached(link, connection, nowNanos);
        link.connection = connection;
        link.key = connection.credentials.key();
        connection.link = link;
        link.heard(nowNanos);
        link.retained().acknowledge(from);
        link.confirm(nowNanos);
        for (Packet frame : link.resend(isResumed)) {
            link.sent(nowNanos);
            effects.write(connection.number, frame.slice());
        }
        if (isResumed) {
            link.resumption.onResumed();
            owner.onResumed(link);
        }
    }

    LinkTable table() {
        return table;
    }

    /** Closes the sessions with other nodes at the same address, where there is one process at a time. */
    void closeOlder(NodeId node) {
        for (Link link = table.at(node.address()); link != null; link = link.nextThere) {
            if (!link.node().equals(node)) {
                close(link, false, "another process is at " + node.address());
            }
        }
    }

    // ------------------------------------------------------------------ report

    public void report(Report report) {
        report.put("handshakes", connections.handshakeCount());
        report.put("stray-frames", strayFrames);
        report.put("unknown-frames", unknownFrames);
        handshake.report(report);
        for (Link link : table.all()) {
            link.report(report.section(link.node().name()), nowNanos);
        }
    }
}
