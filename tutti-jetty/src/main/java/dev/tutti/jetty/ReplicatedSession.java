package dev.tutti.jetty;

import org.eclipse.jetty.session.ManagedSession;
import org.eclipse.jetty.session.SessionManager;

/** A session while requests use it at this node. All of them have the same object. */
final class ReplicatedSession extends ManagedSession {

    ReplicatedSession(SessionManager manager, ReplicatedData data) {
        super(manager, data);
    }

    ReplicatedData data() {
        return (ReplicatedData) getSessionData();
    }

    /** Notes that a request uses the session, until it is released. */
    void enter() {
        use();
    }

    /** @throws IllegalStateException if the session has ended */
    void checkWritable() {
        checkValidForWrite();
    }

    @Override
    public void onSessionActivation() {
        data().listen(super::onSessionActivation);
    }

    @Override
    public void onSessionPassivation() {
        data().listen(super::onSessionPassivation);
    }
}
