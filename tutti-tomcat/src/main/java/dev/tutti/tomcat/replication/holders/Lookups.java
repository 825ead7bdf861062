package dev.tutti.tomcat.replication.holders;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Queries to the other members for sessions that are not here.
 *
 * <p>A client can't flood the group with made-up ids: keys that nobody knew are remembered for a while, and the number
 * of queries is limited, both open at one time and per second.
 */
final class Lookups {

    static final int MISSES_MAX = 10_000;
    static final int KEY_LENGTH_MAX = 256;
    static final long MISS_NANOS = 5_000_000_000L;

    private static final long SECOND_NANOS = 1_000_000_000L;

    private static final class Open {
        final long query;
        final String key;
        final Set<Member> asked;
        final CompletableFuture<Void> answered = new CompletableFuture<>();

        /** Set when a member that was asked has left, or could not answer. */
        boolean isOpen;

        Open(long query, String key, Set<Member> asked) {
            this.query = query;
            this.key = key;
            this.asked = asked;
        }
    }

    /**
     * @param query number of the query
     * @param answered completes when one member has answered with the session, or all without it
     * @param isNew whether the query has to be sent
     */
    record Ticket(long query, CompletableFuture<Void> answered, boolean isNew) {}

    private final int openMax;
    private final int perSecondMax;
    private final Map<Long, Open> open = new HashMap<>();
    private final Map<String, Open> openByKey = new HashMap<>();
    private final LinkedHashMap<String, Long> misses = new LinkedHashMap<>();
    private long queries;
    private long secondNanos;
    private int inSecond;

    /**
     * @param openMax queries that may be open at one time
     * @param perSecondMax queries per second
     */
    Lookups(int openMax, int perSecondMax) {
        this.openMax = openMax;
        this.perSecondMax = perSecondMax;
    }

    /** Opens a query for {@code key}; null if no other member is there, the key is a recent miss, or at a limit. */
    synchronized @Nullable Ticket ask(String key, Set<Member> others, long nowNanos) {
        Open present = openByKey.get(key);
        if (present != null) {
            return new Ticket(present.query, present.answered, false);
        }
        if (others.isEmpty() || isMiss(key, nowNanos) || !isWithinLimits(nowNanos)) {
            return null;
        }
        Open added = new Open(++queries, key, new HashSet<>(others));
        open.put(added.query, added);
        openByKey.put(key, added);
        return new Ticket(added.query, added.answered, true);
    }

    /** Returns whether there is no session with this key, or was none a moment ago. */
    synchronized boolean isMiss(String key, long nowNanos) {
        Long missedNanos = misses.get(key);
        return key.length() > KEY_LENGTH_MAX || missedNanos != null && nowNanos - missedNanos < MISS_NANOS;
    }

    /** Forgets misses: members with other sessions have come. */
    synchronized void forgetMisses() {
        misses.clear();
    }

    private boolean isWithinLimits(long nowNanos) {
        if (nowNanos - secondNanos >= SECOND_NANOS) {
            secondNanos = nowNanos;
            inSecond = 0;
        }
        if (open.size() >= openMax || inSecond >= perSecondMax) {
            return false;
        }
        inSecond++;
        return true;
    }

    /** @param isOpen whether the member could neither bring the session nor say that there is none */
    synchronized void onAnswer(Member member, long query, boolean isFound, boolean isOpen) {
        Open answered = open.get(query);
        if (answered != null) {
            answered.isOpen |= isOpen;
            answered.asked.remove(member);
            if (isFound || answered.asked.isEmpty()) {
                answered.answered.complete(null);
            }
        }
    }

    synchronized void onView(View view) {
        for (Open waiting : open.values()) {
            waiting.isOpen |= waiting.asked.retainAll(view.members());
            if (waiting.asked.isEmpty()) {
                waiting.answered.complete(null);
            }
        }
    }

    /** Returns whether a query for {@code key} is open: a request waits for the answer, or has not seen it yet. */
    synchronized boolean isOpen(String key) {
        return openByKey.containsKey(key);
    }

    /** Returns whether a member that was asked has left, or could neither bring the session nor say that there is none. */
    synchronized boolean isToAskAgain(Ticket ticket) {
        Open asked = open.get(ticket.query());
        return asked == null || asked.isOpen;
    }

    /** Closes a query that is answered or given up; remembers the key as a miss unless {@code isFound}. */
    synchronized void close(Ticket ticket, boolean isFound, long nowNanos) {
        Open closed = open.remove(ticket.query());
        if (closed == null) {
            return;
        }
        openByKey.remove(closed.key);
        closed.answered.complete(null);
        if (!isFound) {
            misses.remove(closed.key);
            misses.put(closed.key, nowNanos);
            if (misses.size() > MISSES_MAX) {
                misses.pollFirstEntry();
            }
        }
    }
}
