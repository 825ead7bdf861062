package dev.tutti.grid.match;

import dev.tutti.grid.Body;
import dev.tutti.grid.Measurement;
import java.util.Map;
import java.util.Set;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.selector.filter.Filterable;
import org.jspecify.annotations.Nullable;

/** A measurement as selectors see it. Reused for many measurements, by one thread at a time. */
final class View implements Filterable {

    private static final Set<String> RESERVED = Set.of("topic", "producer", "value", "unit", "time");

    private @Nullable Measurement measurement;
    private @Nullable Double value;
    private @Nullable Long time;
    private Map<String, Like> likes = Map.of();

    /** Returns whether a name is not that of a tag. */
    static boolean isReserved(String name) {
        return RESERVED.contains(name);
    }

    void show(@Nullable Measurement next) {
        measurement = next;
        value = null;
        time = null;
    }

    /** Sets the names that stand for patterns of LIKE in the selector that is going to look. */
    void ask(Map<String, Like> next) {
        likes = next;
    }

    @Override
    public @Nullable Object getProperty(SimpleString property) {
        String name = property.toString();
        Like like = likes.isEmpty() ? null : likes.get(name);
        if (like == null) {
            return get(name);
        }
        return get(like.name()) instanceof String text ? (Boolean) like.matches(text) : null;
    }

    private @Nullable Object get(String name) {
        Measurement shown = measurement;
        if (shown == null) {
            return null;
        }
        return switch (name) {
            case "topic" -> shown.topic().path();
            case "producer" -> shown.producer();
            case "value" -> value(shown.body());
            case "unit" -> unit(shown.body());
            case "time" -> time(shown);
            default -> tag(shown.tags(), name);
        };
    }

    private static @Nullable String tag(Map<String, String> tags, String name) {
        return tags.get(name);
    }

    private @Nullable Double value(Body body) {
        if (value == null && body instanceof Body.Number number && !Double.isNaN(number.value())) {
            // The library compares as Double does, for which -0.0 is less than 0.0, and NaN the greatest of all.
            value = number.value() + 0.0;
        }
        return value;
    }

    private static @Nullable String unit(Body body) {
        return switch (body) {
            case Body.Number number -> number.unit();
            case Body.Histogram histogram -> histogram.unit();
            case Body.Text text -> null;
            case Body.Bytes bytes -> null;
            case Body.Values values -> null;
        };
    }

    private @Nullable Long time(Measurement shown) {
        if (time == null) {
            time = shown.time().toEpochMilli();
        }
        return time;
    }

    @Override
    public <T> @Nullable T getBodyAs(Class<T> type) {
        return null;
    }

    @Override
    public @Nullable Object getLocalConnectionId() {
        return null;
    }
}
