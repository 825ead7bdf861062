package dev.tutti.testkit.transport;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.driver.Machine;
import dev.tutti.core.driver.StreamDriver;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A machine on a driver: it records its inputs, and hands out the effects that a test asks for. It fails the driver's loop, and so the
 * test, if two inputs come at one time, or one within a drain.
 */
final class RecordingMachine implements Machine {

    /** Kind of an input. */
    enum Kind {
        STARTED,
        ACCEPTED,
        CONNECTED,
        DIAL_FAILED,
        FRAME,
        DISCONNECTED,
        TIMER
    }

    /**
     * An input.
     *
     * @param detail remote address, reason, or kind of the failure
     * @param bytes content of a frame
     */
    record Input(Kind kind, int connection, String detail, byte[] bytes, boolean isOrderly) {
        @Override
        public String toString() {
            return kind + " of connection " + connection + " " + detail + " (" + bytes.length + " B)";
        }
    }

    static final long SECONDS_MAX = 20;

    final StreamDriver driver;
    final LinkedBlockingQueue<Input> inputs = new LinkedBlockingQueue<>();
    private final ArrayDeque<Consumer<Effects>> wanted = new ArrayDeque<>();
    private @Nullable Thread inside;
    private int connections;
    private long deadlineNanos = Long.MAX_VALUE;
    private Consumer<Packet> frames = frame -> {};

    RecordingMachine(StreamDriver driver) {
        this.driver = driver;
    }

    // ------------------------------------------------------------------ for the test

    /** Sets what is done with each frame besides recording it, on the loop. */
    RecordingMachine onFrames(Consumer<Packet> action) {
        frames = action;
        return this;
    }

    void start() {
        driver.start(this);
        await(Kind.STARTED);
    }

    /** Asks for effects of one later turn. */
    void want(Consumer<Effects> effect) {
        driver.execute(nowNanos -> wanted.add(effect));
    }

    int dial(String address) {
        CompletableFuture<Integer> number = new CompletableFuture<>();
        driver.execute(nowNanos -> {
            int connection = ++connections;
            wanted.add(effects -> effects.dial(connection, address));
            number.complete(connection);
        });
        return number.orTimeout(SECONDS_MAX, TimeUnit.SECONDS).join();
    }

    void send(int connection, byte[] bytes) {
        want(effects -> effects.write(connection, packet(bytes)));
    }

    Packet packet(byte[] bytes) {
        return Packet.create(driver.memory(), bytes.length).append(bytes, 0, bytes.length);
    }

    void close(int connection) {
        want(effects -> effects.close(connection, "the test closes it"));
    }

    void setTimer(long nanos) {
        driver.execute(nowNanos -> deadlineNanos = nowNanos + nanos);
    }

    Input next() {
        try {
            Input input = inputs.poll(SECONDS_MAX, TimeUnit.SECONDS);
            if (input == null) {
                throw new AssertionError("no input within " + SECONDS_MAX + " s at " + driver.address());
            }
            return input;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    Input await(Kind kind) {
        Input input = next();
        if (input.kind() != kind) {
            throw new AssertionError(kind + " was expected at " + driver.address() + ", and not " + input);
        }
        return input;
    }

    // ------------------------------------------------------------------ for the driver

    private void record(Kind kind, int connection, String detail, byte[] bytes, boolean isOrderly) {
        enter();
        inputs.add(new Input(kind, connection, detail, bytes, isOrderly));
        leave();
    }

    private void enter() {
        if (inside != null) {
            throw new IllegalStateException("the machine gets input on " + Thread.currentThread() + ", and is in use on " + inside);
        }
        inside = Thread.currentThread();
    }

    private void leave() {
        inside = null;
    }

    @Override
    public void onStart(long nowNanos) {
        record(Kind.STARTED, 0, "", new byte[0], true);
    }

    @Override
    public int onAccepted(long nowNanos, String remote) {
        int connection = ++connections;
        record(Kind.ACCEPTED, connection, remote, new byte[0], true);
        return connection;
    }

    @Override
    public void onConnected(long nowNanos, int connection) {
        record(Kind.CONNECTED, connection, "", new byte[0], true);
    }

    @Override
    public void onDialFailed(long nowNanos, int connection, DialFailure failure, String detail) {
        record(Kind.DIAL_FAILED, connection, failure.name(), new byte[0], true);
    }

    @Override
    public void onFrame(long nowNanos, int connection, Packet frame) {
        byte[] bytes = new byte[frame.length()];
        frame.bytes().get(frame.offset(), bytes);
        record(Kind.FRAME, connection, "", bytes, true);
        frames.accept(frame);
        frame.release();
    }

    @Override
    public void onDisconnected(long nowNanos, int connection, boolean isOrderly, String detail) {
        record(Kind.DISCONNECTED, connection, detail, new byte[0], isOrderly);
    }

    @Override
    public void onTimer(long nowNanos) {
        if (deadlineNanos <= nowNanos) {
            deadlineNanos = Long.MAX_VALUE;
            record(Kind.TIMER, 0, "", new byte[0], true);
        }
    }

    @Override
    public long nextDeadline() {
        return deadlineNanos;
    }

    @Override
    public void drain(Effects effects) {
        enter();
        for (Consumer<Effects> effect = wanted.poll(); effect != null; effect = wanted.poll()) {
            effect.accept(effects);
        }
        leave();
    }
}
