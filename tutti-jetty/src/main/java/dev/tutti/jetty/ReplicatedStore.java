package dev.tutti.jetty;

import dev.tutti.GroupBuilder;
import dev.tutti.NodeInspection.ComponentPart;
import dev.tutti.NodeInspection.Part;
import dev.tutti.blocks.internal.session.SessionChanges;
import dev.tutti.blocks.internal.session.SessionRecord;
import dev.tutti.blocks.internal.session.SessionStore;
import dev.tutti.blocks.map.MapException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.eclipse.jetty.session.AbstractSessionDataStore;
import org.eclipse.jetty.session.SessionContext;
import org.eclipse.jetty.session.SessionData;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of one application, at every member of a group, as Jetty reads and writes them. It is in the group from its start to its
 * stop.
 *
 * <p>The group decides when sessions expire. Its oldest member tells the application's listeners, so that they hear of each once.
 */
final class ReplicatedStore extends AbstractSessionDataStore implements SessionStore.Observer {

    private static final Logger LOG = LoggerFactory.getLogger(ReplicatedStore.class);

    private final Settings settings;
    private final TuttiSessions owner;
    private final Counters counters = new Counters();
    private final AttributeCodec codec;

    /** Sessions that have expired, while listeners are told. */
    private final Map<String, SessionRecord> expiring = new ConcurrentHashMap<>();

    private volatile @Nullable Joined joined;

    /**
     * The sessions while the group is joined.
     *
     * @param expiry calls listeners of expired sessions, one after the other
     */
    private record Joined(String name, SessionStore sessions, ExecutorService expiry) {}

    ReplicatedStore(Settings settings, TuttiSessions owner) {
        this.settings = settings;
        this.owner = owner;
        this.codec = new AttributeCodec(settings.allowedClasses(), counters);
    }

    // ------------------------------------------------------------------ life

    /** Joins the group, and returns with all its sessions. */
    @Override
    protected void doStart() throws Exception {
        super.doStart();
        String name = settings.group() + ":" + place();
        GroupBuilder group = settings.node()
                .group(name)
                .set("total.delivery", settings.acknowledgement() == Acknowledgement.ALL ? "safe" : "agreed");
        ExecutorService expiry = Executors.newSingleThreadExecutor(Thread.ofVirtual().name("tutti-session-expiry").factory());
        joined = new Joined(name, new SessionStore(group, settings.acknowledgementTimeout(), this), expiry);
        owner.onStarted(this);
    }

    /** Returns the application, with its virtual host if it has one. */
    private String place() {
        String host = _context.getVhost();
        String path = _context.getContext() == null ? "/" : _context.getContext().getContextPath();
        return (SessionContext.NULL_VHOST.equals(host) ? "" : "//" + host) + (path == null ? "/" : path);
    }

    /** Leaves the group; the sessions live on at the others. */
    @Override
    protected void doStop() throws Exception {
        owner.onStopped(this);
        Joined left = joined;
        joined = null;
        if (left != null) {
            // When the group is left, it tells of no more ends.
            left.sessions().close();
            left.expiry().shutdown();
        }
        super.doStop();
    }

    private Joined joined() {
        Joined present = joined;
        if (present == null) {
            throw new IllegalStateException("the application is stopped: its sessions are at other nodes");
        }
        return present;
    }

    private SessionStore sessions() {
        return joined().sessions();
    }

    /**
     * Waits until this node has all that was written at any node before, unless the settings say that a balancer sees to that. If the others
     * do not answer in time, or the group was left, the request goes on with what is here: without its session, it would get a new one of
     * the same id, which would replace it.
     */
    void sync() {
        if (!settings.isSynced()) {
            return;
        }
        try {
            sessions().sync();
        } catch (MapException e) {
            LOG.debug("a request goes on with what this node has", e);
            counters.notSynced.increment();
        }
    }

    // ------------------------------------------------------------------ reading

    @Override
    public SessionData newSessionData(String id, long created, long accessed, long lastAccessed, long maxInactiveMs) {
        return data(id, created, accessed, maxInactiveMs);
    }

    private ReplicatedData data(String id, long created, long accessed, long interval) {
        ReplicatedData.Place place = new ReplicatedData.Place(id, _context.getCanonicalContextPath(), _context.getVhost());
        return new ReplicatedData(codec, settings.saveMode(), place, created, accessed, interval);
    }

    @Override
    public boolean doExists(String id) {
        return sessions().live(id) != null;
    }

    @Override
    public @Nullable SessionData doLoad(String id) {
        SessionRecord expired = expiring.get(id);
        SessionRecord found = expired == null ? sessions().live(id) : expired;
        Instant created = found == null ? null : found.created();
        Instant touched = found == null ? null : found.touched();
        Duration interval = found == null ? null : found.interval();
        if (found == null || created == null || touched == null || interval == null) {
            return null;
        }
        ReplicatedData data = data(id, created.toEpochMilli(), touched.toEpochMilli(), interval.toMillis());
        data.setCookieSet(created.toEpochMilli());
        data.load(found);
        return data;
    }

