package dev.tutti.tomcat;

import dev.tutti.tomcat.replication.Contact.Standing;
import dev.tutti.tomcat.replication.OutdatedException;
import dev.tutti.tomcat.replication.StalledException;
import dev.tutti.tomcat.replication.StoppedException;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.Slot;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends the changes of one session to the other nodes, a batch at a time, and knows the number of the last message. A
 * batch that was not sent is collected again: soon, with the next request, or in the background. Thread-safe.
 */
final class SessionSender {

    private final TuttiManager manager;
    private final SessionFields fields;
    private final SessionAttributes attributes;
    private final BooleanSupplier isInUse;
    private final DelayedFlush delayed;
    private final Object flushing = new Object();
    private volatile long lastNumber;
    private volatile boolean isLost;

    /**
     * @param isInUse returns whether a request uses the session
     * @param later flushes explicit changes, on a thread that may wait
     */
    SessionSender(
            TuttiManager manager,
            SessionFields fields,
            SessionAttributes attributes,
            BooleanSupplier isInUse,
            Runnable later) {
        this.manager = manager;
        this.fields = fields;
        this.attributes = attributes;
        this.isInUse = isInUse;
        this.delayed = new DelayedFlush(manager, later);
    }

    /** Returns the number of the last message; 0 if there is none to wait for. */
    long lastNumber() {
        return lastNumber;
    }

    /** Notes the number of a message about the session. */
    void onSent(long number) {
        if (number > lastNumber) {
            lastNumber = number;
        }
    }

    /** Returns whether a change was made after the manager had stopped, and is therefore lost. */
    boolean isLost() {
        return isLost;
    }

    /** Sends explicit changes after a bounded delay. */
    void schedule() {
        delayed.schedule();
    }

    /** Sends the changes since the last time, without waiting for acknowledgements. */
    void flush(SessionRecord record, Moment moment) {
        synchronized (flushing) {
            for (int decision = 0; decision < Batch.DECISIONS_MAX; decision++) {
                Standing standing = guard().standing();
                Batch batch = new Batch();
                fields.collect(record, batch);
                attributes.collect(record, batch, moment, isInUse.getAsBoolean());
                boolean isFirst = record.state() == SessionRecord.State.LOCAL;
                boolean isSent = (batch.changes.isEmpty() && !isFirst) || send(record, batch, standing);
                if (batch.withdrawn > 0) {
                    guard().onWithdrawn(record.id(), batch.withdrawn);
                }
                if (isSent) {
                    delayed.onFlushed(batch.isOpen || attributes.isUnsent(batch.attributes.keySet()));
                    return;
                }
            }
            delayed.schedule();
        }
    }

    private AbsenceGuard guard() {
        return manager.replication().guard();
    }

    /** Sends a batch; returns false if a later view or an absence requires a new decision about its changes. */
    private boolean send(SessionRecord record, Batch batch, @Nullable Standing standing) {
        try {
            onSent(guard().publish(record, batch.changes, standing, batch.marks));
            manager.replication().onChanged(record);
        } catch (StalledException e) {
            isLost |= e instanceof StoppedException;
            manager.onStalled(record.id(), e);
            restore(batch);
            return true;
        } catch (OutdatedException e) {
            restore(batch);
            return false;
        }
        for (Change change : batch.changes) {
            settle(record, change);
        }
        return true;
    }

    private void restore(Batch batch) {
        fields.restore(batch.fields);
        attributes.restore(batch.attributes);
    }

    private void settle(SessionRecord record, Change change) {
        Slot slot = record.slot(change.field());
        if (slot == null || slot.content() != change.content()) {
            return;
        }
        if (change.field().kind() == Field.Kind.ATTRIBUTE) {
            attributes.onSent(change.field().name(), slot);
        } else {
            fields.onSent(change.field(), slot);
        }
    }
}
