package dev.tutti.blocks.internal.session;

import dev.tutti.GroupBuilder;
import dev.tutti.NodeInspection.ComponentPart;
import dev.tutti.NodeInspection.Part;
import dev.tutti.Threads;
import dev.tutti.blocks.map.MapException;
import dev.tutti.blocks.session.Acknowledgement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of one application of a container, at every member of a group, with the settings of the container: it waits as these say, and
 * counts. In the group from its construction until it is closed.
 *
 * <p>The group decides when sessions expire. Its oldest member tells the container, so that listeners hear of each once. Thread-safe;
 * methods that wait say so.
 */
public final class SessionGroup implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SessionGroup.class);

    private static final long BEAT_NANOS = 1_000_000_000L;

    private final SessionSettings settings;
    private final SessionCounters counters;
    private final Container container;
    private final String name;
    private final Threads threads;
    private final SessionStore sessions;

    /** Expired sessions whose listeners are still to be called. Guarded by itself. */
    private final Queue<Expired> expired = new ArrayDeque<>();

    /** True while a thread calls them. Guarded by {@link #expired}. */
    private boolean isTelling;

    private volatile boolean isClosed;

    /** The container whose application has the sessions. */
    public interface Container {

        /** Calls listeners of an expired session, on a thread of its own: one session after the other. Exceptions are logged. */
        void onExpired(String id, SessionRecord session);

        /** Touches sessions that long requests use, each second. */
        void touchInUse(long nowMillis);
    }

    private record Expired(String id, SessionRecord session) {}

    /**
     * Joins the group, and returns with all its sessions.
     *
     * @param application name of the application; with the first part from the settings the group's
     */
    public SessionGroup(SessionSettings settings, String application, SessionCounters counters, Container container) {
        this.settings = settings;
        this.counters = counters;
        this.container = container;
        this.name = settings.group() + ":" + application;
        this.threads = settings.node().threads();
        GroupBuilder group = settings.node()
                .group(name)
                .set("total.delivery", settings.acknowledgement() == Acknowledgement.ALL ? "safe" : "agreed");
        Ends ends = new Ends();
        this.sessions = new SessionStore(group, settings.acknowledgementTimeout(), ends);
        ends.owner = this;
        beatLater();
    }

    // ------------------------------------------------------------------ reading

    /**
     * Waits until this node has all that was written at any node before, unless the settings say that a balancer sees to that. If the others
     * do not answer in time, or the group was left, the request goes on with what is here: without its session, it would get a new one of
     * the same id, which would replace it.
     */
    public void sync() {
        if (!settings.isSynced()) {
            return;
        }
        try {
            sessions.sync();
        } catch (MapException e) {
            LOG.debug("a request goes on with what this node has", e);
            counters.notSynced.increment();
        }
    }

    /** Returns the session that requests find under this id. */
    public @Nullable SessionRecord live(String id) {
        return sessions.live(id);
    }

    /** Returns the ids of all sessions; takes time in proportion to their number. */
    public Set<String> ids() {
        return sessions.ids();
    }

    /** Returns the number of all sessions; takes time in proportion to it. */
    public long size() {
        return sessions.sessions();
    }

    /** Returns whether the group remembers a session of this id that has ended. */
    public boolean hasEnded(String id) {
        return sessions.hasEnded(id);
    }

    /** Returns whether no other node has the sessions. */
    public boolean isAlone() {
        return sessions.isAlone();
    }

    // ------------------------------------------------------------------ writing

    /**
     * Writes a new session, and waits for it.
     *
     * @throws MapException if it failed, or was not confirmed in time
     */
    public void create(String id, Instant created, SessionChanges whole) {
        await(() -> sessions.create(id, created, "", whole));
    }

    /**
     * Writes changes, and waits for them if the settings say so.
     *
     * @throws MapException if that failed, or was not confirmed in time
     */
    public void update(String id, SessionChanges changes) {
        if (settings.acknowledgement() == Acknowledgement.NONE) {
            counters.written.increment();
            count(sessions.update(id, changes));
        } else {
            await(() -> sessions.update(id, changes));
        }
    }

    /** Drops the changes of a request whose session has ended meanwhile. */
    public void discard() {
        counters.discarded.increment();
        LOG.debug("the changes of a request are dropped: its session has ended meanwhile");
    }

    /** Tells the group of a use, without waiting. */
    public void touch(String id, long millis, Duration interval) {
        count(sessions.touch(id, Instant.ofEpochMilli(millis), interval));
    }

    /**
     * Gives the session another id, for all nodes, and waits for it.
     *
     * @return false if it failed, or was not confirmed in time: the session has to be written anew under its new id
     */
    public boolean rename(String id, String newId, SessionRecord present, SessionChanges changes) {
        try {
            await(() -> sessions.rename(id, newId, present, changes));
            return true;
        } catch (MapException e) {
            LOG.warn("the change of a session's id was not confirmed; the session is written anew under its new id", e);
            return false;
        }
    }

    /**
     * Ends a session for all nodes, and waits for it.
     *
     * @throws MapException if that failed, or was not confirmed in time
     */
    public void end(String id) {
        await(() -> sessions.end(id, ""));
    }

    private void await(Supplier<CompletableFuture<Void>> writing) {
        counters.written.increment();
        try {
            sessions.await(writing);
        } catch (MapException e) {
            counters.notWritten.increment();
            throw e;
        }
    }

    private void count(CompletableFuture<Void> written) {
        var unused = written.whenComplete((nothing, failure) -> {
            if (failure != null) {
                counters.notWritten.increment();
            }
        });
    }

    // ------------------------------------------------------------------ ends and uses

    /** Hears of ends on the group's thread, the first ones before the constructor returns. */
    private static final class Ends implements SessionStore.Observer {

        private volatile @Nullable SessionGroup owner;

        @Override
        public void onCreated(String id, SessionRecord session) {}

        @Override
        public void onEnded(String id, SessionRecord session, boolean isExpired, boolean isFirst) {
            SessionGroup present = owner;
            if (isExpired && isFirst && present != null && !present.isClosed) {
                present.expire(id, session);
            }
        }
    }

    private void expire(String id, SessionRecord session) {
        // A request that uses the session at this moment does not bring it back.
        count(sessions.end(id, ""));
        synchronized (expired) {
            expired.add(new Expired(id, session));
            if (!isTelling) {
                isTelling = true;
                threads.start("tutti-session-expiry", this::tell);
            }
        }
    }

    /** Tells the container, until no session is left. */
    private void tell() {
        for (Expired next = next(); next != null; next = next()) {
            counters.expired.increment();
            try {
                container.onExpired(next.id(), next.session());
            } catch (RuntimeException e) {
                LOG.warn("listeners of an expired session have failed", e);
            }
        }
    }

    private @Nullable Expired next() {
        synchronized (expired) {
            Expired next = expired.poll();
            isTelling = next != null;
            return next;
        }
    }

    private void beatLater() {
        threads.startAfter(BEAT_NANOS, "tutti-sessions-in-use", () -> {
            if (!isClosed) {
                container.touchInUse(threads.epochMillis());
                beatLater();
            }
        });
    }

    /** Leaves the group; the sessions live on at the others. Listeners of expired sessions that wait are still called. */
    @Override
    public void close() {
        isClosed = true;
        sessions.close();
    }

    // ------------------------------------------------------------------ inspection

    /**
     * Returns the numbers of the sessions.
     *
     * @param part name of the part
     * @param inUse sessions that requests use at this node
     */
    public ComponentPart part(String part, int inUse) {
        return new ComponentPart(Map.of("group", name), new Part(part, Map.of(), counters.values(sessions, inUse), Map.of()));
    }
}
