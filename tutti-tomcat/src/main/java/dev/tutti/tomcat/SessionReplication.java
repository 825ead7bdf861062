package dev.tutti.tomcat;

import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.ReplicationOptions;
import dev.tutti.tomcat.replication.Replicator;
import dev.tutti.tomcat.replication.SessionChannel;
import dev.tutti.tomcat.replication.session.SessionRecord;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The replication of one manager's sessions, from the start of the application to its stop. Before and after that there
 * are no sessions, and nothing is sent, waited for or expired. Thread-safe, but {@link #start} and {@link #stop} are
 * called one after the other.
 */
final class SessionReplication {

    /** Runs tasks that wait for the network, each on a virtual thread of its own. */
    static final Executor THREADS = task ->
            Thread.ofVirtual().name("tutti-sessions").inheritInheritableThreadLocals(false).start(task);

    private final ReplicationCounters counters;
    private final Consumer<SessionRecord> onEnded;
    private final AbsenceGuard guard;
    private @Nullable Future<?> beats;
    private volatile @Nullable Replicator replicator;

    /** @param onEnded receives sessions that another node has ended; must not wait */
    SessionReplication(ReplicationCounters counters, Consumer<SessionRecord> onEnded) {
        this.counters = counters;
        this.onEnded = onEnded;
        this.guard = new AbsenceGuard(() -> this.replicator, counters);
    }

    /**
     * Joins the group. Waits until others are met, or there is no reason to wait for them any longer.
     *
     * @param kept sessions from before the last stop, if no other node had them
     */
    SessionChannel.JoinResult start(
            ReplicationOptions options, KeptSessions kept, SessionChannel.Source source, String group) {
        Replicator joining = new Replicator(options, counters, onEnded, System::nanoTime, THREADS);
        kept.read(joining);
        SessionChannel.JoinResult result = joining.join(source, group);
        kept.delete();
        replicator = joining;
        joining.onBeat();
        beats = Delays.every(options.beat(), joining::onBeat);
        return result;
    }

    /**
     * Sends the last changes, waits until others have all sessions, and leaves the group.
     *
     * @param kept takes the sessions if no other node has them in time
     */
    void stop(Duration timeout, KeptSessions kept) {
        Future<?> beating = beats;
        if (beating != null) {
            beating.cancel(false);
            beats = null;
        }
        Replicator leaving = replicator;
        if (leaving != null) {
            forEachSession(TuttiSession::replicate);
            replicator = null;
            if (!leaving.awaitHandedOver(timeout)) {
                kept.write(leaving);
            }
            leaving.close();
        }
    }

    boolean isRunning() {
        return replicator != null;
    }

    /** Returns the guard that decides about changes after an absence. */
    AbsenceGuard guard() {
        return guard;
    }

    // ---- sessions

    int size() {
        Replicator present = replicator;
        return present == null ? 0 : present.size();
    }

    Collection<SessionRecord> sessions() {
        Replicator present = replicator;
        return present == null ? List.of() : present.sessions();
    }

    /** Does something with each session that is an object here. */
    void forEachSession(Consumer<TuttiSession> action) {
        for (SessionRecord record : sessions()) {
            if (record.handle() instanceof TuttiSession session) {
                action.accept(session);
            }
        }
    }

    /** Returns the session with this id, if it is here. */
    @Nullable SessionRecord find(String id) {
        Replicator present = replicator;
        return present == null ? null : present.find(id);
    }

    /** Returns the session with this id, which may still be on its way: asks the others, and waits for a while. */
    @Nullable SessionRecord await(String id) {
        Replicator present = replicator;
        return present == null ? null : present.await(id);
    }

    /** @throws IllegalStateException if the application is stopped */
    SessionRecord create(String id, long createdMillis) {
        return running().create(id, createdMillis);
    }

    /** @throws IllegalStateException if the application is stopped */
    void rename(SessionRecord record, String id) {
        running().rename(record, id);
    }

    private Replicator running() {
        Replicator present = replicator;
        if (present == null) {
            throw new IllegalStateException("sessions can't be created or renamed: their application is stopped");
        }
        return present;
    }

    /** Ends a session here and everywhere. */
    void end(TuttiSession session) {
        Replicator present = replicator;
        SessionRecord record = session.record();
        if (present != null && record != null) {
            session.sentUnder(present.end(record, session.endReason()));
        }
    }

    // ---- use

    /** Sends changes and requests that are due; called from time to time. */
    void onTick() {
        Replicator present = replicator;
        if (present != null) {
            present.onTick();
        }
    }

    void touch(SessionRecord record) {
        Replicator present = replicator;
        if (present != null) {
            present.touch(record);
        }
    }

    boolean isDue(SessionRecord record) {
        Replicator present = replicator;
        return present != null && present.isDue(record);
    }

    boolean isOverdue(SessionRecord record) {
        Replicator present = replicator;
        return present != null && present.isOverdue(record);
    }

    boolean wasUsedHere(SessionRecord record) {
        Replicator present = replicator;
        return present == null || present.wasUsedHere(record);
    }

    long idleMillis(SessionRecord record) {
        Replicator present = replicator;
        return present == null ? 0 : present.idleNanos(record) / 1_000_000;
    }

    void awaitSafe(long number) {
        Replicator present = replicator;
        if (present != null) {
            present.awaitSafe(number);
        }
    }

    Map<String, Object> status() {
        Replicator present = replicator;
        return present == null ? Map.of() : present.status();
    }
}
