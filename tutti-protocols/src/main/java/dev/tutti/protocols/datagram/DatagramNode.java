package dev.tutti.protocols.datagram;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.DatagramEffects;
import dev.tutti.core.driver.DatagramMachine;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Report;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node on datagrams: gives a {@link HostedMachine} the connections that it expects.
 *
 * <p>An application that gives input to the hosted machine itself has it processed within the same turn: draining this
 * node drains the machine too.
 */
public final class DatagramNode implements DatagramMachine {

    /**
     * @param datagramBytesMax the largest datagram, without the headers of IP and UDP
     * @param receiveBufferBytes size of the socket's receive buffer, from which the loop reads
     * @param isMulticast whether the driver reaches all nodes with one datagram
     * @param isSummed whether datagrams carry a checksum, the same at all nodes
     * @param connectNanos time-out of a dial, and half of the time for which nothing may be acknowledged
     * @param connectionsMax connections at a time; further ones are not opened
     * @param windowBytes bytes that one connection may receive out of order
     * @param sendBytesMax bytes that may wait on one connection; it is closed beyond
     */
    public record Limits(
            int datagramBytesMax,
            int receiveBufferBytes,
            boolean isMulticast,
            boolean isSummed,
            long connectNanos,
            int connectionsMax,
            long windowBytes,
            long sendBytesMax) {

        /**
         * @param settings with {@link TransportSettings}
         */
        public static Limits of(Settings settings, int datagramBytesMax, int receiveBufferBytes, boolean isMulticast) {
            return new Limits(
                    Math.min(datagramBytesMax, Packet.DATAGRAM_MAX),
                    receiveBufferBytes,
                    isMulticast,
                    true,
                    settings.get(TransportSettings.CONNECT_TIMEOUT).toNanos(),
                    settings.get(TransportSettings.CONNECTIONS_MAX),
                    settings.get(TransportSettings.DATAGRAM_WINDOW).bytes(),
                    settings.get(TransportSettings.WRITE_BUFFER_MAX).bytes());
        }

        /** Returns the same limits without checksums, for networks that never alter a datagram. */
        public Limits withoutChecksums() {
            return new Limits(
                    datagramBytesMax, receiveBufferBytes, isMulticast, false, connectNanos, connectionsMax, windowBytes,
                    sendBytesMax);
        }

        /** Returns the payload of a packet that fills a datagram, of which several fit into the receive buffer. */
        public int payloadBytesMax() {
            int datagramBytes = isMulticast
                    ? Math.min(datagramBytesMax, Math.max(DATAGRAM_BYTES_MIN, receiveBufferBytes / BUFFER_DATAGRAMS))
                    : datagramBytesMax;
            return datagramBytes - OVERHEAD_BYTES;
        }

        public Limits {
            if (datagramBytesMax < DATAGRAM_BYTES_MIN || Packet.DATAGRAM_MAX < datagramBytesMax) {
                throw new IllegalArgumentException("datagrams of " + datagramBytesMax + " bytes: " + DATAGRAM_BYTES_MIN
                        + " to " + Packet.DATAGRAM_MAX);
            }
        }
    }

    /** Smallest datagram that every path takes (IPv6, and most of IPv4). */
    public static final int DATAGRAM_BYTES_MIN = 1_200;

    /** Headers of datagrams, connections, groups and their layers, and of a short acknowledgement. */
    private static final int OVERHEAD_BYTES = 192;

    /** Datagrams of a multicast sender that the receive buffer has to hold. */
    private static final int BUFFER_DATAGRAMS = 16;

    private static final long NEVER = Long.MAX_VALUE;

    /** Bytes of an OPEN without checksum and kind. The answer to a shorter one would be longer than it. */
    private static final int OPEN_BODY_BYTES = Datagrams.OPEN_BYTES - Datagrams.CHECKSUM_BYTES - 1;

    private final HostedMachine node;
    private final Limits limits;
    private final Keys keys;
    private final Memory memory;
    private final Datagrams seals;
    private final FlowOwner owner = new FlowOwner();
    private final NodeEffects nodeEffects = new NodeEffects();
    private final ToAll multicast = new ToAll();
    private final ArrayDeque<Packet> toAll = new ArrayDeque<>();

