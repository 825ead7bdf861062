package dev.tutti.blocks.component;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.GroupState;
import dev.tutti.core.View;
import java.util.Map;
import java.util.function.Supplier;

/**
 * An object with an interface of the application, and with a state, of which each member of a group has a replica. Calls of {@link #proxy} go
 * on when members crash, without the caller noticing. It has a group to itself.
 *
 * <p><b>Active.</b> Each member executes each call, all in one order (state machine replication: Schneider, 1990). The implementation is
 * deterministic: its effects, results and exceptions follow from its state and the arguments alone. A method that throws leaves the state as it
 * was.
 *
 * <p><b>Passive.</b> The primary, which is the oldest member, executes each call, and sends its result with the whole new state to the others
 * (primary-backup replication: Budhiraja et al., 1993). The implementation may read clocks, draw random numbers and ask other systems, and it may
 * wait. It is called by one thread at a time. When the primary crashes, the next one executes the calls that are left. So each call changes
 * the state at most once, and has an effect outside of the component once more at most for each crash. A call costs a copy of the state at each
 * member, and the state has 64 MiB at most.
 *
 * <p><b>Methods.</b> Methods of the interface change the state, unless they are marked with {@link Read} or {@link Local}. They may throw anything;
 * the caller of an active component gets the exception itself, and that of a passive one a {@link ComponentException}. They return no futures.
 * Arguments and results that are objects may be null, and have a codec in {@link ComponentBuilder#codecs}. Default methods run where they are
 * called. All members have the same interface.
 *
 * <p><b>At most once.</b> A call is executed once or not at all. It throws a {@link dev.tutti.blocks.machine.CommandException} at its deadline at
 * the latest, which tells whether it was executed, never will be, or that this is unknown.
 *
 * <p><b>State.</b> It lasts as long as one member has it. Partitions and merges are those of a {@link dev.tutti.blocks.machine.Replica}.
 *
 * <p>All methods may be called from any thread, and by the proxy not from the implementation or from listeners of the group.
 *
 * @param <S> the interface: public, in a package that is exported or opened to this module; or on the class path
 */
public final class Component<S> implements AutoCloseable {

    /** Common face of active and passive components. */
    interface Engine extends AutoCloseable {

        Group group();

        View view();

        Map<String, Long> status();

        @Override
        void close();
    }

    private final S proxy;
    private final Engine engine;

    Component(S proxy, Engine engine) {
        this.proxy = proxy;
        this.engine = engine;
    }

    /**
     * Returns a builder for a component of which each member executes each call.
     *
     * @param type the interface
     * @param factory makes implementations of it in the initial state, which have none of it in common
     */
    public static <S> ComponentBuilder<S> active(GroupBuilder group, Class<S> type, Supplier<? extends GroupState> factory) {
        return new ComponentBuilder<>(group, type, factory, true);
    }

    /**
     * Returns a builder for a component of which the primary alone executes calls.
     *
     * @param type the interface
     * @param factory makes implementations of it in the initial state, which have none of it in common
     */
    public static <S> ComponentBuilder<S> passive(GroupBuilder group, Class<S> type, Supplier<? extends GroupState> factory) {
        return new ComponentBuilder<>(group, type, factory, false);
    }

    /** Returns the implementation of the interface that calls the replicas. */
    public S proxy() {
        return proxy;
    }

    /** Returns the view in which calls are executed now; its coordinator is the primary. */
    public View view() {
        return engine.view();
    }

    /** Returns the group, for settings and progress; nothing else may be sent in it. */
    public Group group() {
        return engine.group();
    }

    /** Returns counters, and the number of calls that wait, by name; for people. */
    public Map<String, Long> status() {
        return engine.status();
    }

    /** Ends calls that wait as closed, and leaves the group. Idempotent. */
    @Override
    public void close() {
        engine.close();
    }

    @Override
    public String toString() {
        return "component " + engine.group().name() + ", " + engine.view();
    }
}
