package dev.tutti.sites.internal.log;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Messages in the order in which they were appended, each at a position: 0, 1 and so on. Not thread-safe. */
public interface RetainedLog {

    /** Appends a message and returns its position. */
    long append(Entry entry);

    /** Returns the position of the oldest message, or of the next one if there is none. */
    long first();

    /** Returns the position of the next message. */
    long end();

    /** Returns the message at a position; null before {@link #first} and from {@link #end} on. */
    @Nullable Entry at(long position);

    /** Drops the messages before {@code position}. */
    void trimTo(long position);

    /** Notes, where that outlasts the process, that a message is dropped although a site lacks it. */
    void noteDropped(OriginMember member, long sequence);

    /** Returns for each sender the number of its last message that was noted as dropped; none if that does not outlast the process. */
    Map<OriginMember, Long> dropped();

    /** Returns the bytes that are kept, with the overhead of each message. */
    long bytes();

    /** Releases what the log holds. Idempotent. */
    void close();
}
