package dev.tutti.netty.internal.udp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.address.HostPort;
import dev.tutti.address.Resolver;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.DatagramEffects;
import dev.tutti.core.driver.DatagramMachine;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.tcp.Probe;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A machine on datagrams that records what it is told, with the driver that runs it. */
final class DatagramProbe implements DatagramMachine, AutoCloseable {

    enum Kind {
        STARTED,
        DATAGRAM,
        RESOLVED,
        REFUSED,
        TIMER
    }

    record Event(Kind kind, @Nullable Endpoint endpoint, String detail, byte[] bytes) {}

    interface Handler {
        void onDatagram(Endpoint from, Packet datagram);
    }

    final NettyDatagramDriver driver;
    final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
    final ArrayDeque<Consumer<DatagramEffects>> wanted = new ArrayDeque<>();
    private Handler handler = this::record;
    private boolean isInside;
    private long lastNanos = Long.MIN_VALUE;
    long deadlineNanos = Long.MAX_VALUE;

    private DatagramProbe(NettyDatagramDriver driver) {
        this.driver = driver;
    }

    static Settings settings(Io io) {
        return Settings.of(TransportSettings.ALL)
                .with(TransportSettings.BIND_PORT, 0)
                .with(TransportSettings.IO, TransportSettings.Io.valueOf(io.name()));
    }

    static DatagramProbe open(Settings settings) {
        return new DatagramProbe(NettyDatagramDriver.open(settings));
    }

    static DatagramProbe start(Io io) {
        return start(settings(io));
    }

    static DatagramProbe start(Settings settings) {
        DatagramProbe probe = open(settings);
        probe.start();
        return probe;
    }

    void start() {
        driver.start(this);
        await(Kind.STARTED);
    }

    DatagramProbe onDatagrams(Handler wantedHandler) {
        handler = wantedHandler;
        return this;
    }

    // ------------------------------------------------------------------ what a test does

    /** Runs {@code effect} in the next drain. */
    void want(Consumer<DatagramEffects> effect) {
        driver.execute(now -> wanted.add(effect));
    }

    Endpoint endpoint() {
        HostPort address = HostPort.parse(driver.address());
        return Addresses.of(Resolver.literal(address.host()), address.port());
    }

    void send(Endpoint to, byte[] bytes) {
        want(effects -> effects.send(to, packet(bytes)));
    }

    void multicast(byte[] bytes) {
        want(effects -> effects.multicast(packet(bytes)));
    }

    Packet packet(byte[] bytes) {
        int headroom = Math.min(Packet.HEADROOM, Packet.FRAME_MAX - bytes.length);
        Packet packet = Packet.of(driver.memory().acquire(headroom + bytes.length), headroom, 0);
        return packet.append(bytes, 0, bytes.length);
    }

    Event next() {
        try {
            Event event = events.poll(Probe.LIMIT_SECONDS, TimeUnit.SECONDS);
            assertThat(event).as("an event within the limit, with " + driver.counters()).isNotNull();
            return event;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    Event await(Kind kind) {
        Event event = next();
        assertThat(event.kind()).as(event.toString()).isEqualTo(kind);
        return event;
    }

    /** Waits until what was asked for before has left: the drain after the one that did it has begun. */
    void settle() {
        awaitDrain();
        awaitDrain();
    }

    private void awaitDrain() {
        CompletableFuture<Boolean> first = new CompletableFuture<>();
        driver.execute(now -> wanted.add(effects -> first.complete(true)));
        first.orTimeout(Probe.LIMIT_SECONDS, TimeUnit.SECONDS).join();
    }

    long counter(String name) {
        return driver.counters().get(name);
    }

    // ------------------------------------------------------------------ the machine

    private void record(Endpoint from, Packet datagram) {
        byte[] bytes = new byte[datagram.length()];
        datagram.bytes().get(datagram.offset(), bytes);
        datagram.release();
        events.add(new Event(Kind.DATAGRAM, from, "", bytes));
    }

    private void check(long nowNanos) {
        assertThat(isInside).as("re-entered").isFalse();
        assertThat(nowNanos).isGreaterThanOrEqualTo(lastNanos);
        lastNanos = nowNanos;
    }

    @Override
    public void onStart(long nowNanos) {
        check(nowNanos);
        events.add(new Event(Kind.STARTED, null, Thread.currentThread().getName(), new byte[0]));
    }

    @Override
    public void onDatagram(long nowNanos, Endpoint from, Packet datagram) {
        check(nowNanos);
        handler.onDatagram(from, datagram);
    }

    @Override
    public void onResolved(long nowNanos, String address, @Nullable Endpoint endpoint) {
        check(nowNanos);
        events.add(new Event(Kind.RESOLVED, endpoint, address, new byte[0]));
    }

    @Override
    public void onRefused(long nowNanos, Endpoint peer) {
        check(nowNanos);
        events.add(new Event(Kind.REFUSED, peer, "", new byte[0]));
    }

    @Override
    public void onTimer(long nowNanos) {
        check(nowNanos);
        if (nowNanos >= deadlineNanos) {
            deadlineNanos = Long.MAX_VALUE;
            events.add(new Event(Kind.TIMER, null, "", new byte[0]));
        }
    }

    @Override
    public long nextDeadline() {
        return deadlineNanos;
    }

    @Override
    public void drain(DatagramEffects effects) {
        isInside = true;
        while (!wanted.isEmpty()) {
            wanted.poll().accept(effects);
        }
        isInside = false;
    }

    @Override
    public void close() {
        driver.close();
    }
}
