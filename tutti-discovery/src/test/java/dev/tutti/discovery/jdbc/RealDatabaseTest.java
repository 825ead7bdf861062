package dev.tutti.discovery.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The database servers that people have; a start of one takes seconds, so each serves all cases. */
@Tag("slow")
class RealDatabaseTest {

    private static final int NODES = 16;

    private enum Kind {
        POSTGRESQL {
            @Override
            Database start(Path directory) throws Exception {
                return new Postgres(directory);
            }
        },
        MARIADB {
            @Override
            Database start(Path directory) throws Exception {
                return new MariaDb(directory);
            }
        };

        abstract Database start(Path directory) throws Exception;
    }

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void aServerServesNodesComesBackAndRefusesWithASentence(Kind kind) throws Exception {
        try (Database database = kind.start(directory)) {
            nodesThatComeAtOnceMakeTheTable(database);
            anEntryComesAndGoes(database);
            aServerThatIsDownIsAnOutageAndEndsByItself(database);
            aTableThatIsGoneIsMadeAgain(database);
            aUserWhoMayNotCreateTheTableIsTold(database, kind);
        }
    }

    private static JdbcDiscovery started(Database database, String table, NodeEntry self) throws IOException {
        JdbcDiscovery source = new JdbcDiscovery(database.source(), table);
        source.start(self);
        source.announce();
        return source;
    }

    private static NodeEntry entry(int number) {
        return new NodeEntry("shop", "n" + number, "10.0.0." + number + ":7800");
    }

    private static void nodesThatComeAtOnceMakeTheTable(Database database) throws Exception {
        CyclicBarrier together = new CyclicBarrier(NODES);
        List<Future<JdbcDiscovery>> starting = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(NODES)) {
            for (int number = 1; number <= NODES; number++) {
                NodeEntry self = entry(number);
                starting.add(threads.submit(() -> {
                    together.await(60, TimeUnit.SECONDS);
                    return started(database, "tutti_nodes", self);
                }));
            }
            for (Future<JdbcDiscovery> source : starting) {
                source.get(60, TimeUnit.SECONDS);
            }
        }
        assertThat(starting.getFirst().get().addresses()).hasSize(NODES);
    }

    private static void anEntryComesAndGoes(Database database) throws IOException {
        JdbcDiscovery source = started(database, "tutti_nodes", new NodeEntry("other", "ännä", "[fd01::2]:7800"));
        source.announce();
        assertThat(source.addresses()).containsExactly("[fd01::2]:7800");
        source.remove("[fd01::2]:7800");
        assertThat(source.addresses()).isEmpty();
        source.announce();
        assertThat(source.addresses()).containsExactly("[fd01::2]:7800");
        source.close();
        assertThat(source.addresses()).isEmpty();
    }

    private void aServerThatIsDownIsAnOutageAndEndsByItself(Database database) throws Exception {
        JdbcDiscovery source = (JdbcDiscovery) new JdbcProvider()
                .open(Settings.of(new JdbcProvider().settings()).with(JdbcProvider.URL, database.url()))
                .orElseThrow();
        source.start(new NodeEntry("outage", "anna", "10.0.0.1:7800"));
        source.announce();
        database.stop();
        assertThatThrownBy(source::addresses)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("table tutti_nodes: ")
                .hasMessageContaining("(SQL state 08")
                .hasMessageNotContaining("\n");
        database.start();
        assertThat(source.addresses()).containsExactly("10.0.0.1:7800");
    }

    private static void aTableThatIsGoneIsMadeAgain(Database database) throws Exception {
        JdbcDiscovery source = started(database, "dropped_nodes", entry(1));
        database.run("DROP TABLE dropped_nodes");
        assertThat(source.addresses()).isEmpty();
        source.announce();
        assertThat(source.addresses()).containsExactly("10.0.0.1:7800");
    }

    private void aUserWhoMayNotCreateTheTableIsTold(Database database, Kind kind) throws Exception {
        if (kind == Kind.POSTGRESQL) {
            database.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
        }
        database.run("CREATE USER guest" + (kind == Kind.POSTGRESQL ? " PASSWORD 'g'" : "@localhost IDENTIFIED BY 'g'"));
        if (kind == Kind.MARIADB) {
            database.run("GRANT SELECT ON app.tutti_nodes TO guest@localhost");
        }
        Path password = Files.writeString(directory.resolve("password"), "g\n");
        Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw----r--"));
        JdbcDiscovery source = (JdbcDiscovery) new JdbcProvider()
                .open(Settings.of(new JdbcProvider().settings())
                        .with(JdbcProvider.URL, database.url().replaceFirst("\\?.*", ""))
                        .with(JdbcProvider.USER, "guest")
                        .with(JdbcProvider.PASSWORD_FILE, password.toString())
                        .with(JdbcProvider.TABLE, "guests"))
                .orElseThrow();
        assertThatThrownBy(() -> source.start(entry(1))).hasMessageContaining("others can read or change it");
        Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw-------"));
        assertThatThrownBy(() -> source.start(entry(1)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("table guests: ")
                .message()
                .containsAnyOf("permission denied", "CREATE command denied");
    }
}
