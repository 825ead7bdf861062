package dev.tutti.grid.internal.memory;

import dev.tutti.grid.Body;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import java.util.Map;

/** Memory of records, roughly. */
public final class Sizes {

    /** Memory that a measurement takes besides its texts and bytes. */
    public static final int OVERHEAD = 160;

    private static final int TEXT = 48;
    private static final int FILTER = 160;
    private static final int ENTRY = 1_024;

    private Sizes() {}

    public static long of(Measurement measurement) {
        long bytes = OVERHEAD + text(measurement.topic().path()) + texts(measurement.tags());
        return bytes + switch (measurement.body()) {
            case Body.Text text -> text.text().length() * 2L;
            case Body.Bytes raw -> raw.bytes().length;
            case Body.Number number -> number.unit().length();
            case Body.Values values -> values.values().size() * 128L
                    + values.values().values().stream().mapToLong(each -> each instanceof Body.Text text ? text.text().length() * 2L : 0).sum();
            case Body.Histogram histogram -> histogram.counts().size() * 48L;
        };
    }

    public static long of(Entry entry) {
        long bytes = ENTRY + text(entry.id()) + text(entry.name()) + text(entry.type()) + text(entry.schema()) + text(entry.address());
        for (Filter each : entry.filters()) {
            bytes += FILTER + text(each.topic()) + text(each.where()) + texts(each.tags());
        }
        return bytes + texts(entry.attributes());
    }

    private static long text(String text) {
        return TEXT + text.length();
    }

    private static long texts(Map<String, String> texts) {
        long bytes = 0;
        for (Map.Entry<String, String> each : texts.entrySet()) {
            bytes += text(each.getKey()) + text(each.getValue());
        }
        return bytes;
    }
}
