package dev.tutti.blocks.internal.session;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one session that this member has. Immutable.
 *
 * @param created null as long as the session is not complete
 * @param former id before it was changed; empty if it was not
 * @param interval null if the entry is missing
 * @param index values by the names of indexes
 * @param touched time of the last request; null if the session has expired
 * @param attributes bytes by name
 * @param successor id after it was changed, empty if the session was deleted, null if it goes on
 */
public record SessionRecord(
        @Nullable Instant created,
        String former,
        @Nullable Duration interval,
        Map<String, String> index,
        @Nullable Instant touched,
        Map<String, byte[]> attributes,
        @Nullable String successor) {

    public static final SessionRecord NONE = new SessionRecord(null, "", null, Map.of(), null, Map.of(), null);

    /** Returns whether requests find the session. */
    public boolean isLive() {
        return created != null && interval != null && touched != null && successor == null;
    }

    /** Returns whether the session has ended: a session is touched before anything else is written. */
    boolean isOver() {
        return successor != null || touched == null;
    }

    boolean isEmpty() {
        return created == null && interval == null && index.isEmpty() && touched == null && attributes.isEmpty() && successor == null;
    }

    /** Returns the keys of its fields, but for that of its end, which has a time to live. */
    List<SessionKey> leftovers(String id) {
        List<SessionKey> keys = new ArrayList<>();
        if (created != null) {
            keys.add(SessionKey.of(id, SessionKey.Field.CREATED));
        }
        if (interval != null) {
            keys.add(SessionKey.of(id, SessionKey.Field.INTERVAL));
        }
        if (!index.isEmpty()) {
            keys.add(SessionKey.of(id, SessionKey.Field.INDEX));
        }
        if (touched != null) {
            keys.add(SessionKey.of(id, SessionKey.Field.TOUCHED));
        }
        attributes.keySet().forEach(name -> keys.add(SessionKey.ofAttribute(id, name)));
        return keys;
    }

    /** @param value null if the field's entry is gone */
    SessionRecord with(SessionKey key, byte @Nullable [] value) {
        ByteInput in = new ByteInput(value == null ? new byte[0] : value);
        return switch (key.field()) {
            case CREATED -> new SessionRecord(
                    value == null ? null : Instant.ofEpochMilli(in.takeLong()),
                    value == null ? "" : in.takeText(),
                    interval, index, touched, attributes, successor);
            case INTERVAL -> new SessionRecord(
                    created, former, value == null ? null : Duration.ofMillis(in.takeLong()), index, touched, attributes, successor);
            case INDEX -> new SessionRecord(
                    created, former, interval, value == null ? Map.of() : takeIndex(in), touched, attributes, successor);
            case TOUCHED -> new SessionRecord(
                    created, former, interval, index, value == null ? null : Instant.ofEpochMilli(in.takeLong()), attributes, successor);
            case ATTRIBUTE -> {
                Map<String, byte[]> changed = new TreeMap<>(attributes);
                if (value == null) {
                    changed.remove(key.attribute());
                } else {
                    changed.put(key.attribute(), value);
                }
                yield new SessionRecord(
                        created, former, interval, index, touched, Collections.unmodifiableMap(changed), successor);
            }
            case ENDED -> new SessionRecord(
                    created, former, interval, index, touched, attributes, value == null ? null : in.takeText());
        };
    }

    private static Map<String, String> takeIndex(ByteInput in) {
        Map<String, String> taken = new TreeMap<>();
        for (int left = in.takeCount(2 * Integer.BYTES); left > 0; left--) {
            taken.put(in.takeText(), in.takeText());
        }
        return Collections.unmodifiableMap(taken);
    }

    static byte[] ofCreated(Instant created, String former) {
        return new ByteOutput().putLong(created.toEpochMilli()).putText(former).copy();
    }

    static byte[] ofInterval(Duration interval) {
        return new ByteOutput().putLong(interval.toMillis()).copy();
    }

    static byte[] ofTouched(Instant touched) {
        return new ByteOutput().putLong(touched.toEpochMilli()).copy();
    }

    static byte[] ofIndex(Map<String, String> index) {
        ByteOutput out = new ByteOutput().putInt(index.size());
        index.forEach((name, value) -> out.putText(name).putText(value));
        return out.copy();
    }

    static byte[] ofSuccessor(String successor) {
        return new ByteOutput().putText(successor).copy();
    }
}
