package dev.tutti.local.internal;

import static dev.tutti.core.metrics.Metric.part;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.driver.Machine;
import dev.tutti.core.driver.Socket;
import dev.tutti.core.driver.StreamDriver;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.metrics.Metric;
import dev.tutti.core.metrics.Metric.Place;
import dev.tutti.core.metrics.Metric.Unit;
import dev.tutti.core.settings.Settings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a machine whose connections lead to nodes of the same process. The frames that a turn writes to one connection are handed over
 * together, each copied once, because a receiver may write into the memory of what it has received.
 */
public final class LocalDriver implements StreamDriver {

    public static final List<Metric> METRICS = part(Place.NODE, "driver")
            .counter("local.frames-sent", Unit.FRAMES, "Frames handed to nodes of this process.")
            .counter("local.bytes-sent", Unit.BYTES, "Bytes of these frames.")
            .counter("local.frames-dropped", Unit.FRAMES, "Frames for connections that had ended.")
            .counter("local.connections-refused", Unit.COUNT, "Dials refused because of transport.connections-max.")
            .counter("local.connections-overflowed", Unit.COUNT, "Connections closed because of transport.write-buffer-max.")
            .list();

    private final LocalNetwork network = LocalNetwork.OF_PROCESS;
    private final Memory memory = Memory.onHeap();
    private final LocalLoop loop;
    private final int port;
    private final int connectionsMax;
    private final long untakenBytesMax;
    private final long connectTimeoutNanos;
    private final Effects effects = new MachineEffects();
    private final AtomicBoolean isClosing = new AtomicBoolean();
    private final LongAdder framesSent = new LongAdder();
    private final LongAdder bytesSent = new LongAdder();
    private final LongAdder framesDropped = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder overflowed = new LongAdder();
    private volatile Consumer<Throwable> onFailure = cause -> {};

    // Of the loop.
    private final HashMap<Integer, LocalEnd> ends = new HashMap<>();
    private final List<LocalEnd> dirty = new ArrayList<>();

    /** Dials in the order of their deadlines; some have been answered. */
    private final ArrayDeque<LocalEnd> dials = new ArrayDeque<>();

    private @Nullable Machine machine;

    private LocalDriver(Settings settings, int port) {
        this.connectionsMax = settings.get(TransportSettings.CONNECTIONS_MAX);
        this.untakenBytesMax = settings.get(TransportSettings.WRITE_BUFFER_MAX).bytes();
        this.connectTimeoutNanos = settings.get(TransportSettings.CONNECT_TIMEOUT).toNanos();
        this.port = port;
        this.loop = new LocalLoop("tutti-local-" + port, new MachineTurns());
    }

    /** @throws dev.tutti.core.driver.TransportException if the port is in use */
    public static LocalDriver open(Settings settings) {
        LocalNetwork network = LocalNetwork.OF_PROCESS;
        int first = settings.get(TransportSettings.BIND_PORT);
        int last = Math.min(65_535, first + settings.get(TransportSettings.BIND_PORT_RANGE));
        int port = network.bind(settings.get(TransportSettings.CLUSTER), first, last);
        LocalDriver driver = new LocalDriver(settings, port);
        // Not before it is complete: nodes of other threads dial what they find.
        network.listen(port, driver);
        return driver;
    }

    @Override
    public Memory memory() {
        return memory;
    }

    @Override
    public String address() {
        return LocalNetwork.address(port);
    }

    @Override
    public boolean isOnIp() {
        return false;
    }

    @Override
    public Map<String, String> description() {
        Map<String, String> description = new TreeMap<>();
        description.put("io", "local");
        description.put("java", Runtime.version().toString());
        description.put("tls", "none");
        description.put("checksum", "none");
        description.put("bound", address());
        return description;
    }

    @Override
    public Map<String, Long> counters() {
        Map<String, Long> counters = new TreeMap<>();
        counters.put("local.frames-sent", framesSent.sum());
        counters.put("local.bytes-sent", bytesSent.sum());
        counters.put("local.frames-dropped", framesDropped.sum());
        counters.put("local.connections-refused", refused.sum());
        counters.put("local.connections-overflowed", overflowed.sum());
        return counters;
    }

