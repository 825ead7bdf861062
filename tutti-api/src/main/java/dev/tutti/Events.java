package dev.tutti;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Events of a node after a number: a page for somebody who follows them.
 *
 * @param list in order, the oldest first
 * @param last the number of the last event that there was; what to ask for next time
 * @param missed events that were asked for, and are not kept any more
 */
public record Events(List<Event> list, long last, long missed) {

    public Events {
        list = List.copyOf(list);
    }

    /** As nested maps, for JSON. */
    public Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("events", list.stream().map(Event::document).toList());
        document.put("last", last);
        document.put("missed", missed);
        return document;
    }
}
