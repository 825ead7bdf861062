package dev.tutti.demo;

import dev.tutti.core.settings.Durations;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.FileHandler;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code ./tutti demo}. */
@Command(
        name = "tutti demo",
        sortOptions = false,
        description = {
            "A small shop on three Tomcats, each a process of its own, whose carts survive the kill of a node.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  ./tutti demo             open the page, fill the cart, kill a node",
            "  ./tutti demo --nodes 5   with five nodes",
            "  ./tutti demo --smoke     without a person: exit status 0 if all held",
            "",
            "It listens on loopback only. Ctrl-C stops everything."
        })
public final class Demo implements Callable<Integer> {

    private static final Duration START_MAX = Duration.ofSeconds(90);
    private static final Duration SMOKE_MAX = Duration.ofSeconds(120);
    private static final int DEFAULT_PORT = 8080;

    static final class DurationConverter implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            return Durations.parse(text);
        }
    }

    @Option(names = "--smoke", description = "Check by itself, print a summary, and end.")
    boolean isSmoke;

    @Option(names = "--nodes", paramLabel = "COUNT", defaultValue = "3", description = "Nodes, 2 to 8; ${DEFAULT-VALUE} unless set.")
    int nodes;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Port of the page and the balancer; 8080 or one of the next twenty unless set, 0 for any.")
    @Nullable Integer port;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Stop after a while, such as 30s; otherwise on Ctrl-C.")
    @Nullable Duration time;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this and end.")
    boolean isHelp;

    @Option(names = "--json", description = "One JSON object per line instead of text.")
    boolean isJson;

    @Spec
    @Nullable CommandSpec spec;

    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    /** Runs the command to its end and returns its exit status. */
    public static int run(String... arguments) {
        return new CommandLine(new Demo()).setParameterExceptionHandler((error, given) -> wrong(error)).execute(arguments);
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
    public Integer call() throws IOException, InterruptedException {
        checkOptions();
        Path directory = Files.createTempDirectory("tutti-demo-");
        logTo(directory.resolve("demo.log"));
        Journal journal = new Journal(System.out, isJson);
        CountDownLatch stopping = new CountDownLatch(1);
        try (Front front = new Front();
                DemoCluster cluster = new DemoCluster(nodes, directory, front, journal)) {
            Thread atExit = new Thread(() -> {
                stopping.countDown();
                cluster.stop();
            });
            Runtime.getRuntime().addShutdownHook(atExit);
            try {
                return run(cluster, front, journal, directory, stopping);
            } catch (BindException e) {
                System.err.println("demo: " + e.getMessage() + "; --port takes another one, or 0 for any");
                return 1;
            } finally {
                removeHook(atExit);
            }
        }
    }

    private void checkOptions() {
        CommandLine line = Objects.requireNonNull(spec, "made by picocli").commandLine();
        Integer chosen = port;
        if (nodes < 2 || nodes > DemoCluster.NODES_MAX) {
            throw new ParameterException(line, "--nodes is 2 to " + DemoCluster.NODES_MAX + ", not " + nodes);
        }
        if (chosen != null && (chosen < 0 || chosen > 65_535)) {
            throw new ParameterException(line, "--port is 0 to 65535, not " + chosen);
        }
        if (isSmoke && nodes < 3) {
            throw new ParameterException(line, "--smoke wants --nodes 3 or more, not " + nodes);
        }
    }

    private int run(DemoCluster cluster, Front front, Journal journal, Path directory, CountDownLatch stopping)
            throws IOException, InterruptedException {
        Integer chosen = port;
        if (chosen == null && isSmoke) {
            chosen = 0;
        }
        front.start(
                chosen == null ? DEFAULT_PORT : chosen, chosen != null, new Page(cluster, journal), directory.resolve("page"));
        Map<String, Object> places = new LinkedHashMap<>();
        places.put("page", front.uri() + "/");
        places.put("logs", directory.toString());
        journal.data(places);
        journal.print("logs are in " + directory);
        journal.say("starting " + String.join(", ", cluster.names()));
        String failure = start(cluster);
        if (!failure.isEmpty()) {
            System.err.println("demo: " + failure);
            for (String name : cluster.names()) {
                showEnd(cluster.log(name));
            }
            return 1;
        }
        if (isSmoke) {
            try (Smoke smoke = new Smoke(cluster, front.uri(), journal)) {
                return smoke.run(SMOKE_MAX) ? 0 : 1;
            }
        }
        invite(front.uri(), journal);
        Duration present = time;
        if (present == null) {
            stopping.await();
        } else if (!stopping.await(present.toMillis(), TimeUnit.MILLISECONDS)) {
            journal.say("stopping, as " + Durations.print(present) + " are over");
        }
        return 0;
    }

    /** Starts all nodes at the same time; returns the failures as text, empty if there are none. */
    private static String start(DemoCluster cluster) throws InterruptedException {
        List<CompletableFuture<URI>> starting = new ArrayList<>();
        for (String name : cluster.names()) {
            starting.add(cluster.start(name));
        }
        try {
            CompletableFuture.allOf(starting.toArray(CompletableFuture[]::new))
                    .get(START_MAX.toSeconds(), TimeUnit.SECONDS);
            cluster.awaitView(cluster.names(), START_MAX);
            return "";
        } catch (ExecutionException e) {
            return String.valueOf(e.getCause());
        } catch (TimeoutException e) {
            String what = e.getMessage();
            return what == null ? "the nodes do not serve within " + START_MAX.toSeconds() + " s" : what;
        }
    }

    private static void invite(URI uri, Journal journal) {
        journal.print("");
        journal.print("  The page        " + uri + "/");
        journal.print("  Without browser curl -c jar -b jar -X PUT '" + uri + "/shop/cart/tea?quantity=2'");
        journal.print("                  curl -c jar -b jar " + uri + "/shop/cart");
        journal.print("  Kill a node     curl -X POST -H '" + Page.CONTROL_HEADER + ": yes' " + uri + "/demo/nodes/node1/kill");
        journal.print("  Start it again  curl -X POST -H '" + Page.CONTROL_HEADER + ": yes' " + uri + "/demo/nodes/node1/start");
        journal.print("");
        journal.print("Ctrl-C stops everything.");
    }

    /** Sends the libraries' log to a file, which keeps it out of the lines for people. */
    private static void logTo(Path file) throws IOException {
        LogManager.getLogManager().reset();
        // Read when the first of these loggers is made. The file of the JDK's logging is locked by its handler.
        System.setProperty("org.slf4j.simpleLogger.logFile", file.resolveSibling("balancer.log").toString());
        Handler handler = new FileHandler(file.toString());
        handler.setFormatter(new SimpleFormatter());
        Logger.getLogger("").addHandler(handler);
    }

    private static void showEnd(Path log) {
        if (!Files.exists(log)) {
            return;
        }
        System.err.println("the end of " + log);
        try (BufferedReader reader = Files.newBufferedReader(log)) {
            List<String> lines = reader.lines().toList();
            lines.stream().skip(Math.max(0, lines.size() - 25)).forEach(line -> System.err.println("    " + line));
        } catch (IOException e) {
            System.err.println("    can't be read: " + e);
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The shutdown hook is running: it closes everything, and the runtime waits for it.
            return;
        }
    }
}
