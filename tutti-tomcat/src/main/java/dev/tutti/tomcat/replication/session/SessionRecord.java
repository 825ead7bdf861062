package dev.tutti.tomcat.replication.session;

import dev.tutti.tomcat.replication.holders.Changes;
import dev.tutti.tomcat.replication.session.SessionMessage.Delta;
import dev.tutti.tomcat.replication.session.SessionMessage.Image;
import dev.tutti.tomcat.replication.session.SessionMessage.Write;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * One session as every member has it: encoded values with versions.
 *
 * <p>Every field is a register in which the larger {@linkplain SessionVersion version} wins. Changes may therefore arrive in
 * any order, twice, or as part of a whole image, and all members still end with the same values. A record is found by a
 * {@code uid} that never changes: the session's id is one more field, and messages in flight still reach the session
 * after its id has changed.
 *
 * <p>Of two concurrent changes, the one with the smaller version loses. If it was made here, it is kept aside as
 * <em>overruled</em>: the member that overruled it may be gone before a client heard of its change, while the one made
 * here is about to be confirmed. It is then {@linkplain #reassert made again}. Changes that stand are made again, too,
 * when a member that may not have them is gone: made again in the view without that member, they win over all that it
 * has written on its own.
 *
 * <p>Thread-safe: merging changes of others never waits for a request. Changes made here are serialized.
 */
public final class SessionRecord {

    /** Stage in the life of a record. */
    public enum State {
        /** Created here, and not yet sent to any other member. */
        LOCAL,
        /** Some fields are known, others are still to come. */
        PARTIAL,
        COMPLETE,
        ENDED
    }

    private static final int REMOVED_SLOTS_MAX = 128;

    private final UUID uid;
    private final long createdMillis;
    private final ConcurrentHashMap<Field, Slot> slots = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Field, Overruled> overruled = new ConcurrentHashMap<>(0);
    private final AtomicLong counter = new AtomicLong();
    private final AtomicLong revision = new AtomicLong();
    private final AtomicReference<SessionVersion> touched = new AtomicReference<>(SessionVersion.NONE);
    private final AtomicLong usedNanos;
    private final Attachment handle = new Attachment();
    private volatile long toldNanos;
    private volatile long published;

    /** Greatest counter of a change made here that has been sent. */
    private volatile long publishedCounter;

    private volatile long unsettledFrom;
    private volatile @Nullable Slot publishedId;
    private volatile State state;
    private volatile Spread spread = Spread.NONE;

    public SessionRecord(UUID uid, long createdMillis, long nowNanos, State state) {
        this.uid = uid;
        this.createdMillis = createdMillis;
        this.usedNanos = new AtomicLong(nowNanos);
        this.toldNanos = nowNanos;
        this.state = state;
    }

    public UUID uid() {
        return uid;
    }

    /** Returns the time of creation by the clock of the creating member; the same at all members. */
    public long createdMillis() {
        return createdMillis;
    }

    public State state() {
        return state;
    }

    public void enter(State next) {
        state = next;
    }

    /** Returns where the session is besides this member, if only some members hold it. */
    public Spread spread() {
        return spread;
    }

    public void spread(Spread next) {
        spread = next;
    }

    /** Returns the id that the client has, route included; empty if it is not known yet. */
    public String id() {
        return text(Field.ID);
    }

    /** Returns the seconds without use after which the session expires; never if 0 or less. */
    public int maxInactiveSeconds() {
        Slot slot = slots.get(Field.MAX_INACTIVE);
        byte[] content = slot == null ? null : slot.content();
        return content == null || content.length != Integer.BYTES ? -1 : decodeInt(content);
    }

    /** Returns the number of the copy of another site that this was taken over from last; 0 if it never was. */
    public long takenFrom() {
        Slot slot = slots.get(Field.COPY);
        byte[] content = slot == null ? null : slot.content();
        return content == null || content.length != Long.BYTES ? 0 : ByteBuffer.wrap(content).getLong();
    }

    /** Returns the changes that give this session the values of an image, without its id. */
    public List<Change> changesTo(Image image, long copy) {
        List<Change> changes = valuesOf(image, copy);
        Set<Field> kept = new HashSet<>();
        changes.forEach(change -> kept.add(change.field()));
        changes.removeIf(change -> {
            Slot present = slots.get(change.field());
            return present != null && Arrays.equals(present.content(), change.content());
        });
        slots.forEach((field, slot) -> {
            if (field.kind() != Field.Kind.ID && !slot.isRemoved() && !kept.contains(field)) {
                changes.add(Change.removal(field));
            }
        });
        return changes;
    }

    /** Returns the values of an image, without its id, and the number of the copy that it is. */
    public static List<Change> valuesOf(Image image, long copy) {
        List<Change> values = new ArrayList<>();
        values.add(new Change(Field.COPY, ByteBuffer.allocate(Long.BYTES).putLong(copy).array(), false));
        image.slots().forEach((field, slot) -> {
            boolean isValue = field.kind() != Field.Kind.ID && field.kind() != Field.Kind.COPY && !slot.isRemoved();
            if (isValue) {
                values.add(new Change(field, slot.content(), slot.isListening()));
            }
        });
        return values;
    }

    public @Nullable Slot slot(Field field) {
        return slots.get(field);
    }

    /** Returns whether one of these members has written a value that the session has now. */
    public boolean isWrittenBy(Set<Long> origins) {
        return slots.values().stream().anyMatch(slot -> origins.contains(slot.version().origin()));
    }

    /** Returns the fields of {@code kind} that have a value. */
    public List<Field> fields(Field.Kind kind) {
        List<Field> fields = new ArrayList<>();
        slots.forEach((field, slot) -> {
            if (field.kind() == kind && !slot.isRemoved()) {
                fields.add(field);
            }
        });
        return fields;
    }

    /** Returns the version of the last use; its origin is the session's primary. */
    public SessionVersion touched() {
        return touched.get();
    }

    /** Returns the object that the container has attached; null if there is none, or it was dropped. */
    public @Nullable Object handle() {
        return handle.object();
    }

    /** Attaches {@code candidate}, unless something is attached already, and returns what is attached then. */
    public Object attach(Object candidate) {
        return handle.attach(candidate);
    }

    /** Holds the attached object, if it is this one. */
    public void hold(Object attached) {
        handle.hold(attached);
    }

    /** Lets the attached object be dropped when nobody else holds it, if it is this one. */
    public void loosen(Object attached) {
        handle.loosen(attached);
    }

    /** Frees what is left of an object that was dropped. */
    public void tidy() {
        handle.tidy();
    }

    public long idleNanos(long nowNanos) {
        return Math.max(0, nowNanos - usedNanos.get());
    }

    public long sinceToldNanos(long nowNanos) {
        return nowNanos - toldNanos;
    }

    /** Notes a use here that is not announced to the others. */
    public void use(long nowNanos) {
        raise(usedNanos, nowNanos);
    }

    /** Returns a number that grows after each change of values, so that a reader that takes it first misses none. */
    public long revision() {
        return revision.get();
    }

    /** Claims the session by a use here, and returns the version to tell the others. */
    public SessionVersion claim(long origin, long nowNanos) {
        SessionVersion version = new SessionVersion(counter.incrementAndGet(), origin);
        touch(version, nowNanos);
        return version;
    }

    /** Notes that the session was used, here or elsewhere. */
    public void touch(SessionVersion version, long nowNanos) {
        raise(counter, version.counter());
        touched.accumulateAndGet(version, (present, next) -> next.isUsedAfter(present) ? next : present);
        raise(usedNanos, nowNanos);
        toldNanos = nowNanos;
    }

    /**
     * Makes changes here, under a version that is larger than any this member knows of in {@code view}.
     *
     * @param marks marks of the requests that make them, which know of these changes from now on
     * @return null if nothing was changed, because one of the values is of a later view: it has arrived since the
     *     writer took its standing
     */
    public synchronized @Nullable Delta write(List<Change> changes, long view, Writer writer, Collection<Mark> marks) {
        for (Change change : changes) {
            Slot present = slots.get(change.field());
            if (present != null && present.version().view() > view) {
                return null;
            }
        }
        long before = revision.get();
        long count = claim(writer.origin(), writer.nowNanos()).counter();
        SessionVersion version = new SessionVersion(view, count, writer.origin());
        List<Write> writes = new ArrayList<>(changes.size());
        for (Change change : changes) {
            Field field = change.field();
            Slot known = field.equals(Field.ID) && publishedId != null ? publishedId : slots.get(field);
            SessionVersion basis = known == null ? SessionVersion.NONE : known.version();
            writes.add(new Write(change, basis));
            putOwn(field, slotOf(change, version, basis));
            if (field.equals(Field.ID)) {
                publishedId = null;
            }
        }
        if (!changes.isEmpty() && revision.compareAndSet(before, before + 1)) {
            marks.forEach(mark -> mark.follow(before, before + 1));
        }
        return new Delta(uid, version, writes);
    }

    /** Writing member, and the time of the write. */
    public record Writer(long origin, long nowNanos) {}

    /** Changes the id at this member only: the others are given the former one until the change is published. */
    public synchronized void rename(Change id, long view, Writer writer) {
        Slot present = slots.get(Field.ID);
        Slot before = publishedId == null ? present : publishedId;
        write(List.of(id), present == null ? view : Math.max(view, present.version().view()), writer, List.of());
        publishedId = before;
    }

    /** Takes back a change of the id that has not been published. */
    public synchronized void takeBackId() {
        Slot before = publishedId;
        if (before != null) {
            publishedId = null;
            slots.put(Field.ID, before);
        }
    }

    /** Merges changes made at another member; {@code origin} is this member's. */
    public void merge(Delta delta, long origin, long nowNanos) {
        touch(delta.version(), nowNanos);
        boolean isChanged = false;
        for (Write write : delta.writes()) {
            isChanged |= putOther(write, delta.version(), origin);
        }
        if (isChanged) {
            revision.incrementAndGet();
        }
    }

    /** Returns the number of the last message with changes made here; 0 if there was none. */
    public long published() {
        return published;
    }

    /**
     * Notes that changes made here have been sent.
     *
     * @param first counter of their version
     * @param settled number up to which all others are known to have handled what was sent
     */
    public void onPublished(long number, long first, long settled) {
        if (published <= settled) {
            unsettledFrom = first;
        }
        published = number;
        publishedCounter = Math.max(publishedCounter, first);
    }

    /** Notes that the last changes made here, if there are any, have been sent to further members. */
    public void onPublishedAgain(long number) {
        published = published == 0 ? 0 : Math.max(published, number);
    }

    public boolean isOverruled() {
        return !overruled.isEmpty();
    }

    /** Returns the origins of the writers whose changes overrule some made here. */
    public Set<Long> overrulers() {
        Set<Long> overrulers = new HashSet<>();
        for (Field field : overruled.keySet()) {
            Slot present = slots.get(field);
            if (present != null) {
                overrulers.add(present.version().origin());
            }
        }
        return overrulers;
    }

    /** Forgets changes that {@code overruler} has overruled and has handled by now: its own changes stand. */
    public void accept(long overruler, LongPredicate isHandled) {
        overruled.entrySet().removeIf(entry -> {
            Overruled change = entry.getValue();
            long number = Math.min(change.number(), numberOf(change.slot()));
            return isBy(overruler, entry.getKey()) && isHandled.test(change.isByItsBasis() ? Long.MAX_VALUE : number);
        });
    }

    /**
     * Makes changes again, as changes of {@code view}. Each keeps the counter of its version, unless it has to win over
     * a change of the same view. So it wins over all that was written in earlier views, and still loses to a change
     * that was made with knowledge of it.
     *
     * @param overrulers origins of the writers whose changes the ones made here are to win over
     * @param isOwnToo whether the changes made here that other members may lack are made again as well: those that
     *     stand, and those with a greater counter than the change that has overruled them, which was made again in this
     *     view
     * @return a delta for each version that the changes have now, in the order in which they were made
     */
    public synchronized List<Delta> reassert(Set<Long> overrulers, boolean isOwnToo, long view, Writer writer) {
        TreeMap<Long, List<Again>> again = new TreeMap<>();
        overruled.forEach((field, change) -> {
            Slot slot = change.slot();
            Slot present = slots.get(field);
            if (present == null || isIdUnpublished(field)) {
                return;
            }
            SessionVersion version = present.version();
            long count = slot.version().counter();
            if (overrulers.contains(version.origin())) {
                addAgain(again, version.view() < view ? count : counter.get() + 1, field, slot, version);
            } else if (isOwnToo && count >= unsettledFrom && count > version.counter()) {
                addAgain(again, count, field, slot, version);
            }
        });
        if (!again.isEmpty()) {
            revision.incrementAndGet();
        }
        slots.forEach((field, slot) -> {
            SessionVersion version = slot.version();
            boolean isOwn = version.origin() == writer.origin() && version.counter() >= unsettledFrom;
            if (isOwnToo && isOwn && !isIdUnpublished(field)) {
                addAgain(again, version.counter(), field, slot, version);
            }
        });
        List<Delta> deltas = new ArrayList<>();
        again.forEach((count, changes) -> {
            SessionVersion version = new SessionVersion(view, count, writer.origin());
            changes.forEach(each -> putOwn(each.field(), each.slotAt(version)));
            touch(version, writer.nowNanos());
            deltas.add(new Delta(uid, version, changes.stream().map(Again::write).toList()));
        });
        return deltas;
    }

    /**
     * A change made here that another one has overruled.
     *
     * @param number of a message that was sent no earlier than that of the change; {@link Long#MAX_VALUE} if it has not
     *     been sent
     * @param isByItsBasis whether the overruling change is the basis of this one, made again in a later view: nobody
     *     has decided against this change then, and it stands as soon as it is made again in that view, too
     */
    private record Overruled(Slot slot, long number, boolean isByItsBasis) {}

    private Overruled overruled(Slot slot, SessionVersion overruler) {
        return new Overruled(slot, numberOf(slot), overruler.isSameChange(slot.basis()));
    }

    private long numberOf(Slot slot) {
        return slot.version().counter() <= publishedCounter ? published : Long.MAX_VALUE;
    }

    /**
     * A change that is made again.
     *
     * @param former version of the value that it replaces
     */
    private record Again(Field field, Slot slot, SessionVersion former) {

        Write write() {
            return new Write(new Change(field, slot.content(), slot.isListening()), former);
        }

        Slot slotAt(SessionVersion version) {
            return new Slot(version, slot.content(), slot.isListening(), slot.basis());
        }
    }

    private boolean isIdUnpublished(Field field) {
        return field.equals(Field.ID) && publishedId != null;
    }

    private static void addAgain(TreeMap<Long, List<Again>> again, long count, Field field, Slot slot, SessionVersion former) {
        again.computeIfAbsent(count, absent -> new ArrayList<>()).add(new Again(field, slot, former));
    }

    private boolean isBy(long writer, Field field) {
        Slot present = slots.get(field);
        return present != null && present.version().origin() == writer;
    }

    private static Slot slotOf(Change change, SessionVersion version, SessionVersion basis) {
        return new Slot(version, change.content(), change.isListening(), basis);
    }

    /** Merges an image; {@code origin} is this member's. */
    public void merge(Image image, long origin, long nowNanos) {
        touch(image.touched(), nowNanos - image.idleMillis() * 1_000_000);
        boolean isChanged = false;
        for (Map.Entry<Field, Slot> entry : image.slots().entrySet()) {
            Slot slot = entry.getValue();
            raise(counter, slot.version().counter());
            Change change = new Change(entry.getKey(), slot.content(), slot.isListening());
            isChanged |= putOther(new Write(change, slot.basis()), slot.version(), origin);
        }
        if (isChanged) {
            revision.incrementAndGet();
        }
    }

    /** Returns attributes of another session that this one lacks, or has in an older version. */
    public List<Change> missing(SessionRecord other) {
        List<Change> missing = new ArrayList<>();
        other.slots.forEach((field, slot) -> {
            Slot present = slots.get(field);
            boolean isNewer = present == null || slot.version().isAfter(present.version());
            if (field.kind() == Field.Kind.ATTRIBUTE && !slot.isRemoved() && isNewer) {
                missing.add(new Change(field, slot.content(), slot.isListening()));
            }
        });
        return missing;
    }

    public Image image(long nowNanos) {
        Map<Field, Slot> told = new LinkedHashMap<>(slots);
        Slot id = publishedId;
        if (id != null && state != State.LOCAL) {
            told.put(Field.ID, id);
        }
        return new Image(uid, createdMillis, idleNanos(nowNanos) / 1_000_000, touched.get(), told);
    }

    /** Stores a value, unless there is a newer one. */
    private void put(Field field, Slot slot) {
        slots.merge(field, slot, (present, next) ->
                next.version().isAfter(present.version()) || present.isWithoutBasisOf(next) ? next : present);
        if (slot.isRemoved()) {
            forgetRemovedSlots();
        }
    }

    /** Stores a value made here; it wins over all known ones, but a greater one that just arrived overrules it. */
    private void putOwn(Field field, Slot slot) {
        put(field, slot);
        overruled.compute(field, (same, older) -> {
            Slot present = slots.get(field);
            return present == null || isBy(slot.version().origin(), field) ? null : overruled(slot, present.version());
        });
    }

    /**
     * Stores a value made elsewhere, unless it is older; returns whether it did. The value overrules one made here that
     * its writer did not know of.
     */
    private boolean putOther(Write write, SessionVersion version, long self) {
        Field field = write.change().field();
        Slot slot = slotOf(write.change(), version, write.basis());
        overruled.compute(field, (same, older) -> {
            Slot present = slots.get(field);
            put(field, slot);
            if (present == null || !version.isAfter(present.version())) {
                return older;
            }
            boolean isUnaware = present.version().isAfter(write.basis()) && !present.version().isSameChange(write.basis());
            if (isUnaware && present.version().origin() == self) {
                return overruled(present, version);
            }
            return present.version().origin() == version.origin() ? older : null;
        });
        return slots.get(field) == slot;
    }

    /** Drops the older half of too many removed slots, so that ever new names can't grow the session forever. */
    private void forgetRemovedSlots() {
        if (slots.size() <= REMOVED_SLOTS_MAX) {
            return;
        }
        List<Map.Entry<Field, Slot>> removed = new ArrayList<>();
        for (Map.Entry<Field, Slot> entry : slots.entrySet()) {
            if (entry.getValue().isRemoved()) {
                removed.add(Map.entry(entry.getKey(), entry.getValue()));
            }
        }
        if (removed.size() <= REMOVED_SLOTS_MAX) {
            return;
        }
        removed.sort(Map.Entry.comparingByValue((a, b) -> a.version().compareTo(b.version())));
        for (Map.Entry<Field, Slot> oldest : removed.subList(0, removed.size() / 2)) {
            slots.remove(oldest.getKey(), oldest.getValue());
        }
    }

    private String text(Field field) {
        Slot slot = slots.get(field);
        byte[] content = slot == null ? null : slot.content();
        return content == null ? "" : new String(content, StandardCharsets.UTF_8);
    }

    public static byte[] encodeInt(int value) {
        return new byte[] {(byte) (value >>> 24), (byte) (value >>> 16), (byte) (value >>> 8), (byte) value};
    }

    static int decodeInt(byte[] content) {
        return content[0] << 24 | (content[1] & 0xff) << 16 | (content[2] & 0xff) << 8 | content[3] & 0xff;
    }

    private static void raise(AtomicLong value, long candidate) {
        value.accumulateAndGet(candidate, (present, next) -> next - present > 0 ? next : present);
    }

    @Override
    public String toString() {
        return state + " " + uid;
    }
}
