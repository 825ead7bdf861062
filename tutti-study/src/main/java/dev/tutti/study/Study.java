package dev.tutti.study;

import dev.tutti.core.settings.Durations;
import dev.tutti.internal.Json;
import dev.tutti.study.load.ConfigurationResult;
import dev.tutti.study.load.ConfigurationRun;
import dev.tutti.study.load.Fault;
import dev.tutti.study.load.Profile;
import dev.tutti.study.process.DatabaseServer;
import dev.tutti.study.process.Scratch;
import dev.tutti.study.process.StudyException;
import dev.tutti.study.report.StudyReport;
import dev.tutti.study.setup.Configuration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./tutti study}: one web application, its sessions in a database or replicated, under load and faults. */
@Command(
        name = "tutti study",
        subcommands = SessionsCommand.class,
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "One web application with its sessions in a database or replicated, a sticky or a free balancer, JDBC or an object"
                    + " mapper: response times, errors, CPU time, and what is lost after kill -9 of a node, the balancer and the"
                    + " database."
        },
        footer = {
            "",
            "Configurations, by number:",
            "  1  replicated-free-mapper     sessions at all nodes (TuttiManager), free balancer, Hibernate",
            "  2  replicated-sticky-mapper",
            "  3  replicated-sticky-jdbc",
            "  4  database-sticky-jdbc       sessions in a table, read and written in each request",
            "  5  database-free-jdbc",
            "  6  database-free-mapper",
            "  7  delta-sticky-jdbc          Tomcat's DeltaManager",
            "  8  backup-sticky-jdbc         Tomcat's BackupManager",
            "  9  spring-free-jdbc           Spring Session JDBC",
            "",
            "Exit codes: 0 nothing was lost that a configuration promises to keep, 1 something was or the study failed,",
            "2 wrong usage.",
            "",
            "Examples:",
            "  tutti study --html study.html",
            "  tutti study --configurations 3,4,5 --nodes 3 --rate 300",
            "  tutti study --profile ci",
            "  tutti study sessions        sessions at 2 to 8 nodes, beside Tomcat's own managers",
        })
public final class Study implements Callable<Integer> {

    private static final int NODES_MAX = 8;
    private static final int RATE_MAX = 100_000;

    /** Extents that have a name. */
    enum ProfileName { FULL, CI }

