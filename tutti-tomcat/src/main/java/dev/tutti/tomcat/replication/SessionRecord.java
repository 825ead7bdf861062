package dev.tutti.tomcat.replication;

import dev.tutti.tomcat.replication.SessionMessage.Delta;
import dev.tutti.tomcat.replication.SessionMessage.Image;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One session as every member has it: encoded values with versions.
 *
 * <p>Every field is a register in which the larger {@linkplain Version version} wins. Changes may therefore come in any
 * order, twice, or as part of a whole image, and all members still end with the same values. A record is found by a
 * {@code uid} that never changes: a change of the session's id is one more field, and what is on its way to the session
 * still reaches it.
 *
 * <p>Thread-safe and without locks: what arrives from others never waits for a request.
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
    private final AtomicLong counter = new AtomicLong();
    private final AtomicReference<Version> touched = new AtomicReference<>(Version.NONE);
    private final AtomicLong usedNanos;
    private final AtomicReference<@Nullable Object> handle = new AtomicReference<>();
    private volatile long toldNanos;
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

    /** Claims the session by a use here, and returns the version to tell the others. */
    Version claim(long origin, long nowNanos) {
        Version version = new Version(counter.incrementAndGet(), origin);
        touch(version, nowNanos);
        return version;
    }

    /** Notes that the session was used, here or elsewhere. */
    void touch(Version version, long nowNanos) {
        raise(counter, version.counter());
        touched.accumulateAndGet(version, (present, next) -> next.isAfter(present) ? next : present);
        raise(usedNanos, nowNanos);
        toldNanos = nowNanos;
    }

    /** Makes changes here: under a version that is larger than any this member knows of. */
    Delta write(List<Change> changes, long origin, long nowNanos) {
        Delta delta = new Delta(uid, claim(origin, nowNanos), changes);
        put(delta);
        return delta;
    }

    /** Takes up changes made elsewhere. */
    void merge(Delta delta, long nowNanos) {
        touch(delta.version(), nowNanos);
        put(delta);
    }

    void merge(Image image, long nowNanos) {
        touch(image.touched(), nowNanos - image.idleMillis() * 1_000_000);
        image.slots().forEach((field, slot) -> {
            raise(counter, slot.version().counter());
            put(field, slot);
        });
    }

    Image image(long nowNanos) {
        return new Image(uid, createdMillis, idleNanos(nowNanos) / 1_000_000, touched.get(), new LinkedHashMap<>(slots));
    }

    private void put(Delta delta) {
        for (Change change : delta.changes()) {
            put(change.field(), new Slot(delta.version(), change.content(), change.isListening()));
        }
    }

    private void put(Field field, Slot slot) {
        slots.merge(field, slot, (present, next) -> next.version().isAfter(present.version()) ? next : present);
        if (slot.isRemoved()) {
            forgetRemovedSlots();
        }
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
