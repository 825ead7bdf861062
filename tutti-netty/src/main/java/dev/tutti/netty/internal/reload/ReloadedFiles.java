package dev.tutti.netty.internal.reload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;

/**
 * A value that is made of files, such as certificates, and is made again when they have changed. If changed files can't
 * be used, the previous value stays in force. {@link #refresh} is for one thread at a time, {@link #value} for any.
 *
 * @param <T> immutable
 */
public final class ReloadedFiles<T> {

    /** Time between two checks of the files. */
    public static final long CHECK_NANOS = 2_000_000_000L;

    /**
     * Reads the files.
     *
     * @param <T> made of them
     */
    @FunctionalInterface
    public interface Loader<T> {

        /**
         * @throws IOException if a file is wrong; the message says which, and what would be right
         * @throws GeneralSecurityException if a certificate or a key can't be used
         */
        T load() throws IOException, GeneralSecurityException;
    }

    private final List<Path> files;
    private final Loader<T> loader;
    private List<String> state;
    private volatile T value;

    /** Reads the files for the first time; throws what the loader throws. */
    public ReloadedFiles(List<Path> files, Loader<T> loader) throws IOException, GeneralSecurityException {
        this.files = List.copyOf(files);
        this.loader = loader;
        this.state = look();
        this.value = loader.load();
    }

    /** Returns the value in force. */
    public T value() {
        return value;
    }

    /**
     * Checks the files, and reads changed ones. Blocks. Files that can't be used are not read again before their next
     * change; then this throws what the loader throws.
     *
     * @return whether another value is in force now
     */
    public boolean refresh() throws IOException, GeneralSecurityException {
        List<String> now = look();
        if (now.equals(state)) {
            return false;
        }
        state = now;
        value = loader.load();
        return true;
    }

    /** Returns the time of change and the size of each file. */
    private List<String> look() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : files) {
            found.add(Files.exists(file) ? Files.getLastModifiedTime(file) + " " + Files.size(file) : "");
        }
        return found;
    }
}
