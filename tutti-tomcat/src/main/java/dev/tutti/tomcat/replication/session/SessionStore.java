package dev.tutti.tomcat.replication.session;

import dev.tutti.tomcat.replication.session.SessionMessage.Image;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Sessions of one application at one member, and tombstones of those that ended lately. */
public final class SessionStore {

    /** Time for which ended sessions are remembered, so that late messages do not revive them. */
    static final long TOMBSTONE_NANOS = 3_600_000_000_000L;

    static final int TOMBSTONES_MAX = 50_000;

    public record Tombstone(String key, SessionVersion version, EndReason reason, long nanos) {}

    /** Order by values that never change, so that all members agree. */
    private static final Comparator<SessionRecord> OLDER =
            Comparator.comparingLong(SessionRecord::createdMillis).thenComparing(SessionRecord::uid);

    private final UnaryOperator<String> keyOf;
    private final Set<SessionRecord> namesakes = ConcurrentHashMap.newKeySet();
    private final ConcurrentSkipListMap<UUID, SessionRecord> byUid = new ConcurrentSkipListMap<>();
    private final ConcurrentHashMap<String, SessionRecord> byKey = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, UUID> endedKeys = new ConcurrentHashMap<>();
    private final LinkedHashMap<UUID, Tombstone> tombstones = new LinkedHashMap<>();

    /**
     * @param keyOf maps the id that a client has to the part that does not change with the node that serves it
     */
    public SessionStore(UnaryOperator<String> keyOf) {
        this.keyOf = keyOf;
    }

    public String keyOf(String id) {
        return keyOf.apply(id);
    }

    public @Nullable SessionRecord find(String key) {
        return byKey.get(key);
    }

    public @Nullable SessionRecord get(UUID uid) {
        return byUid.get(uid);
    }

    /** Returns sessions that can't be found, because an older one has the same key. They are to be merged into it. */
    public Collection<SessionRecord> namesakes() {
        namesakes.removeIf(record -> record.state() == SessionRecord.State.ENDED || find(keyOf(record.id())) == record);
        return namesakes;
    }

    public boolean hasEnded(String key) {
        return endedKeys.containsKey(key);
    }

    /** Returns the sessions that can be used. */
    public Collection<SessionRecord> sessions() {
        return byKey.values();
    }

    public int size() {
        return byKey.size();
    }

    public NavigableMap<UUID, SessionRecord> after(@Nullable UUID uid) {
        return uid == null ? byUid : byUid.tailMap(uid, false);
    }

    /** Returns the record for {@code uid}, a new partial one if there is none. */
    public SessionRecord getOrAdd(UUID uid, long createdMillis, long nowNanos) {
        return byUid.computeIfAbsent(
                uid, absent -> new SessionRecord(absent, createdMillis, nowNanos, SessionRecord.State.PARTIAL));
    }

    /** Merges an image of a session; returns false if the session has ended here and stays so; {@code origin} is this member's. */
    public boolean merge(Image image, long origin, long nowNanos) {
        if (tombstoneFor(image) != null) {
            return false;
        }
        SessionRecord record = recordFor(image, origin, nowNanos);
        String oldKey = keyOf(record.id());
        record.merge(image, origin, nowNanos);
        if (record.state() == SessionRecord.State.PARTIAL) {
            record.enter(SessionRecord.State.COMPLETE);
            add(record);
        } else {
            reindex(record, oldKey);
        }
        return true;
    }

    /** Returns the session's record; if that is missing or partial, a new one with what is known so far. */
    private SessionRecord recordFor(Image image, long origin, long nowNanos) {
        SessionRecord present = get(image.uid());
        if (present != null && present.state() != SessionRecord.State.PARTIAL) {
            return present;
        }
        long usedNanos = nowNanos - image.idleMillis() * 1_000_000;
        SessionRecord added =
                new SessionRecord(image.uid(), image.createdMillis(), usedNanos, SessionRecord.State.PARTIAL);
        if (present != null) {
            added.merge(present.image(nowNanos), origin, nowNanos);
        }
        return added;
    }

    /** Adds a record that was created here, or replaces a partial one by a complete one. */
    public void add(SessionRecord record) {
        byUid.put(record.uid(), record);
        index(record);
    }

