package dev.tutti.protocols.datagram;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.Credentials;
import dev.tutti.core.driver.DatagramEffects;
import dev.tutti.core.driver.DatagramMachine;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.datagram.watch.Watches;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node on datagrams: gives a {@link HostedMachine} the connections that it expects.
 *
 * <p>An application that gives input to the hosted machine itself has it processed within the same turn: draining this
 * node drains the machine too.
 */
public final class DatagramNode implements DatagramMachine {

    private static final long NEVER = Long.MAX_VALUE;

    private final HostedMachine node;
    private final DatagramLimits limits;
    private final Memory memory;
    private final Datagrams seals;
    private final FlowOwner owner = new FlowOwner();
    private final NodeEffects nodeEffects = new NodeEffects();
    private final MulticastQueue multicast;

    private final DatagramConnections connections;
    private final ReceiveShare share;
    private final Replies replies;
    private final Handshakes handshakes;
    private final Openings openings;
    private final PendingResolutions resolutions = new PendingResolutions();
    private final Watches watches = new Watches();
    private final ArrayDeque<DatagramConnection> dirty = new ArrayDeque<>();
    private final List<DatagramConnection> overflown = new ArrayList<>();

    private @Nullable Runnable quietListener;
    private long nowNanos;
    private long deadlineNanos = NEVER;

    // Counters.
    private long receivedDatagrams;
    private final Strangers strangers = new Strangers();
    private long receivedMulticasts;
    private long resetsReceived;
    private final DatagramDrops drops = new DatagramDrops();

    public DatagramNode(HostedMachine node, DatagramLimits limits, DatagramSecrets secrets, Memory memory) {
        this.node = node;
        this.limits = limits;
        this.seals = new Datagrams(limits.isSummed());
        this.memory = memory;
        Keys keys = new Keys(secrets.keyLow(), secrets.keyHigh());
        this.connections = new DatagramConnections(keys);
        this.handshakes = new Handshakes(owner, node, connections, limits.connectNanos());
        this.share = new ReceiveShare(connections, limits.receiveBufferBytes());
        this.replies = new Replies(seals, memory);
        this.openings = new Openings(owner, node, connections, handshakes, keys, replies, limits, drops);
        this.multicast = new MulticastQueue(limits, seals, secrets);
        if (limits.isMulticast()) {
            node.useMulticast(multicast);
        }
    }

    // ------------------------------------------------------------------ inputs

    @Override
    public void onStart(long now) {
        nowNanos = now;
        replies.onStart(now);
        share.onStart(now);
        node.onStart(now);
    }

    @Override
    public void onTimer(long now) {
        nowNanos = now;
        if (deadlineNanos <= now) {
            for (int slot = 0; slot < connections.slots(); slot++) {
                DatagramConnection flow = connections.at(slot);
                if (flow != null && flow.deadlineNanos() <= now) {
                    onTimer(flow);
                }
            }
            deadlineNanos = NEVER;
            for (int slot = 0; slot < connections.slots(); slot++) {
                DatagramConnection flow = connections.at(slot);
                if (flow != null && !flow.isDirty) {
                    deadlineNanos = Math.min(deadlineNanos, flow.deadlineNanos());
                }
            }
        }
        if (node.nextDeadline() <= now) {
            node.onTimer(now);
        }
    }

    private void onTimer(DatagramConnection flow) {
        if (flow.state == DatagramConnection.State.OPENING || flow.state == DatagramConnection.State.SECURING) {
            if (flow.state == DatagramConnection.State.OPENING && flow.opening.isRefused(nowNanos)) {
                watches.countRefusal();
                handshakes.fail(flow, DialFailure.REFUSED,
                        "nothing answers at " + flow.endpoint + ", where connections by TCP are refused", nowNanos);
                return;
            }
            if (flow.opening.isTimedOut(nowNanos)) {
                String awaited = flow.state == DatagramConnection.State.OPENING ? "answer" : "end of the TLS handshake";
                handshakes.fail(flow, DialFailure.UNREACHABLE,
                        "no " + awaited + " within " + limits.connectNanos() / 1_000_000 + " ms", nowNanos);
                return;
            }
        } else {
            flow.onTimer(nowNanos);
        }
        touch(flow);
    }

