package dev.tutti.tomcat;

import dev.tutti.internal.Logs;
import dev.tutti.tomcat.replication.Change;
import dev.tutti.tomcat.replication.Contact.Standing;
import dev.tutti.tomcat.replication.Mark;
import dev.tutti.tomcat.replication.OutdatedException;
import dev.tutti.tomcat.replication.ReplicationCounters;
import dev.tutti.tomcat.replication.ReplicationCounters.Counter;
import dev.tutti.tomcat.replication.Replicator;
import dev.tutti.tomcat.replication.SessionRecord;
import dev.tutti.tomcat.replication.StalledException;
import dev.tutti.tomcat.replication.StoppedException;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Keeps requests that were open while this node was away from overwriting what others have confirmed meanwhile. Lets everything
 * pass while nothing is replicated, but for changes.
 */
final class AbsenceGuard {

    /** What is known of a change, or of what was read. */
    enum Verdict {
        VALID,
        /** This node was away, and does not know yet what the others have written. */
        OPEN,
        /** This node was away, and the others have written to the session. */
        OUTDATED
    }

    private static final Logger LOG = Logs.of(AbsenceGuard.class);

    private final Supplier<@Nullable Replicator> replicator;
    private final ReplicationCounters counters;

    /**
     * @param replicator gives null while nothing is replicated
     */
    AbsenceGuard(Supplier<@Nullable Replicator> replicator, ReplicationCounters counters) {
        this.replicator = replicator;
        this.counters = counters;
    }

    /** As {@link Replicator#awaitContact}. */
    boolean awaitContact() {
        Replicator present = replicator.get();
        return present == null || present.awaitContact();
    }

    /** The state of knowledge of whoever is about to use the session; null if there is none that is replicated. */
    @Nullable Mark mark(@Nullable SessionRecord record) {
        Replicator present = replicator.get();
        return present == null || record == null ? null : present.contact().mark(record);
    }

    /** Decides about a change that was made with the knowledge of {@code mark}. */
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

    /** As {@link Replicator#publish}. */
    long publish(SessionRecord record, List<Change> changes, @Nullable Standing standing, Set<Mark> marks)
            throws StalledException, OutdatedException {
        Replicator present = replicator.get();
        if (present == null || standing == null) {
            throw new StoppedException();
        }
        return present.publish(record, changes, standing, marks);
    }

    /** As {@link Replicator#confirm}. */
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

    void onWithdrawn(TuttiSession session, int count) {
        counters.add(Counter.CHANGES_WITHDRAWN, count);
        LOG.warn(
                "{} changes of session {} are withdrawn: this node was away, and other nodes have changed the session meanwhile",
                count,
                session.getIdInternal());
    }

    void onRefused() {
        counters.increment(Counter.REQUESTS_REFUSED);
    }
}
