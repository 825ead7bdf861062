package dev.tutti.blocks.component;

import dev.tutti.GroupState;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.component.PassiveCommand.Done;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.machine.Replica;
import dev.tutti.internal.Logs;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Executes requests of a passive component one after the other, on a thread of its own, while this member is the primary. */
final class PrimaryExecutor {

    private static final Logger LOG = Logs.of(PrimaryExecutor.class);

    /** Time until the next attempt after an execution that could not be told to the others. */
    private static final long PAUSE_NANOS = 100_000_000;

    private final String name;
    private final Threads threads;
    private final Callbacks callbacks;
    private final PassiveMachine machine;
    private final Supplier<? extends GroupState> factory;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private @Nullable Replica<PassiveCommand, Boolean> replica;
    private boolean isRunning;
    private boolean isClosed;

    // Of the one thread that executes: the state after its last execution, which may not have become the state of all.
    private @Nullable GroupState copy;
    private byte[] copied = {};

    PrimaryExecutor(String name, Threads threads, PassiveMachine machine, Supplier<? extends GroupState> factory) {
        this.name = name;
        this.threads = threads;
        this.callbacks = new Callbacks(threads);
        this.machine = machine;
        this.factory = factory;
    }

    void open(Replica<PassiveCommand, Boolean> joined) {
        lock.lock();
        try {
            replica = joined;
        } finally {
            lock.unlock();
        }
        wake();
    }

    void close() {
        lock.lock();
        try {
            isClosed = true;
        } finally {
            lock.unlock();
        }
    }

    /** Begins to execute if there is something to execute; never waits. */
    void wake() {
        lock.lock();
        try {
            if (isRunning || isClosed || replica == null || machine.next() == null) {
                return;
            }
            isRunning = true;
        } finally {
            lock.unlock();
        }
        threads.start("tutti-component-" + name, this::run);
    }

    private void run() {
        PassiveMachine.Work work = take();
        while (work != null) {
            try {
                tell(execute(work));
            } catch (RuntimeException e) {
                // Timed out, left, or not to be sent: whether the others have it, the version tells. Requests must not wait for ever.
                LOG.warn("component {}: the outcome of a request could not be told to the others, and is told later: {}", name, e.toString());
                pause();
                return;
            }
            work = take();
        }
    }

    private PassiveMachine.@Nullable Work take() {
        lock.lock();
        try {
            PassiveMachine.Work work = isClosed ? null : machine.next();
            isRunning = work != null;
            return work;
        } finally {
            lock.unlock();
        }
    }

    private void pause() {
        lock.lock();
        try {
            isRunning = false;
        } finally {
            lock.unlock();
        }
        threads.startAfter(PAUSE_NANOS, "tutti-component-" + name, this::wake);
    }

    private void tell(Done done) {
        Replica<PassiveCommand, Boolean> joined = replica;
        if (joined != null) {
            joined.call(done);
        }
    }

    private Done execute(PassiveMachine.Work work) {
        Callbacks.Asked<Done> asked = callbacks.ask(() -> executed(work));
        Throwable thrown = asked.thrown();
        if (thrown == null) {
            return asked.value();
        }
        copy = null;
        return PassiveMachine.thrown(work, thrown);
    }

    private Done executed(PassiveMachine.Work work) throws Exception {
        GroupState own = copy;
        if (own == null || !Arrays.equals(copied, work.image())) {
            own = factory.get();
            Images.install(own, work.image());
        }
        copy = own;
        Object result = work.invocation().invoke(own);
        ByteOutput out = new ByteOutput();
        work.invocation().operation().result().put(result, out);
        copied = Images.bytesOf(own);
        return new Done(work.request(), work.version(), false, out.copy(), copied);
    }
}
