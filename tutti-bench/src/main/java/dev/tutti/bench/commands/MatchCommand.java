package dev.tutti.bench.commands;

import com.sun.management.ThreadMXBean;
import dev.tutti.bench.match.Matcher;
import dev.tutti.bench.match.Mix;
import dev.tutti.bench.match.Moquette;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Rounds;
import dev.tutti.bench.report.Machine;
import dev.tutti.bench.report.Summary;
import dev.tutti.bench.report.Table;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Rate at which measurements are matched against many subscriptions. */
@Command(
        name = "match",
        mixinStandardHelpOptions = true,
        description = {
            "Measurements matched against subscriptions, by one thread.",
            "The index of tutti-grid with subscriptions of several kinds, and for topics beside it the directory of subscriptions of"
                    + " Moquette, a broker for MQTT. The same subscriptions and measurements for both, drawn from a seed. Before it is"
                    + " measured, each is compared with a scan of all subscriptions.",
            "Rates are per second of the thread's CPU time, so that other processes change them little.",
        },
        footer = {"", "Examples:", "  tutti perf match", "  tutti perf match --subscriptions 1000000 --mixes exact,selectors --json match.json"})
final class MatchCommand implements Callable<Integer> {

    static final Map<String, String> DEFAULTS = Map.of("--repetitions", "5", "--warmup", "4s", "--time", "2s");

    private static final double TOPICS_MIN = 1e6;
    private static final double SELECTORS_MIN = 2e5;
    private static final int MEASUREMENTS = 20_000;
    private static final int VERIFIED = 100;
    private static final int BETWEEN_LOOKS = 500;
    private static final long SEED = 4711;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Option(names = "--subscriptions", paramLabel = "N", defaultValue = "100000", description = "Default: ${DEFAULT-VALUE}.")
    private int subscriptions;

    @Option(
            names = "--mixes",
            paramLabel = "MIX",
            split = ",",
            defaultValue = "EXACT,WILDCARDS,TAGS,TAGS_IN_SELECTORS,SELECTORS,ALL",
            description = "Kinds of subscriptions, of ${COMPLETION-CANDIDATES}. Default: all.")
    private List<Mix> mixes = List.of();

    @Mixin
    private final Rounds rounds = new Rounds();

    @Mixin
    private final Output output = new Output();

    private final Table table =
            new Table("subscriptions", "index", "found", "matches/s min", "median", "max", "B/match", "added in ms");

    private long told;

    /** An index of some subscriptions, and how fast it was. */
    private static final class Trial {
        private final String name;
        private final Matcher matcher;
        private final double addMillis;
        private final List<Double> rates = new ArrayList<>();
        private double bytes;

        Trial(String name, Supplier<Matcher> maker) {
            this.name = name;
            long begin = THREADS.getCurrentThreadCpuTime();
            matcher = maker.get();
            addMillis = (THREADS.getCurrentThreadCpuTime() - begin) / 1e6;
        }
    }

    @Override
    public Integer call() {
        output.title(String.format(Locale.ROOT, "Matching of %,d subscriptions by one thread, %s", subscriptions, rounds));
        List<Measurement> measurements = Mix.measurements(MEASUREMENTS, subscriptions, SEED);
        for (Mix mix : mixes) {
            measure(mix, measurements);
        }
        output.print(table);
        return output.finish();
    }

    private void measure(Mix mix, List<Measurement> measurements) {
        List<Filter> filters = mix.filters(subscriptions);
        List<Trial> trials = new ArrayList<>();
        trials.add(new Trial("tutti", () -> Matcher.tutti(filters)));
        if (mix.isOnlyTopics()) {
            trials.add(new Trial("moquette", () -> Moquette.of(filters)));
        }
        double found = verify(mix, filters, trials, measurements.subList(0, VERIFIED));
        trials.forEach(trial -> run(trial, measurements, rounds.warmup()));
        for (int round = 1; round <= rounds.repetitions(); round++) {
            for (Trial trial : trials) {
                trial.rates.add(run(trial, measurements, rounds.time()));
            }
            output.progress(String.format(Locale.ROOT, "%s %d/%d: %,.0f/s; load %s", mix.title(), round, rounds.repetitions(),
                    trials.getFirst().rates.getLast(), Machine.load()));
        }
        report(mix, trials, found);
    }

    /** Compares the indexes with a scan, and returns the mean number of subscriptions that a measurement has. */
    private double verify(Mix mix, List<Filter> filters, List<Trial> trials, List<Measurement> measurements) {
        Matcher scan = Matcher.scan(filters);
        long sum = 0;
        for (Measurement measurement : measurements) {
            List<Integer> expected = scan.found(measurement);
            sum += expected.size();
            for (Trial trial : trials) {
                List<Integer> found = trial.matcher.found(measurement);
                if (!found.equals(expected)) {
                    output.fail(mix.title() + ": " + trial.name + " found " + found + " for " + measurement + ", not " + expected);
                }
            }
        }
        return (double) sum / measurements.size();
    }

    /** Returns the number of measurements matched in a second of CPU time. */
    private double run(Trial trial, List<Measurement> measurements, Duration time) {
        long count = 0;
        long bytes = THREADS.getCurrentThreadAllocatedBytes();
        long begin = THREADS.getCurrentThreadCpuTime();
        long nanos = 0;
        while (nanos < time.toNanos()) {
            for (int i = 0; i < BETWEEN_LOOKS; i++) {
                trial.matcher.match(measurements.get((int) ((count + i) % MEASUREMENTS)), index -> told++);
            }
            count += BETWEEN_LOOKS;
            nanos = THREADS.getCurrentThreadCpuTime() - begin;
        }
        trial.bytes = (double) (THREADS.getCurrentThreadAllocatedBytes() - bytes) / count;
        return count * 1e9 / nanos;
    }

    private void report(Mix mix, List<Trial> trials, double found) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("found", found);
        for (Trial trial : trials) {
            Summary rate = Summary.of(trial.rates);
            table.row(mix.title(), trial.name, String.format(Locale.ROOT, "%.2f", found), number(rate.min()), number(rate.median()),
                    number(rate.max()), number(trial.bytes), number(trial.addMillis));
            figures.put(trial.name, Map.of(
                    "matches-per-second", rate.toMap(), "bytes-per-match", trial.bytes, "add-millis", trial.addMillis));
        }
        output.put(mix.name().toLowerCase(Locale.ROOT).replace('_', '-'), figures);
        double least = mix.isOnlyTopics() ? TOPICS_MIN : SELECTORS_MIN;
        double median = Summary.of(trials.getFirst().rates).median();
        output.bound(
                String.format(Locale.ROOT, "%s: %,.0f measurements/s; at least %,.0f", mix.title(), median, least), median >= least);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }
}