    @Override
    public long nextDeadline() {
        return Math.min(deadlineNanos, node.nextDeadline());
    }

    @Override
    public void onResolved(long now, String address, @Nullable Endpoint endpoint) {
        nowNanos = now;
        for (DatagramConnection flow : resolutions.take(address)) {
            if (flow.state != DatagramConnection.State.OPENING || flow.endpoint != null) {
                continue;
            }
            if (endpoint == null) {
                forget(flow);
                node.onDialFailed(now, flow.number, DialFailure.UNRESOLVED, "the name has no address");
            } else {
                flow.open(endpoint, now);
                doubt(flow, endpoint);
                touch(flow);
            }
        }
    }

    /**
     * Verifies that the process at an endpoint is gone, as links do with a connection that has ended: open connections end, so that
     * the node dials again. If the process lives, it answers, and the session is resumed.
     */
    @Override
    public void onRefused(long now, Endpoint peer) {
        nowNanos = now;
        if (!watches.contains(peer)) {
            return;
        }
        long roundTripNanos = 0;
        for (int slot = 0; slot < connections.slots(); slot++) {
            DatagramConnection flow = connections.at(slot);
            if (flow != null && peer.equals(flow.endpoint) && flow.state != DatagramConnection.State.OPENING) {
                roundTripNanos = Math.max(roundTripNanos, flow.roundTripNanos());
            }
        }
        watches.onRefused(peer, roundTripNanos, now);
        for (int slot = 0; slot < connections.slots(); slot++) {
            DatagramConnection flow = connections.at(slot);
            if (flow == null || !peer.equals(flow.endpoint)) {
                continue;
            }
            if (flow.state == DatagramConnection.State.OPEN) {
                owner.onEnded(flow, false, "connections by TCP with " + peer + " are refused");
            } else if (flow.state == DatagramConnection.State.OPENING) {
                doubt(flow, peer);
                touch(flow);
            }
        }
    }

    /** Lets a dial fail early, as refused, if the process that it is for was reported as gone. */
    private void doubt(DatagramConnection flow, Endpoint endpoint) {
        long waitNanos = watches.doubtNanos(endpoint, nowNanos);
        if (waitNanos > 0) {
            flow.opening.doubt(nowNanos + waitNanos);
        }
    }

    @Override
    public void onDatagram(long now, Endpoint from, Packet datagram) {
        nowNanos = now;
        receivedDatagrams++;
        Datagrams.Seal seal = seals.takeSeal(datagram);
        if (seal == Datagrams.Seal.SEALED) {
            onSealed(from, datagram);
            return;
        } else if (seal == Datagrams.Seal.INTACT) {
            int kind = datagram.takeByte();
            if (limits.isSecure() && (kind == Datagrams.DATA || kind == Datagrams.MULTICAST)) {
                drops.count(DatagramDrops.Reason.OTHER_SECURITY);
                datagram.release();
                return;
            }
            switch (kind) {
                case Datagrams.OPEN -> openings.onOpen(from, datagram, now);
                case Datagrams.COOKIE -> openings.onCookie(from, datagram, now);
                case Datagrams.ACCEPT -> openings.onAccept(from, datagram, now);
                case Datagrams.DATA -> onData(from, datagram);
                case Datagrams.RESET -> onReset(from, datagram);
                case Datagrams.HANDSHAKE -> onHandshake(from, datagram);
                case Datagrams.MULTICAST -> {
                    receivedMulticasts++;
                    if (!node.onMulticast(now, datagram)) {
                        onStranger(from);
                    }
                    return;
                }
                default -> drops.count(DatagramDrops.Reason.MALFORMED);
            }
        } else if (seal == Datagrams.Seal.OTHER) {
            // transport.checksum differs between the two.
            drops.count(DatagramDrops.Reason.OTHER_CHECKSUM);
        } else {
            drops.count(DatagramDrops.Reason.DAMAGED);
        }
        datagram.release();
    }

