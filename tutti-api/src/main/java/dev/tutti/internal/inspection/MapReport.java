package dev.tutti.internal.inspection;

import dev.tutti.core.stack.Report;
import java.util.LinkedHashMap;
import java.util.Map;

/** A report as nested maps. */
public final class MapReport implements Report {

    private final Map<String, Object> values = new LinkedHashMap<>();

    public Map<String, Object> values() {
        return values;
    }

    @Override
    public void put(String name, long value) {
        values.put(name, value);
    }

    @Override
    public void put(String name, String value) {
        values.put(name, value);
    }

    @Override
    public Report section(String name) {
        MapReport section = new MapReport();
        Object present = values.putIfAbsent(name, section.values);
        if (present instanceof Map<?, ?> known) {
            MapReport same = new MapReport();
            known.forEach((key, value) -> same.values.put(String.valueOf(key), value));
            values.put(name, same.values);
            return same;
        }
        return section;
    }
}
