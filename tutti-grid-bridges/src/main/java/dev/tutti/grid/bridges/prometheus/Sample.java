package dev.tutti.grid.bridges.prometheus;

import dev.tutti.grid.Body;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.bridges.Series;
import dev.tutti.grid.bridges.SeriesNames;
import dev.tutti.grid.bridges.internal.Flat;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A number as Prometheus has it.
 *
 * @param name name of the metric, in the characters that Prometheus allows
 * @param labels labels, whose names are so, too; sorted
 */
record Sample(String name, Map<String, String> labels, double value, long timeMillis) {

    /** Most ranges of a histogram that are samples each; the others are left out, and counted by the last. */
    static final int RANGES_MAX = 1_000;

    private static final String NAME = "__name__";
    private static final String BOUND = "le";

    Sample {
        labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    }

    /** Returns the number of samples that a measurement makes. */
    static int count(Measurement measurement) {
        return switch (measurement.body()) {
            case Body.Number _ -> 1;
            case Body.Values values -> (int) values.values().values().stream().filter(each -> each instanceof Body.Number).count();
            case Body.Histogram histogram -> Math.min(RANGES_MAX, histogram.bounds().size()) + 3;
            case Body.Text _, Body.Bytes _ -> 0;
        };
    }

    /** Returns the samples of a measurement: of a histogram its ranges, which add up as those of Prometheus do, its sum and its count. */
    static List<Sample> of(SeriesNames names, Measurement measurement) {
        List<Sample> samples = new ArrayList<>();
        Flat.tell(names, measurement, each -> samples.add(of(each.series(), each.value(), each.timeMillis())));
        if (measurement.body() instanceof Body.Histogram histogram) {
            Series ranges = Flat.series(names, measurement).part("bucket");
            long time = measurement.time().toEpochMilli();
            long below = 0;
            for (int i = 0; i < Math.min(RANGES_MAX, histogram.bounds().size()); i++) {
                below += histogram.counts().get(i);
                samples.add(of(ranges.with(BOUND, text(histogram.bounds().get(i))), below, time));
            }
            samples.add(of(ranges.with(BOUND, "+Inf"), histogram.count(), time));
        }
        return samples;
    }

    private static Sample of(Series series, double value, long timeMillis) {
        Map<String, String> labels = new TreeMap<>();
        series.labels().forEach((name, text) -> {
            // An empty value is the same as none.
            if (!text.isEmpty()) {
                labels.put(label(name), text);
            }
        });
        return new Sample(metric(series.name()), labels, value, timeMillis);
    }

    /** Returns labels with the name of the metric among them, as remote write has them. */
    Map<String, String> labelsWithName() {
        Map<String, String> all = new TreeMap<>(labels);
        all.put(NAME, name);
        return all;
    }

    static String metric(String name) {
        return plain(name, true);
    }

    /** Returns the name of a label; those that begin with two underscores are for Prometheus itself. */
    static String label(String name) {
        String plain = plain(name, false);
        return plain.startsWith("__") ? plain.substring(1).replaceFirst("^_+", "_") : plain;
    }

    private static String plain(String name, boolean isColonAllowed) {
        StringBuilder plain = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char each = name.charAt(i);
            boolean isLetter = each >= 'a' && each <= 'z' || each >= 'A' && each <= 'Z' || each == '_' || each == ':' && isColonAllowed;
            boolean isDigit = each >= '0' && each <= '9';
            if (isDigit && i == 0) {
                plain.append('_');
            }
            plain.append(isLetter || isDigit ? each : '_');
        }
        return plain.isEmpty() ? "_" : plain.toString();
    }

    /** Returns a number in the words of Prometheus. */
    static String text(double value) {
        if (Double.isNaN(value)) {
            return "NaN";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "+Inf" : "-Inf";
        }
        return value == Math.rint(value) && Math.abs(value) < 1e15 ? Long.toString((long) value) : Double.toString(value);
    }
}