    @Override
    public List<Metric> metrics() {
        return METRICS;
    }

    @Override
    public List<Socket> sockets() {
        List<Socket> sockets = new ArrayList<>();
        new TreeMap<>(ends).forEach((number, end) -> {
            if (end.isOpen()) {
                Map<String, Long> values = Map.of("unwritten-bytes", end.untakenBytes());
                sockets.add(new Socket(number, address(), end.remote, end.isDialled, values));
            }
        });
        return sockets;
    }

    @Override
    public void start(Machine started) {
        boolean isNew = loop.start(nowNanos -> {
            machine = started;
            started.onStart(nowNanos);
        });
        if (!isNew) {
            throw new IllegalStateException("the driver was started or closed before");
        }
    }

    @Override
    public void execute(Task task) {
        boolean isAccepted = !isClosing.get() && loop.post(nowNanos -> {
            if (machine != null) {
                task.run(nowNanos);
            }
        });
        if (!isAccepted) {
            throw new RejectedExecutionException("the driver is closed");
        }
    }

    @Override
    public void onFailure(Consumer<Throwable> listener) {
        onFailure = listener;
    }

    @Override
    public void close() {
        isClosing.set(true);
        network.unbind(port, this);
        loop.end();
    }

    // ------------------------------------------------------------------ what other drivers tell, on this loop

    /** Adds a task of another driver; returns false if this one has ended. From any thread. */
    boolean post(Task task) {
        return loop.post(task);
    }

    private void onDialled(long nowNanos, LocalEnd dialler) {
        Machine current = machine;
        if (current == null) {
            answer(dialler, DialFailure.REFUSED, nobodyAt(address()));
            return;
        }
        if (ends.size() >= connectionsMax) {
            refused.increment();
            answer(dialler, DialFailure.UNREACHABLE, address() + " has transport.connections-max connections");
            return;
        }
        int number = current.onAccepted(nowNanos, dialler.driver.address());
        LocalEnd end = new LocalEnd(this, number, false, dialler.driver.address());
        end.state = LocalEnd.State.OPEN;
        end.peer = dialler;
        ends.put(number, end);
        if (!dialler.driver.post(later -> dialler.driver.onAnswered(later, dialler, end))) {
            onPeerEnded(nowNanos, end, false, "the other node has ended");
        }
    }

    private static String nobodyAt(String address) {
        return "nobody listens on " + address;
    }

    private static void answer(LocalEnd dialler, DialFailure failure, String detail) {
        // If its driver has ended, nobody waits for the answer.
        dialler.driver.post(nowNanos -> dialler.driver.onDialFailed(nowNanos, dialler, failure, detail));
    }

    private void onDialFailed(long nowNanos, LocalEnd end, DialFailure failure, String detail) {
        Machine current = machine;
        if (current != null && ends.remove(end.number, end)) {
            end.state = LocalEnd.State.ENDED;
            current.onDialFailed(nowNanos, end.number, failure, detail);
        }
    }

    private void onAnswered(long nowNanos, LocalEnd end, LocalEnd accepted) {
        end.peer = accepted;
        Machine current = machine;
        if (end.state == LocalEnd.State.OPENING && current != null) {
            end.state = LocalEnd.State.OPEN;
            current.onConnected(nowNanos, end.number);
        } else {
            tellEnd(end, true, "closed by peer");
        }
    }

    void onFrames(long nowNanos, LocalEnd end, List<Packet> frames) {
        LocalEnd sender = end.peer;
        for (Packet frame : frames) {
            if (sender != null) {
                sender.onTaken(frame.length());
            }
            Machine current = machine;
            if (current != null && end.isOpen()) {
                current.onFrame(nowNanos, end.number, frame);
            } else {
                framesDropped.increment();
                frame.release();
            }
        }
    }

    private void onPeerEnded(long nowNanos, LocalEnd end, boolean isOrderly, String detail) {
        Machine current = machine;
        if (end.isOpen()) {
            end.state = LocalEnd.State.ENDED;
            ends.remove(end.number, end);
            if (current != null) {
                current.onDisconnected(nowNanos, end.number, isOrderly, detail);
            }
        }
    }

