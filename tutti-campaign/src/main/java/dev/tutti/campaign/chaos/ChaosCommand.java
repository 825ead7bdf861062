package dev.tutti.campaign.chaos;

import dev.tutti.campaign.chaos.journal.Check;
import dev.tutti.campaign.chaos.network.DatagramProxyNetwork;
import dev.tutti.campaign.chaos.network.NamespaceNetwork;
import dev.tutti.campaign.chaos.network.Network;
import dev.tutti.campaign.chaos.network.NetworkFault;
import dev.tutti.campaign.chaos.network.PlainNetwork;
import dev.tutti.campaign.chaos.network.ProxyNetwork;
import dev.tutti.campaign.chaos.process.ProcessPool;
import dev.tutti.campaign.chaos.process.Program;
import dev.tutti.campaign.chaos.process.Workload;
import dev.tutti.campaign.commands.CampaignCommand;
import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Ports;
import dev.tutti.campaign.host.Scratch;
import dev.tutti.campaign.host.Shell;
import dev.tutti.campaign.mutants.Workshop;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code tutti chaos}: real processes under real faults. */
@Command(
        name = "chaos",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Starts processes that send to each other, kills, stops and restarts them, lets the network between"
                + " them fail, and checks what all of them have seen against what docs/guarantees.md promises.",
        footer = {
            "",
            "docs/operating/chaos.md says what it needs and how to read the report.",
            "",
            "Exit codes: 0 nothing was broken and all bounds held, 1 something was broken",
            "or a bound missed, 2 wrong usage, 3 the machine was too late to say of some",
            "bound (0 with --profile ci).",
            "",
            "Examples:",
            "  tutti chaos --minutes 10",
            "  tutti chaos --minutes 2 --network proxy --faults kill,cut,reset",
            "  tutti chaos --workload coordination --minutes 3",
            "  tutti chaos --profile ci",
            "  tutti chaos --liar --minutes 10",
            "  tutti chaos --rolling --minutes 4",
        })
public final class ChaosCommand extends CampaignCommand {

    /** A choice of faults and times. */
    enum Profile {
        /** Faults drawn from the seed until the time is over. */
        FULL,
        /** Each of the main faults once, in about a minute. */
        CI
    }

    /** Protocol that carries connections. */
    enum Transport {
        TCP,
        UDP
    }

    /** Kind of network between the processes. */
    enum NetworkKind {
        /** Namespaces if they are available, else the proxy. */
        AUTO,
        NETNS,
        PROXY,
        NONE
    }

    @Option(names = "--minutes", paramLabel = "N", defaultValue = "2", description = "Minutes of faults (default: 2).")
    private double minutes;

    @Option(names = "--members", paramLabel = "N", defaultValue = "5", description = "Processes, 2 to 16 (default: 5).")
    private int members;

    @Option(names = "--seed", paramLabel = "N", description = "Which faults in which order (default: another each time).")
    private @Nullable Long seed;

    @Option(
            names = "--network",
            paramLabel = "KIND",
            defaultValue = "auto",
            description = "One of ${COMPLETION-CANDIDATES}; netns needs root (default: auto).")
    private NetworkKind network = NetworkKind.AUTO;

    @Option(names = "--transport", paramLabel = "NAME", defaultValue = "tcp",
            description = "One of ${COMPLETION-CANDIDATES} (default: tcp).")
    private Transport transport = Transport.TCP;

    @Option(names = "--multicast", description = "With IP multicast, over udp where there are namespaces.")
    private boolean isMulticast;

