package dev.tutti.study.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL of the system, with its defaults for durability. As root refuses to be its user, it runs as the user
 * postgres then.
 */
final class PostgreSql implements DatabaseServer {

    /** Where Debian has the programs of each version. */
    private static final Path DEBIAN = Path.of("/usr/lib/postgresql");

    private static final int END_SECONDS_MAX = 20;

    /** Starts the program, prints its process, and kills it when the standard input ends: with this process, too. */
    private static final String KEEPER =
            "exec 3<&0; \"$@\" </dev/null >>\"$log\" 2>&1 3<&- & child=$!; echo $child;"
                    + " { cat <&3 >/dev/null; kill -9 $child 2>/dev/null; } & wait $child";

    private final Path programs;
    private final Path data;
    private final Path log;
    private final int port = Ports.free(1).getFirst();
    private @Nullable Process keeper;
    private @Nullable ProcessHandle server;
    private double endedCpuSeconds;

    /** @param programs directory with {@code initdb} and {@code postgres} */
    PostgreSql(Path programs, Path directory) {
        this.programs = programs;
        this.data = directory.resolve("postgresql");
        this.log = directory.resolve("database.log");
        try {
            Files.createDirectories(data);
            if (isRoot()) {
                run(List.of("chown", "postgres", data.toString()));
                // Its user has to get there through the directories above.
                run(List.of("chmod", "a+x", directory.toString()));
            }
        } catch (IOException e) {
            throw new StudyException("can't make " + data, e);
        }
        run(asUser(programs.resolve("initdb").toString(), "-D", data.toString(), "-U", "study", "--auth=trust", "--no-sync",
                "-E", "UTF8", "--locale=C"));
    }

    /** Returns the directory of the newest installed version; null if there is none. */
    static @Nullable Path programs() {
        List<Path> places = new ArrayList<>();
        for (String place : System.getenv().getOrDefault("PATH", "").split(":")) {
            places.add(Path.of(place));
        }
        if (Files.isDirectory(DEBIAN)) {
            try (Stream<Path> versions = Files.list(DEBIAN)) {
                versions.sorted(Comparator.comparing(PostgreSql::version).reversed())
                        .forEach(version -> places.add(version.resolve("bin")));
            } catch (IOException e) {
                throw new StudyException("can't read " + DEBIAN, e);
            }
        }
        return places.stream()
                .filter(place -> Files.isExecutable(place.resolve("initdb")) && Files.isExecutable(place.resolve("postgres")))
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

    private static List<String> asUser(String... command) {
        List<String> all = new ArrayList<>();
        if (isRoot()) {
            all.addAll(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"));
        }
        all.addAll(Arrays.asList(command));
        return all;
    }

    private String run(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).directory(data.toFile()).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new StudyException(String.join(" ", command) + " failed: " + output);
            }
            return output.strip();
        } catch (IOException e) {
            throw new StudyException("can't run " + command.getFirst(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StudyException("interrupted");
        }
    }

    @Override
    public String product() {
        return run(List.of(programs.resolve("postgres").toString(), "--version")).replace("postgres (PostgreSQL)", "PostgreSQL");
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    @Override
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    @Override
    public void start() {
        launch();
        // After a crash it does not start before its last process has ended.
        DatabaseServer.await(url(), () -> {
            if (!isRunning()) {
                launch();
            }
        });
    }

    private synchronized boolean isRunning() {
        ProcessHandle handle = server;
        return handle != null && handle.isAlive();
    }

    private synchronized void launch() {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", KEEPER, "postgresql"));
        command.addAll(asUser(programs.resolve("postgres").toString(), "-D", data.toString(), "-p", Integer.toString(port),
                "-h", "127.0.0.1", "-k", data.toString()));
        ProcessBuilder builder = new ProcessBuilder(command).directory(data.toFile());
        builder.environment().put("log", log.toString());
        builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        try {
            Process started = builder.start();
            BufferedReader output = started.inputReader(StandardCharsets.UTF_8);
            server = ProcessHandle.of(Long.parseLong(String.valueOf(output.readLine()))).orElse(null);
            keeper = started;
        } catch (IOException e) {
            throw new StudyException("can't start PostgreSQL", e);
        }
    }

    @Override
    public synchronized void kill() {
        ProcessHandle killed = server;
        Process waiting = keeper;
        if (killed == null || waiting == null) {
            return;
        }
        endedCpuSeconds += Cpu.secondsOfTree(killed);
        killed.destroyForcibly();
        try {
            waiting.getOutputStream().close();
            if (!waiting.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new StudyException("PostgreSQL has not ended " + END_SECONDS_MAX + " s after kill -9");
            }
        } catch (IOException e) {
            throw new StudyException("can't end the process above PostgreSQL", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StudyException("interrupted");
        }
        server = null;
    }

    @Override
    public synchronized double cpuSeconds() {
        ProcessHandle running = server;
        return endedCpuSeconds + (running == null ? 0 : Cpu.secondsOfTree(running));
    }

    @Override
    public void close() {
        kill();
    }
}
