package dev.tutti.blocks.machine;

import dev.tutti.GroupState;
import dev.tutti.Message;
import dev.tutti.Snapshot;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.machine.CommandException.Execution;
import dev.tutti.blocks.machine.CommandException.Reason;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.internal.Logs;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Executes commands as the group delivers them, and reports their results.
 *
 * <p>With safe delivery, commands after a transition are executed like all others, but their results are held until the
 * next view: if this member comes to it with another state, they were never valid.
 */
final class Core<C, R> {

    static final int COMMAND = 1;
    static final int READ = 2;

    private static final Logger LOG = Logs.of(Core.class);
    private static final int FORMAT = 1;
    private static final int HEADER_BYTES_MAX = 64 * 1024 * 1024;

    /** A result that is not reported yet. */
    private record Held(OpenCommand<?> command, @Nullable Object result, @Nullable CommandException failure) {

        void release() {
            if (failure == null) {
                command.finish(result);
            } else {
                command.completeExceptionally(failure);
            }
        }
    }

    private final String name;
    private final NodeId node;
    private final Callbacks callbacks;
    private final StateMachine<C, R> machine;
    private final Codec<C> codec;
    private final Outbox outbox;
    private final boolean isOnlyInPrimary;
    private final LongAdder commands = new LongAdder();
    private final LongAdder reads = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder repeated = new LongAdder();
    private final LongAdder malformed = new LongAdder();
    private final LongAdder installs = new LongAdder();

    /** Guards the machine against local reads. */
    private final ReentrantLock lock = new ReentrantLock();

    private Applied applied = new Applied();
    private boolean isInstalling;

    /** In primary partitions: the epoch in which this state has begun, and the last that it has passed; 0 for none. */
    private long era;

    private long epoch;

    // The following is accessed where listeners are called; no state is installed at the same time.
    private final List<Held> held = new ArrayList<>();
    private boolean isInTransition;
    private boolean isReplaced;

    /** The error because of which this member may differ from the others; null for none. */
    private @Nullable Throwable unfit;

    private volatile @Nullable Member self;
    private volatile @Nullable View view;

    Core(
            String name,
            NodeId node,
            Callbacks callbacks,
            StateMachine<C, R> machine,
            Codec<C> codec,
            Outbox outbox,
            boolean isOnlyInPrimary) {
        this.name = name;
        this.node = node;
        this.callbacks = callbacks;
        this.machine = machine;
        this.codec = codec;
        this.outbox = outbox;
        this.isOnlyInPrimary = isOnlyInPrimary;
        if (isOnlyInPrimary) {
            outbox.suspend(true);
        }
    }

    Member self() {
        Member own = self;
        if (own == null) {
            throw new IllegalStateException("no view was told yet");
        }
        return own;
    }

    /** Returns the member that this node is: it is in a group at most once. */
    private Member memberOf(View first) {
        for (Member member : first.members()) {
            if (member.node().equals(node)) {
                return member;
            }
        }
        throw new IllegalStateException("view " + first + " without this node");
    }

    Outbox outbox() {
        return outbox;
    }

    View view() {
        View present = view;
        if (present == null) {
            throw new IllegalStateException("no view was told yet");
        }
        return present;
    }

