package dev.tutti.bench.commands;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.comparison.Load;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Systems;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.process.BenchCluster.Outcome;
import dev.tutti.bench.process.BenchCluster.Phase;
import dev.tutti.bench.report.Chart;
import dev.tutti.bench.report.Machine;
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
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Throughput of network cards of given rates: fan-out and rings, and systems side by side. */
@Command(mixinStandardHelpOptions = true)
final class LinksCommand implements Callable<Integer> {

    /** Name of cards without a rate of their own. */
    private static final String UNSHAPED = "none";

    private static final String CARDS = "Each member is in a network namespace with a card of its own, of this rate in each direction."
            + " What a member receives from the others is compared with it. Needs root, ip and tc.";

    /** Least part of the card's rate; headers, acknowledgements and TCP's own traffic take the rest. */
    private static final double SHARE_MIN = 0.9;

    @Mixin
    private final Output output = new Output();

    @Option(
            names = "--link",
            paramLabel = "RATE",
            split = ",",
            description = "Of each card: a number and kbit, mbit or gbit, or none for cards as fast as the machine. Default: ${DEFAULT-VALUE}.")
    private List<String> links = List.of();

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
            description = "Processes. Default: ${DEFAULT-VALUE}.")
    private List<Integer> members = List.of();

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            description = "Of a message. Default: ${DEFAULT-VALUE}.")
    private Size size = Size.kibibytes(8);

    @Option(
            names = "--patterns",
            paramLabel = "PATTERN",
            split = ",",
            defaultValue = "n-n,1-n",
            description = "Senders: all members (n-n) or a number (1-n). Default: ${DEFAULT-VALUE}.")
    private List<String> patterns = List.of();

    @Mixin
    private final Systems systems = new Systems();

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

    private record Case(String link, int members, String pattern, SystemKind system) {}

    /** Results of the repetitions: message bytes per second from others at a member. */
    private final Map<Case, List<Double>> rates = new LinkedHashMap<>();

    /** Returns the command that compares rings with fan-out. */
    static CommandLine ring() {
        return of(
                "ring",
                "Multicast where the network card is the bound: dissemination 'ring' beside 'fan-out'.",
                "tutti is the fan-out; tutti-auto chooses, which takes a few seconds.",
                Map.of("--link", "1gbit", "--members", "4,8", "--size", "8KiB", "--systems", "tutti,tutti-ring"));
    }

    /** Returns the command that compares systems on networks of several speeds. */
    static CommandLine links() {
        return of(
                "links",
                "Multicast through network cards of several speeds, side by side.",
                "Systems take turns.",
                Map.of("--link", "100mbit,1gbit,none", "--members", "4", "--size", "1KiB", "--systems", "tutti,tutti-ring,jgroups,limit"));
    }

    private static CommandLine of(String name, String title, String detail, Map<String, String> defaults) {
        CommandLine line = Bench.of(new LinksCommand(), defaults);
        line.getCommandSpec().name(name).usageMessage().description(title, CARDS, detail);
        line.getCommandSpec().usageMessage().footer(
                "", "Examples:", "  tutti bench " + name, "  tutti bench " + name + " --link 100mbit --members 8 --repetitions 3");
        return line;
    }

    @Override
    public Integer call() {
        String control = Machine.congestion(congestion);
        output.title("Multicast through cards of " + String.join(", ", links) + ", " + size + " messages, " + control);
        if (!control.equals(congestion)) {
            output.note("net.ipv4.tcp_allowed_congestion_control of this machine lacks " + congestion + ", so TCP has " + control);
        }
        output.put("congestion", control);
        List<String> options = output.jvmOptions("512m");
        links.forEach(LinksCommand::bytesPerSecond);
        for (String link : links) {
            for (int count : members) {
                try (Spaces spaces = new Spaces(count, link.equals(UNSHAPED) ? "" : link, control)) {
                    List<String> own = new ArrayList<>(options);
                    own.add(spaces.option());
                    measure(link, count, new Layout(own, false, List.of(), spaces.names(), null));
                }
            }
        }
        report();
        return output.finish();
    }

    private void measure(String link, int count, Layout layout) {
        for (int repetition = 1; repetition <= repetitions; repetition++) {
            for (String pattern : patterns) {
                for (SystemKind system : systems.all()) {
                    Case each = new Case(link, count, pattern, system);
                    try {
                        double rate = measure(layout, system, count, pattern);
                        rates.computeIfAbsent(each, _ -> new ArrayList<>()).add(rate);
                        output.progress(String.format(Locale.ROOT, "%d/%d %s %s, %d members, cards of %s: %,.1f MB/s at a member%s",
                                repetition, repetitions, system, pattern, count, link, rate / 1e6, share(link, rate)));
                    } catch (BenchException e) {
                        String what = system + " " + pattern + ", " + count + " members, cards of " + link + ": " + e.getMessage();
                        if (system.isOwn()) {
                            output.fail(what);
                        } else {
                            output.disqualify(what);
                        }
                    }
                }
            }
        }
    }

    private static String share(String link, double rate) {
        return link.equals(UNSHAPED) ? "" : ", " + percent(rate / bytesPerSecond(link));
    }

    /** Returns the message bytes per second from others at a member; in 1-n, at one that does not send. */
    private double measure(Layout layout, SystemKind system, int count, String pattern) {
        int senders = Load.senders(pattern, count);
        try (BenchCluster cluster = new BenchCluster(system, count, layout)) {
            cluster.form();
            cluster.run(new Phase(1, senders, (int) size.bytes(), warmUp, Duration.ZERO, Duration.ZERO));
            Outcome outcome = cluster.run(new Phase(2, senders, (int) size.bytes(), time, Duration.ZERO, Duration.ZERO));
            if (!outcome.faults().isEmpty()) {
                throw new BenchException(outcome.faults().getFirst());
            }
            int receivers = senders == count ? count : count - senders;
            return outcome.others() / (double) receivers * size.bytes() * 1e9 / outcome.nanos();
        }
    }

    private void report() {
        Table table = new Table("link", "members", "pattern", "system", "MB/s at a member min", "median", "max", "of the card");
        List<Object> results = new ArrayList<>();
        Chart.Builder chart = new Chart.Builder("MB/s at a member", "link, members, pattern", "MB/s", true).bars();
        List<String> places = new ArrayList<>();
        rates.forEach((each, list) -> {
            Summary rate = Summary.of(list);
            double share = rate.median() / bytesPerSecond(each.link());
            table.row(each.link(), each.members(), each.pattern(), each.system(), megabytes(rate.min()), megabytes(rate.median()),
                    megabytes(rate.max()), each.link().equals(UNSHAPED) ? "" : percent(share));
            results.add(Map.of(
                    "link", each.link(), "members", each.members(), "pattern", each.pattern(), "bytes", size.bytes(),
                    "system", each.system().toString(), "bytes-per-second", rate.toMap(), "share-of-card", share));
            String place = each.link() + " " + each.members() + " " + each.pattern();
            if (!places.contains(place)) {
                places.add(place);
            }
            chart.add(each.system().toString(), places.indexOf(place), place, rate.median() / 1e6);
            if (each.system() == SystemKind.TUTTI_RING && !each.link().equals(UNSHAPED)) {
                output.bound(
                        String.format(Locale.ROOT, "ring, %s, %d members: a member receives %s of the rate of a card of %s; at least %s",
                                each.pattern(), each.members(), percent(share), each.link(), percent(SHARE_MIN)),
                        share >= SHARE_MIN);
            }
        });
        output.put("results", results);
        output.print(table);
        output.chart(chart);
    }

    private static String megabytes(double bytes) {
        return String.format(Locale.ROOT, "%,.1f", bytes / 1e6);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    /** Returns the rate of a card; infinite for one as fast as the machine. */
    private static double bytesPerSecond(String rate) {
        if (rate.equals(UNSHAPED)) {
            return Double.POSITIVE_INFINITY;
        }
        String text = rate.toLowerCase(Locale.ROOT);
        double unit = text.endsWith("gbit") ? 1e9 : text.endsWith("mbit") ? 1e6 : text.endsWith("kbit") ? 1e3 : 0;
        if (unit == 0 || !text.substring(0, text.length() - 4).matches("\\d{1,6}(\\.\\d{1,3})?")) {
            throw new BenchException("a rate is a number and kbit, mbit or gbit, such as 1gbit, or none, not '" + rate + "'");
        }
        return unit * Double.parseDouble(text.substring(0, text.length() - 4)) / 8;
    }
}
