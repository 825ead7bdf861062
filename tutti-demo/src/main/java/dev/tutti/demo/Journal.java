package dev.tutti.demo;

import dev.tutti.internal.Json;
import java.io.PrintStream;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Events of the demo, for the terminal and for the page. Thread-safe. */
final class Journal {

    /** An event, as the page shows it. */
    record Entry(long number, String time, String text) {}

    /** Most events that the page shows; older ones are dropped. */
    private static final int ENTRIES_MAX = 40;

    private final PrintStream out;
    private final boolean isJson;
    private final long startNanos = System.nanoTime();
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private long number;

    Journal(PrintStream out, boolean isJson) {
        this.out = out;
        this.isJson = isJson;
    }

    /** Adds a line about an event. */
    synchronized void say(String text) {
        number++;
        entries.addLast(new Entry(number, LocalTime.now().truncatedTo(ChronoUnit.SECONDS).toString(), text));
        if (entries.size() > ENTRIES_MAX) {
            entries.removeFirst();
        }
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        if (isJson) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("seconds", Math.round(seconds * 1000) / 1000.0);
            line.put("event", text);
            out.println(Json.write(line));
        } else {
            out.printf("%6.1f s  %s%n", seconds, text);
        }
        out.flush();
    }

    /** Prints a line on the terminal only. */
    synchronized void print(String line) {
        if (!isJson) {
            out.println(line);
            out.flush();
        }
    }

    /** Prints values for programs as a line of JSON, in that mode only. */
    synchronized void data(Map<String, Object> values) {
        if (isJson) {
            out.println(Json.write(values));
            out.flush();
        }
    }

    synchronized List<Entry> entries() {
        return new ArrayList<>(entries);
    }
}
