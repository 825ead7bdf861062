package dev.tutti.blocks.coordination;

import dev.tutti.DataView;
import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Threads;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.machine.Replica;
import dev.tutti.core.Member;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Named locks, semaphores, elections, counters and ids of a group, which only the primary partition grants. It has a
 * group to itself. Each kind has its own names. Getting an object sends nothing, and two objects of one kind and name
 * are the same.
 *
 * <p>The state is in the members' memory. Epochs, however, are in the group's records on disk and outlast the end of
 * all members: so tokens and ids continue to rise when counters and locks begin anew; see {@link Value#era}.
 *
 * <p>All methods may be called from any thread.
 */
public final class Coordination implements AutoCloseable {

    private final Threads threads;
    private static final List<String> LOCK_COLUMNS = List.of("Name", "Permits", "Held by", "Waiting, the longest first");

    private final Replica<Command, Answer> replica;
    private final Leases leases;
    private final Duration timeout;

    private Coordination(Threads threads, Replica<Command, Answer> replica, Leases leases, Duration timeout) {
        this.threads = threads;
        this.replica = replica;
        this.leases = leases;
        this.timeout = timeout;
    }

    /** Returns a builder on a group that is still to be joined: its order, state and listeners are set here. */
    public static CoordinationBuilder on(GroupBuilder group) {
        return new CoordinationBuilder(group);
    }

    static Coordination join(CoordinationBuilder builder) {
        Threads threads = builder.group().node().threads();
        Leases leases = builder.leases();
        Replica<Command, Answer> replica = builder.replica()
                .onView(view -> {
                    if (view.isPrimary()) {
                        leases.onView();
                    }
                    builder.viewListener().accept(view);
                })
                .onSuspended(reason -> {
                    leases.onSuspended(reason);
                    builder.suspendedListener().accept(reason);
                })
                .onClosed(reason -> {
                    leases.onClosed(reason);
                    builder.closedListener().accept(reason);
                })
                .join();
        leases.open(replica);
        builder.group().node().components().addView(
                builder.group().name(),
                "locks",
                DataView.Content.NONE,
                (after, rowsMax) -> DataView.Page.of(LOCK_COLUMNS, replica.local(leases.objects()::rows), after, rowsMax));
        return new Coordination(threads, replica, leases, builder.timeout());
    }

    private static String checkName(String name) {
        Arguments.required(name, "the name");
        if (name.isEmpty() || name.length() > NAME_MAX) {
            throw new IllegalArgumentException("a name of " + name.length() + " characters, 1 to " + NAME_MAX);
        }
        return name;
    }

    public FencedLock lock(String name) {
        return new FencedLock(leases, "lock " + checkName(name), timeout);
    }

    /** @param permits 1 or more, the same at all members */
    public FencedSemaphore semaphore(String name, int permits) {
        if (permits < 1) {
            throw new IllegalArgumentException("a semaphore of " + permits + " permits, at least 1");
        }
        return new FencedSemaphore(leases, "semaphore " + checkName(name), permits, timeout);
    }

    public Election election(String name) {
        return new Election(leases, threads, replica, "election " + checkName(name), timeout);
    }

    public Counter counter(String name) {
        return new Counter(replica, checkName(name), timeout);
    }

    /**
     * Returns a source of ids that takes {@code block} of them at a time. Each source has blocks of its own: keep one.
     *
     * @param block 1 to 1,048,576
     */
    public IdSource ids(String name, int block) {
        if (block < 1 || block > Objects.BLOCK_MAX) {
            throw new IllegalArgumentException("blocks of " + block + " ids, 1 to " + Objects.BLOCK_MAX);
        }
        return new IdSource(threads, replica, checkName(name), block);
    }

    /** Returns this member. */
    public Member self() {
        return replica.self();
    }

    /** Returns the group, for settings, views and progress; nothing else may be sent in it. */
    public Group group() {
        return replica.group();
    }

    /** Returns whether this member is in the primary partition, as far as it knows. */
    public boolean isPrimary() {
        return replica.isPrimary();
    }

    /** Returns counters, and the number of leases held or wanted here, by name; for people. */
    public Map<String, Long> status() {
        Map<String, Long> status = new LinkedHashMap<>(replica.status());
        status.put("leases", (long) leases.size());
        return status;
    }

    /** Gives up everything, and leaves the group. Idempotent. */
    @Override
    public void close() {
        replica.close();
    }

    @Override
    public String toString() {
        return "coordination, " + replica;
    }

    private static final int NAME_MAX = 200;
}
