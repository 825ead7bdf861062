package dev.tutti.bench.commands;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.comparison.Load;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.process.BenchCluster.Outcome;
import dev.tutti.bench.process.BenchCluster.Phase;
import dev.tutti.bench.report.Summary;
import dev.tutti.bench.report.Table;
import dev.tutti.bench.systems.Spaces;
import dev.tutti.bench.systems.SystemKind;
import dev.tutti.core.settings.Size;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Throughput of network cards of a given rate: from member to member, and from each to all. */
@Command(
        name = "ring",
        mixinStandardHelpOptions = true,
        description = {
            "Multicast where the network card is the bound: dissemination 'ring' beside 'fan-out'.",
            "Each member is in a network namespace with a card of its own, of this rate in each direction. What a member receives"
                    + " from the others is compared with it. Needs root, ip and tc.",
        },
        footer = {"", "Examples:", "  tutti bench ring", "  tutti bench ring --link 100mbit --members 8 --repetitions 3"})
final class RingCommand implements Callable<Integer> {

    /** Least part of the card's rate; headers, acknowledgements and TCP's own traffic take the rest. */
    private static final double SHARE_MIN = 0.9;

    @Mixin
    private final Output output = new Output();

    @Option(
            names = "--link",
            paramLabel = "RATE",
            defaultValue = "1gbit",
            description = "Of each card: a number and kbit, mbit or gbit. Default: ${DEFAULT-VALUE}.")
    private String link = "";

    @Option(
            names = "--congestion",
            paramLabel = "NAME",
            defaultValue = "cubic",
            description = "Congestion control of TCP, such as cubic or bbr. BBR looks for the shortest way to a neighbour every"
                    + " 10 s and slows down for 0.2 s meanwhile; the ring is as slow as the slowest of its links. Default:"
                    + " ${DEFAULT-VALUE}, as the kernel's.")
    private String congestion = "";

    @Option(
            names = "--members",
            paramLabel = "N",
            split = ",",
            defaultValue = "4,8",
            description = "Processes. Default: ${DEFAULT-VALUE}.")
    private List<Integer> members = List.of();

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "8KiB",
            description = "Of a message. Default: ${DEFAULT-VALUE}.")
    private Size size = Size.kibibytes(8);

    @Option(
            names = "--patterns",
            paramLabel = "PATTERN",
            split = ",",
            defaultValue = "n-n,1-n",
            description = "Senders: all members (n-n) or a number (1-n). Default: ${DEFAULT-VALUE}.")
    private List<String> patterns = List.of();

    @Option(
            names = "--systems",
            paramLabel = "SYSTEM",
            split = ",",
            defaultValue = "tutti,tutti-ring",
            description = "tutti is the fan-out; tutti-auto chooses, which takes a few seconds. Default: ${DEFAULT-VALUE}.")
    private List<SystemKind> systems = List.of();

    @Option(
            names = "--warmup",
            paramLabel = "DURATION",
            defaultValue = "60s",
            description = "Sending before it counts. Default: ${DEFAULT-VALUE}.")
    private Duration warmUp = Duration.ZERO;

    @Option(
            names = "--time",
            paramLabel = "DURATION",
            defaultValue = "10s",
            description = "Measured sending. Default: ${DEFAULT-VALUE}.")
    private Duration time = Duration.ZERO;

    @Option(names = "--repetitions", paramLabel = "N", defaultValue = "3", description = "Default: ${DEFAULT-VALUE}.")
    private int repetitions;

    private record Case(int members, String pattern, SystemKind system) {}

    @Override
    public Integer call() {
        output.title("Multicast through cards of " + link + ", " + size + " messages, " + congestion);
        output.put("congestion", congestion);
        double linkBytes = bitsPerSecond(link) / 8;
        Map<Case, List<Double>> shares = new LinkedHashMap<>();
        for (int count : members) {
            try (Spaces spaces = new Spaces(count, link, congestion)) {
                List<String> options = new ArrayList<>(output.jvmOptions("512m"));
                options.add(spaces.option());
                Layout layout = new Layout(options, false, List.of(), spaces.names());
                for (int repetition = 1; repetition <= repetitions; repetition++) {
                    for (String pattern : patterns) {
                        for (SystemKind system : systems) {
                            double share = measure(layout, system, count, pattern) / linkBytes;
                            output.progress(String.format(Locale.ROOT, "%d/%d %s %s, %d members: %.1f %% of a card",
                                    repetition, repetitions, system, pattern, count, 100 * share));
                            shares.computeIfAbsent(new Case(count, pattern, system), each -> new ArrayList<>()).add(share);
                        }
                    }
                }
            }
        }
        report(shares);
        return output.finish();
    }

    /** Returns the message bytes per second from others at a member; in 1-n, at one that does not send. */
    private double measure(Layout layout, SystemKind system, int count, String pattern) {
        int senders = Load.senders(pattern, count);
        try (BenchCluster cluster = new BenchCluster(system, count, layout)) {
            cluster.form();
            cluster.run(new Phase(1, senders, (int) size.bytes(), warmUp, Duration.ZERO, Duration.ZERO));
            Outcome outcome = cluster.run(new Phase(2, senders, (int) size.bytes(), time, Duration.ZERO, Duration.ZERO));
            outcome.faults().forEach(output::fail);
            int receivers = senders == count ? count : count - senders;
            return outcome.others() / (double) receivers * size.bytes() * 1e9 / outcome.nanos();
        }
    }

    private void report(Map<Case, List<Double>> shares) {
        Table table = new Table("members", "pattern", "system", "of the card min", "median", "max");
        Map<String, Object> figures = new TreeMap<>();
        shares.forEach((each, list) -> {
            Summary summary = Summary.of(list);
            table.row(
                    Integer.toString(each.members()),
                    each.pattern(),
                    each.system().toString(),
                    percent(summary.min()),
                    percent(summary.median()),
                    percent(summary.max()));
            figures.put(each.members() + " " + each.pattern() + " " + each.system(), summary.toMap());
        });
        output.put("share-of-card", figures);
        output.print(table);
        shares.forEach((each, list) -> {
            if (each.system() == SystemKind.TUTTI_RING) {
                double median = Summary.of(list).median();
                output.bound(
                        String.format(Locale.ROOT, "ring, %s, %d members: a member receives %s of a card's rate; at least %s",
                                each.pattern(), each.members(), percent(median), percent(SHARE_MIN)),
                        median >= SHARE_MIN);
            }
        });
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    private static double bitsPerSecond(String rate) {
        String text = rate.toLowerCase(Locale.ROOT);
        double unit = text.endsWith("gbit") ? 1e9 : text.endsWith("mbit") ? 1e6 : text.endsWith("kbit") ? 1e3 : 0;
        if (unit == 0 || !text.substring(0, text.length() - 4).matches("\\d{1,6}(\\.\\d{1,3})?")) {
            throw new BenchException("a rate is a number and kbit, mbit or gbit, such as 1gbit, not '" + rate + "'");
        }
        return unit * Double.parseDouble(text.substring(0, text.length() - 4));
    }
}
