package dev.tutti.blocks.machine;

import dev.tutti.GroupBuilder;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Configures the replication of a machine, and joins the group.
 *
 * @param <C> commands
 * @param <R> their results
 */
public final class ReplicaBuilder<C, R> {

    private final GroupBuilder group;
    private final StateMachine<C, R> machine;
    private final Codec<C> commands;
    private int openMax = OPEN_MAX;
    private Duration timeout = Duration.ofSeconds(10);
    private boolean isOnlyInPrimary;
    private Consumer<String> onSuspended = reason -> {};
    private Consumer<View> onView = view -> {};
    private Consumer<String> onClosed = reason -> {};

    ReplicaBuilder(GroupBuilder group, StateMachine<C, R> machine, Codec<C> commands) {
        this.group = Arguments.required(group, "on: the group");
        this.machine = Arguments.required(machine, "on: the machine");
        this.commands = Arguments.required(commands, "on: the codec of commands");
    }

    GroupBuilder group() {
        return group;
    }

    StateMachine<C, R> machine() {
        return machine;
    }

    Codec<C> commands() {
        return commands;
    }

    int openMax() {
        return openMax;
    }

    Duration timeout() {
        return timeout;
    }

    boolean isOnlyInPrimary() {
        return isOnlyInPrimary;
    }

    Consumer<String> suspendedListener() {
        return onSuspended;
    }

    Consumer<View> viewListener() {
        return onView;
    }

    Consumer<String> closedListener() {
        return onClosed;
    }

    /** Sets the maximum of this member's open commands and reads. {@value #OPEN_MAX} by default. */
    public ReplicaBuilder<C, R> openMax(int commandsMax) {
        if (commandsMax < 1 || commandsMax > OPEN_LIMIT) {
            throw new IllegalArgumentException("at most " + commandsMax + " open commands, 1 to " + OPEN_LIMIT);
        }
        openMax = commandsMax;
        return this;
    }

    /** Sets the time-out of commands and reads without one of their own; 1 ms to 1 day, 10 s by default. */
    public ReplicaBuilder<C, R> timeout(Duration limit) {
        timeout = Arguments.timeout(limit, "timeout: the limit");
        return this;
    }

    /**
     * Restricts commands to the primary partition: an unsent one waits until this member is in it, or for its deadline.
     * Results are reported when all members of the view have the command. So commands and reads are linearizable, as
     * long as the state lasts: until no member that was in a primary view comes to the next one with it. Then a new
     * <em>era</em> begins with {@link StateMachine#begin}, so that no old state is taken for the present one.
     *
     * @param founders names of the nodes of which a majority makes the first primary view, the same at all; none if the
     *     group's settings name them
     */
    public ReplicaBuilder<C, R> onlyInPrimary(String... founders) {
        Arguments.allRequired(founders, "onlyInPrimary: the founders");
        isOnlyInPrimary = true;
        group.set("partition", "primary").set("state.of", "primary").set("total.delivery", "safe");
        if (founders.length > 0) {
            group.primary(founders);
        }
        return this;
    }

    /**
     * Sets a listener that is called in order with commands when this member finds itself outside of the primary
     * partition, with the reason; it stays there until the next view.
     */
    public ReplicaBuilder<C, R> onSuspended(Consumer<String> listener) {
        onSuspended = Arguments.required(listener, "onSuspended: the listener");
        return this;
    }

    /** Sets a listener for every view, called in order with commands, after the machine; must not wait for commands. */
    public ReplicaBuilder<C, R> onView(Consumer<View> listener) {
        onView = Arguments.required(listener, "onView: the listener");
        return this;
    }

    /** Sets a listener that is called once when the group is left or lost, with the reason. */
    public ReplicaBuilder<C, R> onClosed(Consumer<String> listener) {
        onClosed = Arguments.required(listener, "onClosed: the listener");
        return this;
    }

    /**
     * Joins the group, and obtains its state.
     *
     * @throws IllegalStateException if the node is closed or has joined the group already
     * @throws dev.tutti.StateException if no member could provide the state
     */
    public Replica<C, R> join() {
        return Replica.join(this);
    }

    private static final int OPEN_MAX = 4_096;
    private static final int OPEN_LIMIT = 1 << 20;
}
