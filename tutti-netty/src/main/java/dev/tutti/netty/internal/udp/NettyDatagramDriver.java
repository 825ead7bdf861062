package dev.tutti.netty.internal.udp;

import dev.tutti.address.HostPort;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.DatagramDriver;
import dev.tutti.core.driver.DatagramEffects;
import dev.tutti.core.driver.DatagramMachine;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.driver.RendezvousSettings;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.address.Binding;
import dev.tutti.netty.internal.address.Interfaces;
import dev.tutti.netty.internal.loop.DriverCounters.Name;
import dev.tutti.netty.internal.loop.DriverCounters;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Loop;
import dev.tutti.netty.internal.loop.NettyMetrics;
import dev.tutti.netty.internal.memory.DirectMemory;
import dev.tutti.netty.internal.security.Security;
import io.netty.channel.socket.DatagramChannel;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a machine with datagrams on a {@link Loop}: datagrams of a turn leave at its end, gathered by receiver. */
public final class NettyDatagramDriver implements DatagramDriver {

    private static final Logger LOG = LoggerFactory.getLogger(NettyDatagramDriver.class);

    private static final long CLOSE_MILLIS = 1_500;
    private static final long END_MILLIS = 400;

    private final Loop loop;
    private final DirectMemory memory;
    private final DriverCounters counters = new DriverCounters(names());
    private final Addresses addresses = new Addresses();
    private final DatagramInbound inbound;
    private final DatagramInbound groupInbound;
    private final DatagramSockets sockets;
    private final DatagramOutbound outbound;
    private final EndpointResolver resolver;
    private final Watches watches;
    private final @Nullable DatagramTls tls;
    private final String bound;
    private final String advertised;
    private final int port;
    private final boolean isSummed;
    private final Set<InetAddress> own;

    /** Index of the interface for link-local addresses; 0 if it is not known. */
    private final int scope;

    private final @Nullable Endpoint group;
    private final CountDownLatch allEnded = new CountDownLatch(1);
    private final AtomicBoolean areRegionsReleased = new AtomicBoolean();

    /** Reasons that were logged, each once. */
    private final Set<Name> complained = EnumSet.noneOf(Name.class);

    private @Nullable DatagramMachine machine;
    private volatile boolean isWhole;
    private boolean isEnding;
    private long readNanos;

    private NettyDatagramDriver(Settings settings, Loop loop, Io io, Binding binding) {
        this.loop = loop;
        this.memory = DirectMemory.ofProcess();
        boolean isReadingAhead = io == Io.NIO;
        this.inbound = new DatagramInbound(memory, isReadingAhead, new SocketSink(false));
        this.groupInbound = new DatagramInbound(memory, isReadingAhead, new SocketSink(true));
        int watchersMax = settings.get(TransportSettings.CONNECTIONS_MAX);
        this.sockets = new DatagramSockets(
                settings,
                io,
                loop,
                binding,
                inbound,
                groupInbound,
                local -> WatchPort.open(loop, io, local, watchersMax, counters));
        this.outbound = new DatagramOutbound(
                sockets.unicast,
                memory,
                counters,
                settings.get(TransportSettings.DATAGRAM_OFFLOAD) && io.isSegmenting(),
                settings.get(TransportSettings.DATAGRAM_QUEUE_MAX).bytes(),
                this::reach,
                new OutboundWatcher());
        this.resolver = new EndpointResolver(loop, endpoint -> reach(endpoint) != null, this::answer, LOG);
        this.isWhole = sockets.size.isWhole();
        this.port = sockets.port();
        this.bound = new HostPort(HostPort.hostOf(binding.address()), port).toString();
        this.advertised = binding.advertised(port);
        Security security = Security.open(settings, advertised);
        this.watches = new Watches(
                settings,
                loop,
                io,
                sockets.unicast.localAddress(),
                sockets.watchPort,
                counters,
                this::reach,
                this::onRefused);
        this.tls = security == null
                ? null
                : new DatagramTls(
                        security,
                        loop,
                        counters,
                        settings.get(TransportSettings.CONNECT_TIMEOUT).toNanos(),
                        this::giveInput,
                        LOG);
        this.isSummed = binding.isSummed(settings, false);
        this.own = Interfaces.own(binding.address());
        this.scope = Interfaces.scope(binding.address());
        Multicast multicast = sockets.multicast;
        this.group = multicast == null
                ? null
                : Addresses.of(multicast.group().getAddress(), multicast.group().getPort());
    }

