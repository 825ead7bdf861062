package dev.tutti.tomcat.replication.holders;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.FORMER_IDS_FOUND;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.IMAGES_SENT;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.QUERIES_FOUND;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.QUERIES_IN_VAIN;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.QUERIES_SENT;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.QUERIES_UNANSWERED;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.tomcat.replication.base.ReplicaContext;
import dev.tutti.tomcat.replication.session.FormerIds;
import dev.tutti.tomcat.replication.session.SessionMessage.Image;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
import dev.tutti.tomcat.replication.state.StateExchange;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the session of a request: here, by the id that it had before a login, at the other members, or with the state
 * that is still on its way. Waits for a while on the request's thread. Thread-safe.
 */
final class SessionFinder {

    private static final int OPEN_MAX = 64;
    private static final int PER_SECOND_MAX = 200;

    private final ReplicaContext context;
    private final SessionStore store;
    private final FormerIds formerIds;
    private final StateExchange state;
    private final Link link;
    private final Consumer<Image> merge;
    private final Lookups lookups = new Lookups(OPEN_MAX, PER_SECOND_MAX);
    private volatile long joinedNanos;

    /** @param merge takes over the image of a session */
    SessionFinder(
            ReplicaContext context,
            SessionStore store,
            FormerIds formerIds,
            StateExchange state,
            Link link,
            Consumer<Image> merge) {
        this.context = context;
        this.store = store;
        this.formerIds = formerIds;
        this.state = state;
        this.link = link;
        this.merge = merge;
    }

    /** Notes the time from which the state is waited for. */
    void onJoined() {
        joinedNanos = context.nowNanos();
    }

    void onView(View view) {
        lookups.onView(view);
    }

    void onAnswer(Member sender, SessionMessage.Answer answer) {
        lookups.onAnswer(sender, answer.query(), answer.image() != null, false);
    }

    /**
     * Returns the session with this key; null if nobody has it, or nobody has answered in time.
     *
     * @param others members that may have it
     */
    @Nullable SessionRecord find(String key, Set<Member> others) {
        SessionRecord present = store.find(key);
        if (present == null) {
            present = findByFormerId(key);
        }
        if (present != null || store.hasEnded(key) || others.isEmpty()) {
            return present;
        }
        Lookups.Ticket ticket = lookups.ask(key, others, context.nowNanos());
        if (ticket != null) {
            boolean isAnswered = ask(ticket, key);
            present = store.find(key);
            context.counters().increment(present != null ? QUERIES_FOUND : isAnswered ? QUERIES_IN_VAIN : QUERIES_UNANSWERED);
            lookups.close(ticket, present != null || !isAnswered, context.nowNanos());
            if (present != null || isAnswered) {
                return present;
            }
        }
        long leftNanos = joinedNanos + context.options().startTimeout().toNanos() - context.nowNanos();
        if (!state.isComplete() && leftNanos > 0) {
            context.waiting().await(state.complete(), leftNanos);
        }
        return store.find(key);
    }

    /**
     * Returns the session that had {@code key} until a member changed its id, as it was then, if that member is gone
     * before the client knows the new id. Waits, up to the query timeout, until that is known.
     */
    private @Nullable SessionRecord findByFormerId(String key) {
        FormerIds.Former former = formerIds.find(key, context.nowNanos());
        if (former == null) {
            return null;
        }
        context.waiting().await(former.decided(), context.options().queryTimeout().toNanos());
        Image image = formerIds.take(former);
        if (image != null) {
            context.counters().increment(FORMER_IDS_FOUND);
            merge.accept(image);
            link.toGroup(image, IMAGES_SENT, true);
        }
        return store.find(key);
    }

    private boolean ask(Lookups.Ticket ticket, String key) {
        if (ticket.isNew()) {
            link.toGroup(new SessionMessage.Query(ticket.query(), key), QUERIES_SENT, false);
        }
        return context.waiting().await(ticket.answered(), context.options().queryTimeout().toNanos());
    }
}
