package dev.tutti.tomcat.replication.holders;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.COPIES_MOVED;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.COPIES_TOLD;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.IMAGES_SENT;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.REMOVALS_SENT;

import dev.tutti.core.Member;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.acks.Acknowledgements;
import dev.tutti.tomcat.replication.base.Acknowledgement;
import dev.tutti.tomcat.replication.base.ReplicaContext;
import dev.tutti.tomcat.replication.session.SessionMessage.Image;
import dev.tutti.tomcat.replication.session.SessionMessage.Moved;
import dev.tutti.tomcat.replication.session.SessionMessage.Shared;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
import dev.tutti.tomcat.replication.session.Spread;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends sessions to the members that hold them. What is sent and who is noted as a holder change together, under the
 * lock of the record, so that a member that is noted gets every later change after its copy. Thread-safe; never waits.
 */
final class Copies {

    private final ReplicaContext context;
    private final SessionStore store;
    private final Acknowledgements acknowledgements;
    private final Whereabouts where;
    private final Link link;
    private final BiConsumer<SessionRecord, Member> onWhole;

    /** @param onWhole is told of each member that a whole session is sent to */
    Copies(Surroundings surroundings, Whereabouts where, Link link, BiConsumer<SessionRecord, Member> onWhole) {
        this.onWhole = onWhole;
        this.context = surroundings.context();
        this.store = surroundings.store();
        this.acknowledgements = surroundings.acknowledgements();
        this.where = where;
        this.link = link;
    }

    private boolean isNumbered() {
        return context.options().acknowledgement() != Acknowledgement.NONE;
    }

    private Image imageOf(SessionRecord record) {
        return record.image(context.nowNanos());
    }

    /**
     * Sends a change made here to the members that hold the session, and the whole session to those that are to hold it
     * from now on, since this member uses it.
     *
     * @return number of the message; 0 if there is none
     */
    long write(SessionRecord record, @Nullable Member self, SessionMessage change, ReplicationCounters.Counter counter) {
        String key = where.keyOf(record);
        Member home;
        long number;
        synchronized (record) {
            if (record.state() == SessionRecord.State.COMPLETE && store.get(record.uid()) == null) {
                store.add(record);
                record.spread(Spread.NONE);
            }
            home = where.home(key);
            if (home == null || where.isAlone()) {
                return 0;
            }
            Spread spread = record.spread();
            Set<Member> known = presentOf(spread.others());
            Set<Member> receivers = new HashSet<>(where.wanted(key, self));
            receivers.addAll(known);
            List<Long> origins = Whereabouts.origins(receivers);
            Map<Member, SessionMessage> messages = new HashMap<>();
            Shared changed = new Shared(origins, change);
            Moved whole = null;
            for (Member receiver : receivers) {
                boolean hasCopy = known.contains(receiver) && (!receiver.equals(home) || home.equals(spread.home()));
                if (!hasCopy) {
                    onWhole.accept(record, receiver);
                }
                if (!hasCopy && !(change instanceof Image)) {
                    // The change follows: only that names the versions on which it is based.
                    whole = whole == null ? new Moved(origins, imageOf(record)) : whole;
                    link.post(receiver, whole);
                }
                messages.put(receiver, changed);
            }
            record.spread(new Spread(receivers, spread.home()));
            number = link.toSome(record.uid(), messages, counter, isNumbered());
        }
        confirm(record, home, number);
        return number;
    }

    /** Notes, when the home has handled a message about the copy here, that it knows of this copy. */
    private CompletableFuture<Void> confirm(SessionRecord record, Member home, long number) {
        if (where.isCurrent(record)) {
            return CompletableFuture.completedFuture(null);
        }
        long view = where.view();
        return acknowledgements.safe(number).thenRun(() -> {
            if (view == where.view() && acknowledgements.hasHandled(home, number)) {
                synchronized (record) {
                    Set<Member> others = new HashSet<>(record.spread().others());
                    others.add(home);
                    record.spread(new Spread(others, home));
                }
            }
        });
    }

    /** Sends something that is no change of values to the members that hold a session. */
    long tell(SessionRecord record, SessionMessage message, ReplicationCounters.Counter counter, boolean isAwaited) {
        Map<Member, SessionMessage> messages = new HashMap<>();
        synchronized (record) {
            if (where.isAlone()) {
                return 0;
            }
            String key = where.keyOf(record);
            Set<Member> receivers = presentOf(record.spread().others());
            Member home = where.home(key);
            if (home != null && !where.isHome(key)) {
                receivers.add(home);
            }
            Shared shared = new Shared(Whereabouts.origins(receivers), message);
            receivers.forEach(receiver -> messages.put(receiver, shared));
            return link.toSome(record.uid(), messages, counter, isAwaited && isNumbered());
        }
    }

