package dev.tutti.jcache.internal;

import dev.tutti.blocks.internal.serial.Immutables;
import org.jspecify.annotations.Nullable;

/**
 * An entry at one member. Key, value and version are the same at all members; its deadline is this member's own, by its
 * monotonic clock.
 */
public final class Stored {

    /** Deadline of an entry that never expires. */
    public static final long NEVER = Long.MAX_VALUE;

    /** Estimate of the memory of an entry besides its bytes. */
    private static final int OVERHEAD_BYTES = 200;

    private final Key key;
    private final byte[] value;
    private final Version version;
    private volatile long deadlineNanos;

    /** The deadline that all members know; a read moves that of this member only, as long as both are close. */
    private volatile long toldNanos;

    /** The value, if all callers may have the same object. */
    private volatile @Nullable Object shared;

    /** Time at which the deadline is looked at; guarded by the lock of the cache. */
    private long dueNanos = NEVER;

    public Stored(Key key, byte[] value, Version version, long deadlineNanos) {
        this.key = key;
        this.value = value;
        this.version = version;
        this.deadlineNanos = deadlineNanos;
        this.toldNanos = deadlineNanos;
    }

    public Key key() {
        return key;
    }

    public byte[] bytes() {
        return value;
    }

    public Version version() {
        return version;
    }

    public long size() {
        return (long) key.bytes().length + value.length + OVERHEAD_BYTES;
    }

    /** Returns the value; a copy, unless nobody can change it. */
    public Object value(Serializer serializer) {
        Object present = shared;
        if (present != null) {
            return present;
        }
        Object read = serializer.read(value, "a value");
        if (Immutables.contains(read)) {
            shared = read;
        }
        return read;
    }

    /** Returns the key; a copy, unless nobody can change it. */
    public Object key(Serializer serializer) {
        return Immutables.contains(key.object()) ? key.object() : serializer.read(key.bytes(), "a key");
    }

    public boolean isExpired(long nowNanos) {
        return deadlineNanos <= nowNanos;
    }

    public long deadlineNanos() {
        return deadlineNanos;
    }

    /** Sets the deadline that all members set. */
    public void tell(long deadline) {
        deadlineNanos = deadline;
        toldNanos = deadline;
    }

    /**
     * Moves the deadline because this member has read the entry.
     *
     * @return whether the other members have to be told, as theirs is later, or earlier by {@code slackNanos}
     */
    public boolean touch(long deadline, long slackNanos) {
        deadlineNanos = deadline;
        long told = toldNanos;
        boolean isFar = deadline < told || deadline - told >= slackNanos && deadline != told;
        if (isFar) {
            toldNanos = deadline;
        }
        return isFar;
    }

    public long dueNanos() {
        return dueNanos;
    }

    public void setDue(long nanos) {
        dueNanos = nanos;
    }
}
