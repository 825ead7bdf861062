package dev.tutti.console.internal;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Members that say what they know. All methods may be called from any thread, and may wait for some seconds. */
public interface Witnesses extends AutoCloseable {

    /** The member that is asked first: the one that serves the console. */
    String self();

    /** What all say who answer in time, by name; this member is always among them while its loop answers. */
    Map<String, Doc> inspections();

    /** The same of one; null if it does not answer. */
    @Nullable Doc inspection(String member);

    /** Events after a number; null if the member does not answer. */
    @Nullable Doc events(String member, long number);

    /** Whether this member works; {@code alive}, {@code ready} and {@code reasons}. */
    Doc health();

    /** Calls on the thread of whoever notices, which must not be kept, when something has happened to this member. */
    void onEvent(Runnable listener);

    @Override
    void close();
}
