package dev.tutti.tomcat.replication.holders;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.ACKS_SENT;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.REMOVALS_SENT;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.STATE_SESSIONS_MERGED;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.base.Peers;
import dev.tutti.tomcat.replication.base.ReplicaContext;
import dev.tutti.tomcat.replication.session.SessionMessage.Image;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
import dev.tutti.tomcat.replication.state.StateExchange;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Every member holds every session: changes go to the group, and members that meet fetch the sessions of each other. */
public final class HeldByAll implements Holders {

    private final ReplicaContext context;
    private final SessionStore store;
    private final Changes changes;
    private final Runnable onArrived;
    private final Link link;
    private final StateExchange state;
    private final SessionFinder finder;
    private final Surroundings surroundings;
    private volatile Peers peers = Peers.NONE;

    /** @param sender sends to one member; may wait for flow control */
    public HeldByAll(Surroundings surroundings, Link link, BiConsumer<Member, SessionMessage> sender) {
        this.surroundings = surroundings;
        this.context = surroundings.context();
        this.store = surroundings.store();
        this.changes = surroundings.changes();
        this.onArrived = surroundings.owner()::onArrived;
        this.link = link;
        this.state = new StateExchange(store, context.counters(), context.nanoClock(), context.executor(), sender);
        this.finder = new SessionFinder(context, store, surroundings.formerIds(), state, link, changes::merge);
    }

    @Override
    public void onMembers(View view, Member self, Peers present) {
        peers = present;
    }

    @Override
    public void onView(View view, Member self, Peers present) {
        finder.onView(view);
        state.onView(view, self, view.transitionalSet(self), present.leadsPart());
    }

    @Override
    public void afterView() {
        state.give();
        state.dropPartial();
    }

    @Override
    public boolean handle(Member sender, SessionMessage message) {
        switch (message) {
            case Image image -> changes.merge(image);
            case SessionMessage.Delta delta -> {
                if (!changes.merge(sender, delta) && state.isComplete()) {
                    link.soonTo(sender, new SessionMessage.ImageRequest(delta.uid()));
                }
            }
            case SessionMessage.Access access -> changes.onAccess(sender, access);
            case SessionMessage.Remove remove -> changes.onRemove(remove);
            case SessionMessage.Query query -> {
                SessionRecord record = store.find(query.key());
                boolean isKnown = record != null && record.state() == SessionRecord.State.COMPLETE;
                Image image = isKnown && record != null ? record.image(context.nowNanos()) : null;
                link.soonTo(sender, new SessionMessage.Answer(query.query(), image));
            }
            case SessionMessage.Answer answer -> {
                Image image = answer.image();
                if (image != null) {
                    changes.merge(image);
                }
                finder.onAnswer(sender, answer);
            }
            case SessionMessage.ImageRequest request -> {
                SessionRecord record = store.get(request.uid());
                if (record != null && record.state() == SessionRecord.State.COMPLETE) {
                    link.soonTo(sender, record.image(context.nowNanos()));
                }
            }
            case SessionMessage.StateRequest request -> state.onRequest(sender, request);
            case SessionMessage.StateChunk chunk -> onStateChunk(sender, chunk);
            default -> {
                return false;
            }
        }
        return true;
    }

    private void onStateChunk(Member sender, SessionMessage.StateChunk chunk) {
        for (Image image : chunk.images()) {
            if (changes.merge(image)) {
                context.counters().increment(STATE_SESSIONS_MERGED);
            } else {
                endAgain(image);
            }
        }
        state.onChunk(sender, chunk);
        onArrived.run();
        state.give();
        if (state.isComplete()) {
            state.dropPartial();
        }
    }

    /** Announces, from one member of this side of a partition, the end of a session that lives on at the other. */
    private void endAgain(Image image) {
        SessionStore.Tombstone tombstone = store.tombstoneFor(image);
        if (tombstone != null && peers.leadsPart()) {
            SessionMessage.Remove remove =
                    new SessionMessage.Remove(image.uid(), tombstone.key(), tombstone.version(), tombstone.reason());
            context.executor().execute(() -> link.toGroup(remove, REMOVALS_SENT, true));
        }
    }

    /** Multicasts the answer, so that it arrives after all that this member wrote before. */
    @Override
    public void answerProbe(Member prober, SessionMessage.ProbeAnswer answer) {
        link.toGroup(answer, ACKS_SENT, false);
    }

    @Override
    public void awaitFindable() {
        // Each member has the session as soon as the message is safe.
    }

    @Override
    public long send(SessionRecord record, SessionMessage message, ReplicationCounters.Counter counter) {
        return link.toGroup(message, counter, true);
    }

    @Override
    public long tell(SessionRecord record, SessionMessage message, ReplicationCounters.Counter counter, boolean isNumbered) {
        return link.toGroup(message, counter, isNumbered);
    }

    @Override
    public @Nullable SessionRecord find(String key) {
        return finder.find(key, peers.others());
    }

    @Override
    public SessionRecord present(SessionRecord record) {
        return record;
    }

    @Override
    public boolean standsIn(SessionRecord record) {
        int rank = Math.floorMod(record.uid().hashCode(), peers.members().size());
        return surroundings.self().is(peers.members().get(rank));
    }

    /** Returns false: the primary of a namesake makes it one with the older session. */
    @Override
    public boolean joinsNamesakes(String key) {
        return false;
    }

    @Override
    public void onJoined() {
        finder.onJoined();
    }

    @Override
    public void onBeat() {
        // Nothing moves with the beat.
    }

    @Override
    public void onTick() {
        state.onTick();
    }

    @Override
    public boolean isComplete() {
        return state.isComplete();
    }

    @Override
    public boolean isKnown() {
        return state.isComplete();
    }

    @Override
    public boolean hasTaken() {
        return state.hasTaken();
    }

    @Override
    public CompletableFuture<Void> handOver() {
        return state.given();
    }

    @Override
    public Map<String, Object> status() {
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("state-from", state.taken());
        status.put("state-awaited", state.awaited());
        status.put("members-fetching", state.owed().stream().map(Member::name).toList());
        return status;
    }

    @Override
    public void close() {
        peers = Peers.NONE;
    }
}
