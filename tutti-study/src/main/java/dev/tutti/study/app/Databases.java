package dev.tutti.study.app;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Connections to the database, and its tables. */
public final class Databases {

    private static final int CONNECTIONS_MAX = 10;
    private static final int CONNECT_MILLIS_MAX = 3_000;
    private static final String USER = "study";

    private Databases() {}

    /** Returns a pool of connections, which also starts while the database does not. */
    public static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(USER);
        config.setPassword("");
        config.setMaximumPoolSize(CONNECTIONS_MAX);
        config.setConnectionTimeout(CONNECT_MILLIS_MAX);
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    /** Returns one connection. */
    public static Connection connect(String url) throws SQLException {
        return DriverManager.getConnection(url, USER, "");
    }

    /** Creates the tables anew: those of the application and those of Spring Session. */
    public static void createTables(String url) throws SQLException {
        boolean isH2 = url.startsWith("jdbc:h2:");
        String bytes = isH2 ? "varbinary(1048576)" : "bytea";
        try (Connection connection = connect(url); Statement statement = connection.createStatement()) {
            for (String table : List.of("app_user", "project", "upload", "visit", "spring_session_attributes", "spring_session")) {
                statement.execute("DROP TABLE IF EXISTS " + table);
            }
            statement.execute("CREATE TABLE app_user (name varchar(64) PRIMARY KEY, created timestamp NOT NULL)");
            statement.execute(
                    "CREATE TABLE project (name varchar(64) PRIMARY KEY, owner varchar(64) NOT NULL, created timestamp NOT NULL)");
            statement.execute(
                    "CREATE TABLE upload (name varchar(64) PRIMARY KEY, project varchar(64) NOT NULL, content " + bytes + " NOT NULL)");
            statement.execute("CREATE TABLE visit (id varchar(64) PRIMARY KEY, state " + bytes + " NOT NULL)");
            for (String sql : springTables(isH2 ? "h2" : "postgresql").split(";")) {
                if (!sql.isBlank()) {
                    statement.execute(sql);
                }
            }
        }
    }

    private static String springTables(String kind) {
        String name = "/org/springframework/session/jdbc/schema-" + kind + ".sql";
        try (InputStream in = Databases.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is in no jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(name + " can't be read", e);
        }
    }

    /** Returns the names of all rows of a table. */
    public static Set<String> names(String url, String table) throws SQLException {
        Set<String> names = new HashSet<>();
        try (Connection connection = connect(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT name FROM " + table)) {
            while (rows.next()) {
                names.add(rows.getString(1));
            }
        }
        return names;
    }
}