    /** Takes the sender of a multicast with which there is no session. Of its datagram, nothing is trusted. */
    private void onStranger(Endpoint from) {
        if (strangers.isDue(from, nowNanos)) {
            node.onStranger(nowNanos, from.address());
        }
    }

    /** Takes a datagram that says that it is encrypted. Nothing of it is believed before it was opened. */
    private void onSealed(Endpoint from, Packet datagram) {
        int kind = datagram.takeByte();
        if (!limits.isSecure()) {
            drops.count(DatagramDrops.Reason.OTHER_SECURITY);
        } else if (kind == Datagrams.DATA) {
            onData(from, datagram);
        } else if (kind == Datagrams.MULTICAST) {
            receivedMulticasts++;
            if (!node.onMulticast(nowNanos, datagram)) {
                onStranger(from);
            }
            return;
        } else {
            drops.count(DatagramDrops.Reason.MALFORMED);
        }
        datagram.release();
    }

    private void onData(Endpoint from, Packet datagram) {
        long id = datagram.takeLong();
        if (datagram.isMalformed()) {
            drops.count(DatagramDrops.Reason.MALFORMED);
            return;
        }
        DatagramConnection flow = known(from, id);
        if (flow == null) {
            return;
        }
        if (limits.isSecure() && !flow.isSecured()) {
            // It has overtaken the end of the handshake. It will be sent again.
            drops.count(DatagramDrops.Reason.UNKNOWN_CONNECTION);
            return;
        }
        flow.onDatagram(datagram, nowNanos);
        if (flow.state == DatagramConnection.State.GONE) {
            return;
        }
        if (flow.isFinTaken() && flow.state == DatagramConnection.State.OPEN) {
            owner.onEnded(flow, true, "closed by peer");
        } else if (flow.isDone()) {
            forget(flow);
        } else {
            touch(flow);
        }
    }

    /** Returns the flow that a datagram belongs to; null if there is none, or it can't take the datagram yet. */
    private @Nullable DatagramConnection known(Endpoint from, long id) {
        DatagramConnection flow = connections.find(id);
        if (flow == null) {
            drops.count(DatagramDrops.Reason.UNKNOWN_CONNECTION);
            // This process is another one than its sender means, or has closed the connection.
            replies.reset(from, id, nowNanos);
            return null;
        }
        if (!from.equals(flow.endpoint)) {
            drops.count(DatagramDrops.Reason.WRONG_ENDPOINT);
            return null;
        }
        if (flow.state == DatagramConnection.State.OPENING) {
            // It has overtaken the answer that carries the id to reply to. It will be sent again.
            drops.count(DatagramDrops.Reason.UNKNOWN_CONNECTION);
            return null;
        }
        return flow;
    }

    private void onReset(Endpoint from, Packet datagram) {
        long id = datagram.takeLong();
        DatagramConnection flow = datagram.isMalformed() ? null : connections.ofRemote(from, id);
        if (flow == null) {
            drops.count(DatagramDrops.Reason.UNKNOWN_CONNECTION);
            return;
        }
        resetsReceived++;
        if (flow.state == DatagramConnection.State.SECURING) {
            handshakes.fail(flow, DialFailure.UNREACHABLE, DatagramConnection.UNKNOWN_THERE, nowNanos);
        } else if (limits.isSecure()) {
            flow.doubt(nowNanos);
            touch(flow);
        } else {
            owner.onEnded(flow, false, DatagramConnection.UNKNOWN_THERE);
        }
    }

    // ------------------------------------------------------------------ handshakes