    private final DatagramConnections connections;
    private final ReceiveShare share;
    private final Replies replies;
    private final LinkedHashMap<String, List<DatagramConnection>> resolving = new LinkedHashMap<>();
    private final List<String> toResolve = new ArrayList<>();
    private final ArrayDeque<DatagramConnection> dirty = new ArrayDeque<>();
    private final List<DatagramConnection> overflown = new ArrayList<>();

    private @Nullable Runnable quietListener;
    private long nowNanos;
    private long deadlineNanos = NEVER;

    // Counters.
    private long receivedDatagrams;
    private long receivedMulticasts;
    private long sentMulticasts;
    private long damaged;
    private long otherChecksums;
    private long malformed;
    private long unknown;
    private long wrongEndpoint;
    private long badCookies;
    private long cookiesSent;
    private long resetsReceived;
    private long overload;

    /**
     * @param keyLow half of a key that nobody can guess
     * @param keyHigh the other half
     */
    public DatagramNode(HostedMachine node, Limits limits, long keyLow, long keyHigh, Memory memory) {
        this.node = node;
        this.limits = limits;
        this.seals = new Datagrams(limits.isSummed());
        this.keys = new Keys(keyLow, keyHigh);
        this.memory = memory;
        this.connections = new DatagramConnections(keys);
        this.share = new ReceiveShare(connections, limits.receiveBufferBytes());
        this.replies = new Replies(seals, memory);
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
        if (flow.state == DatagramConnection.State.OPENING) {
            if (flow.connectBeforeNanos <= nowNanos) {
                forget(flow);
                node.onDialFailed(nowNanos, flow.number, DialFailure.UNREACHABLE,
                        "no answer within " + limits.connectNanos() / 1_000_000 + " ms");
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
        List<DatagramConnection> waiting = resolving.remove(address);
        if (waiting == null) {
            return;
        }
        for (DatagramConnection flow : waiting) {
            if (flow.state != DatagramConnection.State.OPENING || flow.endpoint != null) {
                continue;
            }
            if (endpoint == null) {
                forget(flow);
                node.onDialFailed(now, flow.number, DialFailure.UNRESOLVED, "the name has no address");
            } else {
                flow.open(endpoint, now);
                touch(flow);
            }
        }
    }

    @Override
    public void onDatagram(long now, Endpoint from, Packet datagram) {
        nowNanos = now;
        receivedDatagrams++;
        Datagrams.Seal seal = seals.takeSeal(datagram);
        if (seal == Datagrams.Seal.INTACT) {
            int kind = datagram.takeByte();
            switch (kind) {
                case Datagrams.OPEN -> onOpen(from, datagram);
                case Datagrams.COOKIE -> onCookie(from, datagram);
                case Datagrams.ACCEPT -> onAccept(from, datagram);
                case Datagrams.DATA -> onData(from, datagram);
                case Datagrams.RESET -> onReset(from, datagram);
                case Datagrams.MULTICAST -> {
                    receivedMulticasts++;
                    node.onMulticast(now, datagram);
                    return;
                }
                default -> malformed++;
            }
        } else if (seal == Datagrams.Seal.OTHER) {
            // transport.checksum differs between the two.
            otherChecksums++;
        } else {
            damaged++;
        }
        datagram.release();
    }

    private void onOpen(Endpoint from, Packet datagram) {
        int length = datagram.length();
        int magic = datagram.takeInt();
        long id = datagram.takeLong();
        long cookie = datagram.takeLong();
        int datagramBytesMax = datagram.takeInt();
        if (datagram.isMalformed() || magic != Datagrams.MAGIC || length < OPEN_BODY_BYTES) {
            malformed++;
            return;
        }
        if (!keys.isCookie(cookie, from, id, nowNanos)) {
            if (cookie != 0) {
                badCookies++;
            }
            cookiesSent++;
            replies.add(from, replies.create(Datagrams.COOKIE_BYTES, Datagrams.COOKIE)
                    .appendLong(id)
                    .appendLong(keys.cookie(from, id, nowNanos)));
            return;
        }
        DatagramConnection flow = connections.ofRemote(from, id);
        if (flow == null) {
            if (connections.count() >= limits.connectionsMax()) {
                overload++;
                return;
            }
            String remote = text(from);
            flow = add(node.onAccepted(nowNanos, remote), false, remote);
            flow.endpoint = from;
            flow.onOpened(id, datagramBytesMax, nowNanos);
            connections.onRemote(flow, from, id);
        }
        replies.add(from, replies.create(Datagrams.ACCEPT_BYTES, Datagrams.ACCEPT)
                .appendLong(id)
                .appendLong(flow.localId)
                .appendInt(limits.datagramBytesMax()));
    }

    private void onCookie(Endpoint from, Packet datagram) {
        DatagramConnection flow = dialed(from, datagram.takeLong());
        long cookie = datagram.takeLong();
        if (datagram.isMalformed() || flow == null) {
            unknown++;
        } else if (cookie != flow.cookie) {
            flow.onCookie(cookie, nowNanos);
            touch(flow);
        }
    }

    private void onAccept(Endpoint from, Packet datagram) {
        DatagramConnection flow = dialed(from, datagram.takeLong());
        long id = datagram.takeLong();
        int datagramBytesMax = datagram.takeInt();
        if (datagram.isMalformed() || flow == null) {
            unknown++;
            return;
        }
        flow.onOpened(id, datagramBytesMax, nowNanos);
        connections.onRemote(flow, from, id);
        node.onConnected(nowNanos, flow.number);
        touch(flow);
    }

    /** Returns the flow that is being opened to {@code from} under this id; null if there is none. */
    private @Nullable DatagramConnection dialed(Endpoint from, long id) {
        DatagramConnection flow = connections.find(id);
        return flow != null && flow.state == DatagramConnection.State.OPENING && from.equals(flow.endpoint) ? flow : null;
    }

    private void onData(Endpoint from, Packet datagram) {
        long id = datagram.takeLong();
        if (datagram.isMalformed()) {
            malformed++;
            return;
        }
        DatagramConnection flow = connections.find(id);
        if (flow == null) {
            unknown++;
            // This process is another one than its sender means, or has closed the connection.
            replies.reset(from, id, nowNanos);
            return;
        }
        if (!from.equals(flow.endpoint)) {
            wrongEndpoint++;
            return;
        }
        if (flow.state == DatagramConnection.State.OPENING) {
            // It has overtaken the answer that carries the id to reply to. It will be sent again.
            unknown++;
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

    private void onReset(Endpoint from, Packet datagram) {
        long id = datagram.takeLong();
        DatagramConnection flow = datagram.isMalformed() ? null : connections.ofRemote(from, id);
        if (flow == null) {
            unknown++;
            return;
        }
        resetsReceived++;
        owner.onEnded(flow, false, "the other process does not know the connection");
    }

    // ------------------------------------------------------------------ flows

    private DatagramConnection add(int number, boolean isDialed, String address) {
        long id = connections.nextId();
        DatagramConnection flow = new DatagramConnection(
                owner,
                number,
                id,
                isDialed,
                address,
                limits.datagramBytesMax(),
                limits.windowBytes(),
                2 * limits.connectNanos(),
                memory);
        connections.add(flow);
        return flow;
    }

    private void forget(DatagramConnection flow) {
        connections.remove(flow);
        flow.release();
    }

    private void touch(DatagramConnection flow) {
        if (!flow.isDirty) {
            flow.isDirty = true;
            dirty.add(flow);
        }
    }

    private final class FlowOwner implements DatagramConnection.Owner {

        @Override
        public void onFrame(DatagramConnection flow, Packet frame) {
            node.onFrame(nowNanos, flow.number, frame);
        }

        @Override
        public void onEnded(DatagramConnection flow, boolean isOrderly, String detail) {
            boolean isNews = flow.state == DatagramConnection.State.OPEN;
            if (isOrderly) {
                // The end is acknowledged at once, since the flow is forgotten.
                flow.acknowledge(new Answers(), nowNanos);
            }
            forget(flow);
            if (isNews) {
                node.onDisconnected(nowNanos, flow.number, isOrderly, detail);
            }
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
        for (String address : toResolve) {
            effects.resolve(address);
        }
        toResolve.clear();
        Packet frame = toAll.poll();
        while (frame != null) {
            sentMulticasts++;
            effects.multicast(frame);
            frame = toAll.poll();
        }
        replies.drain(effects);
        DatagramConnection flow = dirty.poll();
        while (flow != null) {
            flow.isDirty = false;
            flush(flow, effects);
            flow = dirty.poll();
        }
        Runnable listener = quietListener;
        if (listener != null && isQuiet()) {
            quietListener = null;
            listener.run();
        }
    }

    private void flush(DatagramConnection flow, DatagramEffects effects) {
        Endpoint endpoint = flow.endpoint;
        if (endpoint != null && flow.isOpenDue(nowNanos)) {
            flow.onOpenSent(nowNanos);
            Packet open = replies.create(Datagrams.OPEN_BYTES, Datagrams.OPEN)
                    .appendInt(Datagrams.MAGIC)
                    .appendLong(flow.localId)
                    .appendLong(flow.cookie)
                    .appendInt(limits.datagramBytesMax());
            seals.seal(open);
            effects.send(endpoint, open);
        }
        flow.flush(effects, nowNanos);
        if (flow.isDone()) {
            forget(flow);
        }
        deadlineNanos = Math.min(deadlineNanos, flow.deadlineNanos());
    }

    /** Collects the datagrams of a flow that ends in the middle of an input. */
    private final class Answers implements DatagramEffects {

        @Override
        public void resolve(String address) {
            toResolve.add(address);
        }

        @Override
        public void send(Endpoint to, Packet datagram) {
            replies.addSealed(to, datagram);
        }

        @Override
        public void multicast(Packet datagram) {
            throw new IllegalStateException("a flow does not multicast");
        }
    }

    /** Multicasts of the node: sealed and queued. */
    private final class ToAll implements Multicast {

        @Override
        public void send(Packet frame) {
            frame.prependByte(Datagrams.MULTICAST).prependInt(0);
            seals.seal(frame);
            toAll.add(frame);
        }

        @Override
        public int frameBytesMax() {
            return limits.datagramBytesMax() - Datagrams.MULTICAST_HEADER_BYTES;
        }

        @Override
        public int receiveBufferBytes() {
            return limits.receiveBufferBytes();
        }
    }

    /** Effects of the hosted machine on its connections. */
    private final class NodeEffects implements Effects {

        @Override
        public void dial(int connection, String address) {
            DatagramConnection flow = add(connection, true, address);
            flow.connectBeforeNanos = nowNanos + limits.connectNanos();
            List<DatagramConnection> waiting = resolving.get(address);
            if (waiting == null) {
                waiting = new ArrayList<>(1);
                resolving.put(address, waiting);
                toResolve.add(address);
            }
            waiting.add(flow);
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
            if (flow.state == DatagramConnection.State.OPENING) {
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
        section.put("sent-multicasts", sentMulticasts);
        section.put("connections", connections.count());
        section.put("active-senders", share.senders());
        section.put("damaged", damaged);
        section.put("other-checksums", otherChecksums);
        section.put("malformed", malformed);
        section.put("unknown-connection", unknown);
        section.put("wrong-endpoint", wrongEndpoint);
        section.put("bad-cookies", badCookies);
        section.put("cookies-sent", cookiesSent);
        replies.reportResets(section);
        section.put("resets-received", resetsReceived);
        section.put("answers-dropped", replies.dropped());
        section.put("overload", overload);
        for (int slot = 0; slot < connections.slots(); slot++) {
            DatagramConnection flow = connections.at(slot);
            if (flow != null) {
                flow.report(section.section("connection-" + flow.number));
            }
        }
    }

    private static String text(Endpoint endpoint) {
        long low = endpoint.low();
        if (endpoint.high() == 0 && low >>> 32 == 0xffff) {
            return (low >> 24 & 0xff) + "." + (low >> 16 & 0xff) + "." + (low >> 8 & 0xff) + "." + (low & 0xff) + ":"
                    + endpoint.port();
        }
        StringBuilder text = new StringBuilder("[");
        for (int group = 0; group < 8; group++) {
            long half = group < 4 ? endpoint.high() : low;
            text.append(group == 0 ? "" : ":").append(Long.toHexString(half >>> (48 - 16 * (group & 3)) & 0xffff));
        }
        return text.append("]:").append(endpoint.port()).toString();
    }
}
