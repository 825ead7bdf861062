package dev.tutti.tomcat.replication.state;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.PARTIAL_DROPPED;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.STATE_LOST;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.internal.Logs;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionMessage.StateChunk;
import dev.tutti.tomcat.replication.session.SessionMessage.StateRequest;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Exchange of all sessions between members that meet in a view: this one fetches those of each other part of the view
 * ({@link StatePull}), and gives its own to members that ask ({@link StateGiver}). Thread-safe; its inputs come on the
 * group's thread, where nothing waits.
 */
public final class StateExchange {

    /** Maximum number of bytes of sessions in one message; a session that is larger is sent alone. */
    public static final int CHUNK_BYTES = 64 * 1024;

    private static final Logger LOG = Logs.of(StateExchange.class);
    private static final long PARTIAL_NANOS = 10_000_000_000L;

    private final SessionStore store;
    private final ReplicationCounters counters;
    private final LongSupplier nanoClock;
    private final Executor executor;
    private final BiConsumer<Member, SessionMessage> sender;
    private final StatePull pull = new StatePull();
    private final StateGiver giver;

    /**
     * @param executor runs tasks that wait for the network
     * @param sender sends to one member; may wait for flow control
     */
    public StateExchange(
            SessionStore store,
            ReplicationCounters counters,
            LongSupplier nanoClock,
            Executor executor,
            BiConsumer<Member, SessionMessage> sender) {
        this.store = store;
        this.counters = counters;
        this.nanoClock = nanoClock;
        this.executor = executor;
        this.sender = sender;
        this.giver = new StateGiver(store, counters, nanoClock);
    }

    // ---- inputs

    /**
     * Asks members that this one has met, and notes those that will ask.
     *
     * @param together members that came with this one from an earlier view
     * @param leadsPart whether this member is the oldest of those
     */
    public void onView(View view, Member self, Set<Member> together, boolean leadsPart) {
        giver.onView(view, together, leadsPart);
        List<String> lost = new ArrayList<>();
        pull.onView(view, self, lost).forEach(this::ask);
        for (String name : lost) {
            counters.increment(STATE_LOST);
            LOG.warn("{} is gone before all its sessions had come from it; those that nobody else has are lost", name);
        }
    }

    public void onRequest(Member member, StateRequest request) {
        giver.onRequest(new StatePull.Request(member, request));
        give();
    }

    /** Notes a chunk whose sessions have been merged, and asks for the next one. */
    public void onChunk(Member member, StateChunk chunk) {
        StatePull.Request next = pull.onChunk(member, chunk);
        if (next != null) {
            ask(next);
        }
    }

    /** Asks again for sessions that should have arrived; called from time to time, say every 10 s. */
    public void onTick() {
        pull.onTick().forEach(this::ask);
        dropPartial(PARTIAL_NANOS);
    }

    private void ask(StatePull.Request request) {
        executor.execute(() -> sender.accept(request.receiver(), request.message()));
    }

    /** Sends sessions to members whose requests had to wait until this one has all that it should have. */
    public void give() {
        for (StatePull.Request request : giver.ready(pull)) {
            executor.execute(() -> giver.answer(request, sender));
        }
    }

    /** Drops sessions of which only changes are known: all members that have the rest have sent it. */
    public void dropPartial() {
        dropPartial(0);
    }

    private void dropPartial(long idleNanos) {
        if (!isComplete()) {
            return;
        }
        long nowNanos = nanoClock.getAsLong();
        for (SessionRecord record : store.after(null).values()) {
            if (record.state() == SessionRecord.State.PARTIAL && record.idleNanos(nowNanos) >= idleNanos) {
                store.forget(record);
                counters.increment(PARTIAL_DROPPED);
            }
        }
    }

    // ---- knowledge

    /** Returns whether the sessions of all members that this one has met are here; false before the first view. */
    public boolean isComplete() {
        return pull.isComplete();
    }

    /** Returns a future that completes when all sessions are here; a new one after a view with newcomers. */
    public CompletableFuture<Void> complete() {
        return pull.complete();
    }

    /** Returns whether all sessions of at least one other member have arrived. */
    public boolean hasTaken() {
        return pull.hasTaken();
    }

    /** Returns a future that is completed while no member is owed sessions. */
    public CompletableFuture<Void> given() {
        return giver.done();
    }

    /** Returns the members that have yet to fetch sessions from this one. */
    public List<Member> owed() {
        return giver.owed();
    }

    /** Returns the members whose sessions have all been fetched, by name, with the number of sessions. */
    public Map<String, Object> taken() {
        return pull.taken();
    }

    /** Returns the members that are asked for sessions, by name, with the progress. */
    public Map<String, Object> awaited() {
        return pull.status();
    }
}
