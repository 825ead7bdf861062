package dev.tutti.study;

import dev.tutti.internal.Json;
import dev.tutti.study.load.SessionsResult;
import dev.tutti.study.load.SessionsRun;
import dev.tutti.study.process.Scratch;
import dev.tutti.study.report.SessionsReport;
import dev.tutti.study.setup.Keeping;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./tutti study sessions}: sessions beside those of Tomcat's own managers. */
@Command(
        name = "sessions",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Sessions at 2 to 8 Tomcats, replicated by tutti and by Tomcat's own managers: requests and updates per"
                + " second, response times, CPU time, and the updates lost after kill -9 of a node.",
        footer = {
            "",
            "Exit codes: 0 no system lost an update that it promises to keep, 1 one did or the study failed, 2 wrong usage.",
            "",
            "Examples:",
            "  tutti study sessions --html sessions.html",
            "  tutti study sessions --nodes 2,3 --systems tutti,delta --time 5s",
        })
final class SessionsCommand implements Callable<Integer> {

    private static final int NODES_MAX = 8;
    private static final int CLIENTS_MAX = 1_000;
    private static final int ROUNDS_MAX = 100;

    @Option(names = "--nodes", paramLabel = "LIST", split = ",", defaultValue = "2,4,8", description = "Each 2 to 8. Default: 2,4,8.")
    private List<Integer> nodes = new ArrayList<>();

    @Option(names = "--systems", paramLabel = "LIST", split = ",", defaultValue = "tutti,tutti-udp,delta,backup",
            description = "Of tutti, tutti-udp, delta, backup. Default: all.")
    private List<String> systems = new ArrayList<>();

    @Option(names = "--clients", paramLabel = "N", defaultValue = "8", description = "Clients of each node. Default: 8.")
    private int clients;

    @Option(names = "--warm-up", paramLabel = "TIME", defaultValue = "8s", description = "Default: 8s.")
    private Duration warmUp = Duration.ofSeconds(8);

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "3", description = "Measurements of each system, by turns. Default: 3.")
    private int rounds;

    @Option(names = "--time", paramLabel = "TIME", defaultValue = "5s", description = "Time of each measurement, to 10min. Default: 5s.")
    private Duration time = Duration.ofSeconds(5);

    @Option(names = "--session-size", paramLabel = "BYTES", defaultValue = "1024",
            description = "Size of a session's value, to 100000. Default: 1024.")
    private int stateBytes;

    @Option(names = "--html", paramLabel = "FILE", defaultValue = "sessions.html", description = "The report page. Default: sessions.html.")
    private Path html = Path.of("sessions.html");

    @Option(names = "--json", description = "The figures as JSON on the standard output.")
    private boolean isJson;

    @Option(names = "--keep", description = "Keeps logs, also if all went well.")
    private boolean isKept;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before the command is called
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        List<Keeping> chosen = systems.stream().map(this::system).toList();
        nodes.forEach(count -> between("--nodes", count, 2, NODES_MAX));
        SessionsRun.Extent extent = new SessionsRun.Extent(
                between("--clients", clients, 1, CLIENTS_MAX),
                atMostTenMinutes("--warm-up", warmUp),
                atMostTenMinutes("--time", time),
                between("--rounds", rounds, 1, ROUNDS_MAX),
                between("--session-size", stateBytes, 16, 100_000));
        Path directory = Scratch.create("tutti-study-");
        List<SessionsResult> results = new ArrayList<>();
        boolean isGood = false;
        try {
            say("logs in " + directory);
            SessionsRun run = new SessionsRun(extent, directory, this::say);
            for (int count : nodes) {
                results.addAll(run.measure(chosen, count));
                Files.writeString(html, new SessionsReport(results, clients, stateBytes).page());
            }
            SessionsReport report = new SessionsReport(results, clients, stateBytes);
            isGood = report.isGood();
            spec.commandLine().getOut().println(isJson ? Json.write(report.map()) : report.text());
            spec.commandLine().getOut().flush();
            say("the report is " + html.toAbsolutePath());
        } finally {
            if (isGood && !isKept) {
                Scratch.delete(directory);
            } else {
                say("logs are kept in " + directory);
            }
        }
        return isGood ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private Keeping system(String name) {
        for (Keeping keeping : Keeping.values()) {
            if (keeping.isReplicated() && SessionsResult.nameOf(keeping).equals(name.toLowerCase(Locale.ROOT))) {
                return keeping;
            }
        }
        throw new ParameterException(spec.commandLine(), "--systems has tutti, tutti-udp, delta and backup, not '" + name + "'");
    }

    private Duration atMostTenMinutes(String option, Duration value) {
        if (value.compareTo(Duration.ofMillis(100)) < 0 || value.compareTo(Duration.ofMinutes(10)) > 0) {
            throw new ParameterException(spec.commandLine(), option + " is 100ms to 10min, not " + value);
        }
        return value;
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
