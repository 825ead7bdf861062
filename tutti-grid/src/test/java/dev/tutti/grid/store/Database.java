package dev.tutti.grid.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A database server on loopback that may be stopped and started again. */
interface Database extends AutoCloseable {

    /** Returns the data source that an application has. */
    DataSource source();

    /** Returns the URL, with the user in it. */
    String url();

    void stop() throws Exception;

    /** Kills the server, as a failure of its machine would; {@link #start} starts it again. */
    void kill() throws Exception;

    void start() throws Exception;

    /** Runs one statement as the owner of the database. */
    default void run(String sql) throws SQLException {
        try (Connection connection = source().getConnection(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    default void close() {
        try {
            stop();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
