package dev.tutti.campaign.chaos;

import dev.tutti.campaign.chaos.journal.Check;
import dev.tutti.campaign.chaos.network.NetworkFault;
import dev.tutti.internal.Json;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Results of a run. */
final class Report {

    private final String network;
    private final int processes;
    private final long seed;
    private final EnumMap<NetworkFault, Long> faults = new EnumMap<>(NetworkFault.class);
    private final List<Sample> samples = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private Check.@Nullable Result result;
    private double seconds;
    private double longestLateMillis;

    Report(String network, int processes, long seed) {
        this.network = network;
        this.processes = processes;
        this.seed = seed;
    }

    void count(NetworkFault fault) {
        faults.merge(fault, 1L, Long::sum);
    }

    void add(Sample sample) {
        samples.add(sample);
    }

    void addViolation(String text) {
        violations.add(text);
    }

    /** Adds the results at the end of the run. */
    void complete(Check.@Nullable Result checked, double ranSeconds, long longestLateNanos) {
        result = checked;
        seconds = ranSeconds;
        longestLateMillis = longestLateNanos / 1e6;
        if (checked != null) {
            violations.addAll(checked.violations());
        }
    }

    boolean isBroken() {
        return !violations.isEmpty();
    }

    private List<Sample> of(Bound bound) {
        return samples.stream().filter(sample -> sample.bound() == bound).toList();
    }

    private long count(Bound bound, Bound.Verdict verdict) {
        return of(bound).stream().filter(sample -> sample.verdict() == verdict).count();
    }

    /** Reports whether a bound was missed by more than the machine was late. */
    boolean isMissed() {
        return samples.stream().anyMatch(sample -> sample.verdict() == Bound.Verdict.MISSED);
    }

    /** Returns the bounds that were tried without a verdict, because the machine was late each time. */
    List<Bound> undecided() {
        List<Bound> found = new ArrayList<>();
        for (Bound bound : Bound.values()) {
            if (!of(bound).isEmpty() && count(bound, Bound.Verdict.STARVED) == of(bound).size()) {
                found.add(bound);
            }
        }
        return found;
    }

    // ------------------------------------------------------------------ as text

    String text() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT, "%n%d processes, %s, seed %d, %.0f s%n%nfaults%n", processes, network, seed, seconds));
        faults.forEach((fault, count) -> text.append(String.format(
                Locale.ROOT, "  %6d  %-10s %s%n", count, fault, fault.description())));
        text.append(String.format(
                Locale.ROOT, "%ntimes (ms)  %8s %8s %8s %6s  %5s %8s %7s%n", "median", "max", "bound", "count", "held",
                "starved", "missed"));
        for (Bound bound : Bound.values()) {
            List<Sample> taken = of(bound);
            if (!taken.isEmpty()) {
                text.append(line(bound, taken));
            }
        }
        samples.stream().filter(sample -> sample.verdict() != Bound.Verdict.HELD).forEach(sample -> text.append(
                String.format("  %s: %s%n", sample.verdict().toString().toLowerCase(Locale.ROOT), sample)));
        Check.Result checked = result;
        if (checked != null) {
            text.append(String.format(
                    Locale.ROOT,
                    "%n%,d entries checked: %,d views, %,d of them merges; %,d messages submitted, %,d deliveries; %d torn"
                            + " journals%n",
                    checked.entries(), checked.views(), checked.merges(), checked.submitted(), checked.delivered(),
                    checked.torn()));
        }
        text.append(String.format(Locale.ROOT, "longest time that this process was late: %.0f ms%n", longestLateMillis));
        violations.forEach(violation -> text.append("VIOLATION ").append(violation).append('\n'));
        text.append(violations.size()).append(" violations\n");
        return text.toString();
    }

    private String line(Bound bound, List<Sample> taken) {
        String max = bound.max() == null ? "-" : Long.toString(Objects.requireNonNull(bound.max()).toMillis());
        return String.format(
                Locale.ROOT, "  %-10s%8.0f %8.0f %8s %6d  %5d %8d %7d  %s%n", bound, medianMillis(taken), maxMillis(taken),
                max, taken.size(), count(bound, Bound.Verdict.HELD), count(bound, Bound.Verdict.STARVED),
                count(bound, Bound.Verdict.MISSED), bound.description());
    }

    static double medianMillis(List<Sample> samples) {
        long[] sorted = samples.stream().mapToLong(Sample::nanos).sorted().toArray();
        int middle = sorted.length / 2;
        long twice = sorted.length % 2 == 1 ? 2 * sorted[middle] : sorted[middle - 1] + sorted[middle];
        return twice / 2e6;
    }

    private static double maxMillis(List<Sample> samples) {
        return samples.stream().mapToLong(Sample::nanos).max().orElse(0) / 1e6;
    }

    // ------------------------------------------------------------------ as JSON

    String json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("processes", processes);
        map.put("network", network);
        map.put("seed", seed);
        map.put("seconds", seconds);
        Map<String, Object> done = new LinkedHashMap<>();
        faults.forEach((fault, count) -> done.put(fault.toString(), count));
        map.put("faults", done);
        Map<String, Object> times = new LinkedHashMap<>();
        for (Bound bound : Bound.values()) {
            List<Sample> taken = of(bound);
            if (!taken.isEmpty()) {
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("medianMillis", medianMillis(taken));
                one.put("maxMillis", maxMillis(taken));
                one.put("boundMillis", bound.max() == null ? null : Objects.requireNonNull(bound.max()).toMillis());
                one.put("count", taken.size());
                for (Bound.Verdict verdict : Bound.Verdict.values()) {
                    one.put(verdict.toString().toLowerCase(Locale.ROOT), count(bound, verdict));
                }
                times.put(bound.toString(), one);
            }
        }
        map.put("times", times);
        map.put("longestLateMillis", longestLateMillis);
        Check.Result checked = result;
        if (checked != null) {
            map.put("entries", checked.entries());
            map.put("views", checked.views());
            map.put("merges", checked.merges());
            map.put("submitted", checked.submitted());
            map.put("delivered", checked.delivered());
            map.put("tornJournals", checked.torn());
        }
        map.put("violations", violations);
        return Json.write(map) + "\n";
    }
}
