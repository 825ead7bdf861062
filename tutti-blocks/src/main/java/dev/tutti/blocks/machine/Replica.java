package dev.tutti.blocks.machine;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/**
 * A member's handle on a {@link StateMachine} that runs at all members of a group alike: each executes all commands, in
 * one total order, and newcomers get the state. It has a group to itself.
 *
 * <p><b>At most once.</b> A command is executed once or not at all, at all members alike; nothing is ever repeated. Its
 * future completes with the result when the command is delivered at the member that has submitted it. It fails with a
 * {@link CommandException} at its deadline at the latest, which tells whether the command was executed, never will be,
 * or that this is unknown.
 *
 * <p><b>Order.</b> Commands and reads of one thread are executed in the order in which they were submitted.
 *
 * <p><b>Partition.</b> Each side continues with its own copy, unless it is {@link ReplicaBuilder#onlyInPrimary}.
 * <b>Merge.</b> One side's state goes on, as the setting {@code state.of} says; commands that the other side has
 * executed since they parted are undone, though their submitters have a result.
 *
 * <p><b>Crashes.</b> The state is in the members' memory: it lasts as long as one member has it. With {@code
 * total.delivery: agreed}, the default, a member may get a result and crash, or be cut off, before any other member has
 * the command; with {@code safe} it gets the result when all members of the view have the command.
 *
 * <p>All methods may be called from any thread; those that wait not by the machine, its listeners, or stages on a
 * command's future, which run where commands are executed.
 *
 * @param <C> commands
 * @param <R> their results
 */
public final class Replica<C, R> implements AutoCloseable {

    private final Threads threads;
    private final Group group;
    private final Core<C, R> core;
    private final Duration timeout;

    private Replica(Threads threads, Group group, Core<C, R> core, Duration timeout) {
        this.threads = threads;
        this.group = group;
        this.core = core;
        this.timeout = timeout;
    }

    /**
     * Returns a builder for a machine on a group that is still to be joined: its listeners, order and state are set
     * here.
     *
     * @param machine with the initial state, for a group in which nobody has one
     */
    public static <C, R> ReplicaBuilder<C, R> on(GroupBuilder group, StateMachine<C, R> machine, Codec<C> commands) {
        return new ReplicaBuilder<>(group, machine, commands);
    }

    static <C, R> Replica<C, R> join(ReplicaBuilder<C, R> builder) {
        GroupBuilder group = builder.group();
        Threads threads = group.node().threads();
        Outbox outbox = new Outbox(threads, group.name(), builder.openMax());
        Core<C, R> core = new Core<>(
                group.name(),
                group.node().id(),
                new Callbacks(group),
                builder.machine(),
                builder.commands(),
                outbox,
                builder.isOnlyInPrimary());
        Group joined = group.total()
                .state(core.state())
                .onMessage(core::onMessage)
                .onTransition(core::onTransition)
                .onSuspended(reason -> {
                    core.onSuspended();
                    builder.suspendedListener().accept(reason);
                })
                .onView(view -> {
                    core.onView(view);
                    builder.viewListener().accept(view);
                })
                .onClosed(reason -> {
                    core.onClosed(reason);
                    builder.closedListener().accept(reason);
                })
                .join();
        outbox.open(joined);
        return new Replica<>(threads, joined, core, builder.timeout());
    }

    // ------------------------------------------------------------------ commands

    /** Submits a command. Refused at once if too many are open. */
    public CompletableFuture<R> submit(C command) {
        return core.submit(Arguments.required(command, "the command"), timeout, false);
    }

    /** Submits a command with a time-out of its own; 1 ms to 1 day. */
    public CompletableFuture<R> submit(C command, Duration within) {
        return core.submit(Arguments.required(command, "the command"), Arguments.timeout(within, "the time of a command"), false);
    }

    /**
     * Executes a command and waits for its result; first for room, if too many are open.
     *
     * @throws CommandException at the deadline at the latest
     */
    public R call(C command) {
        return call(command, timeout);
    }

    /** Executes a command and waits for its result, for this time at most; 1 ms to 1 day. */
    public R call(C command, Duration within) {
        return await(core.submit(Arguments.required(command, "the command"), Arguments.timeout(within, "the time of a command"), true));
    }

    // ------------------------------------------------------------------ reads

    /**
     * Evaluates {@code read} here, in order with all commands: it sees every command whose result any member got before
     * the read was submitted. It costs as much as a command.
     *
     * @param read its result must not be changed by later commands; it must not wait
     */
    public <T> CompletableFuture<T> read(Supplier<? extends T> read) {
        return core.read(Arguments.required(read, "the read"), timeout, false);
    }

    /** Evaluates in order with all commands, within this time. */
    public <T> CompletableFuture<T> read(Supplier<? extends T> read, Duration within) {
        return core.read(Arguments.required(read, "the read"), Arguments.timeout(within, "the time of a command"), false);
    }

    /** Evaluates in order with all commands, and waits for the result. */
    public <T> T ask(Supplier<? extends T> read, Duration within) {
        return await(core.read(Arguments.required(read, "the read"), Arguments.timeout(within, "the time of a command"), true));
    }

    /**
     * Evaluates {@code read} at once, against the state of this member, which may be behind, and on a side that is
     * given up. It sees all commands whose results this member got.
     *
     * @throws CommandException if another side's state is being transferred to this member
     */
    public <T> T local(Supplier<? extends T> read) {
        return core.local(Arguments.required(read, "the read"));
    }

    private <T> T await(CompletableFuture<T> open) {
        try {
            return threads.get(open);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandException.of(
                            CommandException.Reason.INTERRUPTED,
                            CommandException.Execution.UNKNOWN,
                            "interrupted while waiting for a command")
                    .here();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof CommandException failure ? failure.here() : new IllegalStateException(e);
        }
    }

    // ------------------------------------------------------------------ state

    /** Returns this member. */
    public Member self() {
        return core.self();
    }

    /** Returns the view in which commands are executed now. */
    public View view() {
        return core.view();
    }

    /** Returns the group, for settings and progress; nothing else may be sent in it. */
    public Group group() {
        return group;
    }

    /** Returns whether this member is in the primary partition, as far as it knows. */
    public boolean isPrimary() {
        return group.isPrimary();
    }

    /** Returns counters, and the number of open commands, by name; for people. */
    public Map<String, Long> status() {
        return core.status();
    }

    /** Ends open commands as {@link CommandException.Reason#CLOSED}, and leaves the group. Idempotent. */
    @Override
    public void close() {
        core.outbox().close("replica " + group.name() + " was closed");
        group.close();
    }

    @Override
    public String toString() {
        return "replica " + group.name() + ", " + core.view();
    }
}
