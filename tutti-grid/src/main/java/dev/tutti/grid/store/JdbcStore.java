package dev.tutti.grid.store;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Query;
import dev.tutti.grid.internal.codec.GridCodec;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;

/**
 * A store in a database: PostgreSQL, MariaDB, MySQL or H2. Each member writes rows of its own, so that the members of a site, and
 * of several, may share a database; those of members that never come back stay.
 *
 * <p>There are two tables, which the first member creates. {@code tutti_grid_entries} has a row for each entry, with columns to
 * read and the entry as bytes; {@code tutti_grid_terms} has its attributes and the topics of its filters, as far as they have no
 * wildcard, by which queries find it. Long texts are cut in the columns, and characters that a database can't have are written as
 * {@code \}{@code u0000}.
 *
 * <p>There are two connections, one for changes and one for queries. They are kept, and opened again after a failure.
 */
public final class JdbcStore implements RegistryStore {

    /** Beginning of the tables' names, if no other is given. */
    public static final String PREFIX = "tutti_grid_";

    /** Time for a query, or a change of one entry, if no other is given. */
    public static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** A change of all entries may take so many times as long as one of a single entry. */
    private static final int ALL_FACTOR = 10;

    private final Tables tables;
    private final String writer;
    private final Duration timeout;
    private final Line changes;
    private final Line queries;

    /**
     * @param source closed by whoever has made it
     * @param member name of this member, which no other one that shares the database has
     */
    public JdbcStore(DataSource source, String member) {
        this(source, member, PREFIX, TIMEOUT);
    }

    /**
     * @param source closed by whoever has made it
     * @param member name of this member, which no other one that shares the database has
     * @param prefix beginning of the tables' names, of letters, digits and underscores, with a schema before a dot or without
     * @param timeout time after which a query, or a change of one entry, fails; a change of all entries may take ten times as long
     * @throws IllegalArgumentException if the prefix is none, or the timeout is not in the future
     */
    public JdbcStore(DataSource source, String member, String prefix, Duration timeout) {
        if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("the timeout of a store is more than 0 and at most an hour, not " + timeout);
        }
        this.tables = new Tables(prefix);
        this.writer = KeyText.unique(member);
        this.timeout = timeout;
        this.changes = new Line(source, "store of " + member + " in " + tables.entries, tables::prepare);
        this.queries = new Line(source, "store of " + member + " in " + tables.entries, tables::prepare);
    }

    @Override
    public void replaceAll(Collection<Entry> entries) throws StoreException {
        Collection<Entry> valid = Entries.valid(entries);
        Duration longer = timeout.multipliedBy(ALL_FACTOR);
        changes.call(longer, connection -> {
            delete(connection, longer, "");
            insert(connection, longer, valid);
            return null;
        });
    }

    @Override
    public void put(Entry entry) throws StoreException {
        changes.call(timeout, connection -> {
            delete(connection, timeout, " AND id = ?", KeyText.unique(entry.id()));
            insert(connection, timeout, List.of(entry));
            return null;
        });
    }

    @Override
    public void remove(String id) throws StoreException {
        changes.call(timeout, connection -> {
            delete(connection, timeout, " AND id = ?", KeyText.unique(id));
            return null;
        });
    }

    private void delete(Connection connection, Duration limit, String condition, String... values) throws SQLException {
        for (String table : List.of(tables.terms, tables.entries)) {
            String sql = "DELETE FROM " + table + " WHERE writer = ?" + condition;
            try (PreparedStatement statement = Line.limited(connection.prepareStatement(sql), limit)) {
                statement.setString(1, writer);
                for (int i = 0; i < values.length; i++) {
                    statement.setString(i + 2, values[i]);
                }
                statement.executeUpdate();
            }
        }
    }

    private void insert(Connection connection, Duration limit, Collection<Entry> entries) throws SQLException {
        try (Rows rows = new Rows(connection, tables, limit)) {
            ByteOutput out = new ByteOutput();
            for (Entry entry : entries) {
                GridCodec.ENTRY.put(entry, out.reset(Integer.MAX_VALUE));
                rows.add(writer, entry, out.copy());
            }
            rows.end();
        }
    }

    @Override
    public List<Entry> find(Query query) throws StoreException {
        return queries.call(timeout, connection -> find(connection, query));
    }

    private List<Entry> find(Connection connection, Query query) throws SQLException {
        Selection selection = new Selection(tables, writer, query);
        List<Entry> found = new ArrayList<>();
        boolean isMore = true;
        while (isMore) {
            try (PreparedStatement statement = Line.limited(selection.next(connection), timeout);
                    ResultSet rows = statement.executeQuery()) {
                while (found.size() < query.limit() && rows.next()) {
                    selection.onRow(rows.getString(1), rows.getString(2));
                    Entry entry = decode(rows.getBytes(3));
                    if (Entries.isFound(entry, query)) {
                        found.add(entry);
                    }
                }
            }
            isMore = selection.isMore() && found.size() < query.limit();
        }
        // Databases sort names that are cut.
        found.sort(Entries.ORDER);
        return List.copyOf(found);
    }

    private static Entry decode(byte[] content) throws SQLException {
        try {
            return GridCodec.ENTRY.take(new ByteInput(content));
        } catch (MalformedException e) {
            throw new SQLException("the content of a row is no entry: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        changes.close();
        queries.close();
    }
}
