package dev.tutti.discovery.jdbc;

import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A table with a row for each node: {@code cluster}, {@code address}, {@code name}. The first node creates it. The statements are
 * standard SQL, tried with PostgreSQL, MariaDB and H2.
 *
 * <p>Each look opens a connection and closes it: one that is kept open dies with the database, or behind a firewall.
 */
public final class JdbcDiscovery implements DiscoverySource {

    /** Opens connections. */
    @FunctionalInterface
    interface Connector {
        Connection connect() throws SQLException, IOException;
    }

    /** Work with a connection. */
    @FunctionalInterface
    private interface Work<T> {
        T apply(Connection connection) throws SQLException;
    }

    private static final int SECONDS_MAX = 5;

    /** Longest wait for the server's next bytes: a server that has lost its power closes no connection. */
    private static final int NETWORK_MILLIS_MAX = 8_000;

    private static final int ROWS_MAX = 10_000;

    private final Connector connector;
    private final String table;
    private @Nullable NodeEntry self;

    /**
     * @param source closed by whoever has made it
     * @param table a name of letters, digits and underscores, with a schema before a dot or without
     * @throws IllegalArgumentException if the name of the table is none
     */
    public JdbcDiscovery(DataSource source, String table) {
        this(source::getConnection, table);
    }

    JdbcDiscovery(Connector connector, String table) {
        if (!table.matches("[A-Za-z_][A-Za-z0-9_]{0,62}(\\.[A-Za-z_][A-Za-z0-9_]{0,62})?")) {
            throw new IllegalArgumentException(
                    "discovery.jdbc.table: '" + table + "' is no name of letters, digits and underscores, as tutti_nodes or app.nodes");
        }
        this.connector = connector;
        this.table = table;
    }

    @Override
    public void start(NodeEntry self) throws IOException {
        with(connection -> {
            if (!isThere(connection)) {
                create(connection);
            }
            return null;
        });
        this.self = self;
    }

    private boolean isThere(Connection connection) throws SQLException {
        try (Statement statement = statement(connection);
                ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
            return rows.next();
        } catch (SQLException e) {
            if (isConnectionLost(e)) {
                throw e;
            }
            return false;
        }
    }

    private void create(Connection connection) throws SQLException {
        try (Statement statement = statement(connection)) {
            statement.executeUpdate("CREATE TABLE " + table + " (cluster VARCHAR(255) NOT NULL,"
                    + " address VARCHAR(255) NOT NULL, name VARCHAR(255), PRIMARY KEY (cluster, address))");
        } catch (SQLException e) {
            // Another node may have created it meanwhile.
            if (!isThere(connection)) {
                throw e;
            }
        }
    }

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public void announce() throws IOException {
        NodeEntry entry = self;
        if (entry == null) {
            throw new IllegalStateException("announced before the start");
        }
        with(connection -> {
            boolean isThere = update(
                            connection,
                            "UPDATE " + table + " SET name = ? WHERE cluster = ? AND address = ?",
                            entry.name(),
                            entry.cluster(),
                            entry.address())
                    > 0;
            // MariaDB counts rows that change, so a row that is right already may count as none.
            if (!isThere && !addresses(connection, entry.cluster()).contains(entry.address())) {
                insert(connection, entry);
            }
            return null;
        });
    }

    private void insert(Connection connection, NodeEntry entry) throws SQLException {
        update(
                connection,
                "INSERT INTO " + table + " (cluster, address, name) VALUES (?, ?, ?)",
                entry.cluster(),
                entry.address(),
                entry.name());
    }

    @Override
    public List<String> addresses() throws IOException {
        NodeEntry entry = self;
        return entry == null ? List.of() : with(connection -> addressesOrTable(connection, entry.cluster()));
    }

    /** Makes the table again if somebody has dropped it. */
    private List<String> addressesOrTable(Connection connection, String cluster) throws SQLException {
        try {
            return addresses(connection, cluster);
        } catch (SQLException e) {
            if (isConnectionLost(e) || isThere(connection)) {
                throw e;
            }
            create(connection);
            return List.of();
        }
    }

    private List<String> addresses(Connection connection, String cluster) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT address FROM " + table + " WHERE cluster = ? ORDER BY address")) {
            query.setQueryTimeout(SECONDS_MAX);
            query.setMaxRows(ROWS_MAX);
            query.setString(1, cluster);
            List<String> addresses = new ArrayList<>();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    addresses.add(rows.getString(1));
                }
            }
            return addresses;
        }
    }

    @Override
    public void remove(String address) throws IOException {
        NodeEntry entry = self;
        if (entry != null) {
            with(connection -> update(
                    connection, "DELETE FROM " + table + " WHERE cluster = ? AND address = ?", entry.cluster(), address));
        }
    }

    @Override
    public void close() throws IOException {
        NodeEntry entry = self;
        if (entry != null) {
            remove(entry.address());
        }
    }

    private static int update(Connection connection, String sql, String... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setQueryTimeout(SECONDS_MAX);
            for (int index = 0; index < values.length; index++) {
                statement.setString(index + 1, values[index]);
            }
            return statement.executeUpdate();
        }
    }

    private static Statement statement(Connection connection) throws SQLException {
        Statement statement = connection.createStatement();
        statement.setQueryTimeout(SECONDS_MAX);
        return statement;
    }

    /** Limits waits on a connection, which may be one of the user's pool; returns the limit that it had, or -1 if it knows none. */
    private static int limitWaiting(Connection connection, int millis) throws SQLException {
        try {
            int before = connection.getNetworkTimeout();
            connection.setNetworkTimeout(Runnable::run, millis);
            return before;
        } catch (SQLFeatureNotSupportedException e) {
            // A call that hangs is given up by its caller.
            return -1;
        }
    }

    private static boolean isConnectionLost(SQLException e) {
        return e.getSQLState() != null && e.getSQLState().startsWith("08");
    }

    private <T extends @Nullable Object> T with(Work<T> work) throws IOException {
        try (Connection connection = connector.connect()) {
            connection.setAutoCommit(true);
            int before = limitWaiting(connection, NETWORK_MILLIS_MAX);
            try {
                return work.apply(connection);
            } finally {
                if (before >= 0 && !connection.isClosed()) {
                    limitWaiting(connection, before);
                }
            }
        } catch (SQLException e) {
            // Messages of drivers go over several lines.
            String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw new IOException("table " + table + ": " + message + " (SQL state " + e.getSQLState() + ")", e);
        }
    }
}
