package dev.tutti.tomcat.replication.holders;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.ACKS_SENT;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.acks.Acknowledgements;
import dev.tutti.tomcat.replication.base.LocalMember;
import dev.tutti.tomcat.replication.base.Peers;
import dev.tutti.tomcat.replication.base.ReplicaContext;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Some members hold each session: the home, which follows from the view and the session's key ({@link Placement}), the
 * primary, and others up to the number of copies. Changes go to them alone.
 *
 * <p>The home knows of every copy. A member that writes sends the change to the holders that it knows; if it misses one,
 * the home names it before it acknowledges the change, and the change is safe only when that one has it, too. So each
 * copy that a home knows of has every change that was confirmed, and requests read it without asking. In another view a
 * session may have another home, which the copies have to be announced to before requests read them again.
 */
public final class HeldBySome implements Holders {

    private static final int NAMES_MAX = 1_000;

    private final ReplicaContext context;
    private final SessionStore store;
    private final LocalMember self;
    private final Acknowledgements acknowledgements;
    private final Surroundings surroundings;
    private final Link link;
    private final Whereabouts where;
    private final Copies copies;
    private final Moves moves;
    private final Fetcher fetcher;
    private final Watchman watchman;
    private final Keeper keeper;
    private final HolderMessages messages;

    /** Names of members by their origins, of the last {@value #NAMES_MAX} ones; for the log. */
    private final LinkedHashMap<Long, String> names = new LinkedHashMap<>();

    public HeldBySome(Surroundings surroundings, Link link) {
        this.surroundings = surroundings;
        this.context = surroundings.context();
        this.store = surroundings.store();
        this.self = surroundings.self();
        this.acknowledgements = surroundings.acknowledgements();
        this.link = link;
        this.where = new Whereabouts(store, self, context.options().copies());
        this.copies = new Copies(surroundings, where, link, this::onWhole);
        this.moves = new Moves(context, acknowledgements, link, this::onStage);
        this.fetcher = new Fetcher(surroundings, where, copies, moves, link);
        this.watchman = new Watchman(store, where, link, context.counters());
        this.keeper = new Keeper(surroundings, where, copies, moves, link, watchman);
        this.messages = new HolderMessages(surroundings, where, copies, fetcher, watchman, keeper, link);
    }

    // ---- views

    @Override
    public void onMembers(View view, Member member, Peers present) {
        String zone = context.options().zone().get();
        if (!zone.isEmpty()) {
            // Before the next message, so that a member which all others have told that they are in the view knows their zones, too.
            present.others().forEach(other -> link.post(other, new SessionMessage.Zone(zone)));
        }
        // Before all else that this member sends in the view, so that the receivers know what belongs to it.
        present.others().forEach(other -> link.post(other, new SessionMessage.Settled(view.id().number(), 0)));
        // Before requests see the view: a session that is not here yet must not count as missing because copies were known in the view before.
        moves.begin(view.id().number(), Set.copyOf(view.members()));
        where.onMembers(view, present, member, zone, keeper::onNewHome);
        synchronized (names) {
            present.origins().forEach((origin, each) -> names.putLast(origin, each.name()));
            while (names.size() > NAMES_MAX) {
                names.pollFirstEntry();
            }
        }
    }

    @Override
    public void onView(View view, Member member, Peers present) {
        fetcher.onView(view);
        watchman.onView();
        long number = view.id().number();
        Set<Member> together = view.transitionalSet(member);
        boolean isMerge = !together.containsAll(view.members());
        context.executor().execute(() -> {
            onSettled(member, new SessionMessage.Settled(number, 0));
            keeper.prepare(number, member, together, isMerge);
        });
    }

    private void onStage(long view, int stage) {
        Member member = self.member();
        if (member != null && view == where.view()) {
            link.toGroup(new SessionMessage.Settled(view, stage), ACKS_SENT, false);
            onSettled(member, new SessionMessage.Settled(view, stage));
        }
    }

