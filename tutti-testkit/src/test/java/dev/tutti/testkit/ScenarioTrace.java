package dev.tutti.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/**
 * Events of a scenario as lines of text, with times since the last step. The same event at several members, at one
 * time, is one line.
 */
final class ScenarioTrace {

    private static final class Event {
        private final String time;
        private final String before;
        private final TreeSet<String> places = new TreeSet<>();
        private final String text;

        Event(String time, String before, String text) {
            this.time = time;
            this.before = before;
            this.text = text;
        }

        boolean isSame(Event other) {
            return time.equals(other.time) && before.equals(other.before) && text.equals(other.text);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%9s  %-16s %s", time, before + String.join(" ", places), text);
        }
    }

    private final List<Event> events = new ArrayList<>();
    private long startNanos;

    /** Begins a step at this time. */
    void start(long nowNanos) {
        events.clear();
        startNanos = nowNanos;
    }

    /** Adds an event at one member. */
    void add(long nowNanos, String place, String text) {
        add(nowNanos, "", place, text);
    }

    /** Adds a message that has arrived. */
    void addMessage(long nowNanos, String from, String to, String text) {
        add(nowNanos, from + " → ", to, text);
    }

    private void add(long nowNanos, String before, String place, String text) {
        Event event = new Event(String.format(Locale.ROOT, "%.1f ms", (nowNanos - startNanos) / 1e6), before, text);
        for (Event earlier : events) {
            if (earlier.isSame(event)) {
                earlier.places.add(place);
                return;
            }
        }
        event.places.add(place);
        events.add(event);
    }

    /** Returns the lines since the step began. */
    List<String> lines() {
        return events.stream().map(Event::toString).toList();
    }
}
