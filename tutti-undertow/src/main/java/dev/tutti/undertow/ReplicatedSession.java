package dev.tutti.undertow;

import dev.tutti.blocks.internal.session.SessionChanges;
import dev.tutti.blocks.internal.session.SessionGroup;
import dev.tutti.blocks.internal.session.SessionInUse;
import dev.tutti.blocks.internal.session.SessionRecord;
import dev.tutti.blocks.map.MapException;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.session.Session;
import io.undertow.server.session.SessionConfig;
import io.undertow.server.session.SessionListener.SessionDestroyedReason;
import io.undertow.server.session.SessionManager;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A session while requests use it at this node. All of them have the same object.
 *
 * <p>Its state has a lock of its own, which is never held while the group is waited for, so that I/O threads may read and set attributes.
 * Writes have another: a request whose response waits for one waits for those of other requests, too, whose changes it may have seen.
 */
final class ReplicatedSession implements Session {

    private final ReplicatedManager manager;
    private final long createdMillis;
    private final Map<String, Object> values = new TreeMap<>();

    /** Changes that requests have made. Guarded by this. */
    private final SessionInUse state;

    /** Held during writes, which wait for other nodes. */
    private final Lock writing = new ReentrantLock();

    /** Changed by {@link SessionsInUse} alone. */
    volatile String id;

    /** Requests that use it. Guarded by {@link SessionsInUse}. */
    int uses;

    /** Time of the last request but those under way. Guarded by this, as are all below. */
    private long accessedMillis;

    /** Time of the latest request. */
    private long latestMillis;

    private int intervalSeconds;

    /** True when the group has it. Changes while both locks are held. */
    private volatile boolean isWritten;

    private volatile Life life = Life.LIVE;

    private enum Life {
        LIVE,
        /** Listeners are told of the end, and see the attributes. */
        ENDING,
        ENDED
    }

    /** Creates a new session, which no other node knows yet. */
    ReplicatedSession(ReplicatedManager manager, String id, long createdMillis, int intervalSeconds) {
        this.manager = manager;
        this.id = id;
        this.createdMillis = createdMillis;
        this.accessedMillis = createdMillis;
        this.latestMillis = createdMillis;
        this.intervalSeconds = intervalSeconds;
        this.state = manager.state(values, createdMillis);
    }

    /** Creates the object of a session that the group has. */
    ReplicatedSession(ReplicatedManager manager, String id, Instant created, Instant touched, SessionRecord from) {
        this(manager, id, created.toEpochMilli(), seconds(from.interval()));
        this.accessedMillis = touched.toEpochMilli();
        this.latestMillis = accessedMillis;
        this.isWritten = true;
        state.onTouched(latestMillis);
        state.load(from, manager.classes());
    }

    private static int seconds(@Nullable Duration interval) {
        return interval == null ? -1 : Math.clamp(interval.toSeconds(), -1, Integer.MAX_VALUE);
    }

    private Duration interval() {
        return Duration.ofSeconds(intervalSeconds);
    }

    // ------------------------------------------------------------------ life

    /**
     * Notes that a request has begun, and takes what other nodes have changed.
     *
     * @return false if the session has ended
     */
    synchronized boolean onRequest(SessionGroup group, long startedMillis) {
        if (life != Life.LIVE) {
            return false;
        }
        if (isWritten) {
            SessionRecord now = live(group);
            if (now == null) {
                return false;
            }
            state.noteModified();
            Duration interval = state.refresh(now, manager.classes());
            if (interval != null) {
                intervalSeconds = seconds(interval);
            }
        }
        latestMillis = Math.max(latestMillis, startedMillis);
        return true;
    }

    /** Returns this session as the group has it; null if it has ended, even if there is a new one under its id. */
    private @Nullable SessionRecord live(SessionGroup group) {
        SessionRecord found = group.live(id);
        Instant created = found == null ? null : found.created();
        return created == null || created.toEpochMilli() != createdMillis ? null : found;
    }

