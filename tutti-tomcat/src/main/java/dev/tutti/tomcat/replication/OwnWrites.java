package dev.tutti.tomcat.replication;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.CHANGES_REASSERTED;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.DELTAS_SENT;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.IMAGES_SENT;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.REMOVALS_SENT;
import static java.util.Objects.requireNonNull;

import dev.tutti.tomcat.replication.acks.Acknowledgements;
import dev.tutti.tomcat.replication.base.LocalMember;
import dev.tutti.tomcat.replication.base.ReplicaContext;
import dev.tutti.tomcat.replication.holders.Holders;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.EndReason;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.Mark;
import dev.tutti.tomcat.replication.session.SessionMessage.Delta;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
import dev.tutti.tomcat.replication.session.SessionVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Writes of this member: each gets its version, is made in the record here, and is then sent to the group. Thread-safe.
 * {@link Replicator#publish} decides whether a change may be made.
 */
final class OwnWrites {

    private final ReplicaContext context;
    private final SessionStore store;
    private final Holders holders;
    private final Contact contact;
    private final Acknowledgements acknowledgements;
    private final LocalMember self;

    OwnWrites(
            ReplicaContext context,
            SessionStore store,
            Holders holders,
            Contact contact,
            Acknowledgements acknowledgements,
            LocalMember self) {
        this.context = context;
        this.store = store;
        this.holders = holders;
        this.contact = contact;
        this.acknowledgements = acknowledgements;
        this.self = self;
    }

    private SessionRecord.Writer writer() {
        return new SessionRecord.Writer(self.origin(), context.nowNanos());
    }

    private static Change idChange(String id) {
        return new Change(Field.ID, id.getBytes(StandardCharsets.UTF_8), false);
    }

    /** Creates a session that only this member knows until something is written to it. */
    SessionRecord create(String id, long createdMillis) {
        SessionRecord.Writer writer = writer();
        SessionRecord record =
                new SessionRecord(UUID.randomUUID(), createdMillis, writer.nowNanos(), SessionRecord.State.LOCAL);
        record.write(List.of(idChange(id)), contact.viewNumber(), writer, List.of());
        store.add(record);
        return record;
    }

    /**
     * Creates a session with all its values, and sends it.
     *
     * @return number of the message
     */
    long createWhole(String id, long createdMillis, List<Change> values) {
        SessionRecord.Writer writer = writer();
        SessionRecord record =
                new SessionRecord(UUID.randomUUID(), createdMillis, writer.nowNanos(), SessionRecord.State.LOCAL);
        List<Change> all = new ArrayList<>(values);
        all.add(idChange(id));
        Delta delta = requireNonNull(record.write(all, contact.viewNumber(), writer, List.of()), "a new session has no later view");
        record.enter(SessionRecord.State.COMPLETE);
        store.add(record);
        return send(record, record.image(writer.nowNanos()), delta.version());
    }

    /** Makes a record findable under another id at this member; the others learn it with a later change. */
    void rename(SessionRecord record, String id) {
        String oldKey = store.keyOf(record.id());
        record.rename(idChange(id), contact.viewNumber(), writer());
        store.reindex(record, oldKey);
    }

    /** Takes back a change of the id that was not sent. */
    void takeBackId(SessionRecord record) {
        String oldKey = store.keyOf(record.id());
        record.takeBackId();
        store.reindex(record, oldKey);
    }

    /**
     * Makes changes and sends them; the whole session if the group does not know it yet. For requests: may wait.
     *
     * @param view number of the view in which it was decided that they may be made
     * @param marks marks of the requests that make them
     * @return number of the message; 0 if there is nothing to wait for
     * @throws OutdatedException if nothing was changed, because the session has values of a later view
     */
    long write(SessionRecord record, List<Change> changes, long view, Collection<Mark> marks) throws OutdatedException {
        boolean isFirst = record.state() == SessionRecord.State.LOCAL;
        SessionRecord.Writer writer = writer();
        Delta delta = record.write(changes, view, writer, marks);
        if (delta == null) {
            throw new OutdatedException();
        }
        if (isFirst) {
            record.enter(SessionRecord.State.COMPLETE);
        } else if (record.state() == SessionRecord.State.ENDED) {
            return 0;
        }
        long number = send(record, isFirst ? record.image(writer.nowNanos()) : delta, delta.version());
        if (isFirst || delta.hasId()) {
            holders.awaitFindable();
        }
        return number;
    }

    private long send(SessionRecord record, SessionMessage message, SessionVersion version) {
        boolean isImage = message instanceof SessionMessage.Image;
        long number = holders.send(record, message, isImage ? IMAGES_SENT : DELTAS_SENT);
        record.onPublished(number, version.counter(), acknowledgements.settled());
        return number;
    }

    /**
     * Makes changes again, as {@link SessionRecord#reassert} does.
     *
     * @return number of the last message; 0 if there is nothing to wait for
     */
    long makeAgain(SessionRecord record, Set<Long> overrulers, boolean isOwnToo) {
        String oldKey = store.keyOf(record.id());
        List<Delta> again = record.reassert(overrulers, isOwnToo, contact.viewNumber(), writer());
        store.reindex(record, oldKey);
        long number = 0;
        for (Delta delta : again) {
            context.counters().add(CHANGES_REASSERTED, delta.writes().size());
            number = send(record, delta, delta.version());
        }
        acknowledgements.onReasserted(record.uid(), number);
        return number;
    }

    /**
     * Ends a session here and everywhere.
     *
     * @return number of the message; 0 if there is nothing to wait for
     */
    long end(SessionRecord record, EndReason reason) {
        boolean isKnown = record.state() == SessionRecord.State.COMPLETE;
        long nowNanos = context.nowNanos();
        SessionVersion version = record.claim(self.origin(), nowNanos);
        String key = store.keyOf(record.id());
        store.remove(record.uid(), new SessionStore.Tombstone(key, version, reason, nowNanos));
        return isKnown ? holders.tell(record, new SessionMessage.Remove(record.uid(), key, version, reason), REMOVALS_SENT, true) : 0;
    }
}
