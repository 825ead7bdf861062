package dev.tutti.protocols;

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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Runs one layer alone. Everything it sends, delivers, signals, drops and arms is kept for the test to examine, and
 * goes nowhere: the test plays the layers above and below. The test also sets the time.
 */
public final class LayerTest implements Outbox {

    private static final long NEVER = Long.MAX_VALUE;

    public final CountingMemory memory = new CountingMemory();
    public final List<Packet> sent = new ArrayList<>();
    public final List<Packet> delivered = new ArrayList<>();
    public final List<Signal> raised = new ArrayList<>();
    public final List<Signal> lowered = new ArrayList<>();
    public final List<DropReason> dropped = new ArrayList<>();
    private final Layer layer;
    private final List<? extends Timer> timers;
    private final long[] deadlines;
    private final SplittableRandom random = new SplittableRandom(1);
    private long nowNanos;
    private boolean isUpward;

    public LayerTest(Layer layer) {
        this.layer = layer;
        this.timers = layer.timers();
        this.deadlines = new long[timers.size()];
        Arrays.fill(deadlines, NEVER);
    }

    /** The member with this number; a lower one is older. */
    public static Member member(int number) {
        return new Member(new NodeId(number, "n" + number, "n" + number), 1);
    }

    // ------------------------------------------------------------------ inputs

    public void sendDown(Packet packet) {
        layer.onSend(packet, this);
    }

    public void receive(Member from, Packet packet) {
        layer.onReceive(packet.withPeer(from), this);
    }

    public void consume(Packet packet) {
        layer.onConsumed(packet, this);
    }

    public void signalUp(Signal signal) {
        isUpward = true;
        layer.onSignal(signal, this);
    }

    public void signalDown(Signal signal) {
        isUpward = false;
        layer.onSignal(signal, this);
    }

    public void endTurn() {
        layer.onTurnEnd(this);
    }

    /** The timer goes off, whether it is armed or not. */
    public void fire(Timer timer) {
        deadlines[timer.ordinal()] = NEVER;
        layer.onTimer(timer, this);
        layer.onTurnEnd(this);
    }

    /** Time passes; timers that are due go off in order, each in a turn of its own. */
    public void advance(long nanos) {
        long until = nowNanos + nanos;
        Timer due = nextTimer(until);
        while (due != null) {
            nowNanos = Math.max(nowNanos, deadlines[due.ordinal()]);
            fire(due);
            due = nextTimer(until);
        }
        nowNanos = until;
    }

    /** The timer that goes off first, until then; null if none does. */
    private @Nullable Timer nextTimer(long until) {
        Timer next = null;
        for (Timer timer : timers) {
            if (deadlines[timer.ordinal()] <= until && (next == null || deadlines[timer.ordinal()] < deadlines[next.ordinal()])) {
                next = timer;
            }
        }
        return next;
    }

    // ------------------------------------------------------------------ what came out

    /** Returns the nanoseconds until the timer fires; -1 if it is not armed. */
    public long armedNanos(Timer timer) {
        return isArmed(timer) ? deadlines[timer.ordinal()] - nowNanos : -1;
    }

    /** Signals of one kind that went up, oldest first; they are forgotten. */
    public <S extends Signal> List<S> takeRaised(Class<S> kind) {
        return take(raised, kind);
    }

    /** Signals of one kind that went down, oldest first; they are forgotten. */
    public <S extends Signal> List<S> takeLowered(Class<S> kind) {
        return take(lowered, kind);
    }

    private static <S extends Signal> List<S> take(List<Signal> signals, Class<S> kind) {
        List<S> taken = signals.stream().filter(kind::isInstance).map(kind::cast).toList();
        signals.removeIf(kind::isInstance);
        return taken;
    }

    /** Reasons of drops since the last call. */
    public List<DropReason> takeDropped() {
        List<DropReason> taken = List.copyOf(dropped);
        dropped.clear();
        return taken;
    }

    /** Returns the packets sent since the last call, and passes their ownership. */
    public List<Packet> takeSent() {
        List<Packet> taken = List.copyOf(sent);
        sent.clear();
        return taken;
    }

    /** The layer's numbers by path, as {@code reliability.n2.copies}. */
    public TreeMap<String, Long> numbers() {
        return numbers(layer::report);
    }

    public static TreeMap<String, Long> numbers(Consumer<Report> reporter) {
        TreeMap<String, Long> numbers = new TreeMap<>();
        reporter.accept(new Numbers("", numbers, new TreeMap<>()));
        return numbers;
    }

    /** The layer's texts by path. */
    public TreeMap<String, String> texts() {
        TreeMap<String, String> texts = new TreeMap<>();
        layer.report(new Numbers("", new TreeMap<>(), texts));
        return texts;
    }

    private record Numbers(String path, TreeMap<String, Long> numbers, TreeMap<String, String> texts)
            implements Report {
        @Override
        public void put(String name, long value) {
            numbers.put(path + name, value);
        }

        @Override
        public void put(String name, String value) {
            texts.put(path + name, value);
        }

        @Override
        public Report section(String name) {
            return new Numbers(path + name + ".", numbers, texts);
        }
    }

    // ------------------------------------------------------------------ outbox

    @Override
    public void send(Packet packet) {
        sent.add(packet);
    }

    @Override
    public void deliver(Packet packet) {
        delivered.add(packet);
    }

    @Override
    public void consumed(Packet packet) {
        packet.release();
    }

    @Override
    public void drop(Packet packet, DropReason reason) {
        dropped.add(reason);
        packet.release();
    }

    @Override
    public void forward(Signal signal) {
        (isUpward ? raised : lowered).add(signal);
    }

    @Override
    public void raise(Signal signal) {
        raised.add(signal);
    }

    @Override
    public void lower(Signal signal) {
        lowered.add(signal);
    }

    @Override
    public void arm(Timer timer, long delayNanos) {
        deadlines[timer.ordinal()] = nowNanos + Math.max(0, delayNanos);
    }

    @Override
    public void disarm(Timer timer) {
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
