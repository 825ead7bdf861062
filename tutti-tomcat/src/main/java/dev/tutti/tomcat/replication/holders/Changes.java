package dev.tutti.tomcat.replication.holders;

import dev.tutti.core.Member;
import dev.tutti.tomcat.replication.session.SessionMessage;

/** Takes over what other members have changed. */
public interface Changes {

    /** Merges an image; returns false if the session has ended here and stays so. */
    boolean merge(SessionMessage.Image image);

    /** Merges changes of a session; returns false if the session was not known here, and its image is needed. */
    boolean merge(Member sender, SessionMessage.Delta delta);

    void onAccess(Member sender, SessionMessage.Access access);

    void onRemove(SessionMessage.Remove remove);
}
