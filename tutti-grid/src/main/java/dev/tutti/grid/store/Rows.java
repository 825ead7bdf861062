package dev.tutti.grid.store;

import dev.tutti.grid.Entry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/** Rows to insert, which go to the database in batches. */
final class Rows implements AutoCloseable {

    private static final int ROWS_MAX = 500;

    /** Bytes of content with which a batch is full: drivers keep all of it in memory. */
    private static final int BYTES_FULL = 1 << 20;

    private final PreparedStatement entries;
    private final PreparedStatement terms;
    private int rows;
    private int bytes;

    /** @param timeout time for each batch */
    Rows(Connection connection, Tables tables, Duration timeout) throws SQLException {
        entries = Line.limited(
                connection.prepareStatement("INSERT INTO " + tables.entries
                        + " (writer, id, name, site, kind, registration, content) VALUES (?, ?, ?, ?, ?, ?, ?)"),
                timeout);
        terms = Line.limited(
                connection.prepareStatement("INSERT INTO " + tables.terms + " (writer, id, term) VALUES (?, ?, ?)"), timeout);
    }

    void add(String writer, Entry entry, byte[] content) throws SQLException {
        String id = KeyText.unique(entry.id());
        entries.setString(1, writer);
        entries.setString(2, id);
        entries.setString(3, KeyText.beginning(entry.name()));
        entries.setString(4, KeyText.beginning(entry.site()));
        entries.setString(5, entry.kind().name());
        entries.setLong(6, entry.registration());
        entries.setBytes(7, content);
        entries.addBatch();
        count(content.length);
        for (String term : Selection.columns(Terms.of(entry))) {
            terms.setString(1, writer);
            terms.setString(2, id);
            terms.setString(3, term);
            terms.addBatch();
            count(0);
        }
        if (rows >= ROWS_MAX || bytes >= BYTES_FULL) {
            end();
        }
    }

    private void count(int length) {
        rows++;
        bytes += length;
    }

    /** Inserts the rows that wait. */
    void end() throws SQLException {
        if (rows > 0) {
            entries.executeBatch();
            terms.executeBatch();
        }
        rows = 0;
        bytes = 0;
    }

    @Override
    public void close() throws SQLException {
        try (entries) {
            terms.close();
        }
    }
}
