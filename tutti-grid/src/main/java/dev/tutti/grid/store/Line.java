package dev.tutti.grid.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A connection with the database for one transaction at a time. It is opened when it is needed, closed after any failure, and
 * replaced when it has been idle, since a firewall may have forgotten it.
 *
 * <p>Each transaction runs on a thread of its own, so that a caller gets an answer in time even if the database, or the opening
 * of a connection, hangs. While a transaction hangs, others fail; so one thread hangs at most.
 */
final class Line {

    /** A transaction. It may be done twice. */
    @FunctionalInterface
    interface Work<T extends @Nullable Object> {
        T apply(Connection connection) throws SQLException;
    }

    /** Prepares a new connection. */
    @FunctionalInterface
    interface Preparation {
        void apply(Connection connection) throws SQLException;
    }

    private static final long IDLE_NANOS_MAX = 30_000_000_000L;

    /** Time for which a transaction, and then the closing of the connection, is waited for. */
    private static final Duration CLOSING = Duration.ofSeconds(1);

    private final DataSource source;
    private final String name;
    private final Preparation preparation;

    /** Held by the thread that has the connection. */
    private final Semaphore permit = new Semaphore(1);

    // Changed with the permit.
    private volatile @Nullable Connection connection;
    private long usedNanos;

    private volatile boolean isClosed;

    /** @param name name for messages */
    Line(DataSource source, String name, Preparation preparation) {
        this.source = source;
        this.name = name;
        this.preparation = preparation;
    }

    static boolean isLost(SQLException e) {
        return isOfClass("08", e);
    }

    private static boolean isOfClass(String code, SQLException e) {
        return e.getSQLState() != null && e.getSQLState().startsWith(code);
    }

    /** Does a transaction. */
    <T extends @Nullable Object> T call(Duration timeout, Work<T> work) throws StoreException {
        long endNanos = System.nanoTime() + timeout.toNanos();
        try {
            if (!permit.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new StoreException(name + ": the database has not answered an earlier request yet", null);
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        AtomicBoolean isOver = new AtomicBoolean();
        FutureTask<T> task = new FutureTask<>(() -> transact(work, isOver));
        Thread.ofVirtual().name("tutti-grid-database").start(() -> {
            task.run();
            release();
        });
        try {
            return task.get(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            giveUp(isOver);
            throw new StoreException(name + ": the database has not answered within " + timeout.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw new StoreException(name + ": " + describe(e.getCause()), e.getCause());
        } catch (InterruptedException e) {
            giveUp(isOver);
            throw interrupted(e);
        }
    }

    private StoreException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new StoreException(name + ": the thread was interrupted", e);
    }

    private void giveUp(AtomicBoolean isOver) {
        // Before the mark: after it, the connection may be the next caller's.
        Connection current = connection;
        if (isOver.compareAndSet(false, true)) {
            abort(current);
        }
    }

    private static String describe(@Nullable Throwable cause) {
        // Messages of drivers go over several lines.
        String message = cause == null ? "" : String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
        return cause instanceof SQLException e ? message + " (SQL state " + e.getSQLState() + ")" : message;
    }

    /** @param isOver set at the end, or before it by a caller that has given up */
    private <T extends @Nullable Object> T transact(Work<T> work, AtomicBoolean isOver) throws SQLException {
        boolean isDone = false;
        try {
            boolean isKept = connection != null && System.nanoTime() - usedNanos < IDLE_NANOS_MAX;
            T result;
            try {
                result = commit(work, isKept, isOver);
            } catch (SQLException e) {
                // The connection was lost while nobody used it, or another member's transaction was in the way.
                boolean isWorthAnother = isKept && (isLost(e) || isClosed(connection)) || isOfClass("40", e);
                if (!isWorthAnother || isOver.get()) {
                    throw e;
                }
                result = commit(work, false, isOver);
            }
            isDone = true;
            return result;
        } finally {
            usedNanos = System.nanoTime();
            boolean isWanted = isOver.compareAndSet(false, true);
            if (!isDone || !isWanted || isClosed) {
                discard();
            }
        }
    }

    private static boolean isClosed(@Nullable Connection connection) throws SQLException {
        return connection != null && connection.isClosed();
    }

    private <T extends @Nullable Object> T commit(Work<T> work, boolean isKept, AtomicBoolean isOver) throws SQLException {
        Connection kept = connection;
        Connection current = isKept && kept != null ? kept : open();
        T result = work.apply(current);
        if (isOver.get()) {
            throw new SQLException("the caller has given up");
        }
        current.commit();
        return result;
    }

    private Connection open() throws SQLException {
        discard();
        if (isClosed) {
            throw new SQLException("the store is closed");
        }
        Connection opened = source.getConnection();
        connection = opened;
        opened.setAutoCommit(true);
        preparation.apply(opened);
        // Members that write at the same time lock no rows but their own.
        opened.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        opened.setAutoCommit(false);
        return opened;
    }

    private void discard() {
        Connection before = connection;
        connection = null;
        if (before != null) {
            try (before) {
                // A pool may give it to somebody else.
                before.rollback();
            } catch (SQLException e) {
                // It is of no use anyway.
            }
        }
    }

    /** Makes a call that hangs end, if the driver can. That may take as long as opening a connection. */
    private static void abort(@Nullable Connection current) {
        if (current != null) {
            Thread.ofVirtual().name("tutti-grid-database-abort").start(() -> {
                try {
                    current.abort(Runnable::run);
                } catch (SQLException e) {
                    // The driver's own limits end the call.
                }
            });
        }
    }

    /** Makes a statement end in time at the server, too, where it would go on when the caller has given up. */
    static <S extends Statement> S limited(S statement, Duration timeout) throws SQLException {
        statement.setQueryTimeout((int) Math.max(1, timeout.toSeconds()));
        return statement;
    }

    /** Returns the permit. Whoever closes the line meanwhile leaves the connection to this thread. */
    private void release() {
        permit.release();
        if (isClosed && permit.tryAcquire()) {
            discard();
            permit.release();
        }
    }

    /** Ends the connection; waits for that at most two seconds. If the database hangs, the thread that waits for it does so. */
    void close() {
        isClosed = true;
        try {
            if (permit.tryAcquire(CLOSING.toNanos(), TimeUnit.NANOSECONDS)) {
                Thread.ofVirtual()
                        .name("tutti-grid-database-close")
                        .start(() -> {
                            discard();
                            permit.release();
                        })
                        .join(CLOSING);
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        abort(connection);
    }
}
