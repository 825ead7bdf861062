package dev.tutti.study.process;

import dev.tutti.testing.PostgreSql;
import java.nio.file.Path;
import java.util.function.Supplier;

/** PostgreSQL of the system, with the CPU time that it takes. */
final class PostgreSqlServer implements DatabaseServer {

    private final PostgreSql server;
    private double endedCpuSeconds;

    PostgreSqlServer(Path programs, Path directory) {
        this.server = study(() -> new PostgreSql(programs, directory, Ports.free(1).getFirst(), "study"));
    }

    private static <T> T study(Supplier<T> action) {
        try {
            return action.get();
        } catch (IllegalStateException e) {
            throw new StudyException("the database", e);
        }
    }

    private static void run(Runnable action) {
        study(() -> {
            action.run();
            return true;
        });
    }

    @Override
    public String product() {
        return study(server::product);
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    @Override
    public String url() {
        return server.url();
    }

    @Override
    public void start() {
        run(server::start);
    }

    @Override
    public synchronized void kill() {
        endedCpuSeconds = cpuSeconds();
        run(server::kill);
    }

    @Override
    public synchronized double cpuSeconds() {
        ProcessHandle running = server.server();
        return endedCpuSeconds + (running == null ? 0 : Cpu.secondsOfTree(running));
    }

    @Override
    public void close() {
        kill();
    }
}