    private void onHandshake(Endpoint from, Packet datagram) {
        long id = datagram.takeLong();
        if (datagram.isMalformed() || !limits.isSecure()) {
            drops.count(DatagramDrops.Reason.MALFORMED);
            return;
        }
        DatagramConnection flow = known(from, id);
        if (flow != null && !handshakes.onDatagram(flow, datagram, nowNanos)) {
            drops.count(DatagramDrops.Reason.MALFORMED);
        }
    }

    @Override
    public void onHandshake(long now, long connection, byte[] bytes) {
        nowNanos = now;
        handshakes.onBytes(connection, bytes, now);
    }

    @Override
    public void onSecured(
            long now, long connection, byte[] sendSecret, byte[] receiveSecret, Credentials credentials) {
        nowNanos = now;
        handshakes.onSecured(connection, sendSecret, receiveSecret, credentials, now);
    }

    @Override
    public void onHandshakeFailed(long now, long connection, String detail) {
        nowNanos = now;
        handshakes.onFailed(connection, detail, now);
    }

    @Override
    public void onDistrusted(long now, long connection, String detail) {
        nowNanos = now;
        DatagramConnection flow = connections.find(connection);
        if (flow != null) {
            owner.onEnded(flow, false, detail);
        }
    }

    // ------------------------------------------------------------------ flows

    private DatagramConnection add(int number, String address) {
        long id = connections.nextId();
        DatagramConnection flow = new DatagramConnection(owner, number, id, address, limits, memory);
        connections.add(flow);
        return flow;
    }

    private void forget(DatagramConnection flow) {
        if (limits.isSecure()) {
            handshakes.onForgotten(flow);
        }
        connections.remove(flow);
        Endpoint endpoint = flow.endpoint;
        if (endpoint != null && flow.isWatched && !connections.hasWatched(endpoint)) {
            watches.end(endpoint);
        }
        flow.release();
    }

    private void touch(DatagramConnection flow) {
        if (!flow.isDirty) {
            flow.isDirty = true;
            dirty.add(flow);
        }
    }

    private final class FlowOwner implements DatagramConnection.Owner, Handshakes.Owner, Openings.Owner {

        @Override
        public DatagramConnection add(int number, String address) {
            return DatagramNode.this.add(number, address);
        }

        @Override
        public void touch(DatagramConnection flow) {
            DatagramNode.this.touch(flow);
        }

        @Override
        public void forget(DatagramConnection flow) {
            DatagramNode.this.forget(flow);
        }

        @Override
        public void flush(DatagramConnection flow) {
            flow.flush(replies.ofEnded(), nowNanos);
        }

        @Override
        public void onFrame(DatagramConnection flow, Packet frame) {
            node.onFrame(nowNanos, flow.number, frame);
        }

        @Override
        public void onEnded(DatagramConnection flow, boolean isOrderly, String detail) {
            boolean isNews = flow.state == DatagramConnection.State.OPEN;
            if (isOrderly) {
                // The end is acknowledged at once, since the flow is forgotten.
                flow.acknowledge(replies.ofEnded(), nowNanos);
            }
            forget(flow);
            if (isNews) {
                node.onDisconnected(nowNanos, flow.number, isOrderly, detail);
            }
        }

        @Override
        public void onConfirmed(DatagramConnection flow) {
            node.onCredentials(nowNanos, flow.number, flow.credentials);
            node.onConnected(nowNanos, flow.number);
        }

        @Override
        public void onForged() {
            drops.count(DatagramDrops.Reason.FORGED);
        }

        @Override
        public int allowanceBytes() {
            return share.bytes(nowNanos);
        }

        @Override
        public Datagrams seals() {
            return seals;
        }
    }

    // ------------------------------------------------------------------ effects