    @Option(names = "--faults", paramLabel = "NAMES", split = ",", description = "Only these; list for their names.")
    private @Nullable List<String> faults;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            defaultValue = "full",
            description = "full, or ci: each of the main faults once, a minute or so (default: full).")
    private Profile profile = Profile.FULL;

    @Option(
            names = "--workload",
            paramLabel = "NAME",
            defaultValue = "messages",
            description = "messages: they send to each other; coordination: they use locks, counters and ids of the primary"
                    + " partition, and what they are told is checked for linearizability (default: messages).")
    private Workload workload = Workload.MESSAGES;

    @Option(names = "--liar", description = "One of the processes lies to the others, instead of faults.")
    private boolean isWithLiar;

    @Option(
            names = "--rolling",
            arity = "0..1",
            paramLabel = "DIRECTORY",
            fallbackValue = "",
            description = "The processes start with the previous release, are replaced by this one one after the other, and back"
                    + " again, instead of faults. DIRECTORY has the jars of the previous release (default: those that"
                    + " .ci/previous/build has made).")
    private @Nullable Path rolling;

    @Option(names = "--interval", paramLabel = "MS", defaultValue = "25",
            description = "Milliseconds between two messages of a process, on average (default: 25).")
    private long intervalMillis;

    @Option(names = "--tls", description = "With TLS, where there are namespaces.")
    private boolean isEncrypted;

    @Option(names = "--jvm", paramLabel = "OPTION", description = "For the JVM of each process; may be repeated.")
    private List<String> options = new ArrayList<>();

    @Option(names = "--keep", description = "Keeps journals and logs, also if nothing was broken or missed.")
    private boolean isKept;

    @Option(names = "--check", paramLabel = "DIRECTORY", description = "Checks the journals of a run that were kept again.")
    private @Nullable Path kept;

    @Option(names = "--json", description = "The result as JSON.")
    private boolean isJson;

    @Override
    public Integer call() {
        if (faults != null && faults.equals(List.of("list"))) {
            for (NetworkFault fault : NetworkFault.values()) {
                out().printf("%-10s %s%n", fault, fault.description());
            }
            return CommandLine.ExitCode.OK;
        }
        if (kept != null) {
            List<Check.Source> sources = Check.Source.in(kept);
            Report report = new Report("journals in " + kept, sources.size(), 0);
            report.complete(Check.run(sources, Check.beganNanos(sources)), 0, 0);
            out().print(isJson ? report.json() : report.text());
            out().flush();
            return exitCode(report);
        }
        if (members < 2 || members > MEMBERS_MAX) {
            throw new ParameterException(line(), "--members is " + members + ", 2 to " + MEMBERS_MAX);
        }
        if (!(minutes > 0 && minutes <= MINUTES_MAX)) {
            throw new ParameterException(line(), "--minutes is " + minutes + ", more than 0 and up to " + MINUTES_MAX);
        }
        if (isMulticast && transport != Transport.UDP) {
            throw new ParameterException(line(), "--multicast needs --transport udp");
        }
        if (isWithLiar && (members < 3 || transport == Transport.UDP || workload != Workload.MESSAGES || faults != null)) {
            throw new ParameterException(line(), "--liar needs three members or more and --transport tcp, and has neither"
                    + " --faults nor --workload coordination");
        }
        if (rolling != null && (isWithLiar || workload != Workload.MESSAGES || faults != null)) {
            throw new ParameterException(line(), "--rolling has neither --faults nor --liar nor --workload coordination");
        }
        if (isEncrypted && transport == Transport.UDP) {
            throw new ParameterException(line(), "--tls needs --transport tcp");
        }
        try (Network between = open()) {
            if (isWithLiar) {
                return lie(between);
            }
            if (rolling != null) {
                return roll(between, rolling);
            }
            if (workload == Workload.COORDINATION) {
                return coordinate(between, chosen(between));
            }
            return run(between, chosen(between));
        } catch (ChaosException e) {
            say(e.getMessage() == null ? e.toString() : e.getMessage());
            return CommandLine.ExitCode.SOFTWARE;
        }
    }

    // ------------------------------------------------------------------ environment

    private Network open() {
        return switch (network) {
            case NETNS -> NamespaceNetwork.open(members, isEncrypted);
            case PROXY -> proxy();
            case NONE -> new PlainNetwork(Ports.free(members));
            case AUTO -> {
                try {
                    yield NamespaceNetwork.open(members, isEncrypted);
                } catch (ChaosException e) {
                    say("a proxy in user space, because there are no network namespaces: " + e.getMessage());
                    yield proxy();
                }
            }
        };
    }

    private Network proxy() {
        List<Integer> ports = Ports.free(members);
        return transport == Transport.TCP ? new ProxyNetwork(ports) : new DatagramProxyNetwork(ports);
    }

    /** Returns the settings of all nodes, besides those of the network. */
    private Map<String, String> nodeSettings() {
        Map<String, String> settings = new TreeMap<>();
        settings.put("transport.protocol", transport.name().toLowerCase(Locale.ROOT));
        if (isMulticast) {
            settings.put("transport.multicast.address", MULTICAST_ADDRESS);
        }
        return settings;
    }

    private Set<NetworkFault> chosen(Network between) {
        Set<NetworkFault> able = EnumSet.of(NetworkFault.KILL, NetworkFault.RESTART, NetworkFault.STOP, NetworkFault.LEAVE, NetworkFault.STORM);
        able.addAll(between.faults());
        if (transport == Transport.UDP) {
            able.removeAll(EnumSet.of(NetworkFault.RESET, NetworkFault.HALF_OPEN));
        }
        if (faults == null) {
            return able;
        }
        Set<NetworkFault> wanted = EnumSet.noneOf(NetworkFault.class);
        for (String name : faults) {
            try {
                wanted.add(NetworkFault.parse(name));
            } catch (IllegalArgumentException e) {
                throw new ParameterException(line(), "there is no fault '" + name + "'; --faults list has their names", e);
            }
        }
        for (NetworkFault fault : wanted) {
            if (!able.contains(fault)) {
                throw new ParameterException(line(), fault + " needs another network than " + between.description());
            }
        }
        return wanted;
    }

    // ------------------------------------------------------------------ the run

    private int run(Network between, Set<NetworkFault> allowed) {
        long number = seed == null ? ThreadLocalRandom.current().nextLong(1_000_000) : seed;
        Path directory = Scratch.directory("tutti-chaos-");
        String what = transport.name().toLowerCase(Locale.ROOT) + (isMulticast ? " with multicast" : "") + " over "
                + between.description();
        Report report = new Report(what, members, number);
        say(members + " processes, " + what + ", seed " + number + "; journals and logs are in " + directory);
        long began = System.nanoTime();
        List<Check.Source> sources = new ArrayList<>();
        long longestLate;
        try (ProcessPool processes = new ProcessPool(between, members, directory, nodeSettings(), intervalMillis, slot -> Program.here(options), workload)) {
            // Cleans up also after an interrupt or a time limit.
            Thread hook = ender(processes, between);
            Runtime.getRuntime().addShutdownHook(hook);
            double stopSeconds = profile == Profile.CI ? STOP_SECONDS_CI : STOP_SECONDS_MAX;
            FaultRunner runner = new FaultRunner(between, processes, number, deathBound(between), stopSeconds, began, report, this::say);
            if (profile == Profile.CI) {
                runner.run(CI.stream().filter(allowed::contains).toList());
            } else {
                runner.run(allowed, Duration.ofMillis((long) (minutes * 60_000)));
            }
            longestLate = processes.own().longestNanos();
            Runtime.getRuntime().removeShutdownHook(hook);
            processes.all().forEach(child -> sources.add(new Check.Source(child.journal(), child.killedAtNanos())));
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        report.complete(Check.run(sources, began), seconds, longestLate);
        out().print(isJson ? report.json() : report.text());
        out().flush();
        keepIf(report.isBroken() || report.isMissed() || isKept, directory);
        return exitCode(report);
    }

    /** Runs honest processes beside one that lies. */
    private int lie(Network between) {
        long number = seed == null ? ThreadLocalRandom.current().nextLong(1_000_000) : seed;
        int liar = (int) (number % members);
        Path directory = Scratch.directory("tutti-chaos-");
        say(members + " processes, of which " + ProxyNetwork.name(liar) + " lies, over " + between.description() + ", seed " + number
                + "; journals and logs are in " + directory);
        Map<String, String> settings = nodeSettings();
        settings.putAll(LiarRun.settings(number));
        Duration time = profile == Profile.CI ? LiarRun.CI : Duration.ofMillis((long) (minutes * 60_000));
        long began = System.nanoTime();
        LiarRun run;
        try (ProcessPool processes = new ProcessPool(
                between, members, directory, settings, intervalMillis, slot -> Program.here(slot == liar ? LiarRun.options(options, number, time) : options), workload)) {
            Thread hook = ender(processes, between);
            Runtime.getRuntime().addShutdownHook(hook);
            run = new LiarRun(processes, liar, this::say);
            run.run(time);
            Runtime.getRuntime().removeShutdownHook(hook);
        }
        LiarRun.Outcome outcome = run.check((System.nanoTime() - began) / 1e9, began);
        out().print(isJson ? outcome.json() : outcome.text());
        out().flush();
        keepIf(!outcome.violations().isEmpty() || isKept, directory);
        return outcome.violations().isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    /** Replaces the processes of the previous release by those of this one, and back. */
    private int roll(Network between, Path given) {
        Path jars = given.toString().isEmpty()
                ? Path.of(Shell.require(Workshop.home().resolve(PREVIOUS).toString(), "--where"))
                : given;
        Rollout rollout = new Rollout(members, jars, options);
        Path directory = Scratch.directory("tutti-chaos-");
        say(members + " processes, a rolling upgrade over " + between.description() + "; journals and logs are in " + directory);
        long settleMillis = profile == Profile.CI ? SETTLE_MILLIS_CI : Math.max(1, (long) (minutes * 60_000) / (2 * members));
        long began = System.nanoTime();
        RollingRun run;
        try (ProcessPool processes = new ProcessPool(between, members, directory, nodeSettings(), intervalMillis, rollout::program, workload)) {
            Thread hook = ender(processes, between);
            Runtime.getRuntime().addShutdownHook(hook);
            run = new RollingRun(processes, rollout, settleMillis, this::say);
            run.run();
            Runtime.getRuntime().removeShutdownHook(hook);
        }
        RollingRun.Outcome outcome = run.check((System.nanoTime() - began) / 1e9, began);
        out().print(isJson ? outcome.json() : outcome.text());
        out().flush();
        keepIf(!outcome.violations().isEmpty() || isKept, directory);
        if (!outcome.violations().isEmpty()) {
            return CommandLine.ExitCode.SOFTWARE;
        }
        return outcome.isStarved() && profile != Profile.CI ? UNDECIDED : CommandLine.ExitCode.OK;
    }

    private int coordinate(Network between, Set<NetworkFault> allowed) {
        long number = seed == null ? ThreadLocalRandom.current().nextLong(1_000_000) : seed;
        Path directory = Scratch.directory("tutti-chaos-");
        say(members + " processes, coordination over " + between.description() + ", seed " + number + "; journals and logs are in "
                + directory);
        long began = System.nanoTime();
        CoordinationRun run;
        try (ProcessPool processes = new ProcessPool(between, members, directory, nodeSettings(), intervalMillis, slot -> Program.here(options), workload)) {
            Thread hook = ender(processes, between);
            Runtime.getRuntime().addShutdownHook(hook);
            run = new CoordinationRun(between, processes, number, allowed, this::say);
            run.run(Duration.ofMillis((long) (minutes * 60_000)));
            Runtime.getRuntime().removeShutdownHook(hook);
        }
        CoordinationRun.Outcome outcome = run.check((System.nanoTime() - began) / 1e9);
        out().print(isJson ? outcome.json() : outcome.text());
        out().flush();
        keepIf(outcome.isBroken() || isKept, directory);
        if (outcome.isBroken()) {
            return CommandLine.ExitCode.SOFTWARE;
        }
        return outcome.result().undecided().isEmpty() ? CommandLine.ExitCode.OK : UNDECIDED;
    }

    private void keepIf(boolean isWanted, Path directory) {
        if (isWanted) {
            say("journals and logs are kept in " + directory);
        } else {
            Scratch.delete(directory);
        }
    }

    /** Returns the bound of a kill: over UDP a connection of TCP tells of it, which the proxy for datagrams does not carry. */
    private Bound deathBound(Network between) {
        if (transport == Transport.TCP) {
            return Bound.DEATH;
        }
        return between instanceof DatagramProxyNetwork ? Bound.SILENCE : Bound.WATCH;
    }

    private static Thread ender(ProcessPool processes, Network between) {
        return new Thread(() -> {
            processes.close();
            between.close();
        });
    }

    private int exitCode(Report report) {
        if (report.isBroken() || report.isMissed()) {
            return CommandLine.ExitCode.SOFTWARE;
        }
        if (report.undecided().isEmpty()) {
            return CommandLine.ExitCode.OK;
        }
        say("the machine was too late each time to say of: "
                + report.undecided().stream().map(Bound::toString).collect(Collectors.joining(", ")));
        return profile == Profile.CI ? CommandLine.ExitCode.OK : UNDECIDED;
    }

    private static final List<NetworkFault> CI = List.of(
            NetworkFault.KILL, NetworkFault.CUT, NetworkFault.STOP, NetworkFault.RESTART, NetworkFault.ONE_WAY, NetworkFault.RESET, NetworkFault.ISOLATE, NetworkFault.LEAVE,
            NetworkFault.KILL, NetworkFault.STORM);
    private static final String MULTICAST_ADDRESS = "239.192.78.1:7801";

    /** Command that builds the previous release, below the root of the sources. */
    private static final String PREVIOUS = ".ci/previous/build";

    private static final long SETTLE_MILLIS_CI = 1_000;
    private static final int UNDECIDED = 3;
    private static final int MEMBERS_MAX = 16;
    private static final double MINUTES_MAX = 24 * 60;
    private static final double STOP_SECONDS_MAX = 60;
    private static final double STOP_SECONDS_CI = 6;
}
