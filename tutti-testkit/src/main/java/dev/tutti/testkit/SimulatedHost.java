package dev.tutti.testkit;

import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.Subscription;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.DurableStore;
import dev.tutti.core.driver.Machine;
import dev.tutti.core.driver.StreamDriver;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Application;
import dev.tutti.internal.Host;
import dev.tutti.internal.HostNames;
import dev.tutti.protocols.node.NodeEvents;
import dev.tutti.protocols.packing.Submissions;
import dev.tutti.sim.SimulatedNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Host of one run of a simulated process: virtual time, threads, and witnesses at its groups. */
final class SimulatedHost implements Host {

    private final SimulatedProcess process;
    private final ProcessNode place;
    private final CooperativeThreads threads;
    private final NodeId self;
    private final long seed;
    private final SimulatedDriver driver;

    /** Listeners of groups that have not been joined yet. */
    private final Map<String, List<Listener<?>>> unbound = new TreeMap<>();

    /** @param place address of the node in its process */
    SimulatedHost(SimulatedProcess process, ProcessNode place, NodeId self, long seed, Memory memory) {
        this.process = process;
        this.place = place;
        this.threads = process.threads();
        this.self = self;
        this.seed = seed;
        this.driver = new SimulatedDriver(memory);
    }

    /** Returns the machine that the node has given its driver to run. */
    Machine machine() {
        Machine given = driver.machine;
        if (given == null) {
            throw new IllegalStateException("the node of " + self + " has not started its driver");
        }
        return given;
    }

    @Override
    public Driver driver() {
        return driver;
    }

    @Override
    public Node startNode(NodeBuilder builder) {
        return process.startBeside(builder, self);
    }

    @Override
    public long incarnation() {
        return self.incarnation();
    }

    /** Returns the same size on every machine, so that the same seed gives the same run. */
    @Override
    public long heapBytes() {
        return 1L << 30;
    }

    @Override
    public DurableStore store() {
        return place.simulated().store();
    }

    @Override
    public @Nullable HostNames names() {
        Map<String, List<String>> names = process.names();
        return names.isEmpty() ? null : host -> names.getOrDefault(host, List.of());
    }

    @Override
    public long seed() {
        return seed;
    }

