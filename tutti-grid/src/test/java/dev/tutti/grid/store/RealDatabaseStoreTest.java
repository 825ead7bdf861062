package dev.tutti.grid.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.grid.Entry;
import dev.tutti.grid.Query;
import dev.tutti.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The database servers that people have; a start of one takes seconds, so each serves all cases. */
@Tag("slow")
class RealDatabaseStoreTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int MEMBERS = 8;

    private enum Kind {
        POSTGRESQL {
            @Override
            Database start(Path directory) throws Exception {
                return new Postgres(directory);
            }

            @Override
            String lock() {
                return "LOCK TABLE tutti_grid_entries IN ACCESS EXCLUSIVE MODE";
            }

            @Override
            int scanned(Connection connection, WatchedSource.Question question) throws SQLException {
                // Rows of a node of the plan, for each time that it is run.
                int sum = 0;
                for (String line : rows(connection, "EXPLAIN (ANALYZE, TIMING OFF) ", question)) {
                    if (line.contains("Scan") && line.contains(" on tutti_grid_")) {
                        assertThat(line).doesNotContain("Seq Scan");
                        sum += number(line, "\\(actual rows=(\\d+)") * number(line, "loops=(\\d+)");
                    }
                }
                return sum;
            }
        },
        MARIADB {
            @Override
            Database start(Path directory) throws Exception {
                return new MariaDb(directory);
            }

            @Override
            String lock() {
                return "LOCK TABLES tutti_grid_entries WRITE, tutti_grid_terms WRITE";
            }

            @Override
            int scanned(Connection connection, WatchedSource.Question question) throws SQLException {
                int before = handlerReads(connection);
                rows(connection, "", question);
                return handlerReads(connection) - before;
            }

            private static int handlerReads(Connection connection) throws SQLException {
                int sum = 0;
                try (Statement statement = connection.createStatement();
                        ResultSet rows = statement.executeQuery("SHOW SESSION STATUS LIKE 'Handler_read%'")) {
                    while (rows.next()) {
                        sum += rows.getInt(2);
                    }
                }
                return sum;
            }
        };

        abstract Database start(Path directory) throws Exception;

        /** Returns a statement that makes all others wait. */
        abstract String lock();

        /** Returns the number of rows that the database looks at for a query. */
        abstract int scanned(Connection connection, WatchedSource.Question question) throws SQLException;

        private static int number(String line, String pattern) {
            return Integer.parseInt(Pattern.compile(pattern).matcher(line).results().findFirst().orElseThrow().group(1));
        }

        private static List<String> rows(Connection connection, String prefix, WatchedSource.Question question) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(prefix + question.sql())) {
                for (Map.Entry<Integer, Object> each : question.parameters().entrySet()) {
                    statement.setObject(each.getKey(), each.getValue());
                }
                List<String> lines = new ArrayList<>();
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        lines.add(rows.getString(1));
                    }
                }
                return lines;
            }
        }
    }

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void aServerKeepsTheContractAndComesBack(Kind kind) throws Exception {
        try (Database database = kind.start(directory)) {
            membersThatComeAtOnceMakeTheTablesAndWriteTheirOwnRows(database);
            try (JdbcStore store = new JdbcStore(database.source(), "contract", JdbcStore.PREFIX, LONG)) {
                new StoreContract(store).checkAll();
            }
            queriesReadTheRowsThatTheyNeed(database, kind);
            aTableThatIsLockedIsAFailureInTime(database, kind);
            aServerThatIsDownIsAnOutageAndEndsByItself(database);
        }
    }

    private static void membersThatComeAtOnceMakeTheTablesAndWriteTheirOwnRows(Database database) throws Exception {
        List<Future<List<Entry>>> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(MEMBERS)) {
            for (int number = 0; number < MEMBERS; number++) {
                String member = "m" + number;
                answers.add(threads.submit(() -> {
                    try (JdbcStore store = new JdbcStore(database.source(), member, JdbcStore.PREFIX, LONG)) {
                        for (int round = 0; round < 20; round++) {
                            store.replaceAll(List.of(StoreContract.entry("1", member, "hosts/" + member), StoreContract.entry("2", "b", "#")));
                            store.put(StoreContract.entry("3", member, "hosts/web" + round));
                            store.remove("2");
                        }
                        return store.find(Query.ALL.on("hosts/#"));
                    }
                }));
            }
            for (int number = 0; number < MEMBERS; number++) {
                String member = "m" + number;
                assertThat(answers.get(number).get(120, TimeUnit.SECONDS))
                        .containsExactly(StoreContract.entry("1", member, "hosts/" + member), StoreContract.entry("3", member, "hosts/web19"));
            }
        }
    }

    private static void queriesReadTheRowsThatTheyNeed(Database database, Kind kind) throws Exception {
        WatchedSource source = new WatchedSource(database.source());
        try (JdbcStore store = new JdbcStore(source.watched(), "many", JdbcStore.PREFIX, LONG);
                Connection connection = database.source().getConnection()) {
            store.replaceAll(JdbcStoreTest.tenThousand());
            database.run(kind == Kind.POSTGRESQL ? "ANALYZE" : "ANALYZE TABLE tutti_grid_entries, tutti_grid_terms");
            for (Query query : JdbcStoreTest.ofFew()) {
                source.rows.set(0);
                assertThat(store.find(query)).as(query.toString()).isNotEmpty();
                assertThat(source.rows.get()).as(query.toString()).isLessThanOrEqualTo(12);
                assertThat(kind.scanned(connection, source.last.get())).as(query.toString()).isLessThanOrEqualTo(100);
            }
            store.replaceAll(List.of());
        }
    }

    private static void aTableThatIsLockedIsAFailureInTime(Database database, Kind kind) throws Exception {
        try (JdbcStore store = new JdbcStore(database.source(), "slow", JdbcStore.PREFIX, Duration.ofSeconds(1))) {
            store.put(StoreContract.entry("1", "a"));
            try (Connection connection = database.source().getConnection(); Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.execute(kind.lock());
                assertThatThrownBy(() -> store.put(StoreContract.entry("2", "b"))).isInstanceOf(StoreException.class);
                assertThatThrownBy(() -> store.find(Query.ALL)).isInstanceOf(StoreException.class);
            }
            Await.until("the store works", () -> hasReplaced(store));
            assertThat(store.find(Query.ALL)).containsExactly(StoreContract.entry("3", "c"));
        }
    }

    private static boolean hasReplaced(JdbcStore store) {
        try {
            store.replaceAll(List.of(StoreContract.entry("3", "c")));
            return !store.find(Query.ALL).isEmpty();
        } catch (StoreException e) {
            return false;
        }
    }

    private static void aServerThatIsDownIsAnOutageAndEndsByItself(Database database) throws Exception {
        try (JdbcStore store = new JdbcStore(database.source(), "outage", JdbcStore.PREFIX, Duration.ofSeconds(20))) {
            Entry entry = StoreContract.entry("1", "a", "hosts/#");
            store.replaceAll(List.of(entry));
            assertThat(store.find(Query.ALL)).containsExactly(entry);
            database.stop();
            assertThatThrownBy(() -> store.find(Query.ALL))
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith("store of outage in tutti_grid_entries: ")
                    .hasMessageContaining("(SQL state 08")
                    .hasMessageNotContaining("\n");
            assertThatThrownBy(() -> store.put(StoreContract.entry("2", "b"))).isInstanceOf(StoreException.class);
            database.start();
            assertThat(store.find(Query.ALL.on("hosts/web1"))).containsExactly(entry);
            store.remove("1");
            assertThat(store.find(Query.ALL)).isEmpty();
        }
    }
}
