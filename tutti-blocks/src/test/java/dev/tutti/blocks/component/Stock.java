package dev.tutti.blocks.component;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Interface of the component under test. */
public interface Stock {

    /** Adds to an item, and returns how many there are now. */
    int add(String item, int count);

    /** Takes one of an item. */
    int take(String item) throws SoldOutException;

    /** Notes a text, or nothing, and returns the one before. */
    @Nullable String note(@Nullable String text);

    /** Returns the names of the nodes that have executed changes, in order, with what is left of the item. */
    String slowly(String item);

    @Read
    int count(String item) throws SoldOutException;

    @Local
    int countHere(String item);

    void fail(String how) throws IOException;

    default int twice(String item) throws SoldOutException {
        return 2 * count(item);
    }

    /** There is nothing left. */
    class SoldOutException extends Exception {

        private static final long serialVersionUID = 1;

        public SoldOutException(String item) {
            super(item + " is sold out");
        }
    }
}
