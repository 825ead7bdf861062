package dev.tutti.jetty;

import dev.tutti.blocks.internal.session.SessionChanges;
import dev.tutti.blocks.internal.session.SessionRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.eclipse.jetty.session.SessionData;
import org.jspecify.annotations.Nullable;

/**
 * Attributes and times of a session while requests use it at this node, and the changes that they have made since it was last written.
 *
 * <p>Guarded by the lock of the session, but for {@link #isTouchDue}.
 */
final class ReplicatedData extends SessionData {

    private static final long serialVersionUID = 1L;

    private final transient AttributeCodec codec;
    private final transient SaveMode saveMode;

    /** Bytes of attributes as they were last read or written. */
    private final transient Map<String, byte[]> stored = new TreeMap<>();

    /** Attributes that were set, removed or modified since the last write. */
    private final transient Set<String> changed = new TreeSet<>();

    /** Attributes that requests have got or set, and may modify. */
    private final transient Set<String> handedOut = new TreeSet<>();

    /** True while listeners of the container look at attributes. */
    private transient boolean isListening;

    private transient boolean isIntervalChanged;

    /** Time of the last use that the group knows. */
    private transient volatile long touchedMillis;

    ReplicatedData(AttributeCodec codec, SaveMode saveMode, Place place, long createdMillis, long accessedMillis, long intervalMillis) {
        super(place.id(), place.contextPath(), place.host(), createdMillis, accessedMillis, accessedMillis, intervalMillis);
        this.codec = codec;
        this.saveMode = saveMode;
        this.touchedMillis = accessedMillis;
    }

    /** The session's id, and the application that it is of. */
    record Place(String id, String contextPath, String host) {}

    /** Takes the attributes of a session that was read. */
    void load(SessionRecord from) {
        from.attributes().forEach(this::take);
        clean();
        setLastSaved(System.currentTimeMillis());
    }

    private void take(String name, byte[] bytes) {
        stored.put(name, bytes);
        Object value = codec.decode(name, bytes);
        if (value == null) {
            _attributes.remove(name);
        } else {
            _attributes.put(name, value);
        }
    }

    /** Takes what other nodes have changed since this one has read the session, but for attributes that requests here have changed, too. */
    void refresh(SessionRecord now) {
        noteModified();
        Set<String> names = new HashSet<>(stored.keySet());
        names.addAll(now.attributes().keySet());
        for (String name : names) {
            byte[] bytes = now.attributes().get(name);
            if (changed.contains(name) || Arrays.equals(bytes, stored.get(name))) {
                continue;
            }
            handedOut.remove(name);
            if (bytes == null) {
                stored.remove(name);
                _attributes.remove(name);
            } else {
                take(name, bytes);
            }
        }
        Duration interval = now.interval();
        if (interval != null && !isIntervalChanged) {
            super.setMaxInactiveMs(interval.toMillis());
        }
        calcAndSetExpiry();
    }

    // ------------------------------------------------------------------ what requests do

    @Override
    public @Nullable Object getAttribute(String name) {
        if (!isListening) {
            handedOut.add(name);
        }
        return super.getAttribute(name);
    }

    /** @throws IllegalArgumentException if the value can't be replicated */
    @Override
    public @Nullable Object setAttribute(String name, @Nullable Object value) {
        if (value != null) {
            codec.check(name, value);
        }
        return super.setAttribute(name, value);
    }

    @Override
    public void setDirty(String name) {
        super.setDirty(name);
        changed.add(name);
        handedOut.add(name);
    }

    @Override
    public void setMaxInactiveMs(long maxInactive) {
        super.setMaxInactiveMs(maxInactive);
        isIntervalChanged = true;
    }

    /** Calls listeners that look at attributes without changing them. */
    void listen(Runnable listeners) {
        isListening = true;
        try {
            listeners.run();
        } finally {
            isListening = false;
        }
    }

    // ------------------------------------------------------------------ writing

    /** Finds attributes that were modified without being set. */
    void noteModified() {
        if (saveMode == SaveMode.ON_SET) {
            return;
        }
        for (String name : handedOut) {
            Object value = _attributes.get(name);
            byte[] before = stored.get(name);
            if (value != null && before != null && !changed.contains(name)) {
                byte[] bytes = codec.encode(name, value);
                if (bytes != null && !Arrays.equals(bytes, before)) {
                    setDirty(name);
                }
            }
        }
    }

    /** @param isWhole whether all attributes are to be written, and not only the changed ones */
    SessionChanges changes(boolean isWhole) {
        Map<String, byte @Nullable []> encoded = new LinkedHashMap<>();
        for (String name : isWhole ? _attributes.keySet() : changed) {
            Object value = _attributes.get(name);
            byte[] bytes = value == null ? null : codec.encode(name, value);
            if (value == null || bytes != null) {
                encoded.put(name, bytes);
            }
        }
        return new SessionChanges(
                Instant.ofEpochMilli(getAccessed()), Duration.ofMillis(getMaxInactiveMs()), isIntervalChanged, null, encoded);
    }

    boolean hasChanges() {
        return isIntervalChanged || !changed.isEmpty();
    }

    void onWritten(SessionChanges written) {
        written.attributes().forEach((name, bytes) -> {
            if (bytes == null) {
                stored.remove(name);
            } else {
                stored.put(name, bytes);
            }
        });
        changed.clear();
        isIntervalChanged = false;
        touchedMillis = written.touched().toEpochMilli();
    }

    /** Drops the changes, and does not look for those that were made up to now any more. */
    void discardChanges() {
        changed.clear();
        handedOut.clear();
        isIntervalChanged = false;
    }

    /** Notes that the group was told of a use. */
    void onTouched(long millis) {
        touchedMillis = millis;
    }

    /** Returns whether a third of the interval is over since the group was last told of a use. Any thread. */
    boolean isTouchDue(long nowMillis) {
        long interval = getMaxInactiveMs();
        return interval > 0 && nowMillis - touchedMillis > interval / 3;
    }

    boolean isWritten() {
        return getLastSaved() > 0;
    }
}
