package dev.tutti.console.internal;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Members that say what they know. All methods may be called from any thread, and may wait for some seconds. */
public interface Witnesses extends AutoCloseable {

    /** What is known of a member's events already. */
    @FunctionalInterface
    interface Cursors {
        /** The number of the last one. */
        long after(String member, String incarnation);
    }

    /**
     * Events of a member.
     *
     * @param incarnation of the member that counts them
     * @param events as {@link dev.tutti.Events#document} says
     */
    record Page(String incarnation, Doc events) {}

    /** The member that is asked first: the one that serves the console. */
    String self();

    /**
     * What all say who answer in time, by name; this member is always among them.
     *
     * @throws IllegalStateException if this member's loop does not answer
     */
    Map<String, Doc> inspections();

    /** The same of one; null if it does not answer. */
    @Nullable Doc inspection(String member);

    /** What has happened to those who answer in time since it was asked last, by name. */
    Map<String, Page> events(Cursors cursors);

    /** Whether this member works; {@code alive}, {@code ready} and {@code reasons}. */
    Doc health();

    /** Calls on the thread of whoever notices, which must not be kept, when something has happened to this member. */
    void onEvent(Runnable listener);

    @Override
    void close();
}
