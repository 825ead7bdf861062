package dev.tutti;

import java.util.List;

/**
 * Content of a component that people look at by page, such as the locks of a group or the keys of a map. See {@link
 * Components#addView}.
 */
@FunctionalInterface
public interface DataView {

    /** Most rows of a page. */
    int ROWS_MAX = 200;

    /** Data of the application that a view shows; each one includes those before it. */
    enum Content {
        /** None: names, holders, numbers and times. Always given away. */
        NONE,
        /** Keys, if {@code operator.content} or {@code operator.values} is set. */
        KEYS,
        /** Values, if {@code operator.values} is set. */
        VALUES
    }

    /**
     * Request for a page.
     *
     * @param prefix beginning of the first text of the rows that are wanted; empty for all rows
     * @param after position of the page; empty for the first
     * @param rowsMax most rows
     */
    record Request(String prefix, String after, int rowsMax) {}

    /**
     * Rows of a table.
     *
     * @param columns heads of the columns
     * @param rows texts, as many in each row as there are columns
     * @param next position of the next page, for {@link DataView#page}; empty if there is none
     */
    record Page(List<String> columns, List<List<String>> rows, String next) {

        public Page {
            columns = List.copyOf(columns);
            rows = List.copyOf(rows);
        }

        /**
         * Returns a page of rows that are all there, by their index.
         *
         * @param after index of the first row of the page, as a text; empty for 0
         * @throws IllegalArgumentException if it is no index
         */
        public static Page of(List<String> columns, List<List<String>> all, String after, int rowsMax) {
            int first = index(after);
            int last = Math.min(all.size(), first + rowsMax);
            return new Page(columns, all.subList(Math.min(first, last), last), last < all.size() ? Integer.toString(last) : "");
        }

        /**
         * Returns the index of the first row of a page.
         *
         * @throws IllegalArgumentException if the text is no index
         */
        public static int index(String after) {
            if (!after.matches("[0-9]{0,9}")) {
                throw new IllegalArgumentException("'" + after + "' is no position of a page");
            }
            return after.isEmpty() ? 0 : Integer.parseInt(after);
        }
    }

    /**
     * Returns a page. On any thread, which may wait for a lock of the component, for milliseconds.
     *
     * @param after position of the page; empty for the first
     * @param rowsMax most rows
     * @throws IllegalArgumentException if there is no such position
     */
    Page page(String after, int rowsMax);

    /**
     * Returns a page of the rows whose first text begins with {@link Request#prefix}. On any thread, as {@link #page(String, int)}.
     *
     * @throws IllegalArgumentException if there is no such position, or this view can't be searched, as by default
     */
    default Page page(Request request) {
        if (!request.prefix.isEmpty()) {
            throw new IllegalArgumentException("these rows can't be searched");
        }
        return page(request.after, request.rowsMax);
    }
}
