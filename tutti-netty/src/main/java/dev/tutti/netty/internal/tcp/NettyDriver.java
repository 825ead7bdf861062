package dev.tutti.netty.internal.tcp;

import dev.tutti.address.HostPort;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.Printable;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.driver.Machine;
import dev.tutti.core.driver.Socket;
import dev.tutti.core.driver.StreamDriver;
import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.arrival.Arrivals;
import dev.tutti.netty.internal.arrival.HostQueue;
import dev.tutti.netty.internal.loop.DriverCounters;
import dev.tutti.netty.internal.loop.DriverCounters.Name;
import dev.tutti.netty.internal.loop.Loop;
import dev.tutti.netty.internal.loop.NettyMetrics;
import dev.tutti.netty.internal.loop.ProcessorWatch;
import dev.tutti.netty.internal.memory.DirectMemory;
import dev.tutti.netty.internal.relay.Relays;
import dev.tutti.netty.internal.security.Passes;
import dev.tutti.netty.internal.security.Recheck;
import dev.tutti.netty.internal.security.Security;
import dev.tutti.netty.internal.security.Trust;
import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.collection.IntObjectHashMap;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a machine with connections on a {@link Loop}: each connection that a turn has written to is flushed at its end. */
public final class NettyDriver implements StreamDriver {

    private static final Logger LOG = LoggerFactory.getLogger(NettyDriver.class);

    /** Connections that were closed at their first frame, and that still wait for written bytes to leave. */
    private static final int REFUSED_MAX = 256;

    private static final long CLOSE_MILLIS = 1_500;
    private static final long END_MILLIS = 400;

    static final String FULL = "there are transport.connections-max connections";

    private final Endpoint endpoint;
    private final Loop loop;
    private final Options options;
    private final DirectMemory memory;
    private final ReceiveRegions regions;
    private final Dialer dialer;
    private final Arrivals arrivals;
    private final Passes passes = new Passes();
    private final HostQueue<NettyConnection> refused = new HostQueue<>(REFUSED_MAX);
    private final FrameCheck check;
    private final DriverCounters counters = new DriverCounters(EnumSet.range(Name.CONNECTIONS_ACCEPTED, Name.BYTES_SENT));
    private final Refusals refusals = new Refusals(counters, LOG);
    private final Effects effects = new MachineEffects();
    private final CountDownLatch allEnded = new CountDownLatch(1);

    private final IntObjectHashMap<NettyConnection> open = new IntObjectHashMap<>();
    private final Set<NettyConnection> connections = new LinkedHashSet<>();
    private final List<NettyConnection> dirty = new ArrayList<>();
    private @Nullable Machine machine;
    private boolean isEnding;
    private boolean isListenerClosed;

    /** Connections that this node has dialled, and accepted ones whose peers are identified. */
    private int admitted;

    /** Arrival time of the bytes that are being decoded: one look at the clock per read. */
    private long readNanos;

    private NettyDriver(Endpoint endpoint, Settings settings) {
        this.endpoint = endpoint;
        this.loop = endpoint.loop();
        this.options = Options.of(settings);
        this.memory = DirectMemory.ofProcess();
        this.regions = new ReceiveRegions(memory);
        this.dialer = new Dialer(this, endpoint);
        this.arrivals = new Arrivals(
                loop.acceptWorker(),
                loop.executor(),
                (task, delayNanos) -> loop.executor().schedule(task, delayNanos, TimeUnit.NANOSECONDS));
        this.check = new FrameCheck(endpoint.isSummed());
    }

    /**
     * @throws dev.tutti.core.driver.TransportException if it can't be bound, or not safely
     */
    public static NettyDriver open(Settings settings) {
        Endpoint endpoint = Endpoint.bind(settings);
        NettyDriver driver = new NettyDriver(endpoint, settings);
        endpoint.onAccept(driver::onAccept);
        LOG.info("listening on {} ({})", endpoint.bound(), endpoint.description());
        return driver;
    }

    // ------------------------------------------------------------------ the user's side

