package dev.tutti.undertow;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The sessions that requests use at this node, so that all of them have the same object. Thread-safe; never waits. */
final class SessionsInUse {

    private final Map<String, ReplicatedSession> sessions = new TreeMap<>();

    /** Returns the session of this id, for one request more; null if no request uses one. */
    synchronized @Nullable ReplicatedSession enter(String id) {
        ReplicatedSession present = sessions.get(id);
        if (present != null) {
            present.uses++;
        }
        return present;
    }

    /** Returns the session that requests use under the id of this one, for one request more; this one if they use none. */
    synchronized ReplicatedSession enter(ReplicatedSession other) {
        ReplicatedSession before = sessions.putIfAbsent(other.getId(), other);
        ReplicatedSession present = before == null ? other : before;
        present.uses++;
        return present;
    }

    synchronized @Nullable ReplicatedSession find(String id) {
        return sessions.get(id);
    }

    /** Notes that a request has ended. */
    synchronized void leave(ReplicatedSession session) {
        session.uses--;
        if (session.uses == 0) {
            sessions.remove(session.getId(), session);
        }
    }

    synchronized void rename(ReplicatedSession session, String id) {
        sessions.remove(session.getId(), session);
        if (session.uses > 0) {
            sessions.put(id, session);
        }
        session.id = id;
    }

    /** Hides a session that has ended from requests that begin later. */
    synchronized void remove(ReplicatedSession session) {
        sessions.remove(session.getId(), session);
    }

    synchronized boolean isUsed(ReplicatedSession session) {
        return session.uses > 0;
    }

    synchronized List<ReplicatedSession> all() {
        return List.copyOf(sessions.values());
    }
}
