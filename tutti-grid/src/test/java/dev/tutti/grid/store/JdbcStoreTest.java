package dev.tutti.grid.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Query;
import dev.tutti.testing.Await;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("seeds")
class JdbcStoreTest {

    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LONG = Duration.ofMinutes(1);

    private final JdbcDataSource database = new JdbcDataSource();
    private final WatchedSource source = new WatchedSource(database);

    JdbcStoreTest(TestInfo test) {
        database.setURL("jdbc:h2:mem:grid-" + test.getTestMethod().orElseThrow().getName() + ";DB_CLOSE_DELAY=-1");
    }

    private JdbcStore store(Duration timeout) {
        return new JdbcStore(source.watched(), "n1", JdbcStore.PREFIX, timeout);
    }

    private static Entry entry(String id) {
        return StoreContract.entry(id, "name", "hosts/web" + id + "/cpu");
    }

    @Test
    void keepsTheContract() throws StoreException {
        try (JdbcStore store = store(LONG)) {
            new StoreContract(store).checkAll();
        }
    }

    @Test
    void membersShareADatabase() throws StoreException {
        try (JdbcStore one = new JdbcStore(database, "n1", JdbcStore.PREFIX, LONG);
                JdbcStore other = new JdbcStore(database, "n2", JdbcStore.PREFIX, LONG)) {
            one.replaceAll(List.of(entry("1"), entry("2")));
            other.replaceAll(List.of(entry("1"), entry("3")));
            other.remove("1");
            assertThat(one.find(Query.ALL)).containsExactly(entry("1"), entry("2"));
            assertThat(other.find(Query.ALL)).containsExactly(entry("3"));
            one.replaceAll(List.of());
            assertThat(other.find(Query.ALL.on("hosts/#"))).containsExactly(entry("3"));
        }
    }

    @Test
    void connectionsAreKept() throws StoreException {
        try (JdbcStore store = store(LONG)) {
            for (int i = 0; i < 20; i++) {
                store.put(entry("" + i));
                store.find(Query.ALL);
            }
            assertThat(source.opened).hasValue(2);
        }
        assertThat(source.open).allSatisfy(each -> assertThat(each.isClosed()).isTrue());
    }

    @Test
    void anOutageIsToldInOneLineAndEndsByItself() throws StoreException, SQLException {
        try (JdbcStore store = store(LONG)) {
            source.isDown = true;
            assertThatThrownBy(() -> store.replaceAll(List.of(entry("1"))))
                    .isInstanceOf(StoreException.class)
                    .hasMessage("store of n1 in tutti_grid_entries: connection refused (SQL state 08001)");
            source.isDown = false;
            store.replaceAll(List.of(entry("1")));
            assertThat(store.find(Query.ALL)).containsExactly(entry("1"));
            source.isDown = true;
            source.cut();
            assertThatThrownBy(() -> store.find(Query.ALL)).isInstanceOf(StoreException.class);
            assertThatThrownBy(() -> store.put(entry("2"))).isInstanceOf(StoreException.class);
            source.isDown = false;
            store.put(entry("2"));
            assertThat(store.find(Query.ALL)).containsExactly(entry("1"), entry("2"));
        }
    }

    @Test
    void aConnectionThatWasLostWhileNobodyUsedItIsNoFailure() throws StoreException, SQLException {
        try (JdbcStore store = store(LONG)) {
            store.put(entry("1"));
            source.cut();
            store.put(entry("2"));
            assertThat(store.find(Query.ALL)).hasSize(2);
            source.cut();
            assertThat(store.find(Query.ALL)).hasSize(2);
            store.remove("2");
            assertThat(store.find(Query.ALL)).containsExactly(entry("1"));
        }
    }

