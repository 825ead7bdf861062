package dev.tutti.study.process;

import dev.tutti.study.app.Databases;
import dev.tutti.testing.PostgreSql;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** A database in processes of its own, with its files in a temporary directory. It can be killed and started again. */
public interface DatabaseServer extends AutoCloseable {

    /** Time in which it starts, after a crash also. */
    Duration START_MAX = Duration.ofSeconds(60);

    /** Returns PostgreSQL if its programs are installed, otherwise H2. */
    static DatabaseServer open(Path directory, boolean isH2Wanted) {
        Path programs = isH2Wanted ? null : PostgreSql.programs();
        return programs == null ? new H2Server(directory) : new PostgreSqlServer(programs, directory);
    }

    /** Returns product and version, for reports. */
    String product();

    /** Returns whether what it has committed survives {@link #kill}. */
    boolean isDurable();

    String url();

    /** Starts it, again after a kill, and waits until it accepts connections. */
    void start();

    /** Ends it as {@code kill -9} of its main process does. */
    void kill();

    double cpuSeconds();

    @Override
    void close();

    /** Waits until a connection can be opened; calls {@code retry} between attempts. */
    static void await(String url, Runnable retry) {
        long deadlineNanos = System.nanoTime() + START_MAX.toNanos();
        while (true) {
            try (Connection connection = Databases.connect(url)) {
                connection.createStatement().execute("SELECT 1");
                return;
            } catch (SQLException e) {
                if (System.nanoTime() - deadlineNanos > 0) {
                    throw new StudyException("the database does not start within " + START_MAX.toSeconds() + " s", e);
                }
                Pause.millis(20);
                retry.run();
            }
        }
    }
}
