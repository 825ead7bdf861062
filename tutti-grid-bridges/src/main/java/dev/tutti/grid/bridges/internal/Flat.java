package dev.tutti.grid.bridges.internal;

import dev.tutti.grid.Body;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.bridges.Series;
import dev.tutti.grid.bridges.SeriesNames;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The numbers of a measurement, each with its series: one of a {@code Number}, several of {@code Values}, none of texts and bytes. */
public final class Flat {

    /** A number of a series, in milliseconds since 1970. */
    public record Sample(Series series, double value, long timeMillis, String unit) {}

    private Flat() {}

    /** Returns the series of a measurement. The tags about sums are not among its labels. */
    public static Series series(SeriesNames names, Measurement measurement) {
        Series series = names.of(measurement);
        if (!series.labels().containsKey(Outlet.TEMPORALITY) && !series.labels().containsKey(Outlet.MONOTONIC)) {
            return series;
        }
        Map<String, String> labels = new TreeMap<>(series.labels());
        labels.remove(Outlet.TEMPORALITY);
        labels.remove(Outlet.MONOTONIC);
        return new Series(series.name(), labels);
    }

    /** Tells the numbers of a measurement. Those of a histogram are its count and its sum. */
    public static void tell(SeriesNames names, Measurement measurement, Consumer<Sample> sink) {
        long time = measurement.time().toEpochMilli();
        Body body = measurement.body();
        if (body instanceof Body.Text || body instanceof Body.Bytes) {
            return;
        }
        Series series = series(names, measurement);
        switch (body) {
            case Body.Number(double value, String unit) -> sink.accept(new Sample(series, value, time, unit));
            case Body.Values(Map<String, Body> values) -> values.forEach((name, each) -> {
                if (each instanceof Body.Number(double value, String unit)) {
                    sink.accept(new Sample(series.part(Topics.level(name)), value, time, unit));
                }
            });
            case Body.Histogram histogram -> {
                sink.accept(new Sample(series.part("count"), histogram.count(), time, ""));
                sink.accept(new Sample(series.part("sum"), histogram.sum(), time, histogram.unit()));
            }
            case Body.Text _, Body.Bytes _ -> {}
        }
    }
}
