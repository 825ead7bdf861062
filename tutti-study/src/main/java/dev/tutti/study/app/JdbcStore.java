package dev.tutti.study.app;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import org.jspecify.annotations.Nullable;

/** Data reached by statements written by hand. */
public final class JdbcStore implements Store {

    private final HikariDataSource source;

    /** @param source connections, which are closed with this store */
    public JdbcStore(HikariDataSource source) {
        this.source = source;
    }

    @Override
    public Work begin() {
        try {
            Connection connection = source.getConnection();
            connection.setAutoCommit(false);
            return new JdbcWork(connection);
        } catch (SQLException e) {
            throw new StoreException("no transaction was begun", e);
        }
    }

    @Override
    public void close() {
        source.close();
    }

    private static final class JdbcWork implements Work {

        private final Connection connection;
        private boolean isCommitted;

        JdbcWork(Connection connection) {
            this.connection = connection;
        }

        @Override
        public void createUser(String name) {
            update("INSERT INTO app_user (name, created) VALUES (?, ?)", name, new Timestamp(System.currentTimeMillis()));
        }

        @Override
        public boolean deleteUser(String name) {
            return update("DELETE FROM app_user WHERE name = ?", name) > 0;
        }

        @Override
        public void createProject(String name, String owner) {
            update("INSERT INTO project (name, owner, created) VALUES (?, ?, ?)",
                    name, owner, new Timestamp(System.currentTimeMillis()));
        }

        @Override
        public void upload(String name, String project, byte[] content) {
            update("INSERT INTO upload (name, project, content) VALUES (?, ?, ?)", name, project, content);
        }

        @Override
        public byte @Nullable [] visit(String id) {
            try (PreparedStatement statement = connection.prepareStatement("SELECT state FROM visit WHERE id = ? FOR UPDATE")) {
                statement.setString(1, id);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() ? rows.getBytes(1) : null;
                }
            } catch (SQLException e) {
                throw new StoreException("session not read", e);
            }
        }

        @Override
        public void saveVisit(String id, byte[] state, boolean isNew) {
            update(isNew ? "INSERT INTO visit (state, id) VALUES (?, ?)" : "UPDATE visit SET state = ? WHERE id = ?", state, id);
        }

        private int update(String sql, Object... values) {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int index = 0; index < values.length; index++) {
                    statement.setObject(index + 1, values[index]);
                }
                return statement.executeUpdate();
            } catch (SQLException e) {
                throw new StoreException("failed: " + sql, e);
            }
        }

        @Override
        public void commit() {
            try {
                connection.commit();
                isCommitted = true;
            } catch (SQLException e) {
                throw new StoreException("not committed, or not known to be", e);
            }
        }

        @Override
        public void close() {
            try (Connection closing = connection) {
                if (!isCommitted) {
                    closing.rollback();
                }
            } catch (SQLException e) {
                throw new StoreException("not rolled back", e);
            }
        }
    }
}