    @Override
    public Memory memory() {
        return memory;
    }

    @Override
    public String address() {
        return endpoint.advertised();
    }

    @Override
    public String name() {
        return endpoint.name();
    }

    @Override
    public Map<String, String> description() {
        return endpoint.description();
    }

    @Override
    public Map<String, Long> counters() {
        Map<String, Long> counted = new TreeMap<>();
        counters.count(counted);
        loop.count(counted);
        memory.count(counted);
        endpoint.count(counted);
        return counted;
    }

    @Override
    public List<Metric> metrics() {
        return NettyMetrics.ALL;
    }

    @Override
    public List<Socket> sockets() {
        List<Socket> sockets = new ArrayList<>();
        for (NettyConnection connection : open.values()) {
            sockets.add(connection.socket());
        }
        sockets.sort(Comparator.comparingInt(Socket::connection));
        return sockets;
    }

    @Override
    public void start(Machine started) {
        loop.start(new MachineTurns(started), () -> begin(started), endpoint::accept);
    }

    private void begin(Machine started) {
        machine = started;
        started.onStart(System.nanoTime());
        Relays relays = endpoint.relays();
        if (relays != null) {
            relays.start(endpoint.advertised(), (channel, server, from) -> onAccept(channel, new Route(server, from)));
        }
        Security security = endpoint.security();
        if (security != null) {
            new Recheck<>(security, loop, this::authenticated, this::onDistrusted).schedule();
        }
    }

    private Map<NettyConnection, List<X509Certificate>> authenticated() {
        Map<NettyConnection, List<X509Certificate>> authenticated = new LinkedHashMap<>();
        for (NettyConnection connection : open.values()) {
            if (!connection.certificates().isEmpty()) {
                authenticated.put(connection, connection.certificates());
            }
        }
        return authenticated;
    }

    private void onDistrusted(NettyConnection connection, String reason) {
        if (open.get(connection.id()) == connection) {
            counters.add(Name.CONNECTIONS_DISTRUSTED, 1);
            LOG.warn("closing the connection with {}: {}", connection.remote(), reason);
            connection.fail(reason);
        }
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
        if (!await(allEnded, CLOSE_MILLIS)) {
            LOG.info("{}: closed before everything was written", endpoint.bound());
        }
        if (endpoint.close(END_MILLIS)) {
            regions.close();
        }
    }

