package dev.tutti.sites.internal.log;

import java.util.List;

/**
 * Logs of a site group at one member: the one in use, and those that were set aside to be brought back. Read one after the other, from
 * the oldest on, they have the messages of each sender in order, but for repetitions.
 */
public interface RetainedLogs extends AutoCloseable {

    /** Returns the log in use. */
    RetainedLog current();

    /**
     * Sets the log in use aside if there is something in it, and returns the one in use then, which has no messages: its positions go on
     * behind the last one.
     *
     * @throws java.io.UncheckedIOException if that can't be done
     */
    RetainedLog setAside();

    /** Returns the logs that were set aside, the oldest first; a copy. */
    List<RetainedLog> aside();

    /**
     * Deletes all logs that were set aside: members keep their messages, or all sites have them.
     *
     * @throws java.io.UncheckedIOException if that can't be done
     */
    void deleteAside();

    /** Returns the other sites that logs which were set aside are kept for, as far as that outlasts the process. */
    List<String> sites();

    /** Releases what the logs hold. What is on disk stays. */
    @Override
    void close();
}
