package dev.tutti.tomcat.replication.acks;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Tracks which of this member's numbered messages the others have handled, and releases requests that wait for that.
 * Thread-safe.
 */
public interface Acknowledgements {

    /** Waits, from now on, also for members that are new in {@code view}, before the first message is sent in it. */
    void onNewcomers(View view, Member self);

    /** @param together members that came with this one from an earlier view */
    void onView(View view, Member self, Set<Member> together);

    /** Notes that a message about a session is about to be sent to these members. */
    void onSent(long number, UUID uid, Set<Member> receivers);

    /** Notes that this member's own message was delivered to it, in the same view as to the others. */
    void onDelivered(long number);

    void onAck(Member member, long number);

    /** Returns whether {@code member} has handled what it was sent up to message {@code number}. */
    boolean hasHandled(Member member, long number);

    /** Returns whether a member that is gone is known to have been sent message {@code number}, and to have handled it. */
    boolean hadHandled(Member member, long number);

    /** Returns whether a request may have gone on without {@code member} having handled message {@code number}. */
    boolean wasGivenUp(Member member, long number);

    /** Returns the number up to which all others, lagging ones included, have handled every message. */
    long settled();

    /**
     * Notes that message {@code number} completes earlier ones of a session: each may contain a change that was overruled
     * by a member that is gone, or may have missed a member that holds the session. They are safe only when this one is.
     */
    void onReasserted(UUID uid, long number);

    /** Returns a future that completes when message {@code number} is safe. */
    CompletableFuture<Void> safe(long number);

    /** Returns a future that completes when all messages up to the last one, {@code sent}, are safe. */
    CompletableFuture<Void> allSafe(long sent);

    /** Returns whether a message about a session that was sent to some members is not safe yet. */
    boolean isAwaited(UUID uid);

    /** Returns whether a message about a session with a number greater than {@code after} is on its way to a member. */
    boolean isUnderWay(Member member, UUID uid, long after);

    /** Marks members that have not handled {@code number} in time as lagging; returns those newly marked. */
    List<Member> onTimeout(long number, long sent);

    int laggingCount();

    int waitingCount();

    /** Releases all requests: nothing will be acknowledged any more. */
    void close();
}