    private static boolean await(CountDownLatch latch, long millis) {
        try {
            return latch.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    // ------------------------------------------------------------------ turns

    /** Begins an input as {@link Loop#beginInput} does. */
    boolean beginInput() {
        return loop.beginInput();
    }

    /** Runs {@code input}, which gives the machine some input, as part of a turn. */
    void onInput(Runnable input) {
        loop.onInput(input);
    }

    // ------------------------------------------------------------------ connections

    private void onAccept(SocketChannel channel) {
        onAccept(channel, Route.DIRECT);
    }

    private void onAccept(SocketChannel channel, Route route) {
        counters.add(Name.CONNECTIONS_ACCEPTED, 1);
        if (isEnding) {
            channel.close();
            return;
        }
        NettyConnection connection = install(channel, null, route);
        long timeoutNanos = options.connectTimeoutNanos();
        arrivals.onAccepted(connection, System.nanoTime() + timeoutNanos);
        // Without TLS the machine has a deadline for the first frame.
        if (endpoint.isSecure()) {
            arrivals.scheduleExpiry(timeoutNanos);
        }
    }

    /** Notes that the first message of a TLS handshake has arrived. */
    void onReady(NettyConnection connection, ByteBuf hello) {
        arrivals.onReady(connection, passes.isShown(trust().pass(), hello));
    }

    /** Admits a connection whose peer is identified; returns whether there is room for it. */
    boolean admit(NettyConnection connection) {
        arrivals.remove(connection);
        if (admitted >= options.connectionsMax()) {
            counters.add(Name.CONNECTIONS_REFUSED_LIMIT, 1);
            return false;
        }
        admitted++;
        connection.isAdmitted = true;
        return true;
    }

    private void dismiss(NettyConnection connection) {
        if (connection.isAdmitted) {
            connection.isAdmitted = false;
            admitted--;
        }
    }

    /** Makes a connection of a registered channel. */
    NettyConnection install(SocketChannel channel, @Nullable Dial dial, Route route) {
        endpoint.configure(channel, options);
        NettyConnection connection = new NettyConnection(this, channel, dial, route, endpoint.isSecure());
        connections.add(connection);
        if (dial != null) {
            connection.isAdmitted = true;
            admitted++;
        }
        connection.install();
        return connection;
    }

    /** Returns the rule by which certificates are trusted; only with TLS. */
    Trust trust() {
        Security security = endpoint.security();
        if (security == null) {
            throw new IllegalStateException("certificates without TLS");
        }
        return security.trust();
    }

    /** @param dial the dial of this node; null for an accepted connection */
    SslHandler tlsHandler(@Nullable Dial dial) {
        String mark = HostPort.parse(dial == null ? endpoint.advertised() : dial.address).mark();
        return endpoint.tlsHandler(dial != null, mark, dial == null ? arrivals : loop.workers(), options.connectTimeoutNanos());
    }

    /** Opens a connection that is ready for frames; returns its number. */
    int onOpened(NettyConnection connection) {
        Machine current = machine;
        Dial dial = connection.dial;
        int id;
        if (current == null || dial != null && dial.isOver) {
            connection.abort();
            return -1;
        } else if (dial == null) {
            id = current.onAccepted(System.nanoTime(), connection.remote());
            open.put(id, connection);
            onIdentified(current, id, connection);
        } else {
            id = dial.id;
            counters.add(Name.CONNECTIONS_DIALLED, 1);
            open.put(id, connection);
            dialer.onConnected(dial, connection);
            onIdentified(current, id, connection);
            current.onConnected(System.nanoTime(), id);
        }
        return id;
    }

    private static void onIdentified(Machine current, int id, NettyConnection connection) {
        current.onCredentials(System.nanoTime(), id, connection.credentials());
        if (!connection.relay().isEmpty()) {
            current.onRelayed(System.nanoTime(), id, connection.relay());
        }
    }

    void onEnded(NettyConnection connection, boolean wasOpen, String trouble) {
        connections.remove(connection);
        arrivals.remove(connection);
        refused.remove(connection.host(), connection);
        dismiss(connection);
        Machine current = machine;
        if (wasOpen && open.remove(connection.id()) != null && current != null) {
            boolean isOrderly = trouble.isEmpty();
            String detail = isOrderly ? "closed by the other end" : trouble;
            current.onDisconnected(System.nanoTime(), connection.id(), isOrderly, detail);
        }
        checkEnded();
    }

    void onNeverOpened(NettyConnection connection, boolean wasActive, String trouble) {
        if (!wasActive || connection.isEvicted()) {
            return;
        }
        Machine current = machine;
        if (connection.dial != null) {
            dialer.onEnded(connection.dial, connection, trouble.isEmpty() ? "closed before the TLS handshake was done" : trouble);
        } else if (!isEnding && !trouble.isEmpty() && current != null) {
            long now = System.nanoTime();
            if (refusals.isReported(now)) {
                current.onRejected(now, connection.remote(), trouble);
            }
        }
    }

    void onHandshakeFailed(NettyConnection connection) {
        if (connection.dial == null || !connection.dial.isOver) {
            counters.add(Name.TLS_HANDSHAKES_FAILED, 1);
        }
    }

    void onFrame(NettyConnection connection, Packet frame) {
        counters.add(Name.FRAMES_RECEIVED, 1);
        if (connection.isFirstFrame() && !endpoint.isSecure() && !admit(connection)) {
            frame.release();
            connection.fail(FULL);
            return;
        }
        Machine current = machine;
        if (current == null) {
            frame.release();
            return;
        }
        try {
            current.onFrame(readNanos, connection.id(), frame);
        } catch (RuntimeException | Error e) {
            loop.onBroken(e);
        }
    }

    void onOverflow(NettyConnection connection) {
        counters.add(Name.CONNECTIONS_OVERFLOWED, 1);
        connection.fail("does not read: " + options.writeBufferMaxBytes()
                + " bytes wait to be written (transport.write-buffer-max)");
    }

    void onDialFailed(Dial dial, DialFailure failure, String detail) {
        counters.add(Name.DIALS_FAILED, 1);
        Machine current = machine;
        if (current != null) {
            current.onDialFailed(System.nanoTime(), dial.id, failure, detail);
        }
    }

    void onBytes(int bytes) {
        readNanos = System.nanoTime();
        counters.add(Name.BYTES_RECEIVED, bytes);
        loop.beginTurn();
    }

    void onWritten(int bytes) {
        counters.add(Name.FRAMES_SENT, 1);
        counters.add(Name.BYTES_SENT, bytes);
    }

    void onCopied() {
        counters.add(Name.FRAMES_COPIED, 1);
    }

    // ------------------------------------------------------------------ the end

    private void beginEnd() {
        if (!loop.finish()) {
            return;
        }
        isEnding = true;
        machine = null;
        endpoint.stopListening(() -> {
            isListenerClosed = true;
            checkEnded();
        });
        dialer.close();
        open.clear();
        List.copyOf(connections).forEach(NettyConnection::close);
    }

    private void checkEnded() {
        if (isListenerClosed && connections.isEmpty()) {
            allEnded.countDown();
        }
    }

    private void abortAll() {
        List.copyOf(connections).forEach(NettyConnection::abort);
    }

    // ------------------------------------------------------------------ access for connections

    FrameCheck check() {
        return check;
    }

    DirectMemory directMemory() {
        return memory;
    }

    ReceiveRegions regions() {
        return regions;
    }

    Options options() {
        return options;
    }

    Refusals refusals() {
        return refusals;
    }

    private final class MachineTurns implements Loop.Turns {

        private final Machine started;
        private @Nullable ProcessorWatch watch;

        MachineTurns(Machine started) {
            this.started = started;
        }

        @Override
        public void drain() {
            check.beginFrames();
            started.drain(effects);
            for (int index = 0; index < dirty.size(); index++) {
                NettyConnection connection = dirty.get(index);
                connection.isDirty = false;
                connection.channel.flush();
            }
            dirty.clear();
            if (started.isProcessorOfInterest()) {
                watch(System.nanoTime());
            }
        }

        private void watch(long nowNanos) {
            ProcessorWatch current = watch;
            if (current == null) {
                current = new ProcessorWatch();
                watch = current;
            }
            if (current.isDue(nowNanos)) {
                boolean isBusy = current.isBusy(nowNanos);
                // Effects are being handed out: input of the next turn.
                onInput(() -> started.onProcessor(System.nanoTime(), isBusy));
            }
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
            LOG.error("{}: internal error, the node has stopped", endpoint.bound(), cause);
            machine = null;
            beginEnd();
            abortAll();
        }
    }

    private final class MachineEffects implements Effects {

        @Override
        public void dial(int connection, String address) {
            dialer.dial(connection, address, false);
        }

        @Override
        public void dialDirectly(int connection, String address) {
            dialer.dial(connection, address, true);
        }

        @Override
        public void write(int connection, Packet frame) {
            NettyConnection target = open.get(connection);
            if (target == null) {
                frame.release();
                return;
            }
            boolean wasDirty = target.isDirty;
            target.write(frame);
            if (target.isDirty && !wasDirty) {
                dirty.add(target);
            }
        }

        @Override
        public void close(int connection, String reason) {
            NettyConnection target = open.remove(connection);
            if (target == null) {
                dialer.cancel(connection);
                return;
            }
            LOG.debug("closing the connection with {}: {}", target.remote(), Printable.escape(reason));
            target.close();
            if (target.isRefused()) {
                dismiss(target);
                NettyConnection oldest = refused.add(target.host(), target);
                if (oldest != null) {
                    oldest.abort();
                }
            }
        }
    }
}
