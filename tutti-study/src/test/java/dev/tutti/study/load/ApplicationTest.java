package dev.tutti.study.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.study.app.Databases;
import dev.tutti.study.node.OneNode;
import dev.tutti.study.setup.Access;
import dev.tutti.study.setup.Keeping;
import dev.tutti.study.setup.Operation;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The operations of the application, through a real Tomcat, on H2. */
class ApplicationTest {

    private static final int UPLOAD_BYTES = 5_000;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({
        "DATABASE, JDBC, false, false",
        "DATABASE, JDBC, true, true",
        "DATABASE, HIBERNATE, false, true",
        "DATABASE, HIBERNATE, true, false",
        "SPRING, JDBC, false, false",
        "SPRING, HIBERNATE, false, true",
    })
    void eachOperationChangesItsTableAndTheSession(Keeping keeping, Access access, boolean isSticky, boolean isIdInUrl)
            throws Exception {
        RowAccount rows = new RowAccount();
        List<Operation> operations = List.of(
                Operation.CREATE_USER, Operation.CREATE_USER, Operation.CREATE_PROJECT, Operation.UPLOAD, Operation.DELETE_USER);
        try (OneNode node = new OneNode(keeping, access, isSticky, directory);
                LoadDriver driver = new LoadDriver(
                        List.of(node.address()), new LoadDriver.Clients(1, isIdInUrl, UPLOAD_BYTES), rows, Map::of)) {
            LoadResult result = driver.closedLoop(operations, 1, LoadDriver.Lookup.NONE);

            assertThat(result.failures()).isEmpty();
            assertThat(result.lost()).isEqualTo(new LoadResult.Lost(0, 0, 0));
            assertThat(Databases.names(node.url(), "app_user")).hasSize(1);
            assertThat(Databases.names(node.url(), "project")).hasSize(1);
            assertThat(Databases.names(node.url(), "upload")).hasSize(1);
            assertThat(count(node.url(), "SELECT LENGTH(content) FROM upload")).isEqualTo(UPLOAD_BYTES);
            // One session had all five requests.
            assertThat(count(node.url(), "SELECT COUNT(*) FROM " + (keeping == Keeping.SPRING ? "spring_session" : "visit")))
                    .isEqualTo(1);
            for (Map.Entry<Operation, String> table : RowAccount.TABLES.entrySet()) {
                assertThat(rows.lost(table.getKey(), Databases.names(node.url(), table.getValue()))).isZero();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"do=sing&number=1&name=a", "do=read&number=x&name=a", "number=1", "do=change&number=5000"})
    void wrongRequestIsNoUpdate(String query) throws Exception {
        try (OneNode node = new OneNode(Keeping.DATABASE, Access.JDBC, false, directory);
                HttpClient http = HttpClient.newHttpClient()) {
            HttpResponse<String> response = http.send(
                    HttpRequest.newBuilder(URI.create(node.address() + "?" + query)).POST(HttpRequest.BodyPublishers.noBody()).build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(count(node.url(), "SELECT COUNT(*) FROM visit")).isZero();
        }
    }

    private static long count(String url, String sql) throws Exception {
        try (Connection connection = Databases.connect(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
