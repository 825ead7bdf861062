package dev.tutti.spring.session;

import dev.tutti.Node;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.map.EntryEvent;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.blocks.map.TotalOrderMap;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that this member has, by id and by index, made from the entries of the map.
 *
 * <p>The oldest member removes what is left of sessions that have ended.
 */
final class SessionStore implements AutoCloseable {

    /** Observer of sessions that begin and end. Called on the group's thread; must not wait. */
    interface Observer {

        void onCreated(String id, SessionRecord session);

        void onEnded(String id, SessionRecord session, boolean isExpired);
    }

    /** Time for which a deleted session is remembered: longer than any write is under way. */
    static final Duration MEMORY = Duration.ofMinutes(10);

    private final Observer observer;
    private final Map<String, SessionRecord> records = new ConcurrentHashMap<>();
    private final Map<Indexed, Set<String>> indexed = new ConcurrentHashMap<>();
    private final TotalOrderMap<SessionKey, byte[]> map;

    private final Threads threads;

    /** False until this member has all sessions: what came with them is no news. */
    private volatile boolean isOpen;

    private volatile boolean isClosed;

    /** Ids of sessions that had ended at the last sweep. Guarded by this. */
    private Set<String> ended = Set.of();

    private record Indexed(String index, String value) {}

    SessionStore(Node node, String group, Observer observer) {
        this.observer = observer;
        this.threads = node.threads();
        this.map = ReplicatedMap.on(node.group(group), SessionKey.CODEC, Codec.BYTES)
                .onEntry(this::onEntry)
                .onClosed(this::onClosed)
                .totalOrder();
        isOpen = true;
        sweepLater();
    }

    /** Waits until this member has all that had been saved at any member before. */
    void sync() {
        map.sync();
    }

    @Nullable SessionRecord live(String id) {
        SessionRecord found = records.get(id);
        return found == null || !found.isLive() ? null : found;
    }

    /** Returns the live sessions with this value of an index. */
    Map<String, SessionRecord> find(String index, String value) {
        Map<String, SessionRecord> found = new TreeMap<>();
        for (String id : indexed.getOrDefault(new Indexed(index, value), Set.of())) {
            SessionRecord session = live(id);
            if (session != null) {
                found.put(id, session);
            }
        }
        return found;
    }

    /** Returns the number of entries. */
    int entries() {
        return map.size();
    }

    // ------------------------------------------------------------------ writing

    CompletableFuture<Void> put(SessionKey key, byte[] value) {
        return map.putAsync(key, value);
    }

    CompletableFuture<Void> remove(SessionKey key) {
        return map.removeAsync(key);
    }

    /** Writes, and waits until this and all earlier writes of this thread are at all members, as far as the group's order says. */
    void putAndWait(SessionKey key, byte[] value, @Nullable Duration timeToLive) {
        if (timeToLive == null) {
            map.put(key, value);
        } else {
            map.put(key, value, timeToLive);
        }
    }

    // ------------------------------------------------------------------ inputs

    private void onEntry(EntryEvent<SessionKey, byte[]> event) {
        SessionKey key = event.key();
        String id = key.session();
        SessionRecord before = records.getOrDefault(id, SessionRecord.NONE);
        SessionRecord after = before.with(key, event.value());
        if (after.isEmpty()) {
            records.remove(id);
        } else {
            records.put(id, after);
        }
        index(id, before.index(), after.index());
        if (!isOpen) {
            return;
        }
        if (before.isLive() && !after.isLive()) {
            tellEnd(id, before, after, event.kind());
        } else if (!before.isLive() && after.isLive() && after.former().isEmpty()) {
            observer.onCreated(id, after);
        }
    }

    private void tellEnd(String id, SessionRecord before, SessionRecord after, EntryEvent.Kind kind) {
        String successor = after.successor();
        if (successor == null) {
            observer.onEnded(id, before, kind == EntryEvent.Kind.EXPIRED);
        } else if (successor.isEmpty()) {
            observer.onEnded(id, before, false);
        }
    }

    private void index(String id, Map<String, String> before, Map<String, String> after) {
        before.forEach((name, value) -> {
            if (!value.equals(after.get(name))) {
                indexed.computeIfPresent(new Indexed(name, value), (key, ids) -> {
                    ids.remove(id);
                    return ids.isEmpty() ? null : ids;
                });
            }
        });
        after.forEach((name, value) -> {
            if (!value.equals(before.get(name))) {
                indexed.computeIfAbsent(new Indexed(name, value), key -> ConcurrentHashMap.newKeySet()).add(id);
            }
        });
    }

    // ------------------------------------------------------------------ housekeeping

    private void sweepLater() {
        threads.startAfter(SWEEP_NANOS, "tutti-sessions-sweep", () -> {
            if (!isClosed) {
                sweep();
                sweepLater();
            }
        });
    }

    /**
     * Removes what is left of sessions that have ended, at the oldest member. Only of those that had ended at the last sweep,
     * too: after a partition the fields of a session come one by one.
     */
    synchronized void sweep() {
        Set<String> over = new HashSet<>();
        if (map.self().equals(map.view().coordinator())) {
            records.forEach((id, session) -> {
                if (session.isOver()) {
                    over.add(id);
                    if (ended.contains(id)) {
                        session.leftovers(id).forEach(map::removeAsync);
                    }
                }
            });
        }
        ended = over;
    }

    /** Ends when the group is left. */
    private void onClosed(String reason) {
        isClosed = true;
    }

    @Override
    public void close() {
        map.close();
    }

    private static final long SWEEP_NANOS = 30_000_000_000L;
}
