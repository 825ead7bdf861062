package dev.tutti.netty.internal.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.address.HostPort;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.driver.Machine;
import dev.tutti.core.driver.StreamDriver;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.loop.Io;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;

/** A machine that records what it is told, with the driver that runs it. */
public final class Probe implements Machine, AutoCloseable {

    public enum Kind {
        STARTED,
        ACCEPTED,
        CONNECTED,
        DIAL_FAILED,
        FRAME,
        DISCONNECTED,
        TIMER
    }

    public record Event(Kind kind, int connection, String detail, byte[] bytes, boolean isOrderly) {}

    interface FrameHandler {
        void onFrame(int connection, Packet frame);
    }

    public static final long LIMIT_SECONDS = 20;

    public final StreamDriver driver;
    public final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
    public final LinkedBlockingQueue<String> rejected = new LinkedBlockingQueue<>();
    public final ConcurrentHashMap<Integer, String> relayed = new ConcurrentHashMap<>();
    final ArrayDeque<Consumer<Effects>> wanted = new ArrayDeque<>();
    final AtomicInteger drains = new AtomicInteger();
    private FrameHandler frames = this::record;
    private int lastConnection;
    private boolean isInside;
    long deadlineNanos = Long.MAX_VALUE;

    private Probe(StreamDriver driver) {
        this.driver = driver;
    }

    public static Settings settings(Io io) {
        return Settings.of(TransportSettings.ALL)
                .with(TransportSettings.BIND_PORT, 0)
                .with(TransportSettings.CHECKSUM, TransportSettings.Checksum.ON)
                // A first TLS handshake on a busy machine loads and interprets a lot of code.
                .with(TransportSettings.CONNECT_TIMEOUT, Duration.ofSeconds(LIMIT_SECONDS - 2))
                .with(TransportSettings.IO, TransportSettings.Io.valueOf(io.name()));
    }

    static Probe open(Settings settings) {
        return new Probe(NettyDriver.open(settings));
    }

    /** A frame as it goes over the wire between nodes without TLS. */
    static byte[] framed(byte[] frame) {
        Packet packet = Packet.create(Memory.onHeap(), frame.length).append(frame, 0, frame.length);
        new FrameCheck(true).seal(packet);
        byte[] framed = new byte[packet.length()];
        packet.bytes().get(packet.offset(), framed);
        return framed;
    }

    /** Returns content that is the same for the same arguments. */
    static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[Math.min(length, Packet.FRAME_MAX)];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Waits until the count is zero; fails if it is not within {@link #LIMIT_SECONDS}. */
    static void awaitZero(CountDownLatch latch) {
        try {
            assertThat(latch.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Opens a connection to this driver that no driver reads. */
    Socket socket() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), HostPort.parse(driver.address()).port());
    }

    public static Probe start(Io io) {
        return start(settings(io));
    }

    public static Probe start(Settings settings) {
        Probe probe = open(settings);
        probe.start();
        return probe;
    }

    void start() {
        driver.start(this);
        await(Kind.STARTED);
    }

    Probe onFrames(FrameHandler handler) {
        frames = handler;
        return this;
    }

    // ------------------------------------------------------------------ what a test does

    /** Runs {@code effect} in the next drain. */
    public void want(Consumer<Effects> effect) {
        driver.execute(now -> wanted.add(effect));
    }

    public int dial(String address) {
        return dial(effects -> (to, connection) -> effects.dial(connection, to), address);
    }

    /** Dials without servers. */
    public int dialDirectly(String address) {
        return dial(effects -> (to, connection) -> effects.dialDirectly(connection, to), address);
    }

    private int dial(Function<Effects, ObjIntConsumer<String>> way, String address) {
        CompletableFuture<Integer> number = new CompletableFuture<>();
        driver.execute(now -> {
            int connection = ++lastConnection;
            wanted.add(effects -> way.apply(effects).accept(address, connection));
            number.complete(connection);
        });
        return number.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join();
    }

    /** Dials and waits until both sides have the connection; gives this side's number. */
    public int connect(Probe other) {
        int connection = dial(other.driver.address());
        assertThat(await(Kind.CONNECTED).connection()).isEqualTo(connection);
        return connection;
    }

    public void send(int connection, byte[] bytes) {
        want(effects -> effects.write(connection, packet(bytes)));
    }

    Packet packet(byte[] bytes) {
        return Packet.create(driver.memory(), Math.min(bytes.length, Packet.PAYLOAD_MAX))
                .append(bytes, 0, bytes.length);
    }

    public Event next() {
        try {
            Event event = events.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
            assertThat(event).as("an event within the limit").isNotNull();
            return event;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public Event await(Kind kind) {
        Event event = next();
        assertThat(event.kind()).as(event.toString()).isEqualTo(kind);
        return event;
    }

    /** Returns the value of a counter of the driver. */
    public long counter(String name) {
        return driver.counters().get(name);
    }

    // ------------------------------------------------------------------ the machine

    private void record(int connection, Packet frame) {
        byte[] bytes = new byte[frame.length()];
        frame.bytes().get(frame.offset(), bytes);
        frame.release();
        events.add(new Event(Kind.FRAME, connection, "", bytes, true));
    }

    private void add(Kind kind, int connection, String detail, boolean isOrderly) {
        assertThat(isInside).as("re-entered").isFalse();
        events.add(new Event(kind, connection, detail, new byte[0], isOrderly));
    }

    @Override
    public void onStart(long nowNanos) {
        add(Kind.STARTED, 0, Thread.currentThread().getName(), true);
    }

    @Override
    public int onAccepted(long nowNanos, String remote) {
        add(Kind.ACCEPTED, ++lastConnection, remote, true);
        return lastConnection;
    }

    @Override
    public void onRejected(long nowNanos, String remote, String detail) {
        rejected.add(detail);
    }

    @Override
    public void onRelayed(long nowNanos, int connection, String server) {
        relayed.put(connection, server);
    }

    @Override
    public void onConnected(long nowNanos, int connection) {
        add(Kind.CONNECTED, connection, "", true);
    }

    @Override
    public void onDialFailed(long nowNanos, int connection, DialFailure failure, String detail) {
        add(Kind.DIAL_FAILED, connection, failure + " " + detail, true);
    }

    @Override
    public void onFrame(long nowNanos, int connection, Packet frame) {
        assertThat(isInside).as("re-entered").isFalse();
        frames.onFrame(connection, frame);
    }

    @Override
    public void onDisconnected(long nowNanos, int connection, boolean isOrderly, String detail) {
        add(Kind.DISCONNECTED, connection, detail, isOrderly);
    }

    @Override
    public void onTimer(long nowNanos) {
        if (nowNanos >= deadlineNanos) {
            deadlineNanos = Long.MAX_VALUE;
            add(Kind.TIMER, 0, "", true);
        }
    }

    @Override
    public long nextDeadline() {
        return deadlineNanos;
    }

    @Override
    public void drain(Effects effects) {
        isInside = true;
        drains.incrementAndGet();
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
