package dev.tutti.campaign.sessions;

import dev.tutti.campaign.chaos.network.NamespaceNetwork;
import dev.tutti.campaign.commands.CampaignCommand;
import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Scratch;
import dev.tutti.campaign.host.Shell;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code tutti sessions}: sessions of real Tomcats under kills, restarts and pauses. */
@Command(
        name = "sessions",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Unpacks a Tomcat, puts the bundle into it, starts nodes as processes of their own, and compares what"
                + " their sessions hold with what clients were told while nodes are killed, restarted and paused.",
        footer = {
            "",
            "Scenarios:",
            "  restarts  three nodes, each killed or stopped and started again in turn",
            "  rolling   two nodes, each stopped and started again, --times over",
            "  pauses    two nodes, one of them paused with requests that clients give up",
            "  double    five nodes, two of them killed one after the other and at once,",
            "            --rounds times; for tutti-copies, and for tutti-zones, where",
            "            both are all nodes of a zone",
            "  compare   the same for several --systems: wrong reads, divergence, losses",
            "            by kill, restart and pause, rate and latency",
            "  rate      rate, latency and CPU time of several --systems, by turns",
            "  memory    heap of each of --nodes nodes with --sessions sessions, for",
            "            several --systems one after the other; their heap has room",
            "            for twice the sessions, unless --jvm=-Xmx... says how much",
            "",
            "Exit codes: 0 nothing was lost, 1 something was lost, overwritten or read",
            "wrong (compare: at tutti), 2 wrong usage.",
            "",
            "Examples:",
            "  tutti sessions restarts --time 10min",
            "  tutti sessions rolling --times 20",
            "  tutti sessions pauses --pauses 3s,8s,20s,60s",
            "  tutti sessions compare --systems tutti,delta,backup --json",
            "  tutti sessions rate --systems tutti,delta --rounds 5",
            "  tutti sessions memory --systems tutti,tutti-copies --sessions 100000",
            "  tutti sessions restarts --systems tutti-copies",
            "  tutti sessions double --systems tutti-copies",
            "  tutti sessions double --systems tutti-zones --rounds 2",
            "  tutti sessions restarts --short",
            "  sudo tutti sessions restarts --spaces",
        })
public final class SessionsCommand extends CampaignCommand {

    /** Heap of a node, besides that for the sessions of memory. */
    static final int HEAP_MEBIBYTES = 256;

    private static final int NODES = 3;
    private static final int NODES_OF_DOUBLE = 5;

    /** Number of nodes for rolling restarts and pauses. */
    private static final int PAIR = 2;

    private static final String SPACES_BASE = "--spaces-base";
    private static final Duration SHORT_TIME = Duration.ofSeconds(45);

    /** Treatment of the nodes. */
    enum Scenario { RESTARTS, ROLLING, PAUSES, DOUBLE, COMPARE, RATE, MEMORY }

    @Parameters(paramLabel = "SCENARIO", description = "One of ${COMPLETION-CANDIDATES}.")
    private Scenario scenario = Scenario.RESTARTS;

    @Option(names = "--time", paramLabel = "TIME", defaultValue = "10min", description = "Time of restarts (default: 10min).")
    private Duration time = Duration.ofMinutes(10);

    @Option(names = "--times", paramLabel = "N", defaultValue = "20", description = "Rounds of rolling (default: 20).")
    private int times;

    @Option(names = "--pauses", paramLabel = "TIMES", split = ",", defaultValue = "3s,8s,20s,60s",
            description = "Pauses, one after the other (default: 3s,8s,20s,60s).")
    private List<Duration> pauses = new ArrayList<>();

    @Option(names = "--systems", paramLabel = "NAMES", split = ",", defaultValue = "tutti,tutti-plain,delta,backup",
            description = "For compare and rate: tutti, tutti-plain, tutti-async, tutti-copies, tutti-zones, tutti-kept, tutti-copies-kept, delta, delta-sync, backup"
                    + " (default: tutti,tutti-plain,delta,backup)."
                    + " For the others the first one counts.")
    private List<String> systems = new ArrayList<>();

