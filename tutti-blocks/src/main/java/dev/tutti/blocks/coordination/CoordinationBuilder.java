package dev.tutti.blocks.coordination;

import dev.tutti.GroupBuilder;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.machine.Replica;
import dev.tutti.blocks.machine.ReplicaBuilder;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.function.Consumer;

/** Sets the founders and the time-out of commands, and joins the group. */
public final class CoordinationBuilder {

    private final GroupBuilder group;
    private final Leases leases;
    private final ReplicaBuilder<Command, Answer> replica;
    private Duration timeout = Duration.ofSeconds(10);
    private Consumer<View> onView = view -> {};
    private Consumer<String> onSuspended = reason -> {};
    private Consumer<String> onClosed = reason -> {};

    CoordinationBuilder(GroupBuilder group) {
        this.group = Arguments.required(group, "on: the group");
        this.leases = new Leases(group.node().threads(), new Callbacks(group), owner -> new Objects(owner::onGranted));
        this.replica = Replica.on(group, leases.objects(), Command.CODEC).onlyInPrimary();
    }

    GroupBuilder group() {
        return group;
    }

    Leases leases() {
        return leases;
    }

    ReplicaBuilder<Command, Answer> replica() {
        return replica;
    }

    Duration timeout() {
        return timeout;
    }

    Consumer<View> viewListener() {
        return onView;
    }

    Consumer<String> suspendedListener() {
        return onSuspended;
    }

    Consumer<String> closedListener() {
        return onClosed;
    }

    /** Sets the nodes whose majority makes the first primary view, the same at all; else settings name them. */
    public CoordinationBuilder founders(String... names) {
        group.primary(Arguments.allRequired(names, "founders: the names"));
        return this;
    }

    /** Sets the time-out of commands that have none of their own; 1 ms to 1 day, 10 s by default. */
    public CoordinationBuilder timeout(Duration limit) {
        replica.timeout(limit);
        timeout = limit;
        return this;
    }

    /** Sets a listener for every view; it must not wait. */
    public CoordinationBuilder onView(Consumer<View> listener) {
        onView = Arguments.required(listener, "onView: the listener");
        return this;
    }

    /** Sets a listener for when this member is outside of the primary partition, and holds nothing any more. */
    public CoordinationBuilder onSuspended(Consumer<String> listener) {
        onSuspended = Arguments.required(listener, "onSuspended: the listener");
        return this;
    }

    /** Sets a listener that is called once when the group is left or lost, with the reason. */
    public CoordinationBuilder onClosed(Consumer<String> listener) {
        onClosed = Arguments.required(listener, "onClosed: the listener");
        return this;
    }

    /**
     * Joins the group. Returns outside of the primary partition, too; commands wait until this member is in it.
     *
     * @throws IllegalStateException if the node is closed or has joined the group already
     * @throws dev.tutti.core.settings.SettingException if there are no founders, or the node has no place for its
     *     records
     */
    public Coordination join() {
        return Coordination.join(this);
    }
}
