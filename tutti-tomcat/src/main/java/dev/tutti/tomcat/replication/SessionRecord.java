package dev.tutti.tomcat.replication;

import dev.tutti.tomcat.replication.SessionMessage.Delta;
import dev.tutti.tomcat.replication.SessionMessage.Image;
import dev.tutti.tomcat.replication.SessionMessage.Write;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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
 * <p>Every field is a register in which the larger {@linkplain Version version} wins. Changes may therefore come in any
 * order, twice, or as part of a whole image, and all members still end with the same values. A record is found by a
 * {@code uid} that never changes: a change of the session's id is one more field, and what is on its way to the session
 * still reaches it.
 *
 * <p>Of two changes that do not know of each other the smaller one goes. If it was made here it is kept aside as
 * <em>overruled</em>: whoever overruled it may be gone before a client heard of its change, while this one is about to be
 * confirmed; then it is {@linkplain #reassert made again}. So are changes that stand, when somebody is gone who may not have
 * them: made again in the view without it, they stand against all that it has written by itself.
 *
 * <p>Thread-safe: what arrives from others never waits for a request. Changes made here take turns.
 */
public final class SessionRecord {

    /** Where the record is in its life. */
    public enum State {
        /** Made here, and not yet told to anybody. */
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
    private final AtomicReference<Version> touched = new AtomicReference<>(Version.NONE);
    private final AtomicLong usedNanos;
    private final AtomicReference<@Nullable Object> handle = new AtomicReference<>();
    private volatile long toldNanos;
    private volatile long published;

    /** The greatest counter of a change made here that has been sent. */
    private volatile long publishedCounter;

    private volatile long unsettledFrom;
    private volatile @Nullable Slot publishedId;
    private volatile State state;

    SessionRecord(UUID uid, long createdMillis, long nowNanos, State state) {
        this.uid = uid;
        this.createdMillis = createdMillis;
        this.usedNanos = new AtomicLong(nowNanos);
        this.toldNanos = nowNanos;
        this.state = state;
    }

    public UUID uid() {
        return uid;
    }

    /** Wall clock of the member where the session was created, the same at all. */
    public long createdMillis() {
        return createdMillis;
    }

    public State state() {
        return state;
    }

    void enter(State next) {
        state = next;
    }

    /** The id that the client has, route included; empty while the record is partial. */
    public String id() {
        return text(Field.ID);
    }

    /** After how many seconds without use the session expires; never if 0 or less. */
    public int maxInactiveSeconds() {
        Slot slot = slots.get(Field.MAX_INACTIVE);
        byte[] content = slot == null ? null : slot.content();
        return content == null || content.length != Integer.BYTES ? -1 : decodeInt(content);
    }

    public @Nullable Slot slot(Field field) {
        return slots.get(field);
    }

    /** The fields of a kind that are there. */
    public List<Field> fields(Field.Kind kind) {
        List<Field> fields = new ArrayList<>();
        slots.forEach((field, slot) -> {
            if (field.kind() == kind && !slot.isRemoved()) {
                fields.add(field);
            }
        });
        return fields;
    }

    /** The version of the last use; its origin is the session's primary. */
    Version touched() {
        return touched.get();
    }

    /** What the container keeps beside the record; set once. */
    public @Nullable Object handle() {
        return handle.get();
    }

    /** Attaches {@code candidate}, unless something is attached already, and returns what is attached then. */
    public Object attach(Object candidate) {
        Object present = handle.compareAndExchange(null, candidate);
        return present == null ? candidate : present;
    }

    long idleNanos(long nowNanos) {
        return Math.max(0, nowNanos - usedNanos.get());
    }

    long sinceToldNanos(long nowNanos) {
        return nowNanos - toldNanos;
    }

    /** Notes a use here that is not told to others. */
    void use(long nowNanos) {
        raise(usedNanos, nowNanos);
    }

    /** Grows with each change of a value, here or elsewhere; after the value, so that who reads it first misses nothing. */
    long revision() {
        return revision.get();
    }

    /** Claims the session by a use here, and returns the version to tell the others. */
    Version claim(long origin, long nowNanos) {
        Version version = new Version(counter.incrementAndGet(), origin);
        touch(version, nowNanos);
        return version;
    }

    /** Notes that the session was used, here or elsewhere. */
    void touch(Version version, long nowNanos) {
        raise(counter, version.counter());
        touched.accumulateAndGet(version, (present, next) -> next.isUsedAfter(present) ? next : present);
        raise(usedNanos, nowNanos);
        toldNanos = nowNanos;
    }

    /**
     * Makes changes here, under a version that is larger than any this member knows of in {@code view}.
     *
     * @param marks of the requests that make them, which know of these changes from now on
     * @return null if nothing was changed, because one of the values is of a later view: it has come in since the writer
     *     looked where it stands
     */
    synchronized @Nullable Delta write(List<Change> changes, long view, Writer writer, Collection<Mark> marks) {
        for (Change change : changes) {
            Slot present = slots.get(change.field());
            if (present != null && present.version().view() > view) {
                return null;
            }
        }
        long before = revision.get();
        long count = claim(writer.origin(), writer.nowNanos()).counter();
        Version version = new Version(view, count, writer.origin());
        List<Write> writes = new ArrayList<>(changes.size());
        for (Change change : changes) {
            Field field = change.field();
            Slot known = field.equals(Field.ID) && publishedId != null ? publishedId : slots.get(field);
            Version basis = known == null ? Version.NONE : known.version();
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

    /** The member that writes, and when. */
    record Writer(long origin, long nowNanos) {}

    /** Changes the id here, and not yet elsewhere: the others are given the one before until the change is published. */
    synchronized void rename(Change id, long view, Writer writer) {
        Slot present = slots.get(Field.ID);
        Slot before = publishedId == null ? present : publishedId;
        write(List.of(id), present == null ? view : Math.max(view, present.version().view()), writer, List.of());
        publishedId = before;
    }

    /** Takes back a change of the id that has not been published. */
    synchronized void takeBackId() {
        Slot before = publishedId;
        if (before != null) {
            publishedId = null;
            slots.put(Field.ID, before);
        }
    }

    /** Takes up changes made elsewhere; {@code origin} is this member's. */
    void merge(Delta delta, long origin, long nowNanos) {
        touch(delta.version(), nowNanos);
        boolean isChanged = false;
        for (Write write : delta.writes()) {
            isChanged |= putOther(write, delta.version(), origin);
        }
        if (isChanged) {
            revision.incrementAndGet();
        }
    }

    /** The number of the last message that told others of changes made here; 0 if there was none. */
    long published() {
        return published;
    }

    /**
     * Changes made here have been sent.
     *
     * @param first the counter of their version
     * @param settled number up to which all others are known to have handled what was sent
     */
    void onPublished(long number, long first, long settled) {
        if (published <= settled) {
            unsettledFrom = first;
        }
        published = number;
        publishedCounter = Math.max(publishedCounter, first);
    }

    boolean isOverruled() {
        return !overruled.isEmpty();
    }

    /** The writers who overruled changes made here. */
    Set<Long> overrulers() {
        Set<Long> overrulers = new HashSet<>();
        for (Field field : overruled.keySet()) {
            Slot present = slots.get(field);
            if (present != null) {
                overrulers.add(present.version().origin());
            }
        }
        return overrulers;
    }

    /** Forgets the changes that {@code overruler} has overruled and had known of: its own have stood since. */
    void accept(long overruler, LongPredicate isHandled) {
        overruled.entrySet().removeIf(entry -> {
            Overruled change = entry.getValue();
            long number = Math.min(change.number(), numberOf(change.slot()));
            return isBy(overruler, entry.getKey()) && isHandled.test(change.isByItsBasis() ? Long.MAX_VALUE : number);
        });
    }

    /**
     * Makes changes again, as changes of {@code view}. Each keeps the counter of its version: so it stands against all that was
     * written in earlier views, and a change that somebody has made with knowledge of it still stands against it.
     *
     * @param overrulers whose changes the ones made here are to stand against
     * @param isOwnToo whether the changes made here that may not be at all others are made again as well: those that stand, and
     *     those of a greater counter that one of this view, which somebody has made again, has overruled
     * @return a delta for each version that the changes have now, in the order in which they were made
     */
    synchronized List<Delta> reassert(Set<Long> overrulers, boolean isOwnToo, long view, Writer writer) {
        TreeMap<Long, List<Again>> again = new TreeMap<>();
        overruled.forEach((field, change) -> {
            Slot slot = change.slot();
            Slot present = slots.get(field);
            if (present == null || isIdUnpublished(field)) {
                return;
            }
            Version version = present.version();
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
            Version version = slot.version();
            boolean isOwn = version.origin() == writer.origin() && version.counter() >= unsettledFrom;
            if (isOwnToo && isOwn && !isIdUnpublished(field)) {
                addAgain(again, version.counter(), field, slot, version);
            }
        });
        List<Delta> deltas = new ArrayList<>();
        again.forEach((count, changes) -> {
            Version version = new Version(view, count, writer.origin());
            changes.forEach(each -> putOwn(each.field(), each.slotAt(version)));
            touch(version, writer.nowNanos());
            deltas.add(new Delta(uid, version, changes.stream().map(Again::write).toList()));
        });
        return deltas;
    }

    /**
     * A change made here that another one has overruled.
     *
     * @param number of a message that was sent no earlier than that of the change; {@link Long#MAX_VALUE} if it has not been sent
     * @param isByItsBasis whether the other one is that which it was made upon, made again in a later view: nobody has decided
     *     against the change then, and it stands as soon as it is made again in that view, too
     */
    private record Overruled(Slot slot, long number, boolean isByItsBasis) {}

    private Overruled overruled(Slot slot, Version overruler) {
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
    private record Again(Field field, Slot slot, Version former) {

        Write write() {
            return new Write(new Change(field, slot.content(), slot.isListening()), former);
        }

        Slot slotAt(Version version) {
            return new Slot(version, slot.content(), slot.isListening(), slot.basis());
        }
    }

    private boolean isIdUnpublished(Field field) {
        return field.equals(Field.ID) && publishedId != null;
    }

    private static void addAgain(TreeMap<Long, List<Again>> again, long count, Field field, Slot slot, Version former) {
        again.computeIfAbsent(count, absent -> new ArrayList<>()).add(new Again(field, slot, former));
    }

    private boolean isBy(long writer, Field field) {
        Slot present = slots.get(field);
        return present != null && present.version().origin() == writer;
    }

    private static Slot slotOf(Change change, Version version, Version basis) {
        return new Slot(version, change.content(), change.isListening(), basis);
    }

    void merge(Image image, long nowNanos) {
        touch(image.touched(), nowNanos - image.idleMillis() * 1_000_000);
        boolean isChanged = false;
        for (Map.Entry<Field, Slot> entry : image.slots().entrySet()) {
            Slot slot = entry.getValue();
            raise(counter, slot.version().counter());
            Change change = new Change(entry.getKey(), slot.content(), slot.isListening());
            isChanged |= putOther(new Write(change, slot.version()), slot.version(), slot.version().origin());
        }
        if (isChanged) {
            revision.incrementAndGet();
        }
    }

    /** Attributes of another session that this one lacks, or has in an older version. */
    List<Change> missing(SessionRecord other) {
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

    Image image(long nowNanos) {
        Map<Field, Slot> told = new LinkedHashMap<>(slots);
        Slot id = publishedId;
        if (id != null && state != State.LOCAL) {
            told.put(Field.ID, id);
        }
        return new Image(uid, createdMillis, idleNanos(nowNanos) / 1_000_000, touched.get(), told);
    }

    /** Takes up a value, unless there is a newer one. */
    private void put(Field field, Slot slot) {
        slots.merge(field, slot, (present, next) -> next.version().isAfter(present.version()) ? next : present);
        if (slot.isRemoved()) {
            forgetRemovedSlots();
        }
    }

    /** A value made here stands against all that was known, but not against a greater one that has come in just now. */
    private void putOwn(Field field, Slot slot) {
        put(field, slot);
        overruled.compute(field, (same, older) -> {
            Slot present = slots.get(field);
            return present == null || isBy(slot.version().origin(), field) ? null : overruled(slot, present.version());
        });
    }

    /** A value made elsewhere overrules one made here that its writer did not know of. Returns whether it was taken up. */
    private boolean putOther(Write write, Version version, long self) {
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

    /** An application that makes up attribute names without end must not make the session grow without end. */
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

    static byte[] encodeInt(int value) {
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
