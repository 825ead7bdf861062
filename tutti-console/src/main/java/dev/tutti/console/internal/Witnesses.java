package dev.tutti.console.internal;

import dev.tutti.Operations.Operation;
import dev.tutti.Operations.Outcome;
import dev.tutti.blocks.inspection.DataQuery;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Members that answer questions about the cluster. All methods may be called from any thread, and may wait some
 * seconds.
 */
public interface Witnesses extends AutoCloseable {

    /** Positions in the members' events that are read already. */
    @FunctionalInterface
    interface Cursors {
        /** Returns the number of the last event that was read. */
        long after(String member, String incarnation);
    }

    /**
     * Events of a member.
     *
     * @param incarnation incarnation of the member that counts them
     * @param events document in the format of {@link dev.tutti.Events#document}
     */
    record Page(String incarnation, Doc events) {}

    /** Returns the member that is asked first: the one that serves the console. */
    String self();

    /**
     * Returns the inspections of all members that answer in time, by name; this member is always among them.
     *
     * @throws IllegalStateException if this member's loop does not answer
     */
    Map<String, Doc> inspections();

    /** Returns the inspection of one member; null if it does not answer. */
    @Nullable Doc inspection(String member);

    /** Returns the events of members that answer in time, by name, since the last call. */
    Map<String, Page> events(Cursors cursors);

    /** Returns the views of data at a member, as {@code views}; null if it does not answer. */
    @Nullable Doc views(String member);

    /** Returns a page of a view of data at a member: columns, rows and the next position, or an error; null if it does not answer. */
    @Nullable Doc page(String member, DataQuery query);

    /**
     * Has a member do something that changes it. Waits until it is done, or for some seconds.
     *
     * @param user person who asks
     */
    Outcome operate(String member, String user, Operation operation);

    /** Returns this member's health: {@code alive}, {@code ready} and {@code reasons}. */
    Doc health();

    /**
     * Calls {@code listener} after each event of this member, on the thread that notices it, which must not be held up.
     */
    void onEvent(Runnable listener);

    @Override
    void close();
}