    @Override
    public void drain(DatagramEffects effects) {
        nowNanos = Math.max(nowNanos, node.nowNanos());
        node.drain(nodeEffects);
        while (!overflown.isEmpty()) {
            // The node must not be called from its own effects, so it hears of these closes and reacts to them here.
            for (DatagramConnection flow : List.copyOf(overflown)) {
                if (flow.state == DatagramConnection.State.OPEN) {
                    owner.onEnded(flow, false, "more than " + limits.sendBytesMax() + " bytes wait to be sent");
                }
            }
            overflown.clear();
            node.drain(nodeEffects);
        }
        resolutions.drain(effects);
        handshakes.drain(effects);
        multicast.drain(effects);
        replies.drain(effects);
        DatagramConnection flow = dirty.poll();
        while (flow != null) {
            flow.isDirty = false;
            flush(flow, effects);
            flow = dirty.poll();
        }
        watches.drain(effects);
        Runnable listener = quietListener;
        if (listener != null && isQuiet()) {
            quietListener = null;
            listener.run();
        }
    }

    private void flush(DatagramConnection flow, DatagramEffects effects) {
        Endpoint endpoint = flow.endpoint;
        if (endpoint != null && flow.isOpenDue(nowNanos)) {
            Packet open = openings.open(flow, nowNanos);
            seals.seal(open);
            effects.send(endpoint, open);
        }
        if (endpoint != null && !flow.isWatched && flow.state == DatagramConnection.State.OPEN) {
            flow.isWatched = true;
            watches.begin(endpoint);
        }
        flow.flush(effects, nowNanos);
        if (flow.isDone()) {
            forget(flow);
        }
        deadlineNanos = Math.min(deadlineNanos, flow.deadlineNanos());
    }

    /** Effects of the hosted machine on its connections. */
    private final class NodeEffects implements Effects {

        @Override
        public void dial(int connection, String address) {
            DatagramConnection flow = add(connection, address);
            flow.opening.limit(nowNanos + limits.connectNanos());
            resolutions.add(flow);
            touch(flow);
        }

        @Override
        public void write(int connection, Packet frame) {
            DatagramConnection flow = connections.ofNumber(connection);
            if (flow == null || flow.state != DatagramConnection.State.OPEN) {
                frame.release();
                return;
            }
            if (flow.keptBytes() + frame.length() > limits.sendBytesMax()) {
                frame.release();
                overflown.add(flow);
                return;
            }
            flow.write(frame);
            touch(flow);
        }

        @Override
        public void close(int connection, String reason) {
            DatagramConnection flow = connections.ofNumber(connection);
            if (flow == null) {
                return;
            }
            if (flow.state == DatagramConnection.State.OPENING || flow.state == DatagramConnection.State.SECURING) {
                forget(flow);
            } else if (flow.state == DatagramConnection.State.OPEN) {
                flow.close(nowNanos);
                touch(flow);
            }
        }
    }

    // ------------------------------------------------------------------ for the driver's owner

    /** Calls {@code listener} at the end of the first drain at which {@link #isQuiet}. */
    public void whenQuiet(Runnable listener) {
        quietListener = listener;
    }

    /** Returns whether everything written has arrived, so that a stopped node may be closed. */
    public boolean isQuiet() {
        for (int slot = 0; slot < connections.slots(); slot++) {
            DatagramConnection flow = connections.at(slot);
            if (flow != null && !flow.isQuiet()) {
                return false;
            }
        }
        return true;
    }

    /** Writes state and counters: a section {@code datagrams} with one section per connection. */
    public void report(Report report) {
        Report section = report.section("datagrams");
        section.put("received-datagrams", receivedDatagrams);
        section.put("received-multicasts", receivedMulticasts);
        section.put("sent-multicasts", multicast.sent());
        section.put("strangers", strangers.told());
        section.put("connections", connections.count());
        section.put("active-senders", share.senders());
        drops.report(section);
        openings.report(section);
        replies.reportResets(section);
        section.put("resets-received", resetsReceived);
        section.put("answers-dropped", replies.dropped());
        watches.report(section);
        for (int slot = 0; slot < connections.slots(); slot++) {
            DatagramConnection flow = connections.at(slot);
            if (flow != null) {
                flow.report(section.section("connection-" + flow.number));
            }
        }
    }
}