    @Test
    void aDatabaseThatHangsIsAFailureInTimeAndMayComeBack() throws StoreException {
        try (JdbcStore store = store(SHORT)) {
            source.opening = new CountDownLatch(1);
            assertThatThrownBy(() -> store.find(Query.ALL))
                    .isInstanceOf(StoreException.class)
                    .hasMessage("store of n1 in tutti_grid_entries: the database has not answered within 200 ms");
            assertThatThrownBy(() -> store.find(Query.ALL))
                    .isInstanceOf(StoreException.class)
                    .hasMessage("store of n1 in tutti_grid_entries: the database has not answered an earlier request yet");
            source.opening.countDown();
            Await.until("the store works", () -> works(store));
            source.executing = new CountDownLatch(1);
            assertThatThrownBy(() -> store.put(entry("2")))
                    .isInstanceOf(StoreException.class)
                    .hasMessageEndingWith("has not answered within 200 ms");
            source.executing.countDown();
            // Changes are made one after the other.
            Await.until("the change has ended", () -> hasRemoved(store, "none"));
        }
        try (JdbcStore patient = store(LONG)) {
            assertThat(patient.find(Query.ALL)).as("a change that was given up is not made later").containsExactly(entry("1"));
        }
    }

    private static boolean works(JdbcStore store) {
        try {
            store.replaceAll(List.of(entry("1")));
            return store.find(Query.ALL).size() == 1;
        } catch (StoreException e) {
            return false;
        }
    }

    private static boolean hasRemoved(JdbcStore store, String id) {
        try {
            store.remove(id);
            return true;
        } catch (StoreException e) {
            return false;
        }
    }

    @Test
    void closingDoesNotWaitForADatabaseThatHangs() {
        JdbcStore store = store(SHORT);
        source.opening = new CountDownLatch(1);
        assertThatThrownBy(() -> store.put(entry("1"))).isInstanceOf(StoreException.class);
        store.close();
        source.opening.countDown();
        Await.until("the connection is closed", () -> source.opened.get() == 1 && isClosed(source.open.getFirst()));
        assertThatThrownBy(() -> store.put(entry("1"))).isInstanceOf(StoreException.class).hasMessageContaining("the store is closed");
    }

