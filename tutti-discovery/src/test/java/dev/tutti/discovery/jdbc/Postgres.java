package dev.tutti.discovery.jdbc;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import javax.sql.DataSource;

/** PostgreSQL. As root it runs in a namespace of its own, since it refuses to be root's. */
public final class Postgres implements Database {

    private final EmbeddedPostgres.Builder builder;
    private EmbeddedPostgres server;

    public Postgres(Path directory) throws Exception {
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
    public void start() throws Exception {
        server = builder.start();
    }
}
