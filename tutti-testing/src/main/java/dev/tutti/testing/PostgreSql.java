package dev.tutti.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL of the system, with its defaults for durability, in processes of its own. It can be killed and started again. As root refuses to
 * be its user, it runs as the user postgres then. Thread-safe.
 */
public final class PostgreSql implements AutoCloseable {

    /** Time in which it starts, after a crash also. */
    private static final Duration START_MAX = Duration.ofSeconds(60);

    /** Where Debian has the programs of each version. */
    private static final Path DEBIAN = Path.of("/usr/lib/postgresql");

    private static final List<String> PROGRAMS = List.of("initdb", "postgres", "pg_isready");
    private static final int END_SECONDS_MAX = 20;
    private static final int POLL_MILLIS = 50;

    /** Starts the program, prints its process, and kills it when the standard input ends: with this process, too. */
    private static final String KEEPER =
            "exec 3<&0; \"$@\" </dev/null >>\"$log\" 2>&1 3<&- & child=$!; echo $child;"
                    + " { cat <&3 >/dev/null; kill -9 $child 2>/dev/null; } & wait $child";

    private final Path programs;
    private final Path data;
    private final Path log;
    private final int port;
    private @Nullable Process keeper;
    private @Nullable ProcessHandle server;

    /**
     * Makes its files.
     *
     * @param programs directory with its programs
     * @param directory for its files, and the file {@code database.log}
     * @param port of the loopback address
     * @param user of the database, who needs no password
     * @throws IllegalStateException if that fails
     */
    public PostgreSql(Path programs, Path directory, int port, String user) {
        this.programs = programs;
        this.data = directory.resolve("postgresql");
        this.log = directory.resolve("database.log");
        this.port = port;
        try {
            Files.createDirectories(data);
        } catch (IOException e) {
            throw new IllegalStateException("can't make " + data + ": " + e.getMessage(), e);
        }
        if (isRoot()) {
            run(List.of("chown", "postgres", data.toString()));
            // Its user has to get there through the directories above.
            run(List.of("chmod", "a+x", directory.toString()));
        }
        run(asUser(program("initdb"), "-D", data.toString(), "-U", user, "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"));
    }

    /** Returns the directory with the programs of the newest installed version; null if there is none. */
    public static @Nullable Path programs() {
        List<Path> places = new ArrayList<>();
        for (String place : System.getenv().getOrDefault("PATH", "").split(":")) {
            places.add(Path.of(place));
        }
        if (Files.isDirectory(DEBIAN)) {
            try (Stream<Path> versions = Files.list(DEBIAN)) {
                versions.sorted(Comparator.comparing(PostgreSql::version).reversed())
                        .forEach(version -> places.add(version.resolve("bin")));
            } catch (IOException e) {
                throw new IllegalStateException("can't read " + DEBIAN + ": " + e.getMessage(), e);
            }
        }
        return places.stream()
                .filter(place -> PROGRAMS.stream().allMatch(program -> Files.isExecutable(place.resolve(program))))
                .findFirst()
                .orElse(null);
    }

    private static int version(Path directory) {
        String name = directory.getFileName().toString();
        return name.matches("[0-9]{1,4}") ? Integer.parseInt(name) : 0;
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    private String program(String name) {
        return programs.resolve(name).toString();
    }

    private static List<String> asUser(String... command) {
        List<String> all = new ArrayList<>();
        if (isRoot()) {
            all.addAll(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"));
        }
        all.addAll(Arrays.asList(command));
        return all;
    }

    private record Result(int code, String output) {}

    private Result execute(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).directory(data.toFile()).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), output.strip());
        } catch (IOException e) {
            throw new IllegalStateException("can't run " + command.getFirst() + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private String run(List<String> command) {
        Result result = execute(command);
        if (result.code != 0) {
            throw new IllegalStateException(String.join(" ", command) + " failed: " + result.output);
        }
        return result.output;
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted", e);
    }

    /** Returns product and version. */
    public String product() {
        return run(List.of(program("postgres"), "--version")).replace("postgres (PostgreSQL)", "PostgreSQL");
    }

    /** Returns the address for JDBC, without a user. */
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    /** Returns its main process; null if it is not running. */
    public synchronized @Nullable ProcessHandle server() {
        return server;
    }

    /**
     * Starts it, again after a kill, and waits until it accepts connections.
     *
     * @throws IllegalStateException if it does not within a minute
     */
    public void start() {
        launch();
        long startNanos = System.nanoTime();
        while (execute(List.of(program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", Integer.toString(port))).code != 0) {
            if (System.nanoTime() - startNanos > START_MAX.toNanos()) {
                throw new IllegalStateException("PostgreSQL does not start within " + START_MAX.toSeconds() + " s, see " + log);
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
            // After a crash it does not start before its last process has ended.
            if (!isRunning()) {
                launch();
            }
        }
    }

    private synchronized boolean isRunning() {
        ProcessHandle handle = server;
        return handle != null && handle.isAlive();
    }

    private synchronized void launch() {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", KEEPER, "postgresql"));
        command.addAll(asUser(program("postgres"), "-D", data.toString(), "-p", Integer.toString(port), "-h", "127.0.0.1", "-k", data.toString()));
        ProcessBuilder builder = new ProcessBuilder(command).directory(data.toFile());
        builder.environment().put("log", log.toString());
        builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        try {
            Process started = builder.start();
            BufferedReader output = started.inputReader(StandardCharsets.UTF_8);
            server = ProcessHandle.of(Long.parseLong(String.valueOf(output.readLine()))).orElse(null);
            keeper = started;
        } catch (IOException e) {
            throw new IllegalStateException("can't start PostgreSQL: " + e.getMessage(), e);
        }
    }

    /** Ends it as {@code kill -9} of its main process does, and waits until that has ended. */
    public synchronized void kill() {
        ProcessHandle killed = server;
        Process waiting = keeper;
        if (killed == null || waiting == null) {
            return;
        }
        killed.destroyForcibly();
        try {
            waiting.getOutputStream().close();
            if (!waiting.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new IllegalStateException("PostgreSQL has not ended " + END_SECONDS_MAX + " s after kill -9");
            }
        } catch (IOException e) {
            throw new IllegalStateException("can't end the process above PostgreSQL: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        server = null;
    }

    @Override
    public void close() {
        kill();
    }
}
