package dev.tutti.bench.process;

import dev.tutti.bench.BenchException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Message between coordinator and members: a verb and named values without spaces, on one line that starts with a mark,
 * because libraries print to the standard output too.
 */
public record Line(String verb, Map<String, String> values) {

    /** Name of the value that identifies the receiving or sending member. */
    public static final String MEMBER = "m";

    /** Names of values that are instants of {@link System#nanoTime}. */
    private static final List<String> INSTANTS = List.of("at", "began", "ended");

    private static final String MARK = "#bench ";

    public static Line of(String verb) {
        return new Line(verb, new LinkedHashMap<>());
    }

    public Line with(String name, Object value) {
        values.put(name, String.valueOf(value).replace(' ', '_'));
        return this;
    }

    /** Returns the same line to or from one member. */
    public Line to(int member) {
        Line line = new Line(verb, new LinkedHashMap<>(values));
        return line.with(MEMBER, member);
    }

    /** Returns the same line with later instants, for the clock of another machine. */
    Line shifted(long nanos) {
        if (nanos == 0) {
            return this;
        }
        Line line = new Line(verb, new LinkedHashMap<>(values));
        INSTANTS.forEach(name -> line.values.computeIfPresent(name, (_, value) -> Long.toString(Long.parseLong(value) + nanos)));
        return line;
    }

    /** Returns whether a text is a line of a member, and not one of a library. */
    public static boolean isLine(String text) {
        return text.startsWith(MARK);
    }

    public static Line parse(String text) {
        String[] words = text.substring(MARK.length()).split(" ");
        Line line = of(words[0]);
        for (int index = 1; index < words.length; index++) {
            int equals = words[index].indexOf('=');
            line.values.put(words[index].substring(0, equals), words[index].substring(equals + 1));
        }
        return line;
    }

    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new BenchException("no " + name + " in: " + this);
        }
        return value;
    }

    public long number(String name) {
        return Long.parseLong(text(name));
    }

    public long number(String name, long fallback) {
        return values.containsKey(name) ? number(name) : fallback;
    }

    public int count(String name) {
        return Integer.parseInt(text(name));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(MARK).append(verb);
        values.forEach((name, value) -> text.append(' ').append(name).append('=').append(value));
        return text.toString();
    }
}
