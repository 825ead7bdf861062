package dev.tutti.blocks.internal.block;

import dev.tutti.GroupBuilder;
import dev.tutti.Snapshot;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.machine.Replica;
import dev.tutti.blocks.machine.ReplicaBuilder;
import dev.tutti.blocks.machine.StateMachine;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A block as a replicated machine: it executes commands on {@link Contents} under the block's lock, at all members in one
 * order, reports events when they are certain to stay, transfers the contents to newcomers, and gives callers the
 * block's own exceptions. Thread-safe.
 *
 * @param <C> commands
 * @param <R> their results
 * @param <E> events to report
 */
public final class ReplicatedBlock<C, R, E> {

    /**
     * The state of a block at one member. Methods are called under the lock, unless they say otherwise.
     *
     * @param <C> commands
     * @param <R> their results
     * @param <E> events to report
     */
    public interface Contents<C, R, E> extends Upkeep.Work {

        /** Executes a command of {@code member}; the same at all members. */
        R apply(Member member, C command);

        /** Handles a view, in order with commands. */
        void onView(View view, Member self);

        /** Begins anew with the empty state: the primary partition has lost the previous one. */
        void clear();

        /** Returns the state, to be written later. */
        Snapshot snapshot(Blocks.Origin origin);

        /**
         * Reads a state that is to replace this one. Not under the lock, so that it may call code of the application;
         * nothing is executed until the returned replacement has run under the lock.
         *
         * @param from the view of the state that is given up; null for a newcomer, which has none
         * @throws MalformedException if the bytes are no state of this block
         */
        Runnable read(InputStream in, @Nullable View from) throws IOException;

        /** Returns the events since the last call. */
        List<E> takeEvents();

        /** Reports an event. Not under the lock. */
        void tell(E event);

        /** Adds counters of the block. */
        void putStatus(Map<String, Long> status);

        /**
         * Returns the block's exception for a command that has no result. Not under the lock.
         *
         * @param failure of any reason but {@link CommandException.Reason#FAILED}, which is thrown as it is
         */
        RuntimeException exception(CommandException failure, String message);

        /** Handles the end of the block, once. Not under the lock. */
        void onClosed(String reason);
    }

    private final GroupBuilder group;
    private final String block;
    private final Contents<C, R, E> contents;
    private final Upkeep upkeep;
    private volatile @Nullable Replica<C, R> replica;

    /**
     * @param group of the block, which is still to be joined
     * @param kind of the block, such as {@code map}
     * @param consequence of recurring work that has thrown, for the log
     */
    public ReplicatedBlock(GroupBuilder group, String kind, String consequence, Contents<C, R, E> contents) {
        this.group = group;
        this.block = kind + " " + group.name();
        this.contents = contents;
        this.upkeep = new Upkeep(group, kind + "-" + group.name(), consequence, contents);
    }

    /**
     * Joins the group, and obtains the state.
     *
     * @param merge the rule for the sides of a partition
     * @param configuration sets the builder's timeout and listeners
     */
    public void join(Merge<?> merge, Codec<C> commands, UnaryOperator<ReplicaBuilder<C, R>> configuration) {
        ReplicaBuilder<C, R> builder = Replica.on(group.set("state.of", merge.stateOf()), new Machine(), commands);
        replica = configuration.apply(builder).onClosed(this::onClosed).join();
        upkeep.open();
    }

    private void onClosed(String reason) {
        upkeep.end();
        contents.onClosed(reason);
    }

    public Replica<C, R> replica() {
        return Objects.requireNonNull(replica, () -> block + " is not joined");
    }

    public Upkeep upkeep() {
        return upkeep;
    }

    /** Returns the block's kind and name, for messages. */
    public String block() {
        return block;
    }

    // ------------------------------------------------------------------ commands

    /** Executes a command at all members, and returns its result here; throws the block's exceptions. */
    public R call(C command) {
        try {
            return replica().call(command);
        } catch (CommandException e) {
            throw exception(e);
        }
    }

    /** Submits a command; the future fails as {@link CommandException}. */
    public CompletableFuture<R> submit(C command) {
        return replica().submit(command);
    }

    /** Waits until this member has executed all commands that had returned to any member before this call. */
    public void sync(Duration timeout) {
        try {
            replica().ask(() -> true, timeout);
        } catch (CommandException e) {
            throw exception(e);
        }
    }

    /**
     * Submits a command on behalf of all members; under the lock.
     *
     * @param unsent runs, under the lock, if the command has no result; the upkeep runs again after a pause
     */
    public void announce(C command, Runnable unsent) {
        upkeep.onUnsent(replica().submit(command), unsent);
    }

    /** Returns the exception to throw for a command that has no result. */
    public RuntimeException exception(CommandException failure) {
        return failure.reason() == CommandException.Reason.FAILED
                ? failure
                : contents.exception(failure, block + ": " + failure.getMessage());
    }

    /** Returns counters by name. */
    public Map<String, Long> status() {
        Map<String, Long> status = new LinkedHashMap<>(replica().status());
        upkeep.lock().lock();
        try {
            contents.putStatus(status);
            status.put("tried-again", upkeep.retries());
        } finally {
            upkeep.lock().unlock();
        }
        return status;
    }

    /** Leaves the group. Idempotent. */
    public void close() {
        replica().close();
    }

    // ------------------------------------------------------------------ the machine

    private final class Machine implements StateMachine<C, R> {

        @Override
        public R apply(Member member, C command) {
            upkeep.lock().lock();
            try {
                return contents.apply(member, command);
            } finally {
                upkeep.lock().unlock();
            }
        }

        @Override
        public void onView(View next) {
            upkeep.lock().lock();
            try {
                contents.onView(next, upkeep.onView(next));
            } finally {
                upkeep.lock().unlock();
            }
        }

        @Override
        public void begin(long era) {
            upkeep.lock().lock();
            try {
                contents.clear();
            } finally {
                upkeep.lock().unlock();
            }
        }

        @Override
        public void onStable() {
            upkeep.run();
            List<E> events;
            upkeep.lock().lock();
            try {
                events = contents.takeEvents();
            } finally {
                upkeep.lock().unlock();
            }
            for (E event : events) {
                contents.tell(event);
            }
        }

        @Override
        public Snapshot snapshot() {
            upkeep.lock().lock();
            try {
                View from = upkeep.view();
                return contents.snapshot(new Blocks.Origin(from.id(), from.members()));
            } finally {
                upkeep.lock().unlock();
            }
        }

        @Override
        public void install(InputStream in) throws IOException {
            Runnable replacement;
            try {
                replacement = contents.read(in, upkeep.reached());
            } catch (MalformedException e) {
                throw new IOException("the state of " + block + " can't be read", e);
            }
            upkeep.lock().lock();
            try {
                replacement.run();
            } finally {
                upkeep.lock().unlock();
            }
        }

        @Override
        public boolean isAtomic() {
            return true;
        }
    }
}
