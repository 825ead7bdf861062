package dev.tutti.tomcat;

import dev.tutti.core.settings.Durations;
import dev.tutti.internal.Logs;
import dev.tutti.sites.Sites;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.Replicator;
import dev.tutti.tomcat.replication.SessionChannel;
import dev.tutti.tomcat.replication.base.ReplicationOptions;
import dev.tutti.tomcat.replication.base.SessionEvents;
import dev.tutti.tomcat.replication.holders.UnreachableException;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.sites.SessionCopies;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The replication of one manager's sessions, from the start of the application to its stop. Before and after that there
 * are no sessions, and nothing is sent, waited for or expired. Thread-safe, but {@link #start} and {@link #stop} are
 * called one after the other.
 */
final class SessionReplication {

    private static final Logger LOG = Logs.of(SessionReplication.class);

    /** Runs tasks that wait for the network, each on a virtual thread of its own. */
    static final Executor THREADS = task ->
            Thread.ofVirtual().name("tutti-sessions").inheritInheritableThreadLocals(false).start(task);

    private final ReplicationCounters counters;
    private final SessionEvents events = new ContainerEvents();
    private final AbsenceGuard guard;
    private @Nullable Future<?> beats;
    private volatile @Nullable SessionCopies copies;
    private Place place = new Place("", "");
    private volatile @Nullable Replicator replicator;

    /**
     * Names for people.
     *
     * @param application of which the sessions are
     */
    record Place(String group, String application) {}

    /** Passes events on to the objects of sessions. */
    private static final class ContainerEvents implements SessionEvents {

        @Override
        public void onEnded(SessionRecord record) {
            if (record.handle() instanceof TuttiSession session) {
                session.onEndedElsewhere();
            }
        }

        @Override
        public boolean isUsed(SessionRecord record) {
            return record.handle() instanceof TuttiSession session && !session.isUnused();
        }
    }

    SessionReplication(ReplicationCounters counters) {
        this.counters = counters;
        this.guard = new AbsenceGuard(() -> this.replicator, counters);
    }

    /**
     * Joins the group. Waits until others are met, or there is no reason to wait for them any longer.
     *
     * @param kept sessions from before the last stop, if no other node had them
     */
    void start(ReplicationOptions options, KeptSessions kept, SessionChannel.Source source, Place at) {
        Replicator joining = new Replicator(options, counters, events, System::nanoTime, THREADS);
        kept.read(joining);
        SessionChannel.JoinResult result = joining.join(source, at.group());
        kept.delete();
        place = at;
        replicator = joining;
        joining.onBeat();
        beats = Delays.every(options.beat(), joining::onBeat);
        if (result.isKnown()) {
            LOG.info("{}: sessions of group {}: {}", at.application(), at.group(), result.text());
        } else {
            LOG.warn(
                    "{}: sessions of group {}: {}. Sessions that other nodes hold are not known here until they are met;"
                            + " their users get new ones from this node",
                    at.application(), at.group(), result.text());
        }
    }

    /**
     * Begins to keep copies of sessions at other sites, and of theirs here. Waits until these have told which they have.
     *
     * @param others names of the other sites
     */
    void startCopies(Sites sites, List<String> others, Duration timeout) {
        if (running().isHeldBySome()) {
            throw new IllegalArgumentException("copies is set, and this node is at site " + sites.site()
                    + ": copies at other sites need every session at every node. Set copies=\"all\", or leave out the site");
        }
        SessionCopies begun = new SessionCopies(
                sites, others, place.group(), new SiteSessions(running(), events), THREADS, System::currentTimeMillis);
        copies = begun;
        List<String> missing = begun.awaitOthers(timeout.toMillis(), millis -> LockSupport.parkNanos(millis * 1_000_000));
        if (missing.isEmpty()) {
            LOG.info("{}: site {}: the copies of other sites are known here", place.application(), sites.site());
        } else {
            LOG.warn("{}: site {}: {} have not told within {} (startTimeout) which copies of sessions they have; users whose sessions are"
                    + " there get new ones from this node", place.application(), sites.site(), missing, Durations.print(timeout));
        }
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
            SessionCopies ending = copies;
            copies = null;
            if (ending != null) {
                ending.close();
            }
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

    /**
     * Keeps sessions that have not been used for a while as bytes only. The next request makes an object of one again.
     *
     * @param unused 0 for never
     */
    void dropObjects(Duration unused) {
        for (SessionRecord record : unused.isZero() ? List.<SessionRecord>of() : sessions()) {
            if (!(record.handle() instanceof TuttiSession session)) {
                record.tidy();
            } else if (idleMillis(record) >= unused.toMillis()) {
                session.rest();
            }
        }
    }

    /** Returns the session with this id, if it is here. */
    @Nullable SessionRecord find(String id) {
        Replicator present = replicator;
        return present == null ? null : present.find(id);
    }

    /**
     * Returns the session with this id, which may still be on its way: asks the others, and waits for a while. Takes it over if
     * another site has used it last.
     */
    @Nullable SessionRecord await(String id) {
        Replicator present = replicator;
        SessionCopies ofSites = copies;
        if (present == null) {
            return null;
        }
        SessionRecord found;
        try {
            found = present.await(id);
        } catch (UnreachableException e) {
            return foundBefore(present, id);
        }
        return ofSites != null && ofSites.takeOver(present.keyOf(id), found != null) ? present.find(id) : found;
    }

    /**
     * Returns the session that this thread's request has found when it began; null if it has found none. The copy may have been given up
     * since, or may have to be announced in a new view, but the session is not missing: a new one would replace it.
     */
    private static @Nullable SessionRecord foundBefore(Replicator present, String id) {
        RequestScope scope = RequestScope.current();
        SessionRecord found = scope == null ? null : scope.found();
        return found != null && present.keyOf(found.id()).equals(present.keyOf(id)) ? found : null;
    }

    /**
     * Returns whether it is known if there is a session with this id, and if there is, whether it is here now. Waits for a while.
     *
     * @param scope of the request, which notes the session
     */
    boolean isReachable(String id, RequestScope scope) {
        Replicator present = replicator;
        try {
            if (present != null && present.isHeldBySome()) {
                scope.onFound(present.await(id));
            }
            return true;
        } catch (UnreachableException e) {
            LOG.warn("{}: a request is answered with status 503: {}", place.application(), e.getMessage());
            return false;
        }
    }

    /** Notes that changes of a session were sent. */
    void onChanged(SessionRecord record) {
        Replicator present = replicator;
        SessionCopies ofSites = copies;
        if (present != null && ofSites != null) {
            ofSites.onChanged(present.keyOf(record.id()));
        }
    }

    /** @throws IllegalStateException if the application is stopped */
    SessionRecord create(String id, long createdMillis) {
        return running().create(id, createdMillis);
    }

    /** @throws IllegalStateException if the application is stopped */
    void rename(SessionRecord record, String id) {
        Replicator present = running();
        String formerKey = present.keyOf(record.id());
        present.rename(record, id);
        SessionCopies ofSites = copies;
        if (ofSites != null) {
            ofSites.onEnded(formerKey);
        }
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
            SessionCopies ofSites = copies;
            if (ofSites != null) {
                ofSites.onEnded(present.keyOf(record.id()));
            }
        }
    }

    // ---- use

    /** Sends changes and requests that are due; called from time to time. */
    void onTick() {
        Replicator present = replicator;
        if (present != null) {
            present.onTick();
        }
        SessionCopies ofSites = copies;
        if (ofSites != null) {
            ofSites.removeLeftOvers();
        }
    }

    void touch(SessionRecord record) {
        Replicator present = replicator;
        if (present != null) {
            present.touch(record);
            SessionCopies ofSites = copies;
            if (ofSites != null) {
                ofSites.onUsed(present.keyOf(record.id()));
            }
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
        if (present == null) {
            return Map.of();
        }
        Map<String, Object> status = new LinkedHashMap<>(present.status());
        SessionCopies ofSites = copies;
        if (ofSites != null) {
            status.putAll(ofSites.status());
        }
        return status;
    }
}
