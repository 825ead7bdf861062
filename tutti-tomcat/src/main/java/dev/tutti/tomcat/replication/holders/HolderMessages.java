package dev.tutti.tomcat.replication.holders;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.COPIES_MOVED;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.COPIES_RELEASED;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.MALFORMED;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.STATE_SESSIONS_MERGED;

import dev.tutti.core.Member;
import dev.tutti.tomcat.replication.acks.Acknowledgements;
import dev.tutti.tomcat.replication.base.LocalMember;
import dev.tutti.tomcat.replication.base.ReplicaContext;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.SessionMessage.Image;
import dev.tutti.tomcat.replication.session.SessionMessage.Knowledge;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
import dev.tutti.tomcat.replication.session.Slot;
import dev.tutti.tomcat.replication.session.Spread;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Handles messages of other members about who holds sessions. On the group's thread; never waits. */
final class HolderMessages {

    private final ReplicaContext context;
    private final SessionStore store;
    private final LocalMember self;
    private final Acknowledgements acknowledgements;
    private final Changes changes;
    private final Surroundings surroundings;
    private final Whereabouts where;
    private final Copies copies;
    private final Fetcher fetcher;
    private final Watchman watchman;
    private final Keeper keeper;
    private final Link link;
    private volatile boolean hasTaken;

    HolderMessages(
            Surroundings surroundings, Whereabouts where, Copies copies, Fetcher fetcher, Watchman watchman, Keeper keeper, Link link) {
        this.surroundings = surroundings;
        this.context = surroundings.context();
        this.store = surroundings.store();
        this.self = surroundings.self();
        this.acknowledgements = surroundings.acknowledgements();
        this.changes = surroundings.changes();
        this.where = where;
        this.copies = copies;
        this.fetcher = fetcher;
        this.watchman = watchman;
        this.keeper = keeper;
        this.link = link;
    }

    /** Returns whether copies of sessions have come here. */
    boolean hasTaken() {
        return hasTaken;
    }

