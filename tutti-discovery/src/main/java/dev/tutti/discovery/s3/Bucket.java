package dev.tutti.discovery.s3;

import java.io.IOException;
import java.util.List;

/** Objects of a bucket, by their keys. */
interface Bucket extends AutoCloseable {

    /** Time that a call may take; a listing of several pages, too. */
    long MILLIS_MAX = 8_000;

    /** Checks that {@code key} can be put, as far as this is known without a request. */
    default void check(String key) throws IOException {}

    /** Returns the keys that begin with {@code prefix}; not all if there are very many. */
    List<String> list(String prefix) throws IOException;

    void put(String key, String text) throws IOException;

    /** Returns whether {@link #delete} deletes objects that others have put. */
    boolean isOpen();

    /** Deletes an object if it is there. */
    void delete(String key) throws IOException;

    @Override
    void close();
}
