package dev.tutti.tomcat.replication.holders;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.REMOVALS_SENT;

import dev.tutti.core.Member;
import dev.tutti.tomcat.replication.acks.Acknowledgements;
import dev.tutti.tomcat.replication.base.LocalMember;
import dev.tutti.tomcat.replication.base.ReplicaContext;
import dev.tutti.tomcat.replication.session.EndReason;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
import dev.tutti.tomcat.replication.session.Spread;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that each session is at the members that are to hold it, and at no others: when a view begins, when another
 * member becomes the primary, and before this member leaves. Thread-safe.
 */
final class Keeper {

    private final ReplicaContext context;
    private final SessionStore store;
    private final LocalMember self;
    private final Acknowledgements acknowledgements;
    private final Whereabouts where;
    private final Copies copies;
    private final Moves moves;
    private final Link link;
    private final Watchman watchman;

    /** Sessions whose home this member is and that may have more copies than they need. */
    private final Set<SessionRecord> abundant = ConcurrentHashMap.newKeySet();

    /** Sessions whose home this member has become, with the holders that have not announced their copies to it so far. */
    private final Map<SessionRecord, Set<Member>> unproven = new ConcurrentHashMap<>();

    /** View in which all sessions are to be looked at, since zones are news; 0 if that is under way or done. */
    private final AtomicLong lookInView = new AtomicLong();

    /** Members that have gone, until all holders have compared the sessions in which those have written. */
    private final Set<Long> departed = ConcurrentHashMap.newKeySet();

    Keeper(Surroundings surroundings, Whereabouts where, Copies copies, Moves moves, Link link, Watchman watchman) {
        this.context = surroundings.context();
        this.store = surroundings.store();
        this.self = surroundings.self();
        this.acknowledgements = surroundings.acknowledgements();
        this.where = where;
        this.copies = copies;
        this.moves = moves;
        this.link = link;
        this.watchman = watchman;
    }

    /** Notes that this member has become the home of a session, which some others may hold. */
    void onNewHome(SessionRecord record, Set<Member> hearsay) {
        if (!hearsay.isEmpty()) {
            Set<Member> open = ConcurrentHashMap.newKeySet();
            open.addAll(hearsay);
            unproven.put(record, open);
        }
    }

    /**
     * Returns whether members of which another one says that they hold a session are to count as holders, until all members
     * have announced their copies: afterwards, those that have not are known to have none.
     */
    boolean isHearsayTaken(SessionRecord record, Set<Member> hearsay, Member witness) {
        if (moves.isRegistered()) {
            return false;
        }
        Set<Member> unheard = new HashSet<>(hearsay);
        unheard.removeAll(record.spread().others());
        unheard.remove(witness);
        if (!unheard.isEmpty()) {
            unproven.computeIfAbsent(record, absent -> ConcurrentHashMap.newKeySet()).addAll(unheard);
        }
        return true;
    }

    /** Notes that a member has a copy of a session, or is about to get one from here. */
    void onProof(SessionRecord record, Member holder) {
        Set<Member> open = unproven.get(record);
        if (open != null) {
            open.remove(holder);
        }
    }

    /** Tells the home of a copy when its turn comes, unless the home knows by then. */
    void announceSoon(SessionRecord record) {
        moves.add(record.uid(), false, () -> announceIfUnknown(record, false));
        moves.run();
    }

    /** Strikes out holders that have no copies: all members have announced those that they have. */
    void onRegistered() {
        unproven.forEach((record, open) -> {
            if (!open.isEmpty() && where.isHome(where.keyOf(record))) {
                synchronized (record) {
                    Set<Member> others = new HashSet<>(record.spread().others());
                    others.removeAll(open);
                    record.spread(new Spread(others, record.spread().home()));
                }
                keepLater(record);
            }
        });
        unproven.clear();
        departed.clear();
    }

    /** Adds what a view requires to the moves. */
    void prepare(long number, Member member, Set<Member> together, boolean isMerge) {
        Placement now = where.placement();
        if (now == null || where.view() != number) {
            return;
        }
        if (isMerge) {
            addEnds();
        }
        Placement before = where.before();
        if (before != null) {
            departed.addAll(where.gone(Whereabouts.origins(before.members())));
        }
        for (SessionRecord record : store.after(null).values()) {
            if (record.state() != SessionRecord.State.COMPLETE) {
                continue;
            }
            String key = where.keyOf(record);
            switch (MovePlan.step(key, member, now, before, together, where.primary(record), where.isCurrent(record))) {
                case SEND -> moves.add(record.uid(), true, () -> announceIfUnknown(record, true));
                case TELL -> moves.add(record.uid(), false, () -> announceIfUnknown(record, false));
                case KEEP -> keepInView(record);
                case NOTHING -> compareInView(record);
            }
        }
        moves.onPrepared(number);
    }

    /** Tells the homes of sessions which have ended here, so that copies from another side do not bring them back. */
    private void addEnds() {
        for (SessionMessage message : store.ends()) {
            if (message instanceof SessionMessage.Remove end && end.reason() == EndReason.INVALIDATED && !where.isHome(end.key())) {
                moves.add(end.uid(), true, () -> endAt(where.home(end.key()), end));
            }
        }
    }

    private long endAt(@Nullable Member home, SessionMessage.Remove end) {
        SessionMessage message = new SessionMessage.Shared(List.of(), end);
        return home == null || self.is(home) ? 0 : link.toSome(end.uid(), Map.of(home, message), REMOVALS_SENT, true);
    }