    @Option(names = "--configurations", paramLabel = "LIST", split = ",", description = "Names or numbers. Default: all; ci: 1, 4, 9.")
    private List<String> configurations = new ArrayList<>();

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "2", description = "Tomcats, 2 to 8. Default: 2.")
    private int nodes;

    @Option(names = "--profile", paramLabel = "NAME", defaultValue = "full", description = "full, or ci: under 3 minutes. Default: full.")
    private ProfileName profileName = ProfileName.FULL;

    @Option(names = "--rate", paramLabel = "N", description = "Requests per second at a fixed rate. Default: 200; ci: 60.")
    private int rate;

    @Option(names = "--time", paramLabel = "TIME", description = "Time at a fixed rate without faults. Default: 20s; ci: 2s.")
    private @Nullable Duration time;

    @Option(names = "--faults", paramLabel = "LIST", split = ",", description = "Of node, balancer, database; none for no fault. Default: all.")
    private List<String> faults = new ArrayList<>();

    @Option(names = "--session-id", paramLabel = "PLACE", defaultValue = "cookie", description = "cookie or url. Default: cookie.")
    private String sessionId = "cookie";

    @Option(names = "--upload", paramLabel = "BYTES", defaultValue = "10000", description = "Size of an uploaded file, to 1000000. Default: 10000.")
    private int uploadBytes;

    @Option(names = "--session-size", paramLabel = "BYTES", defaultValue = "1024",
            description = "Size of a session's value, to 100000. Default: 1024.")
    private int stateBytes;

    @Option(names = "--h2", description = "H2 even if PostgreSQL is installed.")
    private boolean isH2;

    @Option(names = "--html", paramLabel = "FILE", defaultValue = "study.html", description = "The report page. Default: study.html.")
    private Path html = Path.of("study.html");

    @Option(names = "--json", description = "The figures as JSON on the standard output.")
    private boolean isJson;

    @Option(names = "--keep", description = "Keeps logs and data, also if all went well.")
    private boolean isKept;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before the command is called
    private CommandSpec spec;

    /** Runs the command and ends the process. */
    public static void main(String[] arguments) {
        System.exit(line().execute(arguments));
    }

    static CommandLine line() {
        // A request is sent once, whatever becomes of it.
        System.setProperty("jdk.httpclient.disableRetryConnect", "true");
        CommandLine line = new CommandLine(new Study());
        line.registerConverter(Duration.class, Durations::parse);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        line.setParameterExceptionHandler((error, arguments) -> wrong(error));
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof StudyException) {
                command.getErr().println("tutti: " + failure.getMessage());
                command.getErr().flush();
                return CommandLine.ExitCode.SOFTWARE;
            }
            throw failure;
        });
        return line;
    }

    /** Says in a line what is wrong with the options, and where help is. */
    private static int wrong(CommandLine.ParameterException error) {
        CommandLine command = error.getCommandLine();
        command.getErr().println("tutti: " + error.getMessage() + " (see '" + command.getCommandSpec().qualifiedName() + " --help')");
        CommandLine.UnmatchedArgumentException.printSuggestions(error, command.getErr());
        command.getErr().flush();
        return CommandLine.ExitCode.USAGE;
    }

    @Override
    public Integer call() throws IOException {
        List<Configuration> chosen = chosen();
        Profile profile = profile();
        ConfigurationRun.Extent extent = new ConfigurationRun.Extent(
                between("--nodes", nodes, 2, NODES_MAX),
                isIdInUrl(),
                between("--upload", uploadBytes, 1, 1_000_000),
                between("--session-size", stateBytes, 16, 100_000));
        List<Fault> struck = struck();
        Path directory = Scratch.create("tutti-study-");
        boolean isGood = false;
        try (DatabaseServer database = DatabaseServer.open(directory, isH2)) {
            database.start();
            say("data on " + database.product() + ", logs in " + directory);
            ConfigurationRun run = new ConfigurationRun(database, profile, extent, directory, struck, this::say);
            List<ConfigurationResult> results = new ArrayList<>();
            for (Configuration configuration : chosen) {
                say("[" + (results.size() + 1) + "/" + chosen.size() + "] " + configuration.name() + " starts");
                results.add(run.measure(configuration));
                StudyReport report = new StudyReport(results, profile, extent.nodes(), database.product(), sessionId);
                Files.writeString(html, report.page());
                isGood = report.broken().isEmpty();
            }
            StudyReport report = new StudyReport(results, profile, extent.nodes(), database.product(), sessionId);
            spec.commandLine().getOut().println(isJson ? Json.write(report.map()) : report.text());
            spec.commandLine().getOut().flush();
            say("the report is " + html.toAbsolutePath());
        } finally {
            if (isGood && !isKept) {
                Scratch.delete(directory);
            } else {
                say("logs and data are kept in " + directory);
            }
        }
        return isGood ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private List<Configuration> chosen() {
        List<String> wanted = configurations;
        if (wanted.isEmpty() && profileName == ProfileName.CI) {
            // Each way to keep sessions that promises something, each balancing, each access.
            wanted = List.of("1", "4", "9");
        }
        try {
            return wanted.isEmpty() ? Configuration.ALL : wanted.stream().map(Configuration::of).toList();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--configurations: " + e.getMessage(), e);
        }
    }

    private Profile profile() {
        Profile named = profileName == ProfileName.CI ? Profile.CI : Profile.FULL;
        Duration measured = time;
        if (measured != null && (measured.compareTo(Duration.ofSeconds(1)) < 0 || measured.compareTo(Duration.ofMinutes(10)) > 0)) {
            throw new ParameterException(spec.commandLine(), "--time is 1s to 10min, not " + Durations.print(measured));
        }
        return new Profile(
                named.share(),
                named.concurrency(),
                named.visitors(),
                rate == 0 ? named.rate() : between("--rate", rate, 1, RATE_MAX),
                named.warmUp(),
                measured == null ? named.measured() : measured,
                named.fault());
    }

    private boolean isIdInUrl() {
        return switch (sessionId) {
            case "cookie" -> false;
            case "url" -> true;
            default -> throw new ParameterException(spec.commandLine(), "--session-id is cookie or url, not '" + sessionId + "'");
        };
    }

    private List<Fault> struck() {
        if (faults.isEmpty()) {
            return List.of(Fault.values());
        }
        if (faults.equals(List.of("none"))) {
            return List.of();
        }
        List<Fault> struck = new ArrayList<>();
        for (String name : faults) {
            struck.add(switch (name) {
                case "node" -> Fault.NODE;
                case "balancer" -> Fault.BALANCER;
                case "database" -> Fault.DATABASE;
                default -> throw new ParameterException(
                        spec.commandLine(), "--faults has node, balancer and database, or none, not '" + name + "'");
            });
        }
        return struck;
    }

    private int between(String option, int value, int min, int max) {
        if (value < min || value > max) {
            throw new ParameterException(spec.commandLine(), option + " is " + min + " to " + max + ", not " + value);
        }
        return value;
    }

    private void say(String line) {
        spec.commandLine().getErr().println(line);
        spec.commandLine().getErr().flush();
    }
}
