package dev.tutti.jcache.internal;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The entries at one member. Written under the lock of the cache; {@link #find} needs no lock. */
final class Entries {

    private final ConcurrentHashMap<Object, Stored> byKey = new ConcurrentHashMap<>();
    private final TreeMap<Version, Stored> byVersion = new TreeMap<>();
    private final TreeSet<Stored> due =
            new TreeSet<>(Comparator.comparingLong(Stored::dueNanos).thenComparing(Stored::version));
    private volatile long bytes;

    @Nullable Stored find(Object key) {
        return byKey.get(key);
    }

    int size() {
        return byKey.size();
    }

    long bytes() {
        return bytes;
    }

    /** Returns all entries, from the first written to the last; under the lock. */
    List<Stored> all() {
        return new ArrayList<>(byVersion.values());
    }

    void put(Stored entry) {
        Stored before = byKey.put(entry.key().object(), entry);
        if (before != null) {
            forget(before);
        }
        byVersion.put(entry.version(), entry);
        bytes += entry.size();
        schedule(entry);
    }

    void remove(Stored entry) {
        byKey.remove(entry.key().object());
        forget(entry);
    }

    private void forget(Stored entry) {
        byVersion.remove(entry.version());
        due.remove(entry);
        bytes -= entry.size();
    }

    void clear() {
        byKey.clear();
        byVersion.clear();
        due.clear();
        bytes = 0;
    }

    /** Notes when the deadline of an entry is to be looked at. */
    void schedule(Stored entry) {
        due.remove(entry);
        entry.setDue(entry.deadlineNanos());
        if (entry.dueNanos() != Stored.NEVER) {
            due.add(entry);
        }
    }

    /** Returns entries that have expired and are not announced yet, as many as one command takes. */
    List<Stored> expired(long nowNanos, int countMax) {
        List<Stored> expired = new ArrayList<>();
        while (!due.isEmpty() && due.getFirst().dueNanos() <= nowNanos && expired.size() < countMax) {
            Stored first = due.getFirst();
            schedule(first);
            if (first.isExpired(nowNanos)) {
                due.remove(first);
                expired.add(first);
            }
        }
        return expired;
    }

    /** Makes entries whose announcement was not sent due again. */
    void expireAgain(List<Stored> announced) {
        for (Stored entry : announced) {
            if (byVersion.get(entry.version()) == entry) {
                schedule(entry);
            }
        }
    }

    /** Returns the time at which the next entry is to be looked at; {@link Stored#NEVER} if there is none. */
    long nextDueNanos() {
        return due.isEmpty() ? Stored.NEVER : due.getFirst().dueNanos();
    }

    /** Returns the entry that was not written for the longest time; null if there is none. */
    @Nullable Stored eldest() {
        return byVersion.isEmpty() ? null : byVersion.firstEntry().getValue();
    }
}