    /** Called when a request is about to end, and may be called before its response does. */
    @Override
    public void requestDone(HttpServerExchange exchange) {
        onRequestDone(manager.startedMillis(exchange));
    }

    synchronized void onRequestDone(long startedMillis) {
        accessedMillis = Math.max(accessedMillis, startedMillis);
    }

    boolean hasEnded() {
        return life != Life.LIVE;
    }

    // ------------------------------------------------------------------ what requests do

    /** Returns whether it has ended. Called by Undertow 2.4. */
    public boolean isInvalid() {
        return hasEnded();
    }

    @Override
    public String getId() {
        return id;
    }

    @Override
    public SessionManager getSessionManager() {
        return manager;
    }

    @Override
    public long getCreationTime() {
        checkReadable();
        return createdMillis;
    }

    @Override
    public synchronized long getLastAccessedTime() {
        checkReadable();
        return accessedMillis;
    }

    @Override
    public synchronized int getMaxInactiveInterval() {
        checkReadable();
        return intervalSeconds;
    }

    @Override
    public void setMaxInactiveInterval(int interval) {
        synchronized (this) {
            checkReadable();
            intervalSeconds = interval;
            state.onIntervalChanged();
        }
        manager.onChange(this);
    }

    @Override
    public synchronized @Nullable Object getAttribute(String name) {
        checkReadable();
        state.onGet(name);
        return values.get(name);
    }

    @Override
    public synchronized Set<String> getAttributeNames() {
        checkReadable();
        return new TreeSet<>(values.keySet());
    }

    /** @throws IllegalArgumentException if the value can't be replicated */
    @Override
    public @Nullable Object setAttribute(String name, @Nullable Object value) {
        if (value == null) {
            return removeAttribute(name);
        }
        manager.codec().check(name, value);
        Object before;
        synchronized (this) {
            checkReadable();
            before = values.put(name, value);
            state.onChanged(name);
        }
        manager.onChange(this);
        if (before == null) {
            manager.listeners().attributeAdded(this, name, value);
        } else {
            manager.listeners().attributeUpdated(this, name, value, before);
        }
        return before;
    }

    @Override
    public @Nullable Object removeAttribute(String name) {
        Object before;
        synchronized (this) {
            checkReadable();
            before = values.remove(name);
            if (before != null) {
                state.onChanged(name);
            }
        }
        manager.onChange(this);
        manager.listeners().attributeRemoved(this, name, before);
        return before;
    }

    private void checkReadable() {
        if (life == Life.ENDED) {
            throw new IllegalStateException("the session has ended");
        }
    }

    // ------------------------------------------------------------------ writing

    /**
     * Writes what requests have changed, or the time of the latest one, and waits for the changes.
     *
     * @throws MapException if they were not confirmed in time; the next write has them, too
     */
    void write(SessionGroup group) {
        writing.lock();
        try {
            Runnable due = due(group);
            if (due != null) {
                due.run();
            }
        } finally {
            writing.unlock();
        }
    }

    /** Returns whether something was set or removed that is not written; objects that were modified are not looked for. */
    synchronized boolean hasChanges() {
        return life == Life.LIVE && state.hasChanges();
    }

    /** Drops what is not written, and returns whether there was something. */
    synchronized boolean drop() {
        boolean hasChanges = life == Life.LIVE && (state.noteModified() || state.hasChanges());
        state.discard();
        return hasChanges;
    }

    /** Returns the write that is due, which is run without the lock of the state; null if none is. */
    private synchronized @Nullable Runnable due(SessionGroup group) {
        if (life != Life.LIVE) {
            return null;
        }
        state.noteModified();
        boolean hasChanges = state.hasChanges() || !isWritten;
        if (isWritten && live(group) == null) {
            if (hasChanges) {
                state.discard();
                group.discard();
            }
            return null;
        }
        if (hasChanges) {
            SessionChanges taken = state.take(!isWritten, latestMillis, interval());
            return () -> write(group, taken);
        }
        return latestMillis > state.touchedMillis() ? touch(group) : null;
    }

