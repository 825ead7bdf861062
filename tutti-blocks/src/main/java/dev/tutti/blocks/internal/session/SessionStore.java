package dev.tutti.blocks.internal.session;

import dev.tutti.GroupBuilder;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.session.SessionKey.Field;
import dev.tutti.blocks.map.EntryEvent;
import dev.tutti.blocks.map.MapException;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.blocks.map.TotalOrderMap;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of an application, at every member of a group. Each field and attribute is an entry of a map in total order, so that
 * two requests at two members lose none of each other's changes, and a session expires for all members at once. Requests find sessions
 * by id and by index in the memory of their member.
 *
 * <p>The methods that write return a future that completes when this member has made all of the changes, with {@link MapException} if
 * one of them failed. In a group with {@code total.delivery: safe} all members have received them
 * by then. {@link #await} waits for it. Methods may be called from any thread but that of the group.
 *
 * <p>The oldest member removes what is left of sessions that have ended.
 */
public final class SessionStore implements AutoCloseable {

    /** Observer of sessions that begin and end. Called on the group's thread; must not wait. */
    public interface Observer {

        void onCreated(String id, SessionRecord session);

        /** @param isFirst whether this member is the oldest of the view: true at one member for each end, on one side of a partition */
        void onEnded(String id, SessionRecord session, boolean isExpired, boolean isFirst);
    }

    /** Time for which a deleted session is remembered: longer than any write is under way. */
    static final Duration MEMORY = Duration.ofMinutes(10);

    /** Attempts at an action while one side of a partition after the other is met. */
    private static final int ATTEMPTS = 5;

    private static final long SWEEP_NANOS = 30_000_000_000L;

    private final String name;
    private final Duration timeout;
    private final Observer observer;
    private final Map<String, SessionRecord> records = new ConcurrentHashMap<>();
    private final Map<Indexed, Set<String>> indexed = new ConcurrentHashMap<>();
    private final TotalOrderMap<SessionKey, byte[]> map;
    private final Threads threads;
    private final LongAdder malformed = new LongAdder();

    /** False until this member has all sessions: what came with them is no news. */
    private volatile boolean isOpen;

    private volatile boolean isClosed;

    /** Ids of sessions that had ended at the last sweep. Guarded by this. */
    private Set<String> ended = Set.of();

    private record Indexed(String index, String value) {}

    /**
     * Joins the group, and returns with all its sessions.
     *
     * @param timeout maximum time of a write, and of {@link #sync}
     */
    public SessionStore(GroupBuilder group, Duration timeout, Observer observer) {
        this.name = group.name();
        this.timeout = timeout;
        this.observer = observer;
        this.threads = group.node().threads();
        this.map = ReplicatedMap.on(group, SessionKey.CODEC, Codec.BYTES)
                .timeout(timeout)
                .onEntry(this::onEntry)
                .onClosed(reason -> isClosed = true)
                .totalOrder();
        isOpen = true;
        sweepLater();
    }

    // ------------------------------------------------------------------ reading

    /**
     * Waits until this member has all that had been written at any member before.
     *
     * @throws MapException if the others do not answer in time, or the group was left
     */
    public void sync() {
        repeated(map::sync);
    }

    /**
     * Repeats an action that fails because this member comes to another side's sessions, after a partition or a pause. Actions are those that
     * may be done twice.
     */
    static void repeated(Runnable action) {
        for (int attempt = 1; ; attempt++) {
            try {
                action.run();
                return;
            } catch (MapException e) {
                if (e.reason() != MapException.Reason.REPLACED || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** Returns the session that requests find under this id. */
    public @Nullable SessionRecord live(String id) {
        SessionRecord found = records.get(id);
        return found == null || !found.isLive() ? null : found;
    }

    /** Returns the live sessions with this value of an index. */
    public Map<String, SessionRecord> find(String index, String value) {
        Map<String, SessionRecord> found = new TreeMap<>();
        for (String id : indexed.getOrDefault(new Indexed(index, value), Set.of())) {
            SessionRecord session = live(id);
            if (session != null) {
                found.put(id, session);
            }
        }
        return found;
    }

    /** Returns the number of live sessions; takes time in proportion to the number of all. */
    public long sessions() {
        return records.values().stream().filter(SessionRecord::isLive).count();
    }

    /** Returns the ids of all live sessions; takes time in proportion to the number of all. */
    public Set<String> ids() {
        Set<String> ids = new TreeSet<>();
        records.forEach((id, session) -> {
            if (session.isLive()) {
                ids.add(id);
            }
        });
        return ids;
    }

    /** Returns whether a session of this id has ended, which is remembered for a while. */
    public boolean hasEnded(String id) {
        SessionRecord found = records.get(id);
        return found != null && found.isOver();
    }

    /** Returns whether this member is the only one. */
    public boolean isAlone() {
        return map.view().members().size() == 1;
    }

    /** Returns the number of entries. */
    public int entries() {
        return map.size();
    }

    /** Returns the size of all entries in encoded bytes. */
    public long bytes() {
        return map.bytes();
    }

    /** Returns the number of fields that could not be read, and were ignored. */
    public long malformed() {
        return malformed.sum();
    }

    // ------------------------------------------------------------------ writing

    /**
     * Writes a new session: the last touch first and the creation last, so that what a crash leaves in between expires. If one with this id
     * has ended, the new one has nothing of it: a container may use an id again for which another of its applications has a session.
     *
     * @param former id that the session had before; empty if it is new
     */
    public CompletableFuture<Void> create(String id, Instant created, String former, SessionChanges changes) {
        List<CompletableFuture<Void>> written = new ArrayList<>();
        SessionRecord before = records.get(id);
        if (before != null && before.isOver()) {
            before.leftovers(id).forEach(key -> written.add(map.removeAsync(key)));
            written.add(map.removeAsync(SessionKey.of(id, Field.ENDED)));
        }
        written.add(touch(id, changes.touched(), changes.interval()));
        writeAttributes(id, changes, written);
        written.add(map.putAsync(SessionKey.of(id, Field.INTERVAL), SessionRecord.ofInterval(changes.interval())));
        Map<String, String> index = changes.index();
        if (index != null && !index.isEmpty()) {
            written.add(map.putAsync(SessionKey.of(id, Field.INDEX), SessionRecord.ofIndex(index)));
        }
        written.add(map.putAsync(SessionKey.of(id, Field.CREATED), SessionRecord.ofCreated(created, former)));
        return all(written);
    }

    /** Writes changes of a session that is known to all. */
    public CompletableFuture<Void> update(String id, SessionChanges changes) {
        List<CompletableFuture<Void>> written = new ArrayList<>();
        writeAttributes(id, changes, written);
        if (changes.isIntervalChanged()) {
            written.add(map.putAsync(SessionKey.of(id, Field.INTERVAL), SessionRecord.ofInterval(changes.interval())));
        }
        Map<String, String> index = changes.index();
        if (index != null) {
            SessionKey key = SessionKey.of(id, Field.INDEX);
            written.add(index.isEmpty() ? map.removeAsync(key) : map.putAsync(key, SessionRecord.ofIndex(index)));
        }
        written.add(touch(id, changes.touched(), changes.interval()));
        return all(written);
    }

    /** Writes all that the session has under its new id, changes of others included, and ends the old one. */
    public CompletableFuture<Void> rename(String id, String newId, SessionRecord present, SessionChanges changes) {
        Map<String, byte @Nullable []> attributes = new LinkedHashMap<>(present.attributes());
        attributes.putAll(changes.attributes());
        Map<String, String> index = changes.index() == null ? present.index() : changes.index();
        Instant created = present.created() == null ? changes.touched() : present.created();
        return all(List.of(create(newId, created, id, changes.with(attributes, index)), end(id, newId)));
    }

    /** Writes the time of the last request, from which on the session lives for its interval. */
    public CompletableFuture<Void> touch(String id, Instant touched, Duration interval) {
        SessionKey key = SessionKey.of(id, Field.TOUCHED);
        byte[] value = SessionRecord.ofTouched(touched);
        Duration timeToLive = SessionChanges.timeToLive(interval);
        return timeToLive == null ? map.putAsync(key, value) : map.putAsync(key, value, timeToLive);
    }

    /**
     * Ends a session for all members: a request that is under way does not bring it back.
     *
     * @param successor the id under which it goes on; empty if it does not
     */
    public CompletableFuture<Void> end(String id, String successor) {
        return map.putAsync(SessionKey.of(id, Field.ENDED), SessionRecord.ofSuccessor(successor), MEMORY);
    }

    /** Writes one attribute, whether or not the session is there. */
    public CompletableFuture<Void> putAttribute(String id, String name, byte[] value) {
        return map.putAsync(SessionKey.ofAttribute(id, name), value);
    }

    /**
     * Writes, and waits for it; again if this member comes to another side's sessions meanwhile, which may lack the write.
     *
     * @param writing one of the methods that write
     * @throws MapException if it failed, or was not delivered in time
     */
    public void await(Supplier<CompletableFuture<Void>> writing) {
        repeated(() -> await(writing.get()));
    }

    private void await(CompletableFuture<Void> written) {
        try {
            threads.get(written, timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            // Rethrown on the caller's own stack.
            throw e.getCause() instanceof MapException known
                    ? new MapException(known.reason(), String.valueOf(known.getMessage()), known)
                    : new IllegalStateException(name + ": a session was not written", e.getCause());
        } catch (TimeoutException e) {
            throw new MapException(
                    MapException.Reason.TIMED_OUT, name + ": a session was not written within " + timeout + ", and may still be", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MapException(MapException.Reason.INTERRUPTED, name + ": the thread was interrupted while a session was written", e);
        }
    }

    private void writeAttributes(String id, SessionChanges changes, List<CompletableFuture<Void>> written) {
        changes.attributes().forEach((name, bytes) -> {
            SessionKey key = SessionKey.ofAttribute(id, name);
            written.add(bytes == null ? map.removeAsync(key) : map.putAsync(key, bytes));
        });
    }

    private static CompletableFuture<Void> all(List<CompletableFuture<Void>> written) {
        return CompletableFuture.allOf(written.toArray(CompletableFuture[]::new));
    }

    // ------------------------------------------------------------------ inputs

    private void onEntry(EntryEvent<SessionKey, byte[]> event) {
        SessionKey key = event.key();
        String id = key.session();
        SessionRecord before = records.getOrDefault(id, SessionRecord.NONE);
        SessionRecord after;
        try {
            after = before.with(key, event.value());
        } catch (MalformedException e) {
            malformed.increment();
            return;
        }
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
            observer.onEnded(id, before, kind == EntryEvent.Kind.EXPIRED, isFirst());
        } else if (successor.isEmpty()) {
            observer.onEnded(id, before, false, isFirst());
        }
    }

    private boolean isFirst() {
        return map.self().equals(map.view().coordinator());
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
    public synchronized void sweep() {
        Set<String> over = new HashSet<>();
        if (isFirst()) {
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

    /** Leaves the group. */
    @Override
    public void close() {
        map.close();
    }
}
