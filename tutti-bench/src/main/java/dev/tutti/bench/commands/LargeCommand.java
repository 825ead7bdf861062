package dev.tutti.bench.commands;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.comparison.Load;
import dev.tutti.bench.options.MemberCounts;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Systems;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.process.BenchCluster.Outcome;
import dev.tutti.bench.process.BenchCluster.Phase;
import dev.tutti.bench.report.Table;
import dev.tutti.bench.systems.SystemKind;
import dev.tutti.core.settings.Durations;
import dev.tutti.core.settings.Size;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The number of large messages at which memory runs out. */
@Command(
        name = "large",
        mixinStandardHelpOptions = true,
        description = {
            "The number of large messages, sent without a pause, at which memory runs out.",
            "Processes with a small heap end as soon as they are out of memory. Each number has new processes, whose senders send so many"
                    + " messages one behind the other; the first number at which a process ends, or a message is lost, is reported.",
        },
        footer = {"", "Examples:", "  tutti bench large", "  tutti bench large --size 10MB --counts 1,2,3,4,5 --heap 128m"})
final class LargeCommand implements Callable<Integer> {

    /** Exit code of a JVM with ExitOnOutOfMemoryError. */
    private static final String OUT_OF_MEMORY = "code 3";

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final MemberCounts members = new MemberCounts();

    @Mixin
    private final Systems systems = new Systems();

    @Option(names = "--size", paramLabel = "SIZE", defaultValue = "10MB", description = "Of a message. Default: ${DEFAULT-VALUE}.")
    private Size size = Size.mebibytes(10);

    @Option(
            names = "--counts",
            paramLabel = "N",
            split = ",",
            defaultValue = "1,2,5,10,20,50,100",
            description = "Messages of each sender, ascending. Default: ${DEFAULT-VALUE}.")
    private List<Integer> counts = List.of();

    @Option(
            names = "--patterns",
            paramLabel = "PATTERN",
            split = ",",
            defaultValue = "1-n,n-n",
            description = "Senders: one (1-n) or all members (n-n). Default: ${DEFAULT-VALUE}.")
    private List<String> patterns = List.of();

    @Option(
            names = "--time",
            paramLabel = "DURATION",
            defaultValue = "60s",
            description = "Time in which messages of one number have to be sent. Default: ${DEFAULT-VALUE}.")
    private Duration time = Duration.ZERO;

    /**
     * @param first the least number of messages that failed; 0 if none did
     * @param most the greatest number that was delivered
     * @param why it ended before the last number; empty if it did not
     */
    private record Found(int first, int most, String why) {

        @Override
        public String toString() {
            return first > 0 ? Integer.toString(first) : "none up to " + most;
        }
    }

    @Override
    public Integer call() {
        output.title("Messages of " + Load.print(size.bytes()) + ", " + members.count() + " members");
        Layout plain = output.layout("64m");
        List<String> options = new ArrayList<>(plain.options());
        options.add("-XX:+ExitOnOutOfMemoryError");
        Layout layout = plain.with(options);
        Table table = new Table("system", "pattern", "messages of a sender", "why");
        List<Object> results = new ArrayList<>();
        for (String pattern : patterns) {
            for (SystemKind system : systems.all()) {
                Found found = find(layout, system, pattern);
                table.row(system, pattern, found, found.why);
                Map<String, Object> result = new LinkedHashMap<>();
                result.put("system", system.toString());
                result.put("pattern", pattern);
                result.put("bytes", size.bytes());
                result.put("most", found.most);
                result.put("first", found.first);
                result.put("why", found.why);
                results.add(result);
                output.put("results", results);
                if (system == SystemKind.TUTTI) {
                    output.bound(pattern + ": messages of each sender at which memory of " + system + " runs out: " + found, found.first == 0);
                }
            }
        }
        output.print(table);
        return output.finish();
    }

    private Found find(Layout layout, SystemKind system, String pattern) {
        int most = 0;
        for (int count : counts) {
            String what = system + " " + pattern + ", " + count + " of each sender: ";
            try {
                int senders = Load.senders(pattern, members.count());
                long sent = measure(layout, system, senders, count);
                long due = (long) senders * count;
                if (sent < due) {
                    String why = sent + " of " + due + " messages sent within " + Durations.print(time);
                    output.progress(what + why);
                    return new Found(0, most, why);
                }
                output.progress(what + "delivered");
                most = count;
            } catch (BenchException e) {
                String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("").replaceFirst("; its log.*", "");
                boolean isMemory = why.contains("OutOfMemoryError") || why.endsWith(OUT_OF_MEMORY);
                output.progress(what + why);
                return new Found(count, most, isMemory ? why + ": out of memory" : why);
            }
        }
        return new Found(0, most, "");
    }

    /** Returns the number of messages sent in the time, all of which have arrived. */
    private long measure(Layout layout, SystemKind system, int senders, int count) {
        try (BenchCluster cluster = new BenchCluster(system, members.count(), layout)) {
            cluster.form();
            int bytes = Math.toIntExact(size.bytes());
            Outcome outcome = cluster.run(new Phase(1, senders, 1, bytes, time, count, Duration.ZERO, Duration.ZERO));
            outcome.faults().forEach(fault -> {
                throw new BenchException(fault);
            });
            return outcome.sent();
        }
    }
}