    private long announceIfUnknown(SessionRecord record, boolean isWhole) {
        return store.get(record.uid()) != record || where.isCurrent(record) ? 0 : copies.announce(record, isWhole);
    }

    /** Sees to it that the home has what a member that is gone may have sent to this holder alone. */
    private void compareInView(SessionRecord record) {
        if (record.isWrittenBy(departed)) {
            moves.add(record.uid(), false, () -> store.get(record.uid()) == record ? copies.announce(record, false) : 0);
        }
    }

    /**
     * A member that is gone may have sent its last change to some holders only, so that the others get it from here, and
     * send back in turn what this member lacks.
     */
    private void keepInView(SessionRecord record) {
        if ((where.primary(record) == null || record.isWrittenBy(departed)) && !record.spread().others().isEmpty()) {
            moves.add(record.uid(), true, () -> {
                copies.forward(record, record.spread().others());
                abundant.add(record);
                return keep(record);
            });
        } else {
            keepLater(record);
        }
    }

    /** Gives a session, whose home this member is, to all that are to hold it, as soon as it is its turn. */
    void keepLater(SessionRecord record) {
        keepLater(record, (uid, action) -> moves.add(uid, true, action));
    }

    private void keepLater(SessionRecord record, BiConsumer<UUID, LongSupplier> adding) {
        String key = where.keyOf(record);
        Set<Member> wanted = where.wanted(key, where.primary(record));
        Set<Member> others = record.spread().others();
        if (!others.containsAll(wanted)) {
            adding.accept(record.uid(), () -> keep(record));
        }
        if (!wanted.containsAll(others)) {
            abundant.add(record);
        }
    }

    /** As {@link #keepLater}, and makes the move if that is possible now. */
    void keepNow(SessionRecord record) {
        keepLater(record);
        moves.run();
    }

    private long keep(SessionRecord record) {
        String key = where.keyOf(record);
        if (store.get(record.uid()) != record || !where.isHome(key)) {
            return 0;
        }
        long number = copies.fill(record, where.wanted(key, where.primary(record)));
        if (number > 0) {
            watchman.onChanged(key);
        }
        return number;
    }

    /**
     * Sees to it that sessions are in the zones where they are to be, since more is known of those. The stage of the view that is under way
     * lasts until then. On the group's thread.
     */
    void onZones() {
        long number = where.view();
        // A look that has not begun yet will see what has come until then.
        if (lookInView.get() != number && moves.hold(number)) {
            lookInView.set(number);
            context.executor().execute(() -> lookAgain(number));
        }
    }

    private void lookAgain(long number) {
        // One after the other, so that zones of many members, which come together, are two looks at most.
        synchronized (lookInView) {
            lookInView.compareAndSet(number, 0);
            for (SessionRecord record : store.after(null).values()) {
                if (record.state() == SessionRecord.State.COMPLETE && where.isHome(where.keyOf(record))) {
                    // A move that the session has already ends in the same way, and may do more.
                    keepLater(record, moves::addIfAbsent);
                }
            }
        }
        moves.onPrepared(number);
    }

    /** Gives each session to the members that are to hold it without this one. */
    void handOver(Placement rest, Member member) {
        for (SessionRecord record : store.after(null).values()) {
            if (record.state() == SessionRecord.State.COMPLETE) {
                Member primary = where.primary(record);
                List<Member> wanted = rest.holders(where.keyOf(record), member.equals(primary) ? null : primary);
                moves.add(record.uid(), true, () -> copies.fill(record, wanted));
            }
        }
        moves.run();
    }

    /** Notes that a member has got a copy of a session that it may not be one to hold. */
    void onTaken(SessionRecord record) {
        abundant.add(record);
    }

    /** Announces copies that are not to be here once more, in case that their homes do not know of them. */
    void announceSpare() {
        for (SessionRecord record : store.after(null).values()) {
            boolean isSpare = record.state() == SessionRecord.State.COMPLETE && !where.isWantedHere(record);
            if (isSpare && !where.isHome(where.keyOf(record))) {
                moves.add(record.uid(), false, () -> store.get(record.uid()) == record ? copies.announce(record, false) : 0);
            }
        }
        moves.run();
    }

    /** Looks at the sessions that may have more copies than they need. */
    void thin() {
        abundant.forEach(this::thin);
    }

    /** Asks members that hold a session and need not to give it up, when all that are to hold it have a copy. */
    private void thin(SessionRecord record) {
        String key = where.keyOf(record);
        boolean isHere = store.get(record.uid()) == record && where.isHome(key) && !where.isAlone();
        Set<Member> wanted = isHere ? where.wanted(key, where.primary(record)) : Set.of();
        Set<Member> others = new HashSet<>(record.spread().others());
        others.retainAll(where.others());
        Set<Member> spare = MovePlan.spare(others, wanted);
        if (!isHere || spare.isEmpty()) {
            abundant.remove(record);
        } else if (!others.containsAll(wanted)) {
            keepLater(record);
        } else if (!acknowledgements.isAwaited(record.uid()) && link.hasRoom()) {
            spare.forEach(member -> link.post(member, new SessionMessage.Spare(record.uid(), where.view())));
        }
    }

    int abundant() {
        return abundant.size();
    }

    void clear() {
        abundant.clear();
        unproven.clear();
        departed.clear();
    }
}
