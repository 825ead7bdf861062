package dev.tutti.discovery.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcDiscoveryTest {

    private static final NodeEntry ANNA = new NodeEntry("shop", "anna", "10.0.0.1:7800");
    private static final NodeEntry BERT = new NodeEntry("shop", "bert", "10.0.0.2:7800");

    private final JdbcDataSource database = new JdbcDataSource();

    JdbcDiscoveryTest(TestInfo test) {
        database.setURL("jdbc:h2:mem:" + test.getTestMethod().orElseThrow().getName() + ";DB_CLOSE_DELAY=-1");
    }

    private JdbcDiscovery started(NodeEntry self) throws IOException {
        JdbcDiscovery source = new JdbcDiscovery(database, "tutti_nodes");
        source.start(self);
        source.announce();
        return source;
    }

    @Test
    void theFirstNodeMakesTheTableAndNodesOfOneClusterFindEachOther() throws IOException {
        JdbcDiscovery anna = started(ANNA);
        JdbcDiscovery bert = started(BERT);
        started(new NodeEntry("other", "carl", "10.0.0.3:7800"));
        assertThat(anna.addresses()).containsExactly("10.0.0.1:7800", "10.0.0.2:7800");
        bert.close();
        assertThat(anna.addresses()).containsExactly("10.0.0.1:7800");
    }

    @Test
    void anEntryIsMadeOnceHoweverOftenItIsAnnounced() throws IOException {
        JdbcDiscovery anna = started(ANNA);
        anna.announce();
        anna.announce();
        assertThat(anna.addresses()).containsExactly("10.0.0.1:7800");
    }

    @Test
    void aRowThatSomebodyRemovesIsMadeAgainEvenWithItsTable() throws IOException, SQLException {
        JdbcDiscovery anna = started(ANNA);
        started(BERT).remove("10.0.0.1:7800");
        assertThat(anna.addresses()).containsExactly("10.0.0.2:7800");
        anna.announce();
        assertThat(anna.addresses()).containsExactly("10.0.0.1:7800", "10.0.0.2:7800");
    }

    @Test
    void namesAreNoSql() throws IOException {
        String hostile = "x'); DROP TABLE tutti_nodes; --";
        JdbcDiscovery source = started(new NodeEntry(hostile, hostile, "10.0.0.1:7800"));
        assertThat(source.addresses()).containsExactly("10.0.0.1:7800");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "nodes; DROP TABLE x", "a.b.c", "1nodes", "\"nodes\""})
    void theNameOfATableIsAName(String table) {
        assertThatThrownBy(() -> new JdbcDiscovery(database, table))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is no name of letters, digits and underscores");
    }

    @Test
    void anOutageIsToldInOneLineAndEndsByItself() throws IOException, SQLException {
        AtomicBoolean isDown = new AtomicBoolean(true);
        JdbcDiscovery source = new JdbcDiscovery(
                () -> {
                    if (isDown.get()) {
                        throw new SQLException("connection refused\nat some place", "08001");
                    }
                    return database.getConnection();
                },
                "tutti_nodes");
        assertThatThrownBy(() -> source.start(ANNA))
                .isInstanceOf(IOException.class)
                .hasMessage("table tutti_nodes: connection refused (SQL state 08001)");
        isDown.set(false);
        source.start(ANNA);
        source.announce();
        assertThat(source.addresses()).containsExactly("10.0.0.1:7800");
    }

    @Test
    void aUserWhoMayNotCreateTheTableIsTold() throws IOException, SQLException {
        try (Connection connection = database.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE USER guest PASSWORD 'guest'");
        }
        JdbcDiscovery source = new JdbcDiscovery(
                () -> DriverManager.getConnection(database.getURL(), "guest", "guest"), "tutti_nodes");
        assertThatThrownBy(() -> source.start(ANNA)).isInstanceOf(IOException.class).hasMessageContaining("rights");
    }

    @Test
    void settingsThatContradictEachOtherAreRefused() {
        Settings settings = Settings.of(new JdbcProvider().settings())
                .with(JdbcProvider.URL, database.getURL())
                .with(JdbcProvider.PASSWORD_FILE, "secret");
        assertThatThrownBy(() -> new JdbcProvider().open(settings))
                .isInstanceOf(SettingException.class)
                .hasMessage("discovery.jdbc.password-file is set and discovery.jdbc.user is not");
        assertThat(new JdbcProvider().open(Settings.of(new JdbcProvider().settings()))).isEmpty();
        assertThat(List.of(new JdbcProvider().kind())).containsExactly("jdbc");
    }
}