    /** Takes what other nodes have changed; returns false if the session has ended. */
    boolean refresh(ReplicatedData data) {
        if (!data.isWritten()) {
            return true;
        }
        SessionRecord now = sessions().live(data.getId());
        if (now == null) {
            return false;
        }
        _context.run(() -> data.refresh(now));
        return true;
    }

    // ------------------------------------------------------------------ writing

    @Override
    public void doStore(String id, SessionData data, long lastSaveTime) {
        ReplicatedData own = (ReplicatedData) data;
        if (lastSaveTime <= 0) {
            SessionChanges whole = own.changes(true);
            await(() -> sessions().create(id, Instant.ofEpochMilli(own.getCreated()), "", whole));
            own.onWritten(whole);
        } else if (sessions().live(id) == null) {
            if (own.hasChanges()) {
                counters.discarded.increment();
                own.discardChanges();
                LOG.debug("the changes of a request are dropped: its session has ended meanwhile");
            }
        } else if (own.hasChanges()) {
            SessionChanges changes = own.changes(false);
            write(() -> sessions().update(id, changes));
            own.onWritten(changes);
        } else {
            touch(own, own.getAccessed());
        }
    }

    /** Tells the group of a use, without waiting; does nothing when the application has stopped. */
    void touch(ReplicatedData data, long millis) {
        Joined present = joined;
        if (present != null) {
            data.onTouched(millis);
            count(present.sessions().touch(data.getId(), Instant.ofEpochMilli(millis), Duration.ofMillis(data.getMaxInactiveMs())));
        }
    }

    /** Gives the session another id, for all nodes. One that no node knows yet is written under its new id later. */
    void rename(ReplicatedData data, String id) {
        SessionRecord present = data.isWritten() ? sessions().live(data.getId()) : null;
        if (present != null) {
            SessionChanges changes = data.changes(false);
            try {
                await(() -> sessions().rename(data.getId(), id, present, changes));
                data.onWritten(changes);
            } catch (MapException e) {
                LOG.warn("the change of a session's id was not confirmed; the session is written anew under its new id", e);
                data.setLastSaved(0);
                data.setDirty(true);
            }
        }
    }

    @Override
    public boolean delete(String id) {
        if (expiring.containsKey(id) || sessions().live(id) == null) {
            return false;
        }
        await(() -> sessions().end(id, ""));
        return true;
    }

    private void write(Supplier<CompletableFuture<Void>> writing) {
        if (settings.acknowledgement() == Acknowledgement.NONE) {
            counters.written.increment();
            count(writing.get());
        } else {
            await(writing);
        }
    }

    private void await(Supplier<CompletableFuture<Void>> writing) {
        counters.written.increment();
        try {
            sessions().await(writing);
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

    @Override
    public boolean isPassivating() {
        return true;
    }

    // ------------------------------------------------------------------ expiry

    @Override
    public void onCreated(String id, SessionRecord session) {}

    @Override
    public void onEnded(String id, SessionRecord session, boolean isExpired, boolean isFirst) {
        Joined present = joined;
        if (isExpired && isFirst && present != null) {
            // A request that uses the session at this moment does not bring it back.
            count(present.sessions().end(id, ""));
            present.expiry().execute(() -> _context.run(() -> expire(id, session)));
        }
    }

    private void expire(String id, SessionRecord session) {
        expiring.put(id, session);
        try {
            _context.getSessionManager().invalidate(id);
            counters.expired.increment();
        } catch (Exception e) {
            LOG.warn("listeners of an expired session have failed", e);
        } finally {
            expiring.remove(id);
        }
    }

    /** Returns none: the group says which sessions have expired. */
    @Override
    public Set<String> doCheckExpired(Set<String> candidates, long time) {
        return Set.of();
    }

    @Override
    public Set<String> doGetExpired(long before) {
        return Set.of();
    }

    @Override
    public void doCleanOrphans(long time) {}

    // ------------------------------------------------------------------ inspection

    void addPart(List<ComponentPart> parts) {
        Joined present = joined;
        if (present == null) {
            return;
        }
        int inUse = _context.getSessionManager().getSessionCache() instanceof ReplicatedCache cache ? cache.inUse() : 0;
        Map<String, Long> values = new TreeMap<>();
        values.put("sessions", present.sessions().sessions());
        values.put("in-use", (long) inUse);
        values.put("entries", (long) present.sessions().entries());
        values.put("bytes", present.sessions().bytes());
        values.put("malformed", present.sessions().malformed());
        values.put("written", counters.written.sum());
        values.put("not-written", counters.notWritten.sum());
        values.put("not-synced", counters.notSynced.sum());
        values.put("discarded", counters.discarded.sum());
        values.put("expired", counters.expired.sum());
        values.put("not-encoded", counters.notEncoded.sum());
        values.put("not-decoded", counters.notDecoded.sum());
        parts.add(new ComponentPart(Map.of("group", present.name()), new Part("jetty-sessions", Map.of(), values, Map.of())));
    }
}