    /** Handles a message; returns false if it is of another kind. */
    boolean handle(Member sender, SessionMessage message) {
        switch (message) {
            case SessionMessage.Shared shared -> onShared(sender, shared);
            case SessionMessage.Moved moved -> onMoved(sender, moved);
            case SessionMessage.Held held -> onHeld(sender, held);
            case SessionMessage.ImageRequest request -> {
                SessionRecord record = store.get(request.uid());
                if (record != null) {
                    acknowledgements.onReasserted(request.uid(), copies.announce(record, true));
                }
            }
            case Image image -> onImage(sender, image);
            case SessionMessage.Delta overruling -> {
                SessionRecord record = store.get(overruling.uid());
                if (record != null) {
                    changes.merge(sender, overruling);
                    standBy(record);
                }
            }
            case SessionMessage.Also also -> onAlso(sender, also);
            case SessionMessage.Gone gone -> onGone(sender, gone);
            case SessionMessage.Spare spare -> onSpare(sender, spare);
            case SessionMessage.Fetch fetch -> onFetch(sender, fetch);
            case SessionMessage.Given given -> onGiven(sender, given);
            case SessionMessage.Watch watch -> watchman.onWatch(watch);
            case SessionMessage.Zone zone -> {
                if (where.onZone(sender, zone.name())) {
                    keeper.onZones();
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Merges what a holder has of a session and this member lacks. */
    private void onImage(Member sender, Image image) {
        SessionRecord record = store.get(image.uid());
        if (record == null) {
            return;
        }
        long before = record.image(0).digest();
        changes.merge(image);
        if (!where.isHome(where.keyOf(record))) {
            return;
        }
        Image merged = record.image(context.nowNanos());
        if (merged.digest() != image.digest()) {
            link.post(sender, merged);
        }
        if (before != merged.digest()) {
            Set<Member> others = new HashSet<>(record.spread().others());
            others.remove(sender);
            copies.forward(record, others);
        }
    }

    /**
     * Sees to changes made here that others overrule without having known of them: a writer in the view has to know of them
     * before they are safe, and over one that is gone they are made again.
     */
    private void standBy(SessionRecord record) {
        Set<Long> overrulers = record.overrulers();
        if (overrulers.isEmpty()) {
            return;
        }
        Set<Member> unaware = where.members(overrulers);
        unaware.removeAll(record.spread().others());
        copies.complete(record.uid(), unaware);
        Set<Long> gone = where.gone(overrulers);
        if (!gone.isEmpty()) {
            surroundings.owner().makeAgain(record, gone, false);
        }
    }

    private void onShared(Member sender, SessionMessage.Shared shared) {
        Set<Member> holders = where.members(shared.holders());
        holders.add(sender);
        switch (shared.message()) {
            case Image image -> {
                boolean isNew = store.get(image.uid()) == null;
                if (changes.merge(image)) {
                    SessionRecord record = store.get(image.uid());
                    if (record != null && record.image(0).digest() != image.digest()) {
                        link.post(sender, record.image(context.nowNanos()));
                    }
                    note(sender, record, null, holders, true);
                    announceIfNew(sender, image.uid(), isNew);
                }
            }
            case SessionMessage.Delta delta -> {
                SessionRecord record = store.get(delta.uid());
                if (record != null) {
                    String key = where.keyOf(record);
                    changes.merge(sender, delta);
                    tellIfOverruled(sender, record, delta);
                    note(sender, record, key, holders, false);
                } else if (!store.isBuried(delta.uid())) {
                    link.post(sender, gone(sender, delta.uid()));
                }
            }
            case SessionMessage.Access access -> {
                SessionRecord record = store.get(access.uid());
                if (record != null) {
                    changes.onAccess(sender, access);
                    note(sender, record, null, holders, false);
                }
            }
            case SessionMessage.Remove remove -> onRemove(sender, remove, holders);
            default -> context.counters().increment(MALFORMED);
        }
    }

    /**
     * Tells a writer, before its change is acknowledged, that another one overrules it here. The writer of that may have been
     * killed before it sent it to all holders; then the change is made again when that member is out of the view.
     */
    private void tellIfOverruled(Member writer, SessionRecord record, SessionMessage.Delta delta) {
        for (SessionMessage.Write write : delta.writes()) {
            Field field = write.change().field();
            Slot present = record.slot(field);
            if (present != null && !present.version().equals(delta.version())) {
                Change change = new Change(field, present.content(), present.isListening());
                List<SessionMessage.Write> writes = List.of(new SessionMessage.Write(change, present.basis()));
                link.post(writer, new SessionMessage.Delta(record.uid(), present.version(), writes));
            }
        }
    }

    /** Tells the home of a copy that another member has sent here: the home may believe that there is none any more. */
    private void announceIfNew(Member sender, UUID uid, boolean isNew) {
        SessionRecord record = store.get(uid);
        if (isNew && record != null && !sender.equals(where.home(where.keyOf(record))) && !where.isHome(where.keyOf(record))) {
            keeper.announceSoon(record);
        }
    }

    /**
     * Notes who has a change that was just merged. If the sender has missed a holder that this member knows, it is told,
     * before this member acknowledges the change.
     *
     * @param formerKey of the session before the change; null if it is the same
     * @param having members that have sent or are sent the change
     * @param isWhole whether it was a whole session
     */
    private void note(Member sender, @Nullable SessionRecord record, @Nullable String formerKey, Set<Member> having, boolean isWhole) {
        if (record == null) {
            return;
        }
        String key = where.keyOf(record);
        Member home = where.home(key);
        if (home == null) {
            return;
        }
        boolean isHome = self.is(home);
        keeper.onProof(record, sender);
        Set<Member> missed = new HashSet<>();
        synchronized (record) {
            Spread spread = record.spread();
            if (isHome) {
                missed.addAll(spread.others());
                missed.retainAll(where.others());
            } else {
                missed.add(home);
            }
            missed.removeAll(having);
            Set<Member> others = new HashSet<>(having);
            others.addAll(missed);
            boolean isKept = formerKey == null || formerKey.equals(key);
            record.spread(new Spread(others, isWhole && sender.equals(home) ? home : isKept ? spread.home() : null));
            if (!missed.isEmpty()) {
                link.post(sender, new SessionMessage.Also(record.uid(), Whereabouts.origins(missed)));
            }
        }
        if (isHome) {
            watchman.onChanged(key);
            if (formerKey != null && !formerKey.equals(key)) {
                watchman.onChanged(formerKey);
            }
            keeper.keepNow(record);
        } else if (formerKey != null && !formerKey.equals(key)) {
            watchman.onChanged(formerKey);
        }
    }

    private void onRemove(Member sender, SessionMessage.Remove remove, Set<Member> having) {
        SessionRecord record = store.get(remove.uid());
        changes.onRemove(remove);
        if (record == null) {
            return;
        }
        Set<Member> missed = new HashSet<>(record.spread().others());
        missed.retainAll(where.others());
        missed.removeAll(having);
        if (where.isHome(remove.key()) && !missed.isEmpty()) {
            link.post(sender, new SessionMessage.Also(remove.uid(), Whereabouts.origins(missed)));
        }
        watchman.onChanged(remove.key());
    }

    /** Takes a copy that moves here, or that is announced here. */
    private void onMoved(Member sender, SessionMessage.Moved moved) {
        Image image = moved.image();
        SessionRecord known = store.get(image.uid());
        long before = known == null ? 0 : known.image(0).digest();
        if (!changes.merge(image)) {
            SessionStore.Tombstone tombstone = store.tombstone(image.uid());
            if (tombstone != null) {
                SessionMessage end = new SessionMessage.Remove(image.uid(), tombstone.key(), tombstone.version(), tombstone.reason());
                link.post(sender, new SessionMessage.Shared(List.of(), end));
            }
            return;
        }
        context.counters().increment(STATE_SESSIONS_MERGED);
        hasTaken = true;
        SessionRecord record = store.get(image.uid());
        if (record == null) {
            return;
        }
        standBy(record);
        Image merged = record.image(context.nowNanos());
        Set<Member> former = addHolders(sender, record, where.members(moved.holders()));
        announceIfNew(sender, image.uid(), known == null);
        if (merged.digest() != image.digest()) {
            link.post(sender, merged);
        }
        if (where.isHome(where.keyOf(record))) {
            if (known != null && before != merged.digest()) {
                copies.forward(record, former);
            }
            onHoldersAdded(record);
        }
    }

    /** Adds the sender of a copy, and those that it knows, to the holders; returns those before, without the sender. */
    private Set<Member> addHolders(Member sender, SessionRecord record, Set<Member> more) {
        keeper.onProof(record, sender);
        synchronized (record) {
            Spread spread = record.spread();
            Set<Member> former = new HashSet<>(spread.others());
            former.remove(sender);
            Set<Member> others = new HashSet<>(spread.others());
            if (!where.isHome(where.keyOf(record)) || keeper.isHearsayTaken(record, more, sender)) {
                others.addAll(more);
            }
            others.add(sender);
            boolean isFromHome = sender.equals(where.home(where.keyOf(record)));
            record.spread(new Spread(others, isFromHome ? sender : spread.home()));
            return former;
        }
    }

    private void onHoldersAdded(SessionRecord record) {
        watchman.onChanged(where.keyOf(record));
        keeper.keepNow(record);
    }

    private void onHeld(Member sender, SessionMessage.Held held) {
        SessionRecord record = store.get(held.uid());
        if (record == null || record.image(0).digest() != held.digest()) {
            link.post(sender, new SessionMessage.ImageRequest(held.uid()));
            return;
        }
        Set<Member> more = where.members(held.holders());
        Set<Member> former = addHolders(sender, record, more);
        if (where.isHome(where.keyOf(record))) {
            former.retainAll(where.others());
            former.removeAll(more);
            if (!former.isEmpty()) {
                link.post(sender, new SessionMessage.Also(record.uid(), Whereabouts.origins(former)));
            }
            onHoldersAdded(record);
        }
    }

    private void onAlso(Member sender, SessionMessage.Also also) {
        Set<Member> named = where.members(also.holders());
        SessionRecord record = store.get(also.uid());
        // Also to those that this member knows by now: it has not sent them the change.
        copies.complete(also.uid(), named);
        if (record != null && !where.gone(also.holders()).isEmpty()) {
            // That member may have written without knowing of the change, and what it wrote may have come to others only.
            surroundings.owner().makeAgain(record, Set.of(), true);
        }
        if (record != null && where.isHome(where.keyOf(record))) {
            keeper.keepNow(record);
        }
    }

    private SessionMessage gone(Member receiver, UUID uid) {
        return new SessionMessage.Gone(uid, surroundings.owner().handledOf(receiver));
    }

    /** A member that was thought to hold a session does not. */
    private void onGone(Member sender, SessionMessage.Gone gone) {
        UUID uid = gone.uid();
        SessionRecord record = store.get(uid);
        // What a home has sent since brings the copy back. What others have sent may meet a copy of the home that lacks this change.
        if (record == null || where.isHome(where.keyOf(record)) && acknowledgements.isUnderWay(sender, uid, gone.handled())) {
            return;
        }
        synchronized (record) {
            Set<Member> others = new HashSet<>(record.spread().others());
            others.remove(sender);
            record.spread(new Spread(others, record.spread().home()));
        }
        String key = where.keyOf(record);
        boolean isHome = where.isHome(key);
        // The home counts the members that this one has sent its change to as holders, so that they have to become that.
        if (!isHome || where.wanted(key, where.primary(record)).contains(sender)) {
            copies.complete(uid, Set.of(sender));
        }
        if (isHome) {
            onHoldersAdded(record);
        }
    }

    /** Gives up the copy of a session, unless it is needed here. */
    private void onSpare(Member sender, SessionMessage.Spare spare) {
        SessionRecord record = store.get(spare.uid());
        if (record == null) {
            link.post(sender, gone(sender, spare.uid()));
            return;
        }
        synchronized (record) {
            boolean isNeeded = spare.view() != where.view()
                    || record.state() != SessionRecord.State.COMPLETE
                    || acknowledgements.isAwaited(spare.uid())
                    || where.isNeededHere(record, sender)
                    || fetcher.isAwaited(where.keyOf(record))
                    || surroundings.owner().isUsed(record);
            if (isNeeded) {
                link.post(sender, record.image(context.nowNanos()));
                return;
            }
            record.spread(Spread.NONE);
            // First: a request that does not find the session any more asks the home, after this.
            link.post(sender, gone(sender, spare.uid()));
            store.release(record);
            context.counters().increment(COPIES_RELEASED);
        }
    }

    private void onFetch(Member sender, SessionMessage.Fetch fetch) {
        SessionRecord record = store.find(fetch.key());
        boolean isHome = where.isHome(fetch.key());
        if (record != null && record.state() == SessionRecord.State.COMPLETE && (isHome || fetch.isToAll())) {
            give(sender, fetch, record);
        } else if (fetch.isToAll() || isHome && (store.hasEnded(fetch.key()) || !fetcher.isToWaitFor(fetch.key()))) {
            link.post(sender, new SessionMessage.Given(fetch.query(), Knowledge.NONE, List.of(), null));
        } else if (isHome) {
            context.executor().execute(() -> giveLater(sender, fetch));
        } else {
            link.post(sender, new SessionMessage.Given(fetch.query(), Knowledge.NOT_HOME, List.of(), null));
        }
    }

    private void give(Member receiver, SessionMessage.Fetch fetch, SessionRecord record) {
        synchronized (record) {
            Set<Member> others = new HashSet<>(record.spread().others());
            others.add(receiver);
            record.spread(new Spread(others, record.spread().home()));
            List<Long> holders = Whereabouts.origins(others);
            SessionMessage given =
                    new SessionMessage.Given(fetch.query(), Knowledge.HERE, holders, record.image(context.nowNanos()));
            // With a number, so that a word of the receiver that it has no copy, from before this one, is recognized.
            link.toSome(record.uid(), Map.of(receiver, given), COPIES_MOVED, true);
        }
        if (!fetch.isToAll()) {
            watchman.onChanged(fetch.key());
            keeper.onTaken(record);
        }
    }

    /** Finds a session that is still on its way here, for another member. */
    private void giveLater(Member receiver, SessionMessage.Fetch fetch) {
        try {
            SessionRecord record = fetcher.find(fetch.key());
            if (record != null && where.isHome(fetch.key())) {
                give(receiver, fetch, record);
            } else {
                Knowledge knowledge = where.isHome(fetch.key()) ? Knowledge.NONE : Knowledge.NOT_HOME;
                link.post(receiver, new SessionMessage.Given(fetch.query(), knowledge, List.of(), null));
            }
        } catch (UnreachableException e) {
            // The receiver's own time is over, too.
            link.post(receiver, new SessionMessage.Given(fetch.query(), Knowledge.NOT_HOME, List.of(), null));
        }
    }

    private void onGiven(Member sender, SessionMessage.Given given) {
        Image image = given.image();
        boolean isNew = image != null && store.get(image.uid()) == null;
        if (image != null && changes.merge(image)) {
            SessionRecord record = store.get(image.uid());
            if (record != null) {
                addHolders(sender, record, where.members(given.holders()));
                announceIfNew(sender, image.uid(), isNew);
                if (where.isHome(where.keyOf(record))) {
                    onHoldersAdded(record);
                }
            }
        }
        fetcher.onGiven(sender, given);
    }
}