    @Override
    public byte[] randomBytes(int count) {
        byte[] bytes = new byte[count];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    @Override
    public NodeEvents events(String node) {
        return event -> process.tellDetail(place, event.toString());
    }

    // ------------------------------------------------------------------ threads and waiting

    @Override
    public long nanoTime() {
        return process.shownNanos();
    }

    @Override
    public long epochMillis() {
        return place.simulated().wallMillis();
    }

    @Override
    public void start(String name, Runnable task) {
        threads.start(process.owner(), name, task);
    }

    @Override
    public void startAfter(long delayNanos, String name, Runnable task) {
        process.after(process.trueNanos(delayNanos), () -> {
            if (driver.isUp()) {
                threads.start(process.owner(), name, task);
            }
        });
    }

    /** Does nothing: an interrupt in real time would make runs differ. */
    @Override
    public void interrupt(Thread thread) {}

    /** Runs the task between events of the simulation: a task that returns at once needs no strand. */
    @Override
    public Subscription every(long periodNanos, Runnable task) {
        boolean[] isOver = new boolean[1];
        again(periodNanos, task, isOver);
        return () -> isOver[0] = true;
    }

    private void again(long periodNanos, Runnable task, boolean[] isOver) {
        process.after(periodNanos, () -> {
            if (isOver[0] || !driver.isUp()) {
                return;
            }
            if (place.isRunning()) {
                task.run();
            }
            again(periodNanos, task, isOver);
        });
    }

    @Override
    public Condition condition(Lock lock) {
        return new SimulatedCondition(threads, lock);
    }

    @Override
    public <T> T join(CompletableFuture<T> future) {
        awaitDone(future);
        return future.join();
    }

    @Override
    public <T> T get(CompletableFuture<T> future) throws InterruptedException, ExecutionException {
        awaitDone(future);
        return future.get();
    }

    private void awaitDone(CompletableFuture<?> future) {
        awaitDone(future, Long.MAX_VALUE);
        if (!future.isDone()) {
            throw new IllegalStateException("node " + self + " has waited for an hour of virtual time");
        }
    }

    @Override
    public <T> T get(CompletableFuture<T> future, long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        awaitDone(future, unit.toNanos(timeout));
        if (!future.isDone()) {
            throw new TimeoutException();
        }
        return future.get();
    }

    private void awaitDone(CompletableFuture<?> future, long timeoutNanos) {
        if (!future.isDone()) {
            CooperativeThreads.Signal done = new CooperativeThreads.Signal();
            var unused = future.whenComplete((value, failure) -> threads.raise(done));
            threads.await(done, timeoutNanos);
        }
    }

    // ------------------------------------------------------------------ what can be watched

    /** A listener, with the witness of its membership as soon as there is one. */
    private final class Listener<T> implements Consumer<T> {
        private final Consumer<T> listener;
        private @Nullable Witness witness;

        Listener(Consumer<T> listener) {
            this.listener = listener;
        }

        @Override
        public void accept(T item) {
            if (item instanceof List<?> batch) {
                batch.forEach(this::watch);
            } else {
                watch(item);
            }
            listener.accept(item);
        }

        private void watch(Object item) {
            if (item instanceof Message) {
                process.work();
            }
            Witness present = witness;
            if (present != null && !threads.isKilled()) {
                present.onTold(item);
            }
        }
    }

    @Override
    public <T> Consumer<T> listener(String group, Consumer<T> listener) {
        Listener<T> watched = new Listener<>(listener);
        unbound.computeIfAbsent(group, key -> new ArrayList<>()).add(watched);
        return watched;
    }

    @Override
    public void onCallbackFailed(String group, String callback, Throwable thrown) {
        process.onListenerFailure(place.group(group), callback, thrown);
    }

    @Override
    public boolean isOwn(Throwable thrown) {
        return CooperativeThreads.isEnd(thrown);
    }

    @Override
    public Application application(String group, Settings settings, Application application) {
        Witness witness = process.witness(place, group, settings);
        List<Listener<?>> listeners = unbound.remove(group);
        if (listeners != null) {
            listeners.forEach(listener -> listener.witness = witness);
        }
        return witness.above(application);
    }

    @Override
    public Submissions submissions(String group, Settings settings, Submissions submissions) {
        return process.witness(place, group, settings).above(submissions);
    }

    /** A driver whose loop is the simulated node's turns. */
    private final class SimulatedDriver implements StreamDriver {

        private final Memory memory;
        private @Nullable Machine machine;

        SimulatedDriver(Memory memory) {
            this.memory = memory;
        }

        private SimulatedNode node() {
            return place.simulated();
        }

        /** Returns whether the simulated process is still in the run that this driver belongs to. */
        private boolean isUp() {
            return place.isUp() && node().id().equals(self);
        }

        @Override
        public void start(Machine given) {
            machine = given;
        }

        @Override
        public Memory memory() {
            return memory;
        }

        @Override
        public String address() {
            return self.address();
        }

        @Override
        public Map<String, String> description() {
            return Map.of("io", "simulated");
        }

        @Override
        public void execute(Task task) {
            if (isUp()) {
                node().execute(task);
            } else if (threads.isKilled() || !process.isCrashed(self)) {
                throw new RejectedExecutionException("node " + self + " is closed");
            } else {
                throw new IllegalStateException(self + " has crashed, and its component with it: it must not be called any"
                        + " more; Components.on gives that of the present run");
            }
        }

        @Override
        public void close() {
            if (isUp()) {
                node().stop(now -> {});
                long end = process.nowNanos() + CLOSE_NANOS_MAX;
                while (isUp() && process.nowNanos() < end) {
                    threads.sleep(CLOSE_STEP_NANOS);
                }
            }
        }
    }

    /** A condition that waits in virtual time; the waiting strand has released the lock. */
    private static final class SimulatedCondition implements Condition {

        private final CooperativeThreads threads;
        private final Lock lock;
        private final ArrayDeque<CooperativeThreads.Signal> waiting = new ArrayDeque<>();

        SimulatedCondition(CooperativeThreads threads, Lock lock) {
            this.threads = threads;
            this.lock = lock;
        }

        private boolean awaitSignal(long nanos) {
            CooperativeThreads.Signal signal = new CooperativeThreads.Signal();
            waiting.add(signal);
            lock.unlock();
            try {
                return threads.await(signal, nanos);
            } finally {
                lock.lock();
                waiting.remove(signal);
            }
        }

        @Override
        public long awaitNanos(long nanos) {
            long start = threads.nowNanos();
            awaitSignal(nanos);
            return nanos - (threads.nowNanos() - start);
        }

        @Override
        public boolean await(long time, TimeUnit unit) {
            return awaitSignal(unit.toNanos(time));
        }

        @Override
        public void await() {
            awaitSignal(Long.MAX_VALUE);
        }

        @Override
        public void awaitUninterruptibly() {
            awaitSignal(Long.MAX_VALUE);
        }

        @Override
        public boolean awaitUntil(Date deadline) {
            throw new UnsupportedOperationException("there are no dates in virtual time");
        }

        @Override
        public void signal() {
            CooperativeThreads.Signal first = waiting.poll();
            if (first != null) {
                threads.raise(first);
            }
        }

        @Override
        public void signalAll() {
            waiting.forEach(threads::raise);
            waiting.clear();
        }
    }

    private static final long CLOSE_NANOS_MAX = 2_000_000_000L;
    private static final long CLOSE_STEP_NANOS = 100_000;
}
