package dev.tutti.bench.report;

import java.util.ArrayList;
import java.util.List;

/** Rows with aligned columns: the first to the left, all others to the right. */
public final class Table {

    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... titles) {
        rows.add(List.of(titles));
    }

    public Table row(Object... cells) {
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(String.valueOf(cell));
        }
        if (row.size() != rows.getFirst().size()) {
            throw new IllegalArgumentException(row.size() + " cells for " + rows.getFirst().size() + " columns");
        }
        rows.add(row);
        return this;
    }

    List<String> titles() {
        return rows.getFirst();
    }

    /** Returns the rows without the header. */
    List<List<String>> rows() {
        return rows.subList(1, rows.size());
    }

    @Override
    public String toString() {
        int[] widths = new int[rows.getFirst().size()];
        for (List<String> row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < widths.length; column++) {
                String padding = " ".repeat(widths[column] - row.get(column).length());
                line.append(column == 0 ? row.get(column) + padding : "  " + padding + row.get(column));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }
}
