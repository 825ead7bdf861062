package dev.tutti.grid.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;

/** The tables of a {@link JdbcStore}. They are created when they are missing, also after somebody has dropped them. */
final class Tables {

    /** Differences between databases. */
    private enum Dialect {
        POSTGRESQL(" COLLATE \"C\"", "BYTEA", "UNIQUE", ""),
        MARIADB("", "MEDIUMBLOB", "INDEX", " ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"),
        H2("", "BLOB", "UNIQUE", "");

        private final String key;
        private final String bytes;
        private final String index;
        private final String options;

        /**
         * @param key collation of a column, by the numbers of characters
         * @param bytes type of bytes
         * @param index index within the definition of a table, which the standard has for unique values only. To MariaDB, these
         *     are a reason to lock rows between them, and members would be in each other's way.
         * @param options options of a table
         */
        Dialect(String key, String bytes, String index, String options) {
            this.key = "VARCHAR(" + KeyText.LENGTH_MAX + ")" + key + " NOT NULL";
            this.bytes = bytes;
            this.index = index;
            this.options = options;
        }

        static Dialect of(String product) throws SQLException {
            return switch (product) {
                case "PostgreSQL" -> POSTGRESQL;
                case "MariaDB", "MySQL" -> MARIADB;
                case "H2" -> H2;
                default -> throw new SQLFeatureNotSupportedException(
                        "PostgreSQL, MariaDB, MySQL and H2 can be used, and this is " + product);
            };
        }
    }

    /** Table with a row for each entry. */
    final String entries;

    /** Table with the terms of entries. */
    final String terms;

    /**
     * @param prefix beginning of the names of the tables
     * @throws IllegalArgumentException if it is none
     */
    Tables(String prefix) {
        if (!prefix.matches("([A-Za-z_][A-Za-z0-9_]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_]{0,49}")) {
            throw new IllegalArgumentException("names of tables can't begin with '" + prefix
                    + "', only with letters, digits and underscores, 50 at most, as tutti_grid_ or app.grid_");
        }
        entries = prefix + "entries";
        terms = prefix + "terms";
    }

    /** Creates tables that are missing. The connection commits each statement by itself. */
    void prepare(Connection connection) throws SQLException {
        Dialect dialect = Dialect.of(connection.getMetaData().getDatabaseProductName());
        create(
                connection,
                entries,
                "(writer " + dialect.key + ", id " + dialect.key + ", name " + dialect.key + ", site " + dialect.key
                        + ", kind VARCHAR(8) NOT NULL, registration BIGINT NOT NULL, content " + dialect.bytes
                        + " NOT NULL, PRIMARY KEY (writer, id), " + dialect.index + " (writer, name, id))" + dialect.options);
        create(
                connection,
                terms,
                "(writer " + dialect.key + ", id " + dialect.key + ", term " + dialect.key
                        + ", PRIMARY KEY (writer, term, id), " + dialect.index + " (writer, id, term))" + dialect.options);
    }

    private static void create(Connection connection, String table, String definition) throws SQLException {
        if (isThere(connection, table)) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE TABLE " + table + " " + definition);
        } catch (SQLException e) {
            // Another member may have created it meanwhile.
            if (!isThere(connection, table)) {
                throw e;
            }
        }
    }

    private static boolean isThere(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT 1 FROM " + table + " WHERE 1 = 0").close();
            return true;
        } catch (SQLException e) {
            if (Line.isLost(e)) {
                throw e;
            }
            return false;
        }
    }
}
