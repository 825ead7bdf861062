package dev.tutti.grid.store;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;

/** PostgreSQL. As root it runs in a namespace of its own, since it refuses to be root's. */
final class Postgres implements Database {

    private final EmbeddedPostgres.Builder builder;
    private final Path directory;
    private EmbeddedPostgres server;

    Postgres(Path directory) throws Exception {
        this.directory = directory;
        // Power does not fail in a test, and waiting for the disk takes most of the time.
        builder = EmbeddedPostgres.builder()
                .setDataDirectory(directory)
                .setCleanDataDirectory(false)
                .setServerConfig("fsync", "off")
                .setServerConfig("synchronous_commit", "off");
        server = builder.start();
        builder.setPort(server.getPort());
    }

    @Override
    public DataSource source() {
        return server.getPostgresDatabase();
    }

    @Override
    public String url() {
        return server.getJdbcUrl("postgres", "postgres");
    }

    @Override
    public void stop() throws Exception {
        server.close();
    }

    @Override
    public void kill() throws Exception {
        long id = Long.parseLong(Files.readAllLines(directory.resolve("postmaster.pid")).getFirst().strip());
        ProcessHandle process = ProcessHandle.of(id).orElseThrow();
        process.destroyForcibly();
        process.onExit().get();
        // It has nothing to stop any more, but gives back the lock of the directory.
        stop();
    }

    @Override
    public void start() throws Exception {
        server = builder.start();
    }
}
