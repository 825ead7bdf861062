package dev.tutti;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A page of the node's events after a given number, for callers that follow them.
 *
 * @param list events in order, the oldest first
 * @param last number of the last event so far; the number to ask for next time
 * @param missed number of events that were asked for and are no longer kept
 */
public record Events(List<Event> list, long last, long missed) {

    public Events {
        list = List.copyOf(list);
    }

    /** Returns the page as nested maps, for JSON. */
    public Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("events", list.stream().map(Event::document).toList());
        document.put("last", last);
        document.put("missed", missed);
        return document;
    }
}
