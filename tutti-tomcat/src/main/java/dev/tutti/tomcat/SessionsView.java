package dev.tutti.tomcat;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Set;
import org.apache.catalina.Session;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of a manager by id, as the container's base class, its JMX operations and its manager application want
 * them. All sessions are in it, whichever node serves them; putting and removing is left to the manager.
 */
final class SessionsView extends AbstractMap<String, Session> {

    private final TuttiManager manager;

    SessionsView(TuttiManager manager) {
        this.manager = manager;
    }

    @Override
    public int size() {
        return manager.sessionCount();
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
