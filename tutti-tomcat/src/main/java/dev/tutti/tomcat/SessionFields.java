package dev.tutti.tomcat;

import dev.tutti.tomcat.AbsenceGuard.Verdict;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.Mark;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionVersion;
import dev.tutti.tomcat.replication.session.Slot;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Fields of one session other than its attributes: those that were changed here and are to be sent, and the versions of
 * those that the session has taken over from other nodes. A field that was changed here is not taken over before it is
 * sent. Thread-safe.
 */
final class SessionFields {

    /** The session that has the values. */
    interface Values {

        /** Returns the present value; null if there is none. */
        @Nullable Object get(Field field);

        /** Takes over a value of another node; null removes it. Fields that are read from the record are ignored. */
        void takeOver(Field field, @Nullable Object value);

        /** Takes back a change of the id that was not sent. */
        void takeBackId(SessionRecord record);
    }

    private final Values values;
    private final AbsenceGuard guard;
    private final Supplier<AttributeCodec> codec;
    private final ConcurrentHashMap<Field, SessionVersion> adopted = new ConcurrentHashMap<>();
    private final Set<Field> changed = ConcurrentHashMap.newKeySet();
    private final ConcurrentHashMap<Field, Mark> marks = new ConcurrentHashMap<>();

    /** @param codec returns the codec of the running application */
    SessionFields(Values values, AbsenceGuard guard, Supplier<AttributeCodec> codec) {
        this.values = values;
        this.guard = guard;
        this.codec = codec;
    }

    // ---- changes at other nodes

    /** Takes over fields that other nodes have changed, unless they have been changed here too. */
    void adopt(SessionRecord record, Collection<Field> fields) {
        fields.forEach(field -> adopt(record, field));
        for (Field field : record.fields(Field.Kind.LISTENER)) {
            adopt(record, field);
        }
        for (Field field : adopted.keySet()) {
            adopt(record, field);
        }
    }

    private void adopt(SessionRecord record, Field field) {
        Slot slot = record.slot(field);
        if (slot == null || changed.contains(field) || slot.version().equals(adopted.get(field))) {
            return;
        }
        adopted.put(field, slot.version());
        byte[] content = slot.content();
        values.takeOver(field, content == null ? null : codec.get().decodeField(field, content));
    }

    // ---- changes here

    /** Notes a change of a field. */
    void onChanged(Field field, @Nullable Mark mark) {
        if (mark != null) {
            marks.put(field, mark);
        }
        changed.add(field);
    }

    /** Returns whether there is nothing to send. */
    boolean isAtRest() {
        return changed.isEmpty();
    }

    /** Returns whether a change of the field is still to be sent. */
    boolean isChanged(Field field) {
        return changed.contains(field);
    }

    /**
     * Collects the changed fields. A field that can't be encoded is removed at the other nodes, unlike an attribute: a
     * former principal of the session must not be found after a crash.
     */
    void collect(SessionRecord record, Batch batch) {
        for (Field field : Set.copyOf(changed)) {
            Mark mark = marks.get(field);
            Verdict verdict = guard.verdict(record, mark);
            if (verdict == Verdict.OPEN) {
                batch.isOpen = true;
                continue;
            }
            changed.remove(field);
            if (verdict == Verdict.OUTDATED) {
                withdraw(record, field);
                batch.withdrawn++;
                continue;
            }
            Object value = values.get(field);
            byte[] content = value == null ? null : codec.get().encodeField(field, value);
            batch.changes.add(new Change(field, content, false));
            batch.fields.add(field);
            batch.addMark(mark);
        }
    }

    private void withdraw(SessionRecord record, Field field) {
        adopted.remove(field);
        if (field.equals(Field.ID)) {
            values.takeBackId(record);
        } else if (record.slot(field) == null) {
            values.takeOver(field, null);
        } else {
            adopt(record, field);
        }
    }

    /** Notes that changes were not sent: they are collected again. */
    void restore(Set<Field> fields) {
        changed.addAll(fields);
    }

    /** Notes that a slot has the field's present value, as it was sent from here. */
    void onSent(Field field, Slot slot) {
        if (field.kind() != Field.Kind.ID && field.kind() != Field.Kind.MAX_INACTIVE) {
            adopted.put(field, slot.version());
        }
    }
}
