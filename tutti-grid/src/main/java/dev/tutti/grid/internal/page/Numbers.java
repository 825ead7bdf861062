package dev.tutti.grid.internal.page;

import dev.tutti.grid.Body;
import dev.tutti.grid.Measurement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A number of a measurement, which can be charted; or a text, which is shown as it is.
 *
 * @param part name of the number in a measurement with several; empty if it has one
 * @param value the number; NaN if it is none
 * @param text what is shown instead of a number
 */
record Numbers(Measurement measurement, String part, double value, String unit, String text) {

    /** Most numbers of a measurement. */
    static final int PARTS_MAX = 64;

    /** Returns the numbers of a measurement. */
    static List<Numbers> of(Measurement measurement) {
        return switch (measurement.body()) {
            case Body.Values(Map<String, Body> values) -> {
                List<Numbers> all = new ArrayList<>();
                values.forEach((name, value) -> all.add(of(measurement, name, value)));
                yield all;
            }
            case Body.Histogram histogram -> {
                double count = histogram.count();
                yield List.of(
                        new Numbers(measurement, "count", count, "", ""),
                        new Numbers(measurement, "mean", histogram.sum() / count, histogram.unit(), ""));
            }
            case Body body -> List.of(of(measurement, "", body));
        };
    }

    private static Numbers of(Measurement measurement, String part, Body body) {
        return switch (body) {
            case Body.Number(double value, String unit) -> new Numbers(measurement, part, value, unit, "");
            case Body.Text(String text) -> new Numbers(measurement, part, Double.NaN, "", text);
            case Body.Bytes _, Body.Values _, Body.Histogram _ -> new Numbers(measurement, part, Double.NaN, "", "");
        };
    }

    String topic() {
        return measurement.topic().path();
    }

    /** Returns the text by which the page asks for it again. Measurements of one producer and topic have one. */
    String key() {
        return PageContent.text(measurement.producer()) + "\n" + topic() + "\n" + part;
    }

    /** Returns what a chart needs; further values can be added. */
    Map<String, Object> content() {
        Map<String, Object> content = new LinkedHashMap<>();
        content.put("key", key());
        content.put("value", value);
        content.put("unit", PageContent.text(unit));
        content.put("text", PageContent.text(text));
        content.put("time", measurement.time().toEpochMilli());
        content.put("sequence", measurement.sequence());
        return content;
    }
}