    /** Tells the home of a session of the copy here, by sending the copy, or its digest if the home may have the same. */
    long announce(SessionRecord record, boolean isWhole) {
        return announcement(record, isWhole).number;
    }

    /** Tells the home of a session of the copy here; returns a future that completes when it has answered. */
    CompletableFuture<Void> validate(SessionRecord record) {
        return announcement(record, false).known;
    }

    private record Announcement(long number, CompletableFuture<Void> known) {}

    private Announcement announcement(SessionRecord record, boolean isWhole) {
        Member home;
        long number;
        synchronized (record) {
            home = where.home(where.keyOf(record));
            if (home == null || where.isHome(where.keyOf(record))) {
                return new Announcement(0, CompletableFuture.completedFuture(null));
            }
            Set<Member> others = presentOf(record.spread().others());
            List<Long> origins = Whereabouts.origins(others);
            Image image = imageOf(record);
            SessionMessage message = isWhole ? new Moved(origins, image) : new SessionMessage.Held(record.uid(), image.digest(), origins);
            number = link.toSome(record.uid(), Map.of(home, message), isWhole ? COPIES_MOVED : COPIES_TOLD, true);
        }
        return new Announcement(number, confirm(record, home, number));
    }

    /** Sends the session to members that are to hold it and have no copy; returns 0 if there are none. */
    long fill(SessionRecord record, Collection<Member> wanted) {
        synchronized (record) {
            Set<Member> others = presentOf(record.spread().others());
            Set<Member> lacking = new HashSet<>(wanted);
            lacking.removeAll(others);
            if (lacking.isEmpty()) {
                return 0;
            }
            Moved moved = new Moved(Whereabouts.origins(others), imageOf(record));
            others.addAll(lacking);
            record.spread(new Spread(others, record.spread().home()));
            lacking.forEach(member -> onWhole.accept(record, member));
            return link.toSome(record.uid(), toEach(lacking, moved), COPIES_MOVED, true);
        }
    }

    /** Sends the session, whose values have come from one member, to those that were noted as holders before. */
    void forward(SessionRecord record, Collection<Member> receivers) {
        synchronized (record) {
            Set<Member> present = presentOf(receivers);
            present.retainAll(record.spread().others());
            if (!present.isEmpty()) {
                Moved moved = new Moved(Whereabouts.origins(record.spread().others()), imageOf(record));
                present.forEach(member -> onWhole.accept(record, member));
                link.toSome(record.uid(), toEach(present, moved), COPIES_MOVED, true);
            }
        }
    }

    /**
     * Sends the session, or its end, to members that hold it without this one having known that. What was sent before and
     * is not safe yet is only safe when they have this.
     */
    void complete(UUID uid, Collection<Member> lacking) {
        if (lacking.isEmpty()) {
            return;
        }
        SessionRecord record = store.get(uid);
        SessionStore.Tombstone tombstone = record == null ? store.tombstone(uid) : null;
        long number = 0;
        if (record != null) {
            synchronized (record) {
                Set<Member> others = presentOf(record.spread().others());
                others.addAll(lacking);
                record.spread(new Spread(others, record.spread().home()));
                lacking.forEach(member -> onWhole.accept(record, member));
                number = link.toSome(uid, toEach(lacking, new Shared(Whereabouts.origins(others), imageOf(record))), IMAGES_SENT, isNumbered());
                record.onPublishedAgain(number);
            }
        } else if (tombstone != null) {
            SessionMessage end = new SessionMessage.Remove(uid, tombstone.key(), tombstone.version(), tombstone.reason());
            number = link.toSome(uid, toEach(lacking, new Shared(Whereabouts.origins(lacking), end)), REMOVALS_SENT, isNumbered());
        }
        acknowledgements.onReasserted(uid, number);
    }

    private static Map<Member, SessionMessage> toEach(Collection<Member> receivers, SessionMessage message) {
        Map<Member, SessionMessage> messages = new HashMap<>();
        receivers.forEach(receiver -> messages.put(receiver, message));
        return messages;
    }

    private Set<Member> presentOf(Collection<Member> members) {
        Set<Member> present = new HashSet<>(members);
        present.retainAll(where.others());
        return present;
    }
}
