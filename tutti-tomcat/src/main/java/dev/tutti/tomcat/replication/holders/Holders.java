package dev.tutti.tomcat.replication.holders;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.base.Peers;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionRecord;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The members that hold the sessions: which are sent the changes of one, which is asked for one that is not here, and what
 * moves when members come and go. Inputs come on the group's thread, where nothing waits; requests ask on theirs.
 */
public interface Holders {

    // ---- the group's thread

    /** Notes the members of a view, before anything is sent in it. */
    void onMembers(View view, Member self, Peers present);

    /** Moves sessions, and asks for those that are missing, as a view requires it. */
    void onView(View view, Member self, Peers present);

    /** Goes on with what had to wait until the rest of this member knows of the view. */
    void afterView();

    /** Handles a message about where sessions are; returns false if it is of another kind. */
    boolean handle(Member sender, SessionMessage message);

    /** Answers a member that was away. */
    void answerProbe(Member prober, SessionMessage.ProbeAnswer answer);

    // ---- changes made here

    /**
     * Sends an image or changes of a session to the other members that hold it. Never waits.
     *
     * @return number of the message; 0 if there is nothing to wait for
     */
    long send(SessionRecord record, SessionMessage message, ReplicationCounters.Counter counter);

    /** Waits until all members look for a session where it is, after one with a new key was sent. Not on the group's thread. */
    void awaitFindable();

    /** Tells the other members that hold a session of a use or of its end; returns the number of the message. */
    long tell(SessionRecord record, SessionMessage message, ReplicationCounters.Counter counter, boolean isNumbered);

    // ---- requests

    /**
     * Returns the session with this key, which may be at other members or on its way; null if nobody has it.
     *
     * @throws UnreachableException if it is not known whether a member has it
     */
    @Nullable SessionRecord find(String key) throws UnreachableException;

    /**
     * Returns the record of a session that a request has used for a while. Its copy here may have been given up meanwhile;
     * it is taken back then.
     */
    SessionRecord present(SessionRecord record);

    /** Returns whether this member decides about a session whose primary is not in the view. */
    boolean standsIn(SessionRecord record);

    /** Returns whether this member, and not the primary, makes sessions with one key a single one. */
    boolean joinsNamesakes(String key);

    // ---- from time to time

    void onJoined();

    /** Called by a timer, some times per second. */
    void onBeat();

    /** Called every few seconds. */
    void onTick();

    // ---- completeness

    /** Returns whether all sessions that this member is to hold are here, as of the present view. */
    boolean isComplete();

    /** Returns whether this member has what others wrote to its sessions before the present view. */
    boolean isKnown();

    /** Returns whether sessions of another member have arrived, all that it had to give. */
    boolean hasTaken();

    /** Gives other members what they lack; returns a future that completes when this one may leave. */
    CompletableFuture<Void> handOver();

    /** Returns the state of moves, by name. */
    Map<String, Object> status();

    /** Forgets everything. */
    void close();
}
