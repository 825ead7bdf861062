package dev.tutti.study.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.study.app.Databases;
import java.nio.file.Path;
import java.sql.Connection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The system's PostgreSQL, or H2 in its place, and H2 where it is wanted. */
@Tag("slow")
class DatabaseServerTest {

    @TempDir(cleanup = CleanupMode.ALWAYS)
    private Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void committedRowSurvivesAKillWhereTheDatabasePromisesIt(boolean isH2) throws Exception {
        try (DatabaseServer server = DatabaseServer.open(directory, isH2)) {
            server.start();
            Databases.createTables(server.url());
            try (Connection connection = Databases.connect(server.url())) {
                connection.createStatement().execute("INSERT INTO project VALUES ('a', 'b', CURRENT_TIMESTAMP)");
            }
            server.kill();
            server.start();
            if (server.isDurable()) {
                assertThat(Databases.names(server.url(), "project")).containsExactly("a");
            }
            assertThat(server.product()).matches("(PostgreSQL|H2) [0-9]+.*");
            assertThat(server.cpuSeconds()).isPositive();
        }
    }
}
