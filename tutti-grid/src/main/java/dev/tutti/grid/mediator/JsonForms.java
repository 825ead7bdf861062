package dev.tutti.grid.mediator;

import dev.tutti.grid.Answer;
import dev.tutti.grid.Body;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import dev.tutti.internal.Json;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Entries and measurements as JSON. */
final class JsonForms {

    private JsonForms() {}

    /** A measurement that was posted. */
    record Posted(String producer, Topic topic, Map<String, String> tags, @Nullable Instant time, Body body) {}

    static <T> String write(Answer<T> answer, String items, Function<T, Object> form) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put(items, answer.items().stream().map(form).toList());
        all.put("missing", answer.missing());
        return Json.write(all);
    }

    static Map<String, Object> entry(Entry entry) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("id", entry.id());
        all.put("kind", entry.kind() == Entry.Kind.PRODUCER ? "producer" : "consumer");
        all.put("name", entry.name());
        all.put("site", entry.site());
        all.put("node", entry.node());
        all.put("address", entry.address());
        all.put("filters", entry.filters().stream().map(JsonForms::filter).toList());
        all.put("type", entry.type());
        all.put("schema", entry.schema());
        all.put("load", entry.load() < 0 ? null : entry.load());
        all.put("registration", entry.registration());
        all.put("attributes", entry.attributes());
        return all;
    }

    private static Map<String, Object> filter(Filter filter) {
        return Map.of("topic", filter.topic(), "tags", filter.tags(), "where", filter.where());
    }

    static Map<String, Object> measurement(Measurement measurement) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("producer", measurement.producer());
        all.put("sequence", measurement.sequence());
        all.put("topic", measurement.topic().path());
        all.put("tags", measurement.tags());
        all.put("time", measurement.time().toString());
        all.putAll(body(measurement.body()));
        return all;
    }

    private static Map<String, Object> body(Body body) {
        return switch (body) {
            case Body.Number(double value, String unit) -> Map.of("value", value, "unit", unit);
            case Body.Text(String text) -> Map.of("text", text);
            case Body.Bytes(byte[] bytes) -> Map.of("bytes", Base64.getEncoder().encodeToString(bytes));
            case Body.Values(Map<String, Body> values) -> {
                Map<String, Object> all = new TreeMap<>();
                values.forEach((name, value) -> all.put(name, body(value)));
                yield Map.of("values", all);
            }
            case Body.Histogram histogram -> Map.of("histogram", Map.of(
                    "bounds", histogram.bounds(), "counts", histogram.counts(), "sum", histogram.sum(), "unit", histogram.unit()));
        };
    }

    /**
     * Reads one measurement, or a list of them.
     *
     * @throws IllegalArgumentException that says which one is wrong, and what would be right
     */
    static List<Posted> posted(String text) {
        Object parsed = Json.parse(text);
        List<?> all = parsed instanceof List<?> list ? list : parsed instanceof Map<?, ?> one ? List.of(one) : List.of();
        if (all.isEmpty()) {
            throw new IllegalArgumentException("post a measurement, or a list of them, such as {\"producer\": \"room1\", \"topic\":"
                    + " \"rooms/1/heat\", \"value\": 21.5, \"unit\": \"Cel\"}");
        }
        List<Posted> posted = new ArrayList<>();
        for (Object each : all) {
            try {
                posted.add(one(each));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("measurement " + (posted.size() + 1) + ": " + e.getMessage(), e);
            }
        }
        return posted;
    }

    private static Posted one(@Nullable Object each) {
        if (!(each instanceof Map<?, ?> map)) {
            throw new IllegalArgumentException("it is no object");
        }
        return new Posted(
                text(map, "producer", "http"), Topic.of(text(map, "topic", "")), tags(map.get("tags")), time(map.get("time")), body(map));
    }

    private static String text(Map<?, ?> map, String name, String otherwise) {
        Object value = map.get(name);
        if (value == null) {
            return otherwise;
        }
        if (!(value instanceof String text)) {
            throw new IllegalArgumentException(name + " is a text, not " + value);
        }
        return text;
    }

    private static Map<String, String> tags(@Nullable Object value) {
        if (value == null) {
            return Map.of();
        }
        if (!(value instanceof Map<?, ?> map)) {
            throw new IllegalArgumentException("tags are an object of texts, not " + value);
        }
        Map<String, String> tags = new TreeMap<>();
        map.forEach((name, tag) -> tags.put(String.valueOf(name), String.valueOf(tag)));
        return tags;
    }

    private static @Nullable Instant time(@Nullable Object value) {
        return switch (value) {
            case null -> null;
            case Long millis -> Instant.ofEpochMilli(millis);
            case String text -> instant(text);
            default -> throw new IllegalArgumentException("time is milliseconds since 1970, or as in 2026-11-28T10:15:30Z, not " + value);
        };
    }

    /** @throws IllegalArgumentException that says what would be right */
    static Instant instant(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("a time is written as 2026-11-28T10:15:30Z, not " + text, e);
        }
    }

    private static Body body(Map<?, ?> map) {
        if (map.get("value") instanceof Number number) {
            return Body.of(number.doubleValue(), text(map, "unit", ""));
        }
        if (map.get("text") instanceof String text) {
            return Body.of(text);
        }
        if (map.get("bytes") instanceof String bytes) {
            return Body.of(Base64.getDecoder().decode(bytes));
        }
        if (map.get("values") instanceof Map<?, ?> values) {
            Map<String, Body> all = new TreeMap<>();
            values.forEach((name, value) -> all.put(String.valueOf(name), part(name, value)));
            return new Body.Values(all);
        }
        if (map.get("histogram") instanceof Map<?, ?> histogram) {
            return new Body.Histogram(
                    numbers(histogram, "bounds").stream().map(Number::doubleValue).toList(),
                    numbers(histogram, "counts").stream().map(Number::longValue).toList(),
                    histogram.get("sum") instanceof Number sum ? sum.doubleValue() : Double.NaN,
                    text(histogram, "unit", ""));
        }
        throw new IllegalArgumentException("it has none of value, text, bytes (Base64), values and histogram");
    }

    private static Body part(@Nullable Object name, @Nullable Object value) {
        return switch (value) {
            case Number number -> Body.of(number.doubleValue());
            case String text -> Body.of(text);
            case Map<?, ?> nested when nested.containsKey("value") || nested.containsKey("text") -> body(nested);
            case null, default -> throw new IllegalArgumentException("value " + name + " is a number or a text, not " + value);
        };
    }

    private static List<Number> numbers(Map<?, ?> map, String name) {
        List<Number> numbers = new ArrayList<>();
        if (map.get(name) instanceof List<?> list) {
            for (Object each : list) {
                if (!(each instanceof Number number)) {
                    throw new IllegalArgumentException(name + " of a histogram are numbers, not " + each);
                }
                numbers.add(number);
            }
            return numbers;
        }
        throw new IllegalArgumentException("a histogram has bounds and counts, which are lists of numbers");
    }
}
