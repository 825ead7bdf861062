package dev.tutti.console.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A part of a member's answer. Missing values, and values of unexpected types, read as empty: members may have other
 * versions.
 */
public record Doc(Map<?, ?> values) {

    static final Doc EMPTY = new Doc(Map.of());

    static Doc of(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? new Doc(map) : EMPTY;
    }

    Doc at(String name) {
        return of(values.get(name));
    }

    List<Doc> list(String name) {
        List<Doc> docs = new ArrayList<>();
        if (values.get(name) instanceof List<?> list) {
            for (Object each : list) {
                if (each instanceof Map<?, ?> map) {
                    docs.add(new Doc(map));
                }
            }
        }
        return docs;
    }

    List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        if (values.get(name) instanceof List<?> list) {
            list.forEach(each -> texts.add(String.valueOf(each)));
        }
        return texts;
    }

    String text(String name) {
        Object value = values.get(name);
        return value == null || value instanceof Map || value instanceof List ? "" : value.toString();
    }

    long number(String name) {
        return values.get(name) instanceof Number number ? number.longValue() : 0;
    }

    long number(String name, long otherwise) {
        return values.get(name) instanceof Number number ? number.longValue() : otherwise;
    }

    boolean is(String name) {
        return Boolean.TRUE.equals(values.get(name));
    }

    /** Returns the nested maps by name. */
    Map<String, Doc> sections() {
        Map<String, Doc> sections = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            if (value instanceof Map<?, ?> map) {
                sections.put(String.valueOf(name), new Doc(map));
            }
        });
        return sections;
    }

    boolean isEmpty() {
        return values.isEmpty();
    }
}
