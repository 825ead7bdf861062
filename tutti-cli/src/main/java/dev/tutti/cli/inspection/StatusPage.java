package dev.tutti.cli.inspection;

import dev.tutti.cli.terminal.Amounts;
import dev.tutti.cli.terminal.Table;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.core.Printable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Prints nested maps for people: maps with the same keys (links, members) become tables, the rest names and values,
 * indented. It depends on no particular key, so that it shows whatever layers report.
 */
public final class StatusPage {

    private static final String INDENT = "  ";

    /** Width, in characters, beyond which a table is transposed if that makes it narrower. */
    private static final int WIDTH_MAX = 120;

    /** Number of values from which a map can be a row of a table. */
    private static final int ROW_VALUES_MIN = 3;

    private StatusPage() {}

    public static void print(Map<?, ?> status, Terminal terminal) {
        print(status, "", terminal);
    }

    /** Returns {@code value} if it is a map, else an empty one. */
    static Map<?, ?> map(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? map : Map.of();
    }

    private static void print(Map<?, ?> level, String indent, Terminal terminal) {
        Map<String, String> plain = new LinkedHashMap<>();
        level.forEach((key, value) -> {
            if (!(value instanceof Map) && !isRows(value)) {
                plain.put(String.valueOf(key), text(String.valueOf(key), value));
            }
        });
        int width = plain.keySet().stream().mapToInt(String::length).max().orElse(0);
        plain.forEach((key, value) -> terminal.print(indent + terminal.faint(
                Printable.escape(key) + " ".repeat(width - key.length())) + INDENT + Printable.escape(value)));
        Map<Set<?>, Map<String, Object>> alike = new LinkedHashMap<>();
        level.forEach((key, value) -> {
            if (isRow(value)) {
                alike.computeIfAbsent(map(value).keySet(), keys -> new LinkedHashMap<>()).put(String.valueOf(key), value);
            }
        });
        level.forEach((key, value) -> {
            String head = indent + terminal.bold(Printable.escape(String.valueOf(key)));
            if (isRow(value)) {
                Map<String, Object> rows = alike.remove(map(value).keySet());
                if (rows != null && rows.size() > 1) {
                    table(rows, indent, terminal);
                } else if (rows != null) {
                    terminal.print(head);
                    print(map(value), indent + INDENT, terminal);
                }
            } else if (value instanceof Map<?, ?> inner && !inner.isEmpty()) {
                terminal.print(head);
                print(inner, indent + INDENT, terminal);
            } else if (value instanceof List<?> list && isRows(value)) {
                terminal.print(head);
                Map<String, Object> rows = new LinkedHashMap<>();
                list.forEach(row -> rows.put(Integer.toString(rows.size() + 1), row));
                table(rows, indent + INDENT, terminal);
            }
        });
    }

    /** Returns whether it is a map of several plain values: a row of a table with others of the same keys. */
    private static boolean isRow(@Nullable Object value) {
        return isFlat(value) && map(value).size() >= ROW_VALUES_MIN;
    }

    private static boolean isRows(@Nullable Object value) {
        return value instanceof List<?> list && !list.isEmpty() && list.stream().allMatch(StatusPage::isFlat);
    }

    /** Returns whether it is a map whose values are neither maps nor lists of maps. */
    private static boolean isFlat(@Nullable Object value) {
        return value instanceof Map<?, ?> map
                && map.values().stream().noneMatch(each -> each instanceof Map || isRows(each));
    }

    /** Prints a line for each row, or a column for each if that is narrower and the lines would be too long. */
    private static void table(Map<String, Object> rows, String indent, Terminal terminal) {
        Set<String> keys = new LinkedHashSet<>();
        rows.values().forEach(row -> map(row).keySet().forEach(key -> keys.add(String.valueOf(key))));
        Table upright = table(rows.keySet(), keys, (row, key) -> text(key, map(rows.get(row)).get(key)));
        Table turned = table(keys, rows.keySet(), (key, row) -> text(key, map(rows.get(row)).get(key)));
        boolean isUpright = upright.width() <= WIDTH_MAX || upright.width() <= turned.width();
        (isUpright ? upright : turned).print(terminal, indent);
    }

    private static Table table(Set<String> lines, Set<String> columns, BinaryOperator<String> cell) {
        List<String> heads = new ArrayList<>(List.of(""));
        heads.addAll(columns);
        Table table = new Table(heads);
        for (String line : lines) {
            List<String> cells = new ArrayList<>(List.of(line));
            columns.forEach(column -> cells.add(cell.apply(line, column)));
            table.add(cells);
        }
        return table;
    }

    /** Returns a value with the unit that its name says; exact numbers are in the JSON documents. */
    private static String text(String key, @Nullable Object value) {
        if (value instanceof Number number && !(value instanceof Double)) {
            long amount = number.longValue();
            if (key.endsWith("-bytes")) {
                return Amounts.bytes(amount);
            }
            if (key.endsWith("-nanos")) {
                return Amounts.time(amount);
            }
            if (key.endsWith("-millis")) {
                return Amounts.time(TimeUnit.MILLISECONDS.toNanos(amount));
            }
        }
        return text(value);
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