    /**
     * @throws TransportException if it can't be bound, or not safely
     */
    public static NettyDatagramDriver open(Settings settings) {
        Binding binding = Binding.of(settings);
        checkSafety(settings, binding.address());
        if (!settings.get(RendezvousSettings.SERVERS).isEmpty() && settings.get(RendezvousSettings.RELAY) != RendezvousSettings.Relay.NEVER) {
            throw new TransportException("rendezvous.servers: servers relay connections of TCP alone. Set transport.protocol: tcp;"
                    + " or rendezvous.relay: never, where they are only to list addresses");
        }
        Io io = Io.choose(settings.get(TransportSettings.IO));
        Loop loop = new Loop(io);
        try {
            NettyDatagramDriver driver = new NettyDatagramDriver(settings, loop, io, binding);
            loop.name("tutti-" + driver.port);
            LOG.info("listening for datagrams on {} ({})", driver.bound, driver.description());
            if (driver.sockets.isCut()) {
                LOG.warn("{}: the system has cut the socket buffers: {}", driver.bound, driver.description());
            }
            return driver;
        } catch (RuntimeException e) {
            loop.close(1);
            throw e;
        }
    }

    private static void checkSafety(Settings settings, InetAddress address) {
        if (!address.isLoopbackAddress() && !Security.isSet(settings) && !settings.get(TransportSettings.INSECURE)) {
            throw new TransportException("bind.address: " + HostPort.hostOf(address)
                    + " can be reached from other machines, and datagrams would not be encrypted: everybody there can join"
                    + " and read. Use tls.certificate, tls.key and tls.authority; or security.secret-file; or, if the"
                    + " network is trusted, security.insecure: true");
        }
    }

    private static Set<Name> names() {
        Set<Name> names = EnumSet.range(Name.BYTES_RECEIVED, Name.WATCHES_EVICTED);
        names.addAll(List.of(
                Name.CONNECTIONS_EVICTED,
                Name.CONNECTIONS_EXPIRED,
                Name.CONNECTIONS_DISTRUSTED,
                Name.REFUSALS_UNTOLD,
                Name.TLS_HANDSHAKES_FAILED));
        return names;
    }

    // ------------------------------------------------------------------ the user's side

    @Override
    public Memory memory() {
        return memory;
    }

    @Override
    public String address() {
        return advertised;
    }

    @Override
    public int datagramBytesMax() {
        return sockets.size.bytesMax();
    }

    @Override
    public int receiveBufferBytes() {
        return sockets.receiveBufferBytes();
    }

    @Override
    public boolean isSummed() {
        return isSummed;
    }

    @Override
    public boolean isSecure() {
        return tls != null;
    }

    @Override
    public String name() {
        return tls == null ? "" : tls.security().trust().own().commonName();
    }

    @Override
    public boolean isMulticast() {
        return group != null;
    }

    @Override
    public Map<String, String> description() {
        Map<String, String> description = new LinkedHashMap<>();
        description.put("io", sockets.io.toString());
        description.put("java", Runtime.version().toString());
        description.put("tls", tls == null ? "none" : tls.security().description() + ", datagrams AES-256-GCM");
        description.put("checksum", tls != null ? "of AES-GCM" : isSummed ? "crc32c" : "none");
        description.put("bound", bound);
        description.put(
                "datagram-size",
                datagramBytesMax() + " B, MTU " + sockets.size.mtu() + (isWhole ? ", whole" : ", fragments allowed"));
        sockets.describe(description);
        description.put("segmentation", outbound.segmentBytesMax() == 0 ? "none" : "GSO");
        description.put("watches", watches.description());
        return description;
    }

    @Override
    public Map<String, Long> counters() {
        Map<String, Long> counted = new TreeMap<>();
        counters.count(counted);
        loop.count(counted);
        memory.count(counted);
        if (tls != null) {
            tls.security().count(counted);
        }
        Multicast multicast = sockets.multicast;
        Set<Integer> ports = new HashSet<>(Set.of(port));
        if (multicast != null) {
            ports.add(multicast.group().getPort());
        }
        counted.put("datagrams.lost-in-buffer", SystemDrops.count(ports));
        counted.put("watches.open", (long) watches.connected());
        return counted;
    }

