package dev.tutti.tomcat.replication.holders;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.FORMER_IDS_FOUND;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.IMAGES_SENT;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.QUERIES_FOUND;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.QUERIES_IN_VAIN;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.QUERIES_SENT;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.UNREACHABLE;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.settings.Durations;
import dev.tutti.tomcat.replication.base.ReplicaContext;
import dev.tutti.tomcat.replication.session.FormerIds;
import dev.tutti.tomcat.replication.session.SessionMessage.Fetch;
import dev.tutti.tomcat.replication.session.SessionMessage.Given;
import dev.tutti.tomcat.replication.session.SessionMessage.Image;
import dev.tutti.tomcat.replication.session.SessionMessage.Knowledge;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the session of a request when only some members hold it: here, if the home of the session knows of the copy here,
 * or from the home. A home that does not have it asks all others, but only as long as sessions are on the move. Waits for
 * a while, on the request's thread. Thread-safe.
 */
final class Fetcher {

    private static final int OPEN_MAX = 4_096;
    private static final int PER_SECOND_MAX = 50_000;

    /** Longest wait before a member is asked again that was not the home of the session, or not of this view. */
    private static final long AGAIN_NANOS = 50_000_000L;

    private final ReplicaContext context;
    private final SessionStore store;
    private final FormerIds formerIds;
    private final Changes changes;
    private final Whereabouts where;
    private final Copies copies;
    private final Moves moves;
    private final Link link;
    private final Lookups lookups = new Lookups(OPEN_MAX, PER_SECOND_MAX);

    Fetcher(Surroundings surroundings, Whereabouts where, Copies copies, Moves moves, Link link) {
        this.context = surroundings.context();
        this.store = surroundings.store();
        this.formerIds = surroundings.formerIds();
        this.changes = surroundings.changes();
        this.where = where;
        this.copies = copies;
        this.moves = moves;
        this.link = link;
    }

    void onView(View view) {
        lookups.onView(view);
        lookups.forgetMisses();
    }

    void onGiven(Member member, Given given) {
        lookups.onAnswer(member, given.query(), given.knowledge() == Knowledge.HERE, given.knowledge() == Knowledge.NOT_HOME);
    }

    /** Returns whether a request here waits for the session with this key, or has not seen yet that it has come. */
    boolean isAwaited(String key) {
        return lookups.isOpen(key);
    }

    /** Returns whether a session that is not in the store may be here all the same, so that a query has to wait. */
    boolean isToWaitFor(String key) {
        return formerIds.find(key, context.nowNanos()) != null || !moves.isRegistered();
    }

    /**
     * Returns the session with this key; null if nobody has it.
     *
     * @throws UnreachableException if that is not known when the query timeout is over
     */
    @Nullable SessionRecord find(String key) throws UnreachableException {
        long endNanos = context.nowNanos() + context.options().queryTimeout().toNanos();
        while (true) {
            long view = where.view();
            SessionRecord present = store.find(key);
            if (present == null && !store.hasEnded(key)) {
                present = findByFormerId(key);
            }
            Member home = where.home(key);
            boolean isHere = present != null && where.isCurrent(present);
            if (isHere || where.isAlone() || home == null || present == null && store.hasEnded(key)) {
                return present;
            }
            long leftNanos = endNanos - context.nowNanos();
            if (leftNanos <= 0) {
                context.counters().increment(UNREACHABLE);
                throw new UnreachableException("the session is at other members, and " + home.name() + " has not brought it within "
                        + Durations.print(context.options().queryTimeout()) + " (queryTimeout)");
            }
            if (present != null) {
                context.waiting().await(copies.validate(present), leftNanos);
                if (!where.isCurrent(present)) {
                    awaitNext(endNanos);
                }
            } else if (where.isHome(key) ? isKnownMissing(key, view, endNanos) : isMissing(key, view, Set.of(home), false, endNanos)) {
                return null;
            }
        }
    }

    /** Asks all others for a session whose home this member is; returns whether none of them has it. */
    private boolean isKnownMissing(String key, long view, long endNanos) {
        if (!moves.isRegistered()) {
            return isMissing(key, view, where.others(), true, endNanos);
        }
        // All copies are known now: one may have come, or this member may be the home no more, since the store was looked at.
        return store.find(key) == null && where.view() == view;
    }

    /** Returns whether the members that are asked do not have the session; false if that is not known, or they have. */
    private boolean isMissing(String key, long view, Set<Member> asked, boolean isToAll, long endNanos) {
        if (lookups.isMiss(key, context.nowNanos())) {
            return store.find(key) == null;
        }
        Lookups.Ticket ticket = lookups.ask(key, asked, context.nowNanos());
        if (ticket == null) {
            awaitNext(endNanos);
            return false;
        }
        if (ticket.isNew()) {
            context.counters().increment(QUERIES_SENT);
            asked.forEach(member -> link.post(member, new Fetch(ticket.query(), key, isToAll)));
        }
        boolean isAnswered = context.waiting().await(ticket.answered(), Math.max(0, endNanos - context.nowNanos()));
        boolean isFound = store.find(key) != null;
        boolean isMissing = isAnswered && !isFound && !lookups.isToAskAgain(ticket) && where.view() == view;
        if (isFound || isMissing) {
            context.counters().increment(isFound ? QUERIES_FOUND : QUERIES_IN_VAIN);
        }
        lookups.close(ticket, !isMissing, context.nowNanos());
        if (!isFound && !isMissing) {
            awaitNext(endNanos);
        }
        return isMissing;
    }

    private void awaitNext(long endNanos) {
        long leftNanos = Math.min(AGAIN_NANOS, endNanos - context.nowNanos());
        if (leftNanos > 0) {
            context.waiting().await(where.next(), leftNanos);
        }
    }

    /** As {@link SessionFinder} does, at a member that held the session when its id was changed. */
    private @Nullable SessionRecord findByFormerId(String key) {
        FormerIds.Former former = formerIds.find(key, context.nowNanos());
        if (former == null) {
            return null;
        }
        context.waiting().await(former.decided(), context.options().queryTimeout().toNanos());
        Image image = formerIds.take(former);
        SessionRecord record = null;
        if (image != null) {
            context.counters().increment(FORMER_IDS_FOUND);
            changes.merge(image);
            record = store.get(image.uid());
            if (record != null) {
                copies.write(record, where.primary(record), image, IMAGES_SENT);
            }
        }
        return record == null ? store.find(key) : record;
    }
}