    /**
     * Makes a record findable under its id. Two records that were created with one id at members that did not know of
     * each other are {@linkplain #namesakes namesakes}: all members find the older one.
     */
    void index(SessionRecord record) {
        String key = keyOf(record.id());
        byKey.merge(key, record, (present, next) -> {
            if (present.uid().equals(next.uid())) {
                return next;
            }
            boolean isOlder = OLDER.compare(next, present) < 0;
            namesakes.add(isOlder ? present : next);
            return isOlder ? next : present;
        });
        endedKeys.remove(key);
        if (record.state() == SessionRecord.State.ENDED) {
            byKey.remove(key, record);
        }
    }

    /** Indexes a record anew if its id has changed; it was indexed under {@code oldKey}. */
    public void reindex(SessionRecord record, String oldKey) {
        if (!keyOf(record.id()).equals(oldKey)) {
            index(record);
            byKey.remove(oldKey, record);
        }
    }

    /** Removes a session and keeps a tombstone of it; returns null if the session was not there. */
    public @Nullable SessionRecord remove(UUID uid, Tombstone tombstone) {
        bury(uid, tombstone);
        SessionRecord record = byUid.remove(uid);
        if (record == null) {
            return null;
        }
        record.enter(SessionRecord.State.ENDED);
        byKey.remove(keyOf(record.id()), record);
        byKey.remove(tombstone.key(), record);
        return record;
    }

    /** Removes a session that lives on at other members; a request that still has it may {@linkplain #add add} it again. */
    public void release(SessionRecord record) {
        byUid.remove(record.uid(), record);
        byKey.remove(keyOf(record.id()), record);
    }

    /** Returns the tombstone of a session that ended; null if none is remembered. */
    public @Nullable Tombstone tombstone(UUID uid) {
        synchronized (tombstones) {
            return tombstones.get(uid);
        }
    }

    /** Removes a partial record, the rest of which did not arrive. */
    public void forget(SessionRecord record) {
        byUid.remove(record.uid(), record);
        record.enter(SessionRecord.State.ENDED);
    }

    /**
     * Returns the tombstone of a session that ended and must stay so; null otherwise. A session that expired because
     * its users were on the other side of a partition comes back, one that was invalidated does not.
     */
    public @Nullable Tombstone tombstoneFor(Image image) {
        synchronized (tombstones) {
            Tombstone tombstone = tombstones.get(image.uid());
            if (tombstone == null) {
                return null;
            }
            boolean isUsedAfter = image.touched().isUsedAfter(tombstone.version());
            if (tombstone.reason() == EndReason.EXPIRED && isUsedAfter) {
                tombstones.remove(image.uid());
                endedKeys.remove(tombstone.key(), image.uid());
                return null;
            }
            return tombstone;
        }
    }

    public boolean isBuried(UUID uid) {
        synchronized (tombstones) {
            return tombstones.containsKey(uid);
        }
    }

    public int tombstoneCount() {
        synchronized (tombstones) {
            return tombstones.size();
        }
    }

    private void bury(UUID uid, Tombstone tombstone) {
        synchronized (tombstones) {
            if (tombstones.putIfAbsent(uid, tombstone) == null) {
                endedKeys.put(tombstone.key(), uid);
            }
            Iterator<java.util.Map.Entry<UUID, Tombstone>> oldest = tombstones.entrySet().iterator();
            while (oldest.hasNext()) {
                var entry = oldest.next();
                boolean isOld = tombstone.nanos() - entry.getValue().nanos() > TOMBSTONE_NANOS;
                if (!isOld && tombstones.size() <= TOMBSTONES_MAX) {
                    break;
                }
                oldest.remove();
                endedKeys.remove(entry.getValue().key(), entry.getKey());
            }
        }
    }

    /** Returns removals of the sessions that have ended. */
    public List<SessionMessage> ends() {
        synchronized (tombstones) {
            List<SessionMessage> ends = new ArrayList<>();
            tombstones.forEach((uid, tombstone) ->
                    ends.add(new SessionMessage.Remove(uid, tombstone.key(), tombstone.version(), tombstone.reason())));
            return ends;
        }
    }

    /** Forgets all sessions, which have not ended and live on elsewhere. */
    public void clear() {
        byUid.clear();
        byKey.clear();
        namesakes.clear();
        endedKeys.clear();
        synchronized (tombstones) {
            tombstones.clear();
        }
    }
}