    @Override
    public List<Metric> metrics() {
        return NettyMetrics.ALL;
    }

    @Override
    public void start(DatagramMachine started) {
        loop.start(new MachineTurns(started), () -> begin(started), this::read);
    }

    private void begin(DatagramMachine started) {
        machine = started;
        started.onStart(System.nanoTime());
        if (tls != null) {
            tls.start();
        }
    }

    private void read() {
        sockets.unicast.config().setAutoRead(true);
        DatagramChannel joined = sockets.group;
        if (joined != null) {
            joined.config().setAutoRead(true);
        }
        watches.accept();
    }

    @Override
    public void execute(Task task) {
        loop.execute(task);
    }

    @Override
    public void onFailure(Consumer<Throwable> listener) {
        loop.onFailure(listener);
    }

    @Override
    public boolean runInLoop(LoopTask task) {
        return loop.runInLoop(task);
    }

    @Override
    public void close() {
        if (loop.refuseTasks()) {
            loop.executor().execute(this::beginEnd);
        }
        if (loop.executor().inEventLoop()) {
            Thread.ofVirtual().start(this::end);
        } else {
            end();
        }
    }

    private void end() {
        try {
            if (!allEnded.await(CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.info("{}: closed before every datagram had left", bound);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (loop.close(END_MILLIS)) {
            releaseRegions();
        }
    }

    private void releaseRegions() {
        if (areRegionsReleased.compareAndSet(false, true)) {
            inbound.close();
            groupInbound.close();
        }
    }

    // ------------------------------------------------------------------ the end

    private void beginEnd() {
        if (!loop.finish()) {
            return;
        }
        isEnding = true;
        machine = null;
        outbound.flush();
        if (outbound.pendingBytes() == 0) {
            closeSockets();
        }
    }

    private void closeSockets() {
        DatagramChannel joined = sockets.group;
        if (joined != null) {
            joined.close();
        }
        watches.close(() -> sockets.unicast.close().addListener(closed -> allEnded.countDown()));
    }

    // ------------------------------------------------------------------ where to

    /** Returns the address of an endpoint; null if the socket can't send to it. */
    private @Nullable InetSocketAddress reach(Endpoint endpoint) {
        InetAddress local = sockets.binding.address();
        boolean isIpv4 = Addresses.isIpv4(endpoint);
        boolean isReached = local instanceof Inet4Address ? isIpv4 : !isIpv4 || local.isAnyLocalAddress();
        return isReached ? Addresses.of(endpoint, scope) : null;
    }

    private void answer(String address, @Nullable Endpoint endpoint) {
        if (endpoint == null) {
            counters.add(Name.RESOLVES_FAILED, 1);
        }
        giveInput((current, now) -> current.onResolved(now, address, endpoint));
    }

    private void onRefused(Endpoint peer) {
        giveInput((current, now) -> current.onRefused(now, peer));
    }

    // ------------------------------------------------------------------ inputs

    private void giveInput(BiConsumer<DatagramMachine, Long> input) {
        loop.onInput(() -> {
            DatagramMachine current = machine;
            if (current != null) {
                input.accept(current, System.nanoTime());
            }
        });
    }

    private void deliver(InetSocketAddress from, Packet datagram) {
        DatagramMachine current = machine;
        if (current == null) {
            datagram.release();
            return;
        }
        try {
            current.onDatagram(readNanos, addresses.endpoint(from), datagram);
        } catch (RuntimeException | Error e) {
            loop.onBroken(e);
            return;
        }
        loop.beginTurn();
    }

    private boolean isOwn(InetSocketAddress from) {
        return from.getPort() == port && own.contains(from.getAddress());
    }

    private final class SocketSink implements DatagramInbound.Sink {

        private final boolean isGroup;

        SocketSink(boolean isGroup) {
            this.isGroup = isGroup;
        }

        @Override
        public void onBatch() {
            counters.add(Name.BATCHES_RECEIVED, 1);
        }

        @Override
        public boolean isWanted(InetSocketAddress from) {
            if (isGroup && isOwn(from)) {
                counters.add(Name.DATAGRAMS_RECEIVED_OWN, 1);
                return false;
            }
            return true;
        }

        @Override
        public void onDatagram(InetSocketAddress from, Packet datagram, boolean isFirst, boolean isCopy) {
            counters.add(Name.DATAGRAMS_RECEIVED, 1);
            counters.add(Name.BYTES_RECEIVED, datagram.length());
            if (isGroup) {
                counters.add(Name.DATAGRAMS_RECEIVED_MULTICAST, 1);
            }
            if (isCopy) {
                counters.add(Name.DATAGRAMS_RECEIVED_COPIED, 1);
            }
            if (isFirst) {
                readNanos = System.nanoTime();
            }
            if (loop.beginInput()) {
                deliver(from, datagram);
            } else {
                loop.onInput(() -> deliver(from, datagram));
            }
        }

        @Override
        public void onFailed(Throwable cause) {
            counters.add(Name.RECEIVES_FAILED, 1);
            if (complained.add(Name.RECEIVES_FAILED)) {
                LOG.warn("{}: receiving failed", bound, cause);
            }
        }

        @Override
        public void onClosed() {
            if (!isEnding) {
                loop.onBroken(new IllegalStateException("a socket was closed that nobody had closed"));
            }
        }
    }

    private final class OutboundWatcher implements DatagramOutbound.Watcher {

        @Override
        public void onDropped(Name reason, Endpoint to, String detail) {
            if (reason == Name.DATAGRAMS_DROPPED_TOO_LARGE && isWhole) {
                isWhole = false;
                sockets.forbidFragments(false);
                LOG.warn(
                        "{}: the path to {} does not take datagrams of {} B whole; they are sent in fragments from now on."
                                + " Set transport.datagram-size to what it takes",
                        bound,
                        Addresses.of(to, 0),
                        datagramBytesMax());
            } else if (!isEnding && complained.add(reason)) {
                LOG.warn(
                        "{}: a datagram to {} was dropped: {}; further ones are counted only",
                        bound,
                        Addresses.of(to, 0),
                        detail);
            }
        }

        @Override
        public void onSettled() {
            if (isEnding) {
                closeSockets();
            }
        }
    }

    // ------------------------------------------------------------------ turns

    private final class MachineTurns implements Loop.Turns {

        private final DatagramMachine started;
        private final DatagramEffects effects = new MachineEffects();

        MachineTurns(DatagramMachine started) {
            this.started = started;
        }

        @Override
        public void drain() {
            started.drain(effects);
            outbound.flush();
        }

        @Override
        public void onTimer(long nowNanos) {
            started.onTimer(nowNanos);
        }

        @Override
        public long nextDeadline() {
            return started.nextDeadline();
        }

        @Override
        public void onBroken(Throwable cause) {
            LOG.error("{}: internal error, the node has stopped", bound, cause);
            machine = null;
            beginEnd();
        }
    }

    private final class MachineEffects implements DatagramEffects {

        @Override
        public void resolve(String address) {
            resolver.resolve(address);
        }

        @Override
        public void send(Endpoint to, Packet datagram) {
            outbound.send(to, datagram);
        }

        @Override
        public void watch(Endpoint peer) {
            watches.watch(peer);
        }

        @Override
        public void unwatch(Endpoint peer) {
            watches.unwatch(peer);
        }

        @Override
        public void beginHandshake(long connection, Endpoint with, boolean isDialed) {
            secured().begin(connection, with, isDialed);
        }

        @Override
        public void handshake(long connection, Packet bytes) {
            secured().onBytes(connection, bytes);
        }

        @Override
        public void endHandshake(long connection) {
            secured().end(connection);
        }

        private DatagramTls secured() {
            if (tls == null) {
                throw new IllegalStateException("a handshake without certificates");
            }
            return tls;
        }

        @Override
        public void multicast(Packet datagram) {
            Endpoint all = group;
            if (all == null) {
                datagram.release();
                throw new IllegalStateException("there is no multicast group (transport.multicast.address)");
            }
            outbound.send(all, datagram);
        }
    }
}