    private void onSettled(Member member, SessionMessage.Settled settled) {
        if (moves.onFinished(member, settled.view(), settled.stage())) {
            if (settled.stage() == 1) {
                keeper.onRegistered();
                watchman.onRegistered(this::nameOf);
            }
            if (settled.stage() > 0) {
                context.executor().execute(surroundings.owner()::onArrived);
            }
        }
    }

    private void onWhole(SessionRecord record, Member receiver) {
        keeper.onProof(record, receiver);
    }

    private String nameOf(long origin) {
        synchronized (names) {
            return names.getOrDefault(origin, "a member of an earlier view");
        }
    }

    @Override
    public void afterView() {
        // Moves run by themselves.
    }

    // ---- messages

    @Override
    public boolean handle(Member sender, SessionMessage message) {
        if (message instanceof SessionMessage.Settled settled) {
            onSettled(sender, settled);
            return true;
        }
        return messages.handle(sender, message);
    }

    /** Answers the prober alone, in order with all that this member has sent to it. */
    @Override
    public void answerProbe(Member prober, SessionMessage.ProbeAnswer answer) {
        link.post(prober, answer);
    }

    // ---- changes made here

    @Override
    public long send(SessionRecord record, SessionMessage message, ReplicationCounters.Counter counter) {
        long number = copies.write(record, self.member(), message, counter);
        if (where.isHome(where.keyOf(record))) {
            watchman.onChanged(where.keyOf(record));
            keeper.keepLater(record);
        }
        return number;
    }

    /** A member of an earlier view may still be the home of the key there, and would say that there is no such session. */
    @Override
    public void awaitFindable() {
        context.waiting().await(moves.entered(), context.options().acknowledgementTimeout().toNanos());
    }

    @Override
    public long tell(SessionRecord record, SessionMessage message, ReplicationCounters.Counter counter, boolean isNumbered) {
        long number = copies.tell(record, message, counter, isNumbered);
        watchman.onChanged(where.keyOf(record));
        return number;
    }

    // ---- requests

    @Override
    public @Nullable SessionRecord find(String key) throws UnreachableException {
        return fetcher.find(key);
    }

    @Override
    public SessionRecord present(SessionRecord record) {
        SessionRecord present = store.get(record.uid());
        return present == null ? record : present;
    }

    @Override
    public boolean standsIn(SessionRecord record) {
        return where.isHome(where.keyOf(record));
    }

    @Override
    public boolean joinsNamesakes(String key) {
        return where.isHome(key);
    }

    // ---- from time to time

    @Override
    public void onJoined() {
        moves.run();
    }

    @Override
    public void onBeat() {
        moves.run();
        keeper.thin();
        watchman.onBeat();
    }

    @Override
    public void onTick() {
        keeper.announceSpare();
    }

    // ---- completeness

    @Override
    public boolean isComplete() {
        return moves.isBalanced();
    }

    @Override
    public boolean isKnown() {
        return moves.isOwnPartDone();
    }

    @Override
    public boolean hasTaken() {
        return messages.hasTaken() || moves.isBalanced();
    }

    /**
     * Gives each session to the members that are to hold it without this one.
     *
     * @return completes when they have them
     */
    @Override
    public CompletableFuture<Void> handOver() {
        Member member = self.member();
        Placement placement = where.placement();
        Placement rest = placement == null || member == null ? null : placement.without(List.of(member));
        if (rest == null || member == null) {
            return CompletableFuture.completedFuture(null);
        }
        keeper.handOver(rest, member);
        return moves.done().thenCompose(done -> acknowledgements.allSafe(0));
    }

    @Override
    public Map<String, Object> status() {
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("copies", context.options().copies());
        status.put("moves-waiting", moves.waiting());
        status.put("moves-made", moves.made());
        status.put("copies-spare", keeper.abundant());
        status.put("members-by-zone", where.membersByZone());
        status.put("sessions-in-one-zone", store.sessions().stream().filter(where::isInOneZone).count());
        status.put("sessions-watched", watchman.watchedCount());
        status.put("sessions-lost-last", watchman.lastLoss());
        return status;
    }

    @Override
    public void close() {
        where.close();
        moves.clear();
        watchman.clear();
        keeper.clear();
    }
}
