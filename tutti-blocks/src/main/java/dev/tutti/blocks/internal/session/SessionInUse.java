package dev.tutti.blocks.internal.session;

import dev.tutti.blocks.session.SaveMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a session while requests use it at a node, and what they have changed since it was last written. The values are in a
 * map of the container, which reports the names that requests get, set and remove. Objects that were modified without being set are found
 * by their encoded form.
 *
 * <p>A write begins with {@link #take} and ends with {@link #onWritten} or {@link #onNotWritten}; one is under way at a time. Guarded by
 * the lock of the session, but for {@link #isTouchDue}.
 */
public final class SessionInUse {

    private final AttributeCodec codec;
    private final SaveMode saveMode;
    private final Map<String, Object> values;

    /** Bytes of attributes as they were last read or taken for a write. */
    private final Map<String, byte[]> stored = new TreeMap<>();

    /** Attributes that were set, removed or modified, and not taken since. */
    private final Set<String> changed = new TreeSet<>();

    /** Attributes whose write is under way. */
    private final Set<String> underWay = new TreeSet<>();

    /** Attributes that requests have got or set, and may modify. */
    private final Set<String> handedOut = new TreeSet<>();

    private boolean isIntervalChanged;

    /** Time of the last use that the group knows. */
    private volatile long touchedMillis;

    /**
     * @param values the container's map of attributes
     * @param touchedMillis time of the last use that the group knows
     */
    public SessionInUse(AttributeCodec codec, SaveMode saveMode, Map<String, Object> values, long touchedMillis) {
        this.codec = codec;
        this.saveMode = saveMode;
        this.values = values;
        this.touchedMillis = touchedMillis;
    }

    // ------------------------------------------------------------------ reading

    /**
     * Takes the attributes of a session that was read.
     *
     * @param classes those of the application
     */
    public void load(SessionRecord from, @Nullable ClassLoader classes) {
        from.attributes().forEach((name, bytes) -> take(name, bytes, classes));
    }

    private void take(String name, byte[] bytes, @Nullable ClassLoader classes) {
        stored.put(name, bytes);
        Object value = codec.decode(name, bytes, classes);
        if (value == null) {
            values.remove(name);
        } else {
            values.put(name, value);
        }
    }

    /**
     * Takes what other nodes have changed since this one has read the session, but for attributes that requests here have changed, too.
     * {@link #noteModified} is called before.
     *
     * @param classes those of the application
     * @return the interval; null if requests here have changed it
     */
    public @Nullable Duration refresh(SessionRecord now, @Nullable ClassLoader classes) {
        Set<String> names = new HashSet<>(stored.keySet());
        names.addAll(now.attributes().keySet());
        names.removeAll(changed);
        names.removeAll(underWay);
        for (String name : names) {
            byte[] bytes = now.attributes().get(name);
            if (Arrays.equals(bytes, stored.get(name))) {
                continue;
            }
            handedOut.remove(name);
            if (bytes == null) {
                stored.remove(name);
                values.remove(name);
            } else {
                take(name, bytes, classes);
            }
        }
        return isIntervalChanged ? null : now.interval();
    }

    // ------------------------------------------------------------------ what requests do

    /** Notes that a request has got an attribute, and may modify its value. */
    public void onGet(String name) {
        handedOut.add(name);
    }

    /** Notes that a request has set or removed an attribute. */
    public void onChanged(String name) {
        changed.add(name);
        handedOut.add(name);
    }

    /** Notes that a request has set the interval. */
    public void onIntervalChanged() {
        isIntervalChanged = true;
    }

    /**
     * Finds attributes that were modified without being set, and returns whether there are any. Forgets those that the container has set to
     * what they were, as some do with a login at each request.
     */
    public boolean noteModified() {
        changed.removeIf(this::isSetAgain);
        boolean isModified = false;
        if (saveMode == SaveMode.ON_GET) {
            for (String name : handedOut) {
                Object value = values.get(name);
                byte[] before = stored.get(name);
                if (value != null && before != null && !changed.contains(name)) {
                    byte[] bytes = codec.encode(name, value);
                    if (bytes != null && !Arrays.equals(bytes, before)) {
                        changed.add(name);
                        isModified = true;
                    }
                }
            }
        }
        return isModified;
    }

    private boolean isSetAgain(String name) {
        Object value = values.get(name);
        byte[] before = stored.get(name);
        return codec.isOfContainer(name) && value != null && before != null && Arrays.equals(codec.encode(name, value), before);
    }

    // ------------------------------------------------------------------ writing

    public boolean hasChanges() {
        return isIntervalChanged || !changed.isEmpty();
    }

    /**
     * Takes the changes for a write.
     *
     * @param isWhole whether all attributes are written, and not only the changed ones
     * @param usedMillis time of the request
     * @param interval time without requests after which the session expires
     */
    public SessionChanges take(boolean isWhole, long usedMillis, Duration interval) {
        Map<String, byte @Nullable []> encoded = new LinkedHashMap<>();
        for (String name : isWhole ? values.keySet() : changed) {
            Object value = values.get(name);
            byte[] bytes = value == null ? null : codec.encode(name, value);
            if (value == null || bytes != null) {
                encoded.put(name, bytes);
                if (bytes == null) {
                    stored.remove(name);
                } else {
                    stored.put(name, bytes);
                }
            }
        }
        SessionChanges taken = new SessionChanges(Instant.ofEpochMilli(usedMillis), interval, isIntervalChanged, null, encoded);
        underWay.addAll(encoded.keySet());
        changed.clear();
        isIntervalChanged = false;
        return taken;
    }

    /** Ends a write that all have. */
    public void onWritten(SessionChanges taken) {
        underWay.removeAll(taken.attributes().keySet());
        onTouched(taken.touched().toEpochMilli());
    }

    /** Ends a write that has failed, or was not confirmed: the next one has its changes, too. */
    public void onNotWritten(SessionChanges taken) {
        underWay.removeAll(taken.attributes().keySet());
        changed.addAll(taken.attributes().keySet());
        isIntervalChanged |= taken.isIntervalChanged();
    }

    /** Drops the changes that were not taken, and does not look for those that were made up to now any more. */
    public void discard() {
        changed.clear();
        handedOut.clear();
        isIntervalChanged = false;
    }

    /** Notes that the group was told of a use. */
    public void onTouched(long millis) {
        touchedMillis = Math.max(touchedMillis, millis);
    }

    /** Returns the time of the last use that the group knows, in milliseconds since 1970. Any thread. */
    public long touchedMillis() {
        return touchedMillis;
    }

    /** Returns whether a third of the interval is over since the group was last told of a use. Any thread. */
    public boolean isTouchDue(long nowMillis, long intervalMillis) {
        return intervalMillis > 0 && nowMillis - touchedMillis > intervalMillis / 3;
    }
}
