package dev.tutti.tomcat.replication.base;

import dev.tutti.tomcat.replication.session.SessionRecord;

/** Tells the container of sessions, and asks it about them. Called on the group's thread; must not wait. */
@FunctionalInterface
public interface SessionEvents {

    /** Another member has ended the session. */
    void onEnded(SessionRecord record);

    /** Returns whether a request here uses the session, or has changes of it to send, so that its copy has to stay. */
    default boolean isUsed(SessionRecord record) {
        return false;
    }
}