    private Runnable touch(SessionGroup group) {
        long millis = latestMillis;
        Duration interval = interval();
        state.onTouched(millis);
        return () -> group.touch(id, millis, interval);
    }

    private void write(SessionGroup group, SessionChanges taken) {
        boolean isDone = false;
        try {
            if (isWritten) {
                group.update(id, taken);
            } else {
                group.create(id, Instant.ofEpochMilli(createdMillis), taken);
            }
            isDone = true;
        } finally {
            onEndOfWrite(taken, isDone);
        }
    }

    private synchronized void onEndOfWrite(SessionChanges taken, boolean isDone) {
        if (isDone) {
            state.onWritten(taken);
            isWritten = true;
        } else {
            state.onNotWritten(taken);
        }
    }

    /** Tells the group that a long request uses the session, if it is time to. */
    void touchIfDue(SessionGroup group, long nowMillis) {
        Runnable due = null;
        synchronized (this) {
            if (isWritten && life == Life.LIVE && state.isTouchDue(nowMillis, interval().toMillis()) && live(group) != null) {
                latestMillis = Math.max(latestMillis, nowMillis);
                due = touch(group);
            }
        }
        if (due != null) {
            due.run();
        }
    }

    /** Gives the session another id, for all nodes. One that no node knows yet is written under its new id later. */
    @Override
    public String changeSessionId(HttpServerExchange exchange, SessionConfig config) {
        IoThreads.checkMayWait("changeSessionId");
        String before = id;
        String next = manager.newId();
        writing.lock();
        try {
            rename(manager.group(), before, next);
            manager.onRenamed(this, next);
        } finally {
            writing.unlock();
        }
        config.setSessionId(exchange, next);
        manager.listeners().sessionIdChanged(this, before);
        return next;
    }

    private void rename(SessionGroup group, String before, String next) {
        SessionRecord present;
        SessionChanges taken;
        synchronized (this) {
            checkReadable();
            present = isWritten ? live(group) : null;
            if (present == null) {
                return;
            }
            state.noteModified();
            taken = state.take(false, latestMillis, interval());
        }
        boolean isDone = group.rename(before, next, present, taken);
        synchronized (this) {
            onEndOfWrite(taken, isDone);
            isWritten = isDone;
        }
    }

    // ------------------------------------------------------------------ the end

    /** Ends the session for all nodes, and tells listeners. One that another node has ended meanwhile has no listeners to tell any more. */
    @Override
    public void invalidate(@Nullable HttpServerExchange exchange) {
        IoThreads.checkMayWait("invalidate");
        boolean isFirst;
        writing.lock();
        try {
            SessionGroup group = manager.group();
            isFirst = beginEnd(group);
            if (isFirst && isWritten) {
                manager.end(group, id);
            }
        } finally {
            writing.unlock();
        }
        end(exchange, isFirst ? SessionDestroyedReason.INVALIDATED : null);
        if (exchange != null) {
            manager.clear(exchange, id);
        }
    }

    /** Returns whether no other node has ended it. */
    private synchronized boolean beginEnd(SessionGroup group) {
        if (life != Life.LIVE) {
            throw new IllegalStateException("the session has ended");
        }
        boolean isFirst = !isWritten || live(group) != null;
        life = Life.ENDING;
        state.discard();
        return isFirst;
    }

    /** Tells listeners that the session has expired. */
    void expire() {
        synchronized (this) {
            if (life != Life.LIVE) {
                return;
            }
            life = Life.ENDING;
            state.discard();
        }
        end(null, SessionDestroyedReason.TIMEOUT);
    }

    private void end(@Nullable HttpServerExchange exchange, @Nullable SessionDestroyedReason reason) {
        try {
            if (reason != null) {
                manager.listeners().sessionDestroyed(this, exchange, reason);
            }
        } finally {
            life = Life.ENDED;
            manager.onEnded(this, createdMillis);
        }
    }
}
