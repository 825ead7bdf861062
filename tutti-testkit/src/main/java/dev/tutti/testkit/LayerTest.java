package dev.tutti.testkit;

import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import dev.tutti.core.stack.Timer;
import dev.tutti.sim.CountingMemory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Harness for a single layer: the test plays the layers above and below it, and the clock. The layer's output is kept
 * for the test to take.
 *
 * <p>Packets that are taken belong to the test, which has to release them if it checks memory. Time stands still except
 * in {@link #advance}. Not thread-safe.
 */
public final class LayerTest {

    private static final long NEVER = Long.MAX_VALUE;
    private static final long MEMORY_BYTES_MAX = 64L * 1024 * 1024;

    private final Layer layer;
    private final CountingMemory memory = new CountingMemory(MEMORY_BYTES_MAX);
    private final Box out = new Box();
    private final SplittableRandom random;
    private final List<? extends Timer> timers;
    private final long[] deadlines;
    private final List<Packet> sent = new ArrayList<>();
    private final List<Packet> delivered = new ArrayList<>();
    private final List<DropReason> dropped = new ArrayList<>();
    private final List<Signal> raised = new ArrayList<>();
    private final List<Signal> lowered = new ArrayList<>();
    private Consumer<String> telling = line -> {};
    private int headerBytes;
    private long nowNanos;
    private boolean isUpward;

    private LayerTest(Layer layer, long seed) {
        this.layer = layer;
        this.timers = layer.timers();
        this.deadlines = new long[timers.size()];
        this.random = new SplittableRandom(seed);
        Arrays.fill(deadlines, NEVER);
    }

    public static LayerTest of(Layer layer) {
        return of(layer, 1);
    }

    /** @param seed seed of the layer's randomness */
    public static LayerTest of(Layer layer, long seed) {
        return new LayerTest(layer, seed);
    }

    /** Returns a member for tests, named {@code n<number>}; a lower number is older. */
    public static Member member(int number) {
        return new Member(new NodeId(number, "n" + number, "n" + number + ":7800"), 1);
    }

    /** Returns a packet on its way down, to all. */
    public Packet packet(String text) {
        return packet(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a packet on its way down, to all; {@code withPeer} addresses it to one member. */
    public Packet packet(byte[] content) {
        return Packet.create(memory, content.length).append(content, 0, content.length);
    }

    // ------------------------------------------------------------------ inputs

    /** Sends a packet, as the application does from above. */
    public LayerTest send(Packet packet) {
        layer.onSend(packet, out);
        return this;
    }

    /** Gives the layer a packet from a member, from below. */
    public LayerTest receive(Member from, Packet packet) {
        layer.onReceive(packet.withPeer(from), out);
        return this;
    }

    /** Notes that the application has consumed a packet that was delivered to it. */
    public LayerTest consume(Packet packet) {
        layer.onConsumed(packet, out);
        return this;
    }

    /** Gives the layer a signal on its way up. */
    public LayerTest signalUp(Signal signal) {
        isUpward = true;
        layer.onSignal(signal, out);
        return this;
    }

    /** Gives the layer a signal on its way down. */
    public LayerTest signalDown(Signal signal) {
        isUpward = false;
        layer.onSignal(signal, out);
        return this;
    }

    /** Ends the turn: all its input has been handled. */
    public LayerTest endTurn() {
        layer.onTurnEnd(out);
        return this;
    }

    /** Fires the timer, whether it is armed or not: early and repeated calls are harmless, as a layer has to prove. */
    public LayerTest fire(Timer timer) {
        deadlines[timer.ordinal()] = NEVER;
        layer.onTimer(timer, out);
        return endTurn();
    }

    /** Lets time pass; timers that are due go off in order, each in a turn of its own. */
    public LayerTest advance(Duration duration) {
        long until = nowNanos + duration.toNanos();
        Timer due = nextTimer(until);
        while (due != null) {
            nowNanos = Math.max(nowNanos, deadlines[due.ordinal()]);
            telling.accept("timer " + due.name() + " goes off");
            fire(due);
            due = nextTimer(until);
        }
        nowNanos = until;
        return this;
    }

    /** Returns the timer that goes off first until then; null if none does. */
    private @Nullable Timer nextTimer(long until) {
        Timer next = null;
        for (Timer timer : timers) {
            if (deadlines[timer.ordinal()] <= until && (next == null || deadlines[timer.ordinal()] < deadlines[next.ordinal()])) {
                next = timer;
            }
        }
        return next;
    }

    /** Returns the layer's timers. */
    List<? extends Timer> timers() {
        return timers;
    }

    // ------------------------------------------------------------------ what came out

    /** Returns the packets that the layer has sent since the last call, oldest first. */
    public List<Packet> takeSent() {
        return take(sent);
    }

    /** Returns the packets that the layer has delivered since the last call, oldest first. */
    public List<Packet> takeDelivered() {
        return take(delivered);
    }

    /** Returns the reasons of dropped packets since the last call, oldest first. */
    public List<DropReason> takeDropped() {
        return take(dropped);
    }

    /** Returns signals of one kind that went up, oldest first; others stay. */
    public <S extends Signal> List<S> takeRaised(Class<S> kind) {
        return take(raised, kind);
    }

    /** Returns signals of one kind that went down, oldest first; others stay. */
    public <S extends Signal> List<S> takeLowered(Class<S> kind) {
        return take(lowered, kind);
    }

    private static <T> List<T> take(List<T> kept) {
        List<T> taken = List.copyOf(kept);
        kept.clear();
        return taken;
    }

    private static <S extends Signal> List<S> take(List<Signal> signals, Class<S> kind) {
        List<S> taken = signals.stream().filter(kind::isInstance).map(kind::cast).toList();
        signals.removeIf(kind::isInstance);
        return taken;
    }

    /** Returns the time until the timer goes off; null if it is not armed. */
    public @Nullable Duration armed(Timer timer) {
        return out.isArmed(timer) ? Duration.ofNanos(deadlines[timer.ordinal()] - nowNanos) : null;
    }

    /** Returns the time since the start. */
    public Duration elapsed() {
        return Duration.ofNanos(nowNanos);
    }

    /** Returns the blocks that packets still hold: in the layer, in output that was not taken, and in the test. */
    public long blocksHeld() {
        return memory.outstandingBlocks();
    }

    /** Returns the layer's report, by path, as {@code links.n2.sent-frames}; numbers as text. */
    public TreeMap<String, String> report() {
        TreeMap<String, String> values = new TreeMap<>();
        layer.report(new Paths("", values));
        return values;
    }

    private record Paths(String path, TreeMap<String, String> values) implements Report {
        @Override
        public void put(String name, long value) {
            values.put(path + name, Long.toString(value));
        }

        @Override
        public void put(String name, String value) {
            values.put(path + name, value);
        }

        @Override
        public Report section(String name) {
            return new Paths(path + name + ".", values);
        }
    }

    // ------------------------------------------------------------------ in words

    /**
     * Describes the layer's actions in words to {@code lines} from now on.
     *
     * @param header bytes at the beginning of packets on the wire that are no text even if they look like it
     */
    void tell(Consumer<String> lines, int header) {
        telling = lines;
        headerBytes = header;
    }

    /** Returns the content as a scenario writes it: bytes in hexadecimal, and the readable rest in quotes. */
    static String words(Packet packet, int headerBytes) {
        byte[] content = new byte[packet.length()];
        packet.bytes().get(packet.offset(), content);
        int text = content.length;
        while (text > Math.min(headerBytes, content.length) && isReadable(content[text - 1])) {
            text--;
        }
        StringBuilder words = new StringBuilder();
        for (int index = 0; index < text; index++) {
            words.append(String.format(Locale.ROOT, "%02x", content[index]));
        }
        if (text < content.length) {
            words.append(words.isEmpty() ? "" : " ").append('"');
            words.append(new String(content, text, content.length - text, StandardCharsets.US_ASCII)).append('"');
        }
        return words.isEmpty() ? "nothing" : words.toString();
    }

    private static boolean isReadable(byte value) {
        return value >= ' ' && value <= '~' && value != '"';
    }

    static String words(Duration duration) {
        long nanos = duration.toNanos();
        if (nanos % 1_000_000_000 == 0) {
            return nanos / 1_000_000_000 + " s";
        }
        return nanos % 1_000_000 == 0 ? nanos / 1_000_000 + " ms" : nanos / 1_000 + " us";
    }

    private static String peer(Packet packet, String nobody) {
        Member peer = packet.peer();
        return peer == null ? nobody : peer.name();
    }

    private final class Box implements Outbox {

        @Override
        public void send(Packet packet) {
            telling.accept("sends " + words(packet, headerBytes) + " to " + peer(packet, "all"));
            sent.add(packet);
        }

        @Override
        public void deliver(Packet packet) {
            telling.accept("delivers " + words(packet, 0) + " from " + peer(packet, "nobody"));
            delivered.add(packet);
        }

        @Override
        public void consumed(Packet packet) {
            telling.accept("is done with " + words(packet, 0));
            packet.release();
        }

        @Override
        public void drop(Packet packet, DropReason reason) {
            telling.accept("drops " + words(packet, 0) + ": " + reason.description());
            dropped.add(reason);
            packet.release();
        }

        @Override
        public void forward(Signal signal) {
            if (isUpward) {
                raise(signal);
            } else {
                lower(signal);
            }
        }

        @Override
        public void raise(Signal signal) {
            telling.accept("raises " + signal);
            raised.add(signal);
        }

        @Override
        public void lower(Signal signal) {
            telling.accept("lowers " + signal);
            lowered.add(signal);
        }

        @Override
        public void arm(Timer timer, long delayNanos) {
            Duration delay = Duration.ofNanos(Math.max(0, delayNanos));
            telling.accept("arms timer " + timer.name() + " for " + words(delay));
            deadlines[timer.ordinal()] = nowNanos + delay.toNanos();
        }

        @Override
        public void disarm(Timer timer) {
            if (isArmed(timer)) {
                telling.accept("disarms timer " + timer.name());
            }
            deadlines[timer.ordinal()] = NEVER;
        }

        @Override
        public boolean isArmed(Timer timer) {
            return deadlines[timer.ordinal()] != NEVER;
        }

        @Override
        public long nowNanos() {
            return nowNanos;
        }

        @Override
        public RandomGenerator random() {
            return random;
        }

        @Override
        public Memory memory() {
            return memory;
        }
    }

    @Override
    public String toString() {
        return "layer at " + words(elapsed()) + ", timers " + timers.stream()
                .map(timer -> {
                    Duration delay = armed(timer);
                    return timer.name() + " " + (delay == null ? "-" : words(delay));
                })
                .collect(Collectors.joining(", "));
    }
}
