package dev.tutti.cli.terminal;

import dev.tutti.core.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Aligned columns. Headers and cells are escaped; numbers, also with a unit, are aligned to the right. Widths follow from the cells: picocli's
 * text table has fixed widths, wraps longer cells, and aligns to the left only.
 */
public final class Table {

    /** Width to which a column is padded at most; longer cells stick out. */
    private static final int WIDTH_MAX = 60;

    private static final Pattern NUMBER = Pattern.compile("(-?[0-9.]+( ([KMGT]iB|B|ns|us|ms|s))?)?");

    private final List<String> heads;
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... heads) {
        this(List.of(heads));
    }

    public Table(List<String> heads) {
        this.heads = heads.stream().map(Printable::escape).toList();
    }

    public void add(String... cells) {
        add(List.of(cells));
    }

    public void add(List<String> cells) {
        if (cells.size() != heads.size()) {
            throw new IllegalArgumentException(cells.size() + " cells for " + heads.size() + " columns");
        }
        rows.add(cells.stream().map(Printable::escape).toList());
    }

    public void print(Terminal terminal) {
        print(terminal, "");
    }

    public void print(Terminal terminal, String indent) {
        int[] widths = widths();
        boolean[] isNumber = new boolean[heads.size()];
        for (int column = 0; column < widths.length; column++) {
            isNumber[column] = !rows.isEmpty();
            for (List<String> row : rows) {
                isNumber[column] &= NUMBER.matcher(row.get(column)).matches();
            }
        }
        terminal.print(indent + terminal.bold(line(heads, widths, isNumber)));
        for (List<String> row : rows) {
            terminal.print(indent + line(row, widths, isNumber));
        }
    }

    /** Returns the width in characters, without indent. */
    public int width() {
        return IntStream.of(widths()).sum() + 2 * (heads.size() - 1);
    }

    private int[] widths() {
        int[] widths = new int[heads.size()];
        for (int column = 0; column < widths.length; column++) {
            widths[column] = heads.get(column).length();
            for (List<String> row : rows) {
                widths[column] = Math.max(widths[column], Math.min(row.get(column).length(), WIDTH_MAX));
            }
        }
        return widths;
    }

    private static String line(List<String> cells, int[] widths, boolean[] isNumber) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < cells.size(); column++) {
            String cell = cells.get(column);
            String padding = " ".repeat(Math.max(0, widths[column] - cell.length()));
            line.append(column == 0 ? "" : "  ").append(isNumber[column] ? padding + cell : cell + padding);
        }
        return line.toString().stripTrailing();
    }
}
