package dev.tutti.jetty;

import dev.tutti.NodeInspection.ComponentPart;
import dev.tutti.blocks.internal.session.AttributeCodec;
import dev.tutti.blocks.internal.session.AttributeCodec.ContainerValues;
import dev.tutti.blocks.internal.session.SessionChanges;
import dev.tutti.blocks.internal.session.SessionComponent;
import dev.tutti.blocks.internal.session.SessionCounters;
import dev.tutti.blocks.internal.session.SessionGroup;
import dev.tutti.blocks.internal.session.SessionRecord;
import dev.tutti.blocks.internal.session.SessionSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.session.AbstractSessionDataStore;
import org.eclipse.jetty.session.SessionContext;
import org.eclipse.jetty.session.SessionData;
import org.jspecify.annotations.Nullable;

/** The sessions of one application, as Jetty reads and writes them. They are in their group from its start to its stop. */
final class ReplicatedStore extends AbstractSessionDataStore implements SessionGroup.Container, SessionComponent.Application {

    /** Values that Jetty keeps in sessions itself: logins, and the page that a user has to log in for. */
    static final ContainerValues JETTY = new ContainerValues(
            "org.eclipse.jetty.",
            List.of(
                    "org.eclipse.jetty.http.HttpURI",
                    "org.eclipse.jetty.http.HttpURI$Immutable",
                    "org.eclipse.jetty.http.UriCompliance$Violation",
                    "org.eclipse.jetty.security.authentication.*"));

    private final SessionSettings settings;
    private final SessionComponent component;
    private final SessionCounters counters = new SessionCounters();
    private final AttributeCodec codec;

    /** Sessions that have expired, while listeners are told. */
    private final Map<String, SessionRecord> expiring = new ConcurrentHashMap<>();

    private volatile @Nullable SessionGroup joined;

    ReplicatedStore(SessionSettings settings, SessionComponent component) {
        this.settings = settings;
        this.component = component;
        this.codec = new AttributeCodec(settings.allowedClasses(), JETTY, counters);
    }

    // ------------------------------------------------------------------ life

    /** Joins the group, and returns with all its sessions. */
    @Override
    protected void doStart() throws Exception {
        super.doStart();
        joined = new SessionGroup(settings, place(), counters, this);
        component.onStarted(this);
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
        component.onStopped(this);
        SessionGroup left = joined;
        joined = null;
        if (left != null) {
            left.close();
        }
        super.doStop();
    }

    private SessionGroup sessions() {
        SessionGroup present = joined;
        if (present == null) {
            throw new IllegalStateException("the application is stopped: its sessions are at other nodes");
        }
        return present;
    }

    /** Waits until this node has all that was written at any node before. */
    void sync() {
        sessions().sync();
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
            write(own, true);
        } else if (sessions().live(id) == null) {
            if (own.hasChanges()) {
                own.discardChanges();
                sessions().discard();
            }
        } else if (own.hasChanges()) {
            write(own, false);
        } else {
            touch(own, own.getAccessed());
        }
    }

    private void write(ReplicatedData data, boolean isNew) {
        SessionChanges changes = data.take(isNew);
        try {
            if (isNew) {
                sessions().create(data.getId(), Instant.ofEpochMilli(data.getCreated()), changes);
            } else {
                sessions().update(data.getId(), changes);
            }
        } catch (RuntimeException e) {
            data.onNotWritten(changes);
            throw e;
        }
        data.onWritten(changes);
    }

    /** Tells the group of a use, without waiting; does nothing when the application has stopped. */
    void touch(ReplicatedData data, long millis) {
        SessionGroup present = joined;
        if (present != null) {
            data.onTouched(millis);
            present.touch(data.getId(), millis, data.interval());
        }
    }

    /** Gives the session another id, for all nodes. One that no node knows yet is written under its new id later. */
    void rename(ReplicatedData data, String id) {
        SessionRecord present = data.isWritten() ? sessions().live(data.getId()) : null;
        if (present != null) {
            SessionChanges changes = data.take(false);
            if (sessions().rename(data.getId(), id, present, changes)) {
                data.onWritten(changes);
            } else {
                data.onNotWritten(changes);
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
        sessions().end(id);
        return true;
    }

    @Override
    public boolean isPassivating() {
        return true;
    }

    // ------------------------------------------------------------------ expiry

    @Override
    public void onExpired(String id, SessionRecord session) {
        expiring.put(id, session);
        try {
            _context.run(() -> invalidate(id));
        } finally {
            expiring.remove(id);
        }
    }

    private void invalidate(String id) {
        try {
            _context.getSessionManager().invalidate(id);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void touchInUse(long nowMillis) {
        ReplicatedCache cache = cache();
        if (cache != null) {
            cache.touch(nowMillis);
        }
    }

    private @Nullable ReplicatedCache cache() {
        return _context.getSessionManager().getSessionCache() instanceof ReplicatedCache cache ? cache : null;
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

    @Override
    public @Nullable ComponentPart part() {
        SessionGroup present = joined;
        ReplicatedCache cache = cache();
        return present == null ? null : present.part(SessionMetrics.PART, cache == null ? 0 : cache.inUse());
    }
}