    private static boolean isClosed(Connection connection) {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void tablesThatAreGoneAreMadeAgain() throws StoreException, SQLException {
        try (JdbcStore store = store(LONG)) {
            store.replaceAll(List.of(entry("1")));
            assertThat(store.find(Query.ALL)).hasSize(1);
            run("DROP TABLE tutti_grid_terms");
            run("DROP TABLE tutti_grid_entries");
            assertThatThrownBy(() -> store.put(entry("2"))).isInstanceOf(StoreException.class);
            store.replaceAll(List.of(entry("2")));
            assertThat(store.find(Query.ALL)).containsExactly(entry("2"));
        }
    }

    @Test
    void aRewriteThatFailsChangesNothing() throws StoreException, SQLException {
        try (JdbcStore store = store(LONG)) {
            store.replaceAll(List.of(entry("1")));
            run("ALTER TABLE tutti_grid_terms ADD CONSTRAINT none CHECK (term NOT LIKE '%web2%')");
            assertThatThrownBy(() -> store.replaceAll(List.of(entry("2"), entry("3")))).isInstanceOf(StoreException.class);
            assertThat(store.find(Query.ALL)).containsExactly(entry("1"));
        }
    }

    private void run(String sql) throws SQLException {
        try (Connection connection = database.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void columnsAreForPeopleToo() throws StoreException, SQLException {
        try (JdbcStore store = new JdbcStore(database, "n1")) {
            store.replaceAll(List.of(StoreContract.entry("größe'\0", "n\\ame", "hosts/web1/*")));
        }
        assertThat(row("SELECT writer, id, name, site, kind, registration FROM tutti_grid_entries"))
                .containsExactly("n1", "größe'\\u0000", "n\\u005came", "paris", "PRODUCER", "1");
        assertThat(row("SELECT LISTAGG(term, ' ') WITHIN GROUP (ORDER BY term) FROM tutti_grid_terms"))
                .containsExactly("/hosts/web1/ =number=größe'\\u0000 =os=linux");
    }

    private List<String> row(String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            rows.next();
            for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                values.add(rows.getString(i));
            }
            return values;
        }
    }

    @Test
    void theLongestEntryIsStored() throws StoreException {
        try (JdbcStore store = store(LONG)) {
            // Characters that have three bytes each.
            List<Filter> filters = Collections.nCopies(1_000, Filter.topic("a").with("t", "\u20ac".repeat(1_000)));
            Entry longest = new Entry(
                    "long", Entry.Kind.PRODUCER, "", "", "", "", filters, "", "\u20ac".repeat(Entry.SCHEMA_MAX), 0, 1, Map.of());
            store.replaceAll(List.of(longest, entry("1")));
            assertThat(store.find(Query.ALL.on("a"))).contains(longest);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "grid; DROP TABLE x", "a.b.c", "1grid", "\"grid\"", "a."})
    void thePrefixIsTheBeginningOfAName(String prefix) {
        assertThatThrownBy(() -> new JdbcStore(database, "n1", prefix, SHORT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("names of tables can't begin with '" + prefix + "'");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 3_600_001})
    void theTimeoutHasLimits(long millis) {
        assertThatThrownBy(() -> new JdbcStore(database, "n1", "grid_", Duration.ofMillis(millis))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void textsAreNoSql() throws StoreException {
        String hostile = "x'); DROP TABLE tutti_grid_entries; --";
        try (JdbcStore store = new JdbcStore(database, hostile)) {
            Entry entry = StoreContract.entry(hostile, hostile, hostile);
            store.put(entry);
            assertThat(store.find(Query.ALL.on(hostile).with("number", hostile))).containsExactly(entry);
            store.remove(hostile);
            assertThat(store.find(Query.ALL)).isEmpty();
        }
    }

    @Test
    void queriesReadTheRowsThatTheyNeed() throws StoreException, SQLException {
        try (JdbcStore store = store(Duration.ofMinutes(1))) {
            store.replaceAll(tenThousand());
            for (Query query : ofFew()) {
                source.rows.set(0);
                assertThat(store.find(query)).as(query.toString()).isNotEmpty();
                assertThat(source.rows.get()).as(query.toString()).isLessThanOrEqualTo(12);
                assertThat(scanned()).as(query.toString()).isLessThanOrEqualTo(100);
            }
        }
    }

    /** Returns the entries of many hosts. */
    static List<Entry> tenThousand() {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            entries.add(StoreContract.entry("id" + i, "name" + i, "hosts/web" + i + "/cpu", "hosts/web" + i + "/disk/*"));
        }
        entries.add(StoreContract.entry("all", "all", "#"));
        entries.add(StoreContract.entry("cpus", "cpus", "hosts/*/cpu"));
        return entries;
    }

    /** Returns queries for few of them. */
    static List<Query> ofFew() {
        return List.of(
                Query.ALL.on("hosts/web17/cpu"),
                Query.PRODUCERS.on("hosts/web17/#"),
                Query.ALL.on("hosts/web17/disk/a"),
                Query.ALL.with("number", "id17"),
                Query.PRODUCERS.on("hosts/web17/#").with("number", "id17").with("os", "linux"),
                Query.ALL.on("other/#"),
                Query.ALL.limit(10));
    }

    /** Returns the number of rows that the database has looked at for the last query. */
    private int scanned() throws SQLException {
        WatchedSource.Question question = source.last.get();
        try (Connection connection = database.getConnection();
                var statement = connection.prepareStatement("EXPLAIN ANALYZE " + question.sql())) {
            for (Map.Entry<Integer, Object> each : question.parameters().entrySet()) {
                statement.setObject(each.getKey(), each.getValue());
            }
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                Matcher counts = Pattern.compile("scanCount: (\\d+)").matcher(rows.getString(1));
                int sum = 0;
                while (counts.find()) {
                    sum += Integer.parseInt(counts.group(1));
                }
                return sum;
            }
        }
    }
}