    @Option(names = "--sessions", paramLabel = "N", defaultValue = "100", description = "Sessions, 1 to 10000, for memory to 1000000 (default: 100).")
    private int sessions;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "8", description = "Nodes of memory, 2 to 32 (default: 8).")
    private int nodes;

    @Option(names = "--bytes", paramLabel = "N", defaultValue = "4096",
            description = "Bytes of the attribute of each session of memory (default: 4096).")
    private int bytes;

    @Option(names = "--idle", paramLabel = "TIME", defaultValue = "130s",
            description = "Time without requests before memory is measured (default: 130s, in which objects of sessions are dropped).")
    private Duration idle = Duration.ofSeconds(130);

    @Option(names = "--balancing", paramLabel = "KIND", defaultValue = "both",
            description = "One of ${COMPLETION-CANDIDATES} (default: both, every other client sticky).")
    private Tomcats.Balancing balancing = Tomcats.Balancing.BOTH;

    @Option(names = "--think", paramLabel = "TIME", defaultValue = "200ms",
            description = "Pause of a client after a write (default: 200ms).")
    private Duration think = Duration.ofMillis(200);

    @Option(names = "--warm-up", paramLabel = "TIME", defaultValue = "60s",
            description = "For compare and rate: undisturbed load before the measurement (default: 60s).")
    private Duration warmUp = Duration.ofSeconds(60);

    @Option(names = "--measure", paramLabel = "TIME", defaultValue = "30s",
            description = "For compare and rate: time of a measurement of rate and latency (default: 30s).")
    private Duration measured = Duration.ofSeconds(30);

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "3", description = "Rounds of rate and double (default: 3).")
    private int rounds;

    @Option(names = "--short", description = "At most a minute: restarts for 45 s, 2 rounds, a pause of 8 s.")
    private boolean isShort;

    @Option(names = "--jvm", paramLabel = "OPTION", description = "A further option for the JVM of each Tomcat; may be repeated.")
    private List<String> furtherOptions = new ArrayList<>();

    @Option(names = "--files", paramLabel = "DIRECTORY",
            description = "Where tomcat.zip and tutti-tomcat-bundle.jar are (default: those of the build).")
    private @Nullable Path files;

    @Option(names = "--keep", description = "Keeps the Tomcats and their logs, also if nothing was lost.")
    private boolean isKept;

    @Option(names = "--spaces",
            description = "Gives each Tomcat a network namespace of its own, and the clients one. Needs root, ip and tc.")
    private boolean isSpaced;

    /** Prefix of the namespaces in which this process and its Tomcats run. */
    @Option(names = SPACES_BASE, hidden = true)
    private @Nullable String base;

    @Option(names = "--json", description = "The result as JSON.")
    private boolean isJson;

    @Override
    public Integer call() {
        int most = scenario == Scenario.MEMORY ? 1_000_000 : 10_000;
        if (sessions < 1 || sessions > most) {
            throw new ParameterException(line(), "--sessions is " + sessions + ", 1 to " + most);
        }
        if (nodes < 2 || nodes > 32) {
            throw new ParameterException(line(), "--nodes is " + nodes + ", 2 to 32");
        }
        if (times < 1 || times > 1_000) {
            throw new ParameterException(line(), "--times is " + times + ", 1 to 1000");
        }
        if (rounds < 1 || rounds > 100) {
            throw new ParameterException(line(), "--rounds is " + rounds + ", 1 to 100");
        }
        if (isShort) {
            time = SHORT_TIME;
            times = 2;
            pauses = List.of(Duration.ofSeconds(8));
        }
        List<Replication> wanted = new ArrayList<>();
        for (String name : systems) {
            try {
                wanted.add(Replication.parse(name));
            } catch (IllegalArgumentException e) {
                throw new ParameterException(
                        line(), "there is no system '" + name + "'; there are tutti, tutti-plain, tutti-async, tutti-copies, tutti-zones, tutti-kept, tutti-copies-kept, delta, delta-sync, backup", e);
            }
        }
        if (isSpaced && scenario == Scenario.RATE) {
            throw new ParameterException(line(), "--spaces is not for rate, whose systems all run at once at different ports");
        }
        if (isSpaced) {
            return inSpaces();
        }
        Path directory = Scratch.directory("tutti-sessions-");
        boolean isGood = false;
        try {
            isGood = run(Distribution.unpack(files(), directory.resolve("tomcat")), directory, wanted);
        } catch (ChaosException e) {
            say(e.getMessage() + (e.getCause() == null ? "" : ": " + e.getCause()));
        }
        if (isGood && !isKept) {
            Scratch.delete(directory);
        } else {
            say("Tomcats and logs are kept in " + directory);
        }
        return isGood ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private boolean run(Distribution distribution, Path directory, List<Replication> wanted) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("scenario", scenario.toString().toLowerCase(Locale.ROOT));
        String heap = "-Xmx" + (scenario == Scenario.MEMORY ? Memory.heapMebibytes(sessions, bytes) : HEAP_MEBIBYTES) + "m";
        List<String> options = Shell.options(List.of(heap), furtherOptions);
        Tally tally = new Tally();
        boolean isGood;
        if (scenario == Scenario.COMPARE) {
            Load load = new Load(sessions, warmUp, measured);
            Comparison comparison = new Comparison(distribution, this::places, directory, load, options, this::say);
            wanted.forEach(comparison::run);
            result.put("systems", comparison.map());
            isGood = comparison.isGood();
            if (!isJson) {
                out().print(comparison.text());
            }
        } else if (scenario == Scenario.RATE) {
            Rates rates = new Rates(distribution, this::places, directory, options, this::say);
            rates.run(wanted, new Load(sessions, warmUp, measured), rounds);
            result.put("systems", rates.map());
            isGood = rates.isGood();
            if (!isJson) {
                out().print(rates.text());
            }
        } else if (scenario == Scenario.MEMORY) {
            Memory memory = new Memory(distribution, this::places, directory, options, idle, this::say);
            wanted.forEach(system -> memory.run(system, sessions, bytes));
            result.put("sessions", sessions);
            result.put("bytes", bytes);
            result.put("systems", memory.map());
            isGood = memory.isGood();
            if (!isJson) {
                out().print(memory.text());
            }
        } else {
            Replication replication = wanted.getFirst();
            List<Place> places = places();
            say(places.size() + " Tomcats with " + replication + ", logs in " + directory);
            try (Tomcats tomcats = new Tomcats(distribution, replication, places, directory, options)) {
                tomcats.start();
                tomcats.nodes().forEach(tomcats::awaitAllMembers);
                result.put("replication", replication.toString());
                result.put("sessions", sessions);
                isGood = switch (scenario) {
                    case PAUSES -> pause(tomcats, tally, result);
                    case DOUBLE -> killTwo(tomcats, tally, result);
                    default -> restart(tomcats, tally, result);
                };
            }
            result.putAll(tally.map());
            if (!isJson) {
                result.forEach((name, value) -> out().printf("%-20s %s%n", name, value));
                tally.findings().forEach(finding -> out().println("FOUND " + finding));
            }
        }
        result.put("passed", isGood);
        if (isJson) {
            result.put("findings", tally.findings());
            out().println(Json.write(result));
        } else {
            out().println(isGood ? "nothing was lost" : "NOT AS IT MUST BE");
        }
        out().flush();
        return isGood;
    }

    private int nodes() {
        if (scenario == Scenario.MEMORY) {
            return nodes;
        }
        if (scenario == Scenario.DOUBLE) {
            return NODES_OF_DOUBLE;
        }
        return scenario == Scenario.ROLLING || scenario == Scenario.PAUSES ? PAIR : NODES;
    }

    private List<Place> places() {
        String spaces = base;
        return spaces == null ? Place.onLoopback(nodes()) : Place.inSpaces(spaces, nodes());
    }

    /** Runs the same command in a network namespace, from which the nodes' namespaces can be reached. */
    private int inSpaces() {
        try (NamespaceNetwork network = NamespaceNetwork.open(nodes() + 1, true)) {
            String program = line().getParent().getCommandSpec().userObject().getClass().getName();
            List<String> arguments = new ArrayList<>(line().getParseResult().originalArgs());
            arguments.remove("--spaces");
            arguments.addAll(List.of(SPACES_BASE, network.base()));
            Process process = new ProcessBuilder(
                            Shell.java(network.prefix(nodes()), List.of(), program, arguments))
                    .inheritIO()
                    .start();
            Thread ender = new Thread(process::destroy);
            Runtime.getRuntime().addShutdownHook(ender);
            int code = process.waitFor();
            Runtime.getRuntime().removeShutdownHook(ender);
            return code;
        } catch (IOException e) {
            throw new ChaosException("can't start the command in a namespace", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChaosException("interrupted", e);
        }
    }

    private boolean restart(Tomcats tomcats, Tally tally, Map<String, Object> result) {
        List<Client> clients = tomcats.clients(sessions, balancing, tally);
        Restarts restarts = new Restarts(tomcats, clients, tally, think.toMillis(), this::say);
        if (scenario == Scenario.RESTARTS) {
            restarts.inTurn(time);
        } else {
            restarts.rolling(times);
        }
        result.put("faults", restarts.faults());
        return tally.wrong() == 0;
    }

    private boolean killTwo(Tomcats tomcats, Tally tally, Map<String, Object> result) {
        List<Client> clients = tomcats.clients(sessions, balancing, tally);
        DoubleKills kills = new DoubleKills(tomcats, clients, tally, think.toMillis(), this::say);
        kills.run(rounds);
        result.put("kills", kills.outcomes());
        return kills.isGood();
    }

    private boolean pause(Tomcats tomcats, Tally tally, Map<String, Object> result) {
        Pauses scenes = new Pauses(tomcats, tally, this::say);
        List<Object> outcomes = new ArrayList<>();
        int overwritten = 0;
        for (Duration pause : pauses) {
            Pauses.Outcome outcome = scenes.run(pause);
            outcomes.add(outcome.map());
            overwritten += outcome.overwrittenTotal();
        }
        result.put("pauses", outcomes);
        return overwritten == 0 && tally.lost() == 0;
    }

    /** Returns the given directory, or {@code tomcat} beside the jar of this class, where the build puts both. */
    private Path files() {
        Path given = files;
        if (given != null) {
            return given;
        }
        try {
            Path own = Path.of(SessionsCommand.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            return own.resolveSibling("tomcat");
        } catch (URISyntaxException e) {
            throw new ChaosException("can't say where this program is", e);
        }
    }
}
