package dev.tutti.grid.store;

import dev.tutti.grid.Query;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The statements that give the candidates of a query, in order and page by page, so that one reads no more rows than it needs.
 * No text of the query becomes SQL: all of them are parameters.
 */
final class Selection {

    /** Most rows of a page. The first one has as many as the query wants entries, each of the others twice as many. */
    private static final int PAGE_MAX = 1_000;

    /** Most attributes that the database looks for. The others are compared here. */
    private static final int ATTRIBUTES_MAX = 4;

    private final String head;
    private final List<String> values = new ArrayList<>();

    private int page;
    private int rows;

    // Of the last row.
    private @Nullable String name;
    private String id = "";

    Selection(Tables tables, String writer, Query query) {
        String ids = "SELECT writer, id FROM " + tables.terms + " WHERE writer = ? AND term ";
        List<String> parts = new ArrayList<>();
        query.attributes().entrySet().stream().limit(ATTRIBUTES_MAX).forEach(each -> {
            parts.add(ids + "= ?");
            values.add(writer);
            values.add(column(Terms.ofAttribute(each.getKey(), each.getValue())));
        });
        String topic = Terms.ofTopic(query.topic());
        if (!topic.equals(Terms.ROOT)) {
            parts.add(ofTopic(writer, topic, ids));
        }
        StringBuilder sql = new StringBuilder("SELECT e.name, e.id, e.content FROM ");
        for (int i = 0; i < parts.size(); i++) {
            sql.append('(').append(parts.get(i)).append(") t").append(i).append(", ");
        }
        sql.append(tables.entries).append(" e WHERE ");
        // Either is enough. With both, H2 begins with all entries of the writer.
        if (parts.isEmpty()) {
            sql.append("e.writer = ?");
            values.add(writer);
        } else {
            sql.append("e.writer = t0.writer AND e.id = t0.id");
        }
        for (int i = 1; i < parts.size(); i++) {
            sql.append(" AND e.writer = t").append(i).append(".writer AND e.id = t").append(i).append(".id");
        }
        if (query.kind() != null) {
            sql.append(" AND e.kind = ?");
            values.add(query.kind().name());
        }
        head = sql.toString();
        page = Math.min(query.limit(), PAGE_MAX);
    }

    /** Returns the part for a topic: a union, as databases use no index for several conditions of which one is enough. */
    private String ofTopic(String writer, String topic, String ids) {
        StringBuilder sql = new StringBuilder();
        for (String beginning : columns(Terms.beginnings(topic))) {
            sql.append(ids).append("= ? UNION ");
            values.add(writer);
            values.add(beginning);
        }
        sql.append(ids).append(">= ? AND term < ?");
        values.add(writer);
        String first = column(topic);
        values.add(first);
        // One that was cut is equal to all that begin with it, and the character follows no text of the column.
        values.add(first.endsWith("/") ? Terms.after(first) : first + '!');
        return sql.toString();
    }

    /** Returns terms as they are in the column. */
    static Set<String> columns(Collection<String> terms) {
        Set<String> columns = new TreeSet<>();
        terms.forEach(term -> columns.add(column(term)));
        return columns;
    }

    private static String column(String term) {
        return Terms.isTopic(term) ? KeyText.beginning(term) : KeyText.unique(term);
    }

    /** Returns the statement for the next page. */
    PreparedStatement next(Connection connection) throws SQLException {
        if (name != null) {
            page = Math.min(2 * page, PAGE_MAX);
        }
        rows = 0;
        String rest = name == null ? "" : " AND e.name >= ? AND (e.name > ? OR e.id > ?)";
        PreparedStatement statement = connection.prepareStatement(head + rest + " ORDER BY e.writer, e.name, e.id LIMIT ?");
        int index = 0;
        for (String value : values) {
            statement.setString(++index, value);
        }
        if (name != null) {
            statement.setString(++index, name);
            statement.setString(++index, name);
            statement.setString(++index, id);
        }
        statement.setInt(++index, page);
        return statement;
    }

    void onRow(String lastName, String lastId) {
        rows++;
        name = lastName;
        id = lastId;
    }

    /** Returns whether there may be another page. */
    boolean isMore() {
        return rows == page;
    }
}
