package dev.tutti.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Nested maps for people: maps of alike maps (links, members) become tables, the rest names and values, indented. It
 * knows no key, so that it shows whatever layers report.
 */
final class StatusPage {

    private static final String INDENT = "  ";

    private StatusPage() {}

    static void print(Map<?, ?> status, Terminal terminal) {
        print(status, "", terminal);
    }

    /** {@code value} if it is a map, else an empty one. */
    static Map<?, ?> map(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? map : Map.of();
    }

    private static void print(Map<?, ?> level, String indent, Terminal terminal) {
        Map<String, String> plain = new LinkedHashMap<>();
        level.forEach((key, value) -> {
            if (!(value instanceof Map) && !isRows(value)) {
                plain.put(String.valueOf(key), text(value));
            }
        });
        int width = plain.keySet().stream().mapToInt(String::length).max().orElse(0);
        plain.forEach((key, value) -> terminal.print(indent + terminal.faint(
                Terminal.harmless(key) + " ".repeat(width - key.length())) + INDENT + Terminal.harmless(value)));
        level.forEach((key, value) -> {
            if (value instanceof Map<?, ?> inner && !inner.isEmpty()) {
                terminal.print(indent + terminal.bold(Terminal.harmless(String.valueOf(key))));
                if (isTable(inner)) {
                    table(inner, indent + INDENT, terminal);
                } else {
                    print(inner, indent + INDENT, terminal);
                }
            } else if (value instanceof List<?> rows && isRows(value)) {
                terminal.print(indent + terminal.bold(Terminal.harmless(String.valueOf(key))));
                Map<String, Object> numbered = new LinkedHashMap<>();
                rows.forEach(row -> numbered.put(Integer.toString(numbered.size() + 1), row));
                table(numbered, indent + INDENT, terminal);
            }
        });
    }

    private static boolean isRows(@Nullable Object value) {
        return value instanceof List<?> list && !list.isEmpty() && list.stream().allMatch(StatusPage::isFlat);
    }

    private static boolean isTable(Map<?, ?> level) {
        return level.values().stream().allMatch(StatusPage::isFlat);
    }

    /** A map whose values are neither maps nor lists of them: a row. */
    private static boolean isFlat(@Nullable Object value) {
        return value instanceof Map<?, ?> map
                && map.values().stream().noneMatch(each -> each instanceof Map || isRows(each));
    }

    private static void table(Map<?, ?> rows, String indent, Terminal terminal) {
        Set<String> columns = new LinkedHashSet<>();
        rows.values().forEach(row -> map(row).keySet().forEach(key -> columns.add(String.valueOf(key))));
        List<String> heads = new ArrayList<>(List.of(""));
        heads.addAll(columns);
        Table table = new Table(heads);
        rows.forEach((key, row) -> {
            List<String> cells = new ArrayList<>(List.of(String.valueOf(key)));
            columns.forEach(column -> cells.add(text(map(row).get(column))));
            table.add(cells);
        });
        table.print(terminal, indent);
    }

    private static String text(@Nullable Object value) {
        return switch (value) {
            case null -> "";
            case List<?> list -> String.join(", ", list.stream().map(StatusPage::text).toList());
            case Map<?, ?> empty -> "";
            default -> value.toString();
        };
    }
}
