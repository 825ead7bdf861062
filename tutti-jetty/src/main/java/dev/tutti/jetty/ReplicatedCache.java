package dev.tutti.jetty;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.eclipse.jetty.session.DefaultSessionCache;
import org.eclipse.jetty.session.ManagedSession;
import org.eclipse.jetty.session.SessionCache;
import org.eclipse.jetty.session.SessionData;
import org.eclipse.jetty.session.SessionManager;
import org.eclipse.jetty.util.thread.AutoLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions that requests use at this node, for as long as they do. A request that begins gets the object that others have, with the
 * attributes that other nodes have changed meanwhile.
 */
final class ReplicatedCache extends DefaultSessionCache {

    private static final Logger LOG = LoggerFactory.getLogger(ReplicatedCache.class);

    /** Attempts to get a session whose last request ends at the same moment, each time. */
    private static final int ATTEMPTS = 100;

    private final ConcurrentMap<String, ManagedSession> inUse;
    private final ReplicatedStore store;

    ReplicatedCache(SessionManager manager, ReplicatedStore store) {
        this(manager, store, new ConcurrentHashMap<>());
    }

    private ReplicatedCache(SessionManager manager, ReplicatedStore store, ConcurrentMap<String, ManagedSession> inUse) {
        super(manager, inUse);
        this.inUse = inUse;
        this.store = store;
        setSessionDataStore(store);
        setEvictionPolicy(SessionCache.EVICT_ON_SESSION_EXIT);
        setFlushOnResponseCommit(true);
    }

    int inUse() {
        return inUse.size();
    }

    @Override
    public ManagedSession newSession(SessionData data) {
        return new ReplicatedSession(getSessionManager(), (ReplicatedData) data);
    }

    @Override
    public @Nullable ManagedSession get(String id) throws Exception {
        store.sync();
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            ReplicatedSession session = (ReplicatedSession) getAndEnter(id, false);
            if (session == null) {
                if (!store.exists(id)) {
                    return null;
                }
                continue;
            }
            try (AutoLock _ = session.lock()) {
                if (session.isResident()) {
                    return enter(session);
                }
            }
        }
        throw new IllegalStateException("session not found in " + ATTEMPTS + " attempts: its last request ends each time");
    }

    private @Nullable ManagedSession enter(ReplicatedSession session) {
        if (store.refresh(session.data())) {
            session.enter();
            return session;
        }
        // Ended by another node. Requests that still have it go on, and what they write is dropped.
        if (session.getRequests() == 0) {
            doDelete(session.getId());
            session.setResident(false);
        }
        return null;
    }

    /** Writes the changes of requests before the response begins. */
    @Override
    public void commit(@Nullable ManagedSession session) throws Exception {
        if (session != null) {
            try (AutoLock _ = session.lock()) {
                if (session.isResident()) {
                    ((ReplicatedSession) session).data().noteModified();
                    super.commit(session);
                }
            }
        }
    }

    /** Writes changes that were made after the response had begun, or the time of the request. */
    @Override
    public void release(ManagedSession session) throws Exception {
        try (AutoLock _ = session.lock()) {
            if (session.isResident()) {
                ((ReplicatedSession) session).data().noteModified();
                super.release(session);
            }
        }
    }

    /** Writes the changes of requests that still run when the application stops; later ones are not written. */
    @Override
    public void shutdown() {
        for (ManagedSession session : inUse.values()) {
            try (AutoLock _ = session.lock()) {
                commit(session);
                doDelete(session.getId());
                session.setResident(false);
            } catch (Exception e) {
                LOG.warn("changes of a request that still runs at the stop are not written", e);
            }
        }
    }

    @Override
    protected void renewSessionId(@Nullable ManagedSession session, String newId, String newExtendedId) throws Exception {
        if (session == null) {
            return;
        }
        try (AutoLock _ = session.lock()) {
            ReplicatedSession own = (ReplicatedSession) session;
            own.checkWritable();
            own.data().noteModified();
            String oldId = own.getId();
            store.rename(own.data(), newId);
            own.data().setId(newId);
            own.setExtendedId(newExtendedId);
            own.onIdChanged();
            doPutIfAbsent(newId, own);
            doDelete(oldId);
        }
    }

    /** Tells the group of sessions that long requests use, such as streams and WebSockets, so that they do not expire. */
    void touch(long nowMillis) {
        for (ManagedSession session : inUse.values()) {
            ReplicatedData data = ((ReplicatedSession) session).data();
            if (data.isWritten() && data.isTouchDue(nowMillis)) {
                store.touch(data, nowMillis);
            }
        }
    }
}
