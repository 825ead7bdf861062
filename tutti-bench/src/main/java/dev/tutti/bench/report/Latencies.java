package dev.tutti.bench.report;

import dev.tutti.bench.BenchException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Histograms of nanoseconds: three digits, up to an hour. */
public final class Latencies {

    public static final long NANOS_MAX = 3_600_000_000_000L;

    private static final int DIGITS = 3;

    /** Reported percentiles of a histogram, by their names in files. */
    public static final Map<String, Double> PERCENTILES = percentiles();

    private Latencies() {}

    private static Map<String, Double> percentiles() {
        Map<String, Double> all = new LinkedHashMap<>();
        all.put("median", 50.0);
        all.put("p90", 90.0);
        all.put("p99", 99.0);
        all.put("p99.9", 99.9);
        all.put("p99.99", 99.99);
        all.put("max", 100.0);
        return all;
    }

    public static Histogram histogram() {
        return new Histogram(NANOS_MAX, DIGITS);
    }

    public static String print(Histogram histogram) {
        ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(bytes);
        byte[] used = new byte[length];
        bytes.get(0, used);
        return Base64.getEncoder().withoutPadding().encodeToString(used);
    }

    /** Parses a text that {@link #print} made; the histogram is empty if the text is. */
    public static Histogram parse(String text) {
        if (text.isEmpty()) {
            return histogram();
        }
        try {
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(text)), NANOS_MAX);
        } catch (DataFormatException e) {
            throw new BenchException("no histogram: " + e.getMessage(), e);
        }
    }

    public static Histogram sum(Iterable<Histogram> all) {
        Histogram sum = histogram();
        all.forEach(sum::add);
        return sum;
    }

    public static double micros(Histogram histogram, double percentile) {
        return histogram.getValueAtPercentile(percentile) / 1e3;
    }

    public static String printMicros(Histogram histogram, double percentile) {
        return String.format(Locale.ROOT, "%,.1f", micros(histogram, percentile));
    }

    /** Returns all of {@link #PERCENTILES}, formatted. */
    public static List<String> row(Histogram histogram) {
        return PERCENTILES.values().stream().map(each -> printMicros(histogram, each)).toList();
    }

    /** Adds a line over all of {@link #PERCENTILES}. */
    public static void addTo(Chart.Builder chart, String line, Histogram histogram) {
        long place = 0;
        for (var each : PERCENTILES.entrySet()) {
            chart.add(line, place++, each.getKey(), micros(histogram, each.getValue()));
        }
    }

    public static Map<String, Object> toMap(Histogram histogram) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("count", histogram.getTotalCount());
        PERCENTILES.forEach((name, percentile) -> map.put(name, histogram.getValueAtPercentile(percentile)));
        return map;
    }
}
