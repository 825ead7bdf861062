package dev.tutti.jcache;

import dev.tutti.jcache.internal.CacheMachine;
import dev.tutti.jcache.internal.Change;
import dev.tutti.jcache.internal.Serializer;
import dev.tutti.jcache.internal.Stored;
import java.util.Objects;
import java.util.Optional;
import javax.cache.Cache;
import org.jspecify.annotations.Nullable;

/** Reads of the entries that this member has, without a network. Thread-safe. */
final class NearReads<K, V> {

    private final CacheMachine machine;
    private final Serializer serializer;
    private final Expiry expiry;

    NearReads(CacheMachine machine, Serializer serializer, Expiry expiry) {
        this.machine = machine;
        this.serializer = serializer;
        this.expiry = expiry;
    }

    /** Returns an entry; null if there is none, or it has expired. */
    @Nullable Stored live(Object key) {
        Stored entry = machine.find(key);
        return entry == null || isExpired(entry) ? null : entry;
    }

    private boolean isExpired(Stored entry) {
        return entry.deadlineNanos() != Stored.NEVER && entry.isExpired(machine.nowNanos());
    }

    @SuppressWarnings("unchecked") // The entries of a cache have its types.
    V value(Stored entry) {
        return (V) entry.value(serializer);
    }

    Optional<V> valueOf(@Nullable Stored entry) {
        return entry == null ? Optional.empty() : Optional.of(value(entry));
    }

    /** An entry compared with a value. */
    enum Match {
        ABSENT,
        OTHER,
        EQUAL
    }

    Match match(@Nullable Stored present, V expected) {
        if (present == null) {
            return Match.ABSENT;
        }
        return Objects.deepEquals(value(present), expected) ? Match.EQUAL : Match.OTHER;
    }

    /** Returns the value of a key, which counts as an access; null if there is none. */
    @Nullable V read(K key) {
        Stored entry = live(key);
        if (entry == null) {
            return null;
        }
        V value = value(entry);
        access(entry);
        return value;
    }

    /** Returns the present entry in the place of an earlier one, which counts as an access; null if there is none. */
    @SuppressWarnings("unchecked") // The entries of a cache have its types.
    Cache.@Nullable Entry<K, V> entry(Stored earlier) {
        Stored entry = live(earlier.key().object());
        if (entry == null) {
            return null;
        }
        Cache.Entry<K, V> read = new CacheEntry<>((K) entry.key(serializer), value(entry));
        access(entry);
        return read;
    }

    /** Sets the deadline of this member at once, and tells the others if theirs is far from it. */
    private void access(Stored entry) {
        long timeToLiveNanos = expiry.forAccess();
        if (timeToLiveNanos == Change.UNCHANGED) {
            return;
        }
        long now = machine.nowNanos();
        boolean isForever = timeToLiveNanos < 0 || timeToLiveNanos > Stored.NEVER - now;
        long slackNanos = isForever ? SLACK_NANOS_MAX : Math.min(SLACK_NANOS_MAX, timeToLiveNanos / SLACK_PART);
        if (entry.touch(isForever ? Stored.NEVER : now + timeToLiveNanos, slackNanos)) {
            machine.touch(entry, timeToLiveNanos);
        }
    }

    /** Other members may be told this much later of a read, or a tenth of the time to live. */
    private static final long SLACK_NANOS_MAX = 1_000_000_000L;

    private static final int SLACK_PART = 10;
}