    /** Evaluates against the present state of this member. */
    <T> T local(Supplier<? extends T> read) {
        lock.lock();
        try {
            if (isInstalling) {
                throw CommandException.of(
                                Reason.REPLACED, Execution.NEVER, "another state is coming to this member; try again later")
                        .here();
            }
            return read.get();
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ inputs

    void onTransition() {
        isInTransition = true;
    }

    void onView(View next) {
        isInTransition = false;
        if (self == null) {
            self = memberOf(next);
        }
        view = next;
        if (isOnlyInPrimary && !next.isPrimary()) {
            return;
        }
        Throwable thrown;
        lock.lock();
        try {
            thrown = callbacks.attempt(() -> {
                if (isOnlyInPrimary) {
                    follow(next);
                }
                applied.onView(next);
                machine.onView(next);
            });
            if (thrown == null) {
                tellStable();
            }
        } finally {
            lock.unlock();
        }
        if (thrown != null) {
            callbacks.fail("onView of the machine", "its state may not be that of the other members", thrown);
            return;
        }
        if (isOnlyInPrimary) {
            outbox.suspend(false);
        }
        List<Held> told = new ArrayList<>(held);
        held.clear();
        boolean isLost = isReplaced;
        isReplaced = false;
        for (Held each : told) {
            if (isLost) {
                resolve(each.command(), applied.last(self()));
            } else {
                outbox.remove(each.command());
                each.release();
            }
        }
    }

    /**
     * Begins a new era if this member's state was not in the previous primary view and may lack its commands, whose
     * holders are gone: no old state is taken for the present one; see docs/decisions/0192.
     */
    private void follow(View next) {
        if (epoch == 0 || next.epoch() != epoch + 1) {
            LOG.info("replica {}: era {} begins in view {}; before it was era {}, up to epoch {}", name, next.epoch(), next, era, epoch);
            applied = new Applied();
            era = next.epoch();
            machine.begin(era);
            isReplaced = true;
        }
        epoch = next.epoch();
    }

    /** Outside of the primary partition, unsent commands wait. */
    void onSuspended() {
        if (isOnlyInPrimary) {
            outbox.suspend(true);
        }
    }

    void onMessage(Message message) {
        if (message.isUnicast()) {
            onMalformed(message.sender(), "nothing is sent to one member alone");
            return;
        }
        ByteInput in = new ByteInput(message.buffer());
        int kind;
        long number;
        if (in.remaining() < 1 + Long.BYTES) {
            onMalformed(message.sender(), in + ", where a kind and a number should be");
            return;
        }
        kind = in.takeByte();
        number = in.takeLong();
        if (kind != COMMAND && kind != READ || number <= 0) {
            onMalformed(message.sender(), "kind " + kind + " and number " + number);
            return;
        }
        boolean isOwn = message.sender().equals(self());
        long before = applied.last(self());
        List<OpenCommand<?>> passed = isOwn ? new ArrayList<>() : List.of();
        OpenCommand<?> open = isOwn ? outbox.onDelivered(number, passed) : null;
        passed.forEach(each -> resolve(each, before));
        if (isOnlyInPrimary && !message.view().isPrimary()) {
            if (open != null) {
                outbox.remove(open);
                open.fail(Reason.NOT_PRIMARY, Execution.NEVER, "delivered outside of the primary partition");
            }
            return;
        }
        Held outcome = null;
        lock.lock();
        try {
            if (!applied.add(message.sender(), number)) {
                repeated.increment();
            } else if (kind == COMMAND) {
                outcome = execute(message.sender(), open, in);
            } else {
                outcome = read(open);
            }
            if (!isInTransition && unfit == null) {
                tellStable();
            }
        } finally {
            lock.unlock();
        }
        if (outcome != null && isInTransition) {
            held.add(outcome);
            outcome = null;
        } else if (outcome != null) {
            // Before this member leaves, which would end the command for another reason.
            outbox.remove(outcome.command());
        }
        Throwable error = unfit;
        if (error != null) {
            callbacks.fail("apply", "this member's state may not be that of the others", error);
        }
        if (outcome != null) {
            outcome.release();
        }
    }

    /** Lets the machine report to the outside, which is no part of the state. */
    private void tellStable() {
        Throwable thrown = callbacks.attempt(machine::onStable);
        if (thrown != null) {
            callbacks.report("onStable", thrown);
        }
    }

    /** @param open the command's waiter here; null if there is none */
    private @Nullable Held execute(Member sender, @Nullable OpenCommand<?> open, ByteInput in) {
        commands.increment();
        Callbacks.Asked<C> command = callbacks.ask(() -> {
            C taken = codec.take(in);
            in.end();
            return taken;
        });
        Throwable unreadable = command.thrown();
        if (unreadable != null && !(unreadable instanceof MalformedException)) {
            unfit = unreadable;
            return failed(open, unreadable);
        }
        if (unreadable != null) {
            // Not bytes of the submitter's codec: ignored at all members alike.
            onMalformed(sender, unreadable.toString());
            return open == null
                    ? null
                    : new Held(open, null, CommandException.of(Reason.MALFORMED, Execution.NEVER, unreadable.toString()));
        }
        Callbacks.Asked<R> result = callbacks.ask(() -> machine.apply(sender, command.value()));
        Throwable thrown = result.thrown();
        if (thrown == null) {
            return open == null ? null : new Held(open, result.value(), null);
        }
        failures.increment();
        if (thrown instanceof Error) {
            unfit = thrown;
        }
        return failed(open, thrown);
    }

    private static @Nullable Held failed(@Nullable OpenCommand<?> open, Throwable thrown) {
        return open == null ? null : new Held(open, null, CommandException.failed(thrown));
    }

    private @Nullable Held read(@Nullable OpenCommand<?> open) {
        Supplier<?> question = open == null ? null : open.read();
        if (open == null || question == null) {
            return null;
        }
        reads.increment();
        Callbacks.Asked<Object> answer = callbacks.ask(question::get);
        Throwable thrown = answer.thrown();
        return thrown == null ? new Held(open, answer.value(), null) : new Held(open, null, CommandException.failedRead(thrown));
    }

    /** Ends a command that was executed elsewhere or not at all, with the knowledge about it. */
    private void resolve(OpenCommand<?> command, long last) {
        outbox.remove(command);
        boolean isRead = command.read() != null;
        boolean isApplied = command.number() <= last;
        command.fail(
                Reason.REPLACED,
                isRead || !isApplied ? Execution.NEVER : Execution.UNKNOWN,
                "this member came to another side's state, which "
                        + (isApplied ? "has the command in it; its result is lost" : "does not have the command in it"));
    }

    private void onMalformed(Member sender, String what) {
        malformed.increment();
        LOG.warn("replica {}: a message of {} is ignored: {}", name, sender, what);
    }

    // ------------------------------------------------------------------ the state

    /** Returns the state: the machine's, and which commands are in it. */
    GroupState state() {
        return new GroupState() {
            @Override
            public Snapshot snapshot() {
                ByteOutput out = new ByteOutput().putInt(FORMAT).putInt(0).putLong(era).putLong(epoch);
                applied.put(out);
                out.setInt(Integer.BYTES, out.length() - 2 * Integer.BYTES);
                // A machine that was told no view yet may not be able to describe its state, and has none.
                return new WholeSnapshot(out.copy(), isOnlyInPrimary && epoch == 0 ? NOTHING : machine.snapshot());
            }

            @Override
            public void install(InputStream in) throws IOException {
                Core.this.install(in);
            }

            @Override
            public boolean isReproducible() {
                return machine.isReproducible();
            }

            @Override
            public boolean isAtomic() {
                return machine.isAtomic();
            }
        };
    }

    private void install(InputStream stream) throws IOException {
        setInstalling(true);
        boolean isWhole = machine.isAtomic();
        try {
            installWhole(stream);
            isWhole = true;
        } finally {
            setInstalling(!isWhole);
        }
    }

    private void setInstalling(boolean installing) {
        lock.lock();
        try {
            isInstalling = installing;
        } finally {
            lock.unlock();
        }
    }

    private void installWhole(InputStream stream) throws IOException {
        DataInputStream in = new DataInputStream(stream);
        int format = in.readInt();
        if (format != FORMAT) {
            throw new IOException("a state of format " + format + ", " + FORMAT + " expected");
        }
        int length = in.readInt();
        if (length < 0 || length > HEADER_BYTES_MAX) {
            throw new IOException("a header of " + length + " bytes, at most " + HEADER_BYTES_MAX);
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("a header of " + length + " bytes ends after " + bytes.length);
        }
        ByteInput header = new ByteInput(bytes);
        long installedEra;
        long installedEpoch;
        Applied installed;
        try {
            installedEra = header.takeLong();
            installedEpoch = header.takeLong();
            installed = Applied.take(header);
            header.end();
        } catch (MalformedException e) {
            throw new IOException("the header of the state of replica " + name + " can't be read", e);
        }
        if (isOnlyInPrimary && installedEpoch == 0) {
            if (in.read() >= 0) {
                throw new IOException("the state of replica " + name + " is of no primary view, and goes on behind its header");
            }
        } else {
            machine.install(in);
        }
        installs.increment();
        lock.lock();
        try {
            applied = installed;
            era = installedEra;
            epoch = installedEpoch;
            isReplaced = true;
        } finally {
            lock.unlock();
        }
    }

    /** The state of a machine that was in no primary view. */
    private static final Snapshot NOTHING = out -> {};

    private record WholeSnapshot(byte[] header, Snapshot machine) implements Snapshot {

        @Override
        public void write(OutputStream stream) throws IOException {
            stream.write(header);
            machine.write(stream);
        }

        @Override
        public void close() {
            machine.close();
        }
    }

    Map<String, Long> status() {
        Map<String, Long> status = new LinkedHashMap<>();
        status.put("open-commands", (long) outbox.openCommands());
        status.put("commands", commands.sum());
        status.put("reads", reads.sum());
        status.put("failures", failures.sum());
        status.put("repeated", repeated.sum());
        status.put("malformed", malformed.sum());
        status.put("installs", installs.sum());
        return status;
    }

    /** Encodes a command and reads it back: if its submitter can read it, the others can. */
    private void encode(C command, ByteOutput out) {
        int start = out.length();
        codec.put(command, out);
        ByteInput in = new ByteInput(ByteBuffer.wrap(out.array(), start, out.length() - start));
        try {
            codec.take(in);
            in.end();
        } catch (RuntimeException e) {
            throw CommandException.unreadable(e);
        }
    }

    /** Submits without waiting for room. */
    CompletableFuture<R> submit(C command, Duration timeout, boolean isPatient) {
        return outbox.submit(COMMAND, out -> encode(command, out), null, timeout, isPatient);
    }

    <T> CompletableFuture<T> read(Supplier<? extends T> read, Duration timeout, boolean isPatient) {
        return outbox.submit(READ, Core::putNothing, read, timeout, isPatient);
    }

    private static void putNothing(ByteOutput out) {
        // A read has no content: it needs only the order.
    }

    void onClosed(String reason) {
        outbox.close(reason);
    }
}
