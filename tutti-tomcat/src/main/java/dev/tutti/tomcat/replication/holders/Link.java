package dev.tutti.tomcat.replication.holders;

import dev.tutti.core.Member;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.session.SessionMessage;
import java.util.Map;
import java.util.UUID;

/** Sends messages about sessions to other members. Thread-safe. */
public interface Link {

    /**
     * Sends to the group, without waiting. Nothing is sent while there is no other member.
     *
     * @param isNumbered whether the others acknowledge the message
     * @return number of the message; 0 if it has none
     */
    long toGroup(SessionMessage message, ReplicationCounters.Counter counter, boolean isNumbered);

    /**
     * Sends a message about one session to some members, without waiting, and in order with all that is sent to each of
     * them. All get one number, which each acknowledges if the messages are numbered.
     *
     * @return number of the messages; 0 if they have none
     */
    long toSome(UUID uid, Map<Member, SessionMessage> messages, ReplicationCounters.Counter counter, boolean isNumbered);

    /** Sends to one member, without waiting, and in order with {@link #toSome}. */
    void post(Member receiver, SessionMessage message);

    /** Sends to one member, on another thread. */
    void soonTo(Member receiver, SessionMessage message);

    /** Returns whether there is room to send. */
    boolean hasRoom();
}
