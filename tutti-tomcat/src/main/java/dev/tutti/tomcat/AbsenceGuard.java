package dev.tutti.tomcat;

import dev.tutti.internal.Logs;
import dev.tutti.tomcat.replication.Contact.Standing;
import dev.tutti.tomcat.replication.OutdatedException;
import dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.Replicator;
import dev.tutti.tomcat.replication.StalledException;
import dev.tutti.tomcat.replication.StoppedException;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.Mark;
import dev.tutti.tomcat.replication.session.SessionRecord;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Keeps requests that were open while this node was away from overwriting values that other nodes confirmed meanwhile.
 * While nothing is replicated, every check passes and {@link #publish} throws {@link StoppedException}.
 */
final class AbsenceGuard {

    /** Result of checking a change, or a value that was read, against an absence of this node. */
    enum Verdict {
        VALID,
        /** This node was away and does not know yet what the others have written. */
        OPEN,
        /** This node was away and the others have written to the session. */
        OUTDATED
    }

    private static final Logger LOG = Logs.of(AbsenceGuard.class);

    private final Supplier<@Nullable Replicator> replicator;
    private final ReplicationCounters counters;

    /**
     * @param replicator returns null while nothing is replicated
     */
    AbsenceGuard(Supplier<@Nullable Replicator> replicator, ReplicationCounters counters) {
        this.replicator = replicator;
        this.counters = counters;
    }

    /** Waits as {@link Replicator#awaitContact} does; returns true if nothing is replicated. */
    boolean awaitContact() {
        Replicator present = replicator.get();
        return present == null || present.awaitContact();
    }

    /** Returns the state of knowledge of a request that is about to use the session; null if it is not replicated. */
    @Nullable Mark mark(@Nullable SessionRecord record) {
        Replicator present = replicator.get();
        return present == null || record == null ? null : present.contact().mark(record);
    }

    /** Decides whether a change that was made with the knowledge of {@code mark} may stand. */
    Verdict verdict(SessionRecord record, @Nullable Mark mark) {
        Replicator present = replicator.get();
        if (present == null || mark == null || !present.contact().wasAwaySince(mark)) {
            return Verdict.VALID;
        }
        if (present.contact().isInDoubt()) {
            return Verdict.OPEN;
        }
        return present.contact().isOutdated(record, mark) ? Verdict.OUTDATED : Verdict.VALID;
    }

    boolean isOutdated(@Nullable SessionRecord record, @Nullable Mark mark) {
        return record != null && verdict(record, mark) == Verdict.OUTDATED;
    }

    @Nullable Standing standing() {
        Replicator present = replicator.get();
        return present == null ? null : present.contact().standing();
    }

    /** Publishes as {@link Replicator#publish} does; throws {@link StoppedException} if nothing is replicated. */
    long publish(SessionRecord record, List<Change> changes, @Nullable Standing standing, Set<Mark> marks)
            throws StalledException, OutdatedException {
        Replicator present = replicator.get();
        if (present == null || standing == null) {
            throw new StoppedException();
        }
        return present.publish(record, changes, standing, marks);
    }

    /** Confirms as {@link Replicator#confirm} does; returns true if nothing is replicated. */
    boolean confirm(@Nullable SessionRecord record, Mark mark, long number) {
        Replicator present = replicator.get();
        return present == null || record == null || present.confirm(record, mark, number);
    }

    void takeBackId(SessionRecord record) {
        Replicator present = replicator.get();
        if (present != null) {
            present.takeBackId(record);
        }
    }

    void onWithdrawn(String session, int count) {
        counters.add(Counter.CHANGES_WITHDRAWN, count);
        LOG.warn(
                "{} changes of session {} are withdrawn: this node was away, and other nodes have changed the session meanwhile",
                count,
                session);
    }

    void onRefused() {
        counters.increment(Counter.REQUESTS_REFUSED);
    }
}
