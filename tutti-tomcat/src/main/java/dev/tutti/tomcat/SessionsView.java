package dev.tutti.tomcat;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Set;
import org.apache.catalina.Session;
import org.jspecify.annotations.Nullable;

/**
 * Map view of a manager's sessions by id, for the container's base class, its JMX operations and its manager
 * application. It contains all sessions, whichever node serves them; puts and removals do nothing, as the manager makes
 * them.
 */
final class SessionsView extends AbstractMap<String, Session> {

    private final TuttiManager manager;

    SessionsView(TuttiManager manager) {
        this.manager = manager;
    }

    @Override
    public int size() {
        return manager.replication().size();
    }

    @Override
    public boolean containsKey(@Nullable Object id) {
        return get(id) != null;
    }

    @Override
    public @Nullable Session get(@Nullable Object id) {
        return id instanceof String text ? manager.sessionHere(text) : null;
    }

    @Override
    public @Nullable Session put(String id, Session session) {
        return null;
    }

    @Override
    public @Nullable Session remove(@Nullable Object id) {
        return null;
    }

    @Override
    public Set<Entry<String, Session>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public Iterator<Entry<String, Session>> iterator() {
                Iterator<TuttiSession> sessions = manager.sessionsHere().iterator();
                return new Iterator<>() {
                    @Override
                    public boolean hasNext() {
                        return sessions.hasNext();
                    }

                    @Override
                    public Entry<String, Session> next() {
                        TuttiSession session = sessions.next();
                        return new SimpleImmutableEntry<>(session.getIdInternal(), session);
                    }
                };
            }

            @Override
            public int size() {
                return SessionsView.this.size();
            }
        };
    }
}
