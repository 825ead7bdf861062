package dev.tutti.grid.bridges.stomp;

import dev.tutti.grid.Body;
import dev.tutti.grid.Measurement;
import dev.tutti.internal.Json;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Measurements as messages of STOMP. */
final class StompForm {

    private static final String TAG = "tag-";
    private static final String BODY = "body";
    private static final String UNIT = "unit";
    private static final String TIME = "time";
    private static final String TYPE = "content-type";
    private static final String TEXT = "text/plain";
    private static final String BINARY = "application/octet-stream";
    private static final String JSON = "application/json";
    private static final String NUMBERS = "number, text, bytes";

    private StompForm() {}

    // ------------------------------------------------------------------ from clients

    /** Returns the tags of a message: its headers {@code tag-NAME}. */
    static Map<String, String> tags(Map<String, String> headers) {
        Map<String, String> tags = new TreeMap<>();
        headers.forEach((name, value) -> {
            if (name.startsWith(TAG)) {
                tags.put(name.substring(TAG.length()), value);
            }
        });
        return tags;
    }

    /** @throws IllegalArgumentException if the header is no time */
    static Instant time(Map<String, String> headers) {
        String text = headers.get(TIME);
        try {
            return text == null ? Instant.now() : Instant.parse(text);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("header time is a time such as 2026-11-28T10:15:30Z, not " + text, e);
        }
    }

    /**
     * Reads the body of a message. Without a header {@code body}, bytes are bytes by their content type, a text that is a number is a
     * number, and everything else is a text.
     *
     * @throws IllegalArgumentException if the body is not of the kind that the header names
     */
    static Body body(Map<String, String> headers, byte[] bytes) {
        String kind = headers.getOrDefault(BODY, "");
        return switch (kind) {
            case "number" -> number(headers, text(bytes));
            case "text" -> Body.of(text(bytes));
            case "bytes" -> Body.of(bytes);
            case "" -> guessed(headers, bytes);
            default -> throw new IllegalArgumentException("header body is one of " + NUMBERS + ", not " + kind);
        };
    }

    private static Body guessed(Map<String, String> headers, byte[] bytes) {
        if (headers.getOrDefault(TYPE, "").startsWith(BINARY)) {
            return Body.of(bytes);
        }
        String text = text(bytes);
        try {
            return number(headers, text);
        } catch (IllegalArgumentException e) {
            return Body.of(text);
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static Body number(Map<String, String> headers, String text) {
        try {
            return Body.of(Double.parseDouble(text.strip()), headers.getOrDefault(UNIT, ""));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the body is no number, as header body says it is", e);
        }
    }

    // ------------------------------------------------------------------ to clients

    /** Returns the headers of a measurement's message. */
    static Map<String, String> headers(Measurement measurement) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("producer", measurement.producer());
        headers.put("sequence", Long.toString(measurement.sequence()));
        headers.put(TIME, measurement.time().toString());
        switch (measurement.body()) {
            case Body.Number(double _, String unit) -> {
                put(headers, "number", TEXT);
                if (!unit.isEmpty()) {
                    headers.put(UNIT, unit);
                }
            }
            case Body.Text _ -> put(headers, "text", TEXT);
            case Body.Bytes _ -> put(headers, "bytes", BINARY);
            case Body.Values _ -> put(headers, "values", JSON);
            case Body.Histogram histogram -> {
                put(headers, "histogram", JSON);
                headers.put(UNIT, histogram.unit());
            }
        }
        measurement.tags().forEach((name, value) -> headers.put(TAG + name, value));
        return headers;
    }

    private static void put(Map<String, String> headers, String kind, String type) {
        headers.put(BODY, kind);
        headers.put(TYPE, type);
    }

    /** Returns the body of a measurement's message. */
    static byte[] bytes(Body body) {
        return switch (body) {
            case Body.Number(double value, String _) -> utf8(Double.toString(value));
            case Body.Text(String text) -> utf8(text);
            case Body.Bytes(byte[] bytes) -> bytes;
            case Body.Values(Map<String, Body> values) -> {
                Map<String, Object> all = new TreeMap<>();
                values.forEach((name, value) -> all.put(name, value instanceof Body.Number number ? (Object) number.value() : text(value)));
                yield utf8(Json.write(all));
            }
            case Body.Histogram histogram -> utf8(Json.write(Map.of(
                    "bounds", histogram.bounds(), "counts", histogram.counts(), "sum", histogram.sum())));
        };
    }

    private static String text(Body value) {
        return value instanceof Body.Text(String text) ? text : value.toString();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
