package dev.tutti.grid.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A data source whose connections are counted, fail and hang as a test wants, and tell what they were asked. */
final class WatchedSource {

    /** A query with its parameters by index. */
    record Question(String sql, TreeMap<Integer, Object> parameters) {}

    /** Returns the result of a call that has been watched. */
    private interface Watch {
        @Nullable Object after(Method method, Object @Nullable [] arguments, @Nullable Object result) throws SQLException;
    }

    private final DataSource source;
    final AtomicInteger opened = new AtomicInteger();
    final AtomicInteger rows = new AtomicInteger();
    final AtomicReference<@Nullable Question> last = new AtomicReference<>();
    volatile boolean isDown;

    /** Connections of which the next use fails, as if the server had closed them. */
    final List<Connection> open = new ArrayList<>();

    /** Waited for before a connection is opened. */
    volatile CountDownLatch opening = new CountDownLatch(0);

    /** Waited for before a statement is executed. */
    volatile CountDownLatch executing = new CountDownLatch(0);

    WatchedSource(DataSource source) {
        this.source = source;
    }

    DataSource watched() {
        return watch(DataSource.class, source, (method, arguments, result) -> result instanceof Connection each ? watch(each) : result);
    }

    private Connection watch(Connection connection) {
        opened.incrementAndGet();
        synchronized (open) {
            open.add(connection);
        }
        return watch(
                Connection.class,
                connection,
                (method, arguments, result) -> result instanceof PreparedStatement statement ? watch(statement, (String) arguments[0]) : result);
    }

    private PreparedStatement watch(PreparedStatement statement, String sql) {
        TreeMap<Integer, Object> parameters = new TreeMap<>();
        return watch(PreparedStatement.class, statement, (method, arguments, result) -> {
            if (method.getName().matches("set(String|Int)")) {
                parameters.put((Integer) arguments[0], arguments[1]);
            }
            if (result instanceof ResultSet set) {
                last.set(new Question(sql, parameters));
                return watch(ResultSet.class, set, (call, values, next) -> {
                    if (call.getName().equals("next") && Boolean.TRUE.equals(next)) {
                        rows.incrementAndGet();
                    }
                    return next;
                });
            }
            return result;
        });
    }

    private <T> T watch(Class<T> type, T object, Watch watch) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            before(method);
            try {
                return watch.after(method, arguments, method.invoke(object, arguments));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    private void before(Method method) throws SQLException, InterruptedException {
        if (method.getName().equals("getConnection")) {
            opening.await();
            if (isDown) {
                throw new SQLException("connection refused\nat some place", "08001");
            }
        } else if (method.getName().startsWith("execute")) {
            executing.await();
        }
    }

    /** Ends all connections, as a server does that is started again. */
    void cut() throws SQLException {
        synchronized (open) {
            for (Connection each : open) {
                each.close();
            }
            open.clear();
        }
    }
}