    private static void tellEnd(LocalEnd end, boolean isOrderly, String detail) {
        LocalEnd other = end.peer;
        if (other != null) {
            // A driver that has ended has no connections any more.
            other.driver.post(nowNanos -> other.driver.onPeerEnded(nowNanos, other, isOrderly, detail));
        }
    }

    // ------------------------------------------------------------------ turns

    private final class MachineTurns implements LocalLoop.Turns {

        @Override
        public void drain() {
            Machine current = machine;
            if (current != null) {
                current.drain(effects);
            }
            for (LocalEnd end : dirty) {
                end.flush();
            }
            dirty.clear();
        }

        @Override
        public void onTimer(long nowNanos) {
            while (!dials.isEmpty() && dials.element().deadlineNanos <= nowNanos) {
                LocalEnd late = dials.remove();
                if (late.state == LocalEnd.State.OPENING) {
                    onDialFailed(nowNanos, late, DialFailure.UNREACHABLE, late.remote + " does not answer in time");
                }
            }
            Machine current = machine;
            if (current != null) {
                current.onTimer(nowNanos);
            }
        }

        @Override
        public long nextDeadline() {
            while (!dials.isEmpty() && dials.element().state != LocalEnd.State.OPENING) {
                dials.remove();
            }
            Machine current = machine;
            long deadlineNanos = dials.isEmpty() ? Long.MAX_VALUE : dials.element().deadlineNanos;
            return current == null ? Long.MAX_VALUE : Math.min(deadlineNanos, current.nextDeadline());
        }

        @Override
        public void onBroken(Throwable cause) {
            boolean isNews = machine != null;
            machine = null;
            isClosing.set(true);
            network.unbind(port, LocalDriver.this);
            endAll(false, "the other node has failed");
            if (isNews) {
                onFailure.accept(cause);
            }
        }

        @Override
        public void end() {
            machine = null;
            endAll(true, "closed by peer");
        }

        private void endAll(boolean isOrderly, String detail) {
            for (LocalEnd end : List.copyOf(ends.values())) {
                end.flush();
                end.state = LocalEnd.State.ENDED;
                tellEnd(end, isOrderly, detail);
            }
            ends.clear();
        }
    }

    private final class MachineEffects implements Effects {

        @Override
        public void dial(int connection, String address) {
            LocalEnd end = new LocalEnd(LocalDriver.this, connection, true, address);
            end.deadlineNanos = System.nanoTime() + connectTimeoutNanos;
            ends.put(connection, end);
            dials.add(end);
            LocalDriver target = network.find(address);
            if (!LocalNetwork.isAddress(address)) {
                answer(end, DialFailure.UNRESOLVED, "'" + address + "' is no address of the transport local; write local:7800");
            } else if (target == null || !target.post(nowNanos -> target.onDialled(nowNanos, end))) {
                answer(end, DialFailure.REFUSED, nobodyAt(address));
            }
        }

        @Override
        public void write(int connection, Packet frame) {
            if (frame.length() > Packet.FRAME_MAX) {
                throw new IllegalArgumentException("frame of " + frame.length() + " bytes, at most " + Packet.FRAME_MAX);
            }
            LocalEnd end = ends.get(connection);
            if (end == null || !end.isOpen()) {
                framesDropped.increment();
            } else if (end.untakenBytes() + frame.length() > untakenBytesMax) {
                overflow(end);
            } else {
                framesSent.increment();
                bytesSent.add(frame.length());
                if (end.write(frame, memory)) {
                    dirty.add(end);
                }
            }
            frame.release();
        }

        private void overflow(LocalEnd end) {
            overflowed.increment();
            end.flush();
            end.state = LocalEnd.State.ENDED;
            ends.remove(end.number, end);
            tellEnd(end, false, "the other node has closed it: too much waits to be taken");
            loop.post(nowNanos -> {
                Machine current = machine;
                if (current != null) {
                    current.onDisconnected(nowNanos, end.number, false,
                            "more than transport.write-buffer-max bytes wait to be taken by " + end.remote);
                }
            });
        }

        @Override
        public void close(int connection, String reason) {
            LocalEnd end = ends.remove(connection);
            if (end != null) {
                end.flush();
                end.state = LocalEnd.State.ENDED;
                tellEnd(end, true, "closed by peer");
            }
        }
    }
}
