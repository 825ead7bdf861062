package dev.tutti.internal.admission;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A text file whose content is used, and read again when the file has changed. A changed file that can't be used leaves the
 * content before in force. {@link #refresh} is for one thread at a time, {@link #value} for any.
 *
 * @param <T> content; immutable
 */
final class ReloadedFile<T> {

    /** Bytes of the largest file that is read. */
    private static final long BYTES_MAX = 16L << 20;

    /**
     * Makes the content of the lines.
     *
     * @param <T> content
     */
    interface Loader<T> {

        /** @throws IOException if a line is wrong; the message says what is right, and neither the file nor a secret */
        T load(Path file, List<String> lines) throws IOException;
    }

    private static final String UNREAD = "unread";

    private final Path file;
    private final Loader<T> loader;
    private String state = UNREAD;
    private volatile T value;

    /** @param nothing value before the first {@link #refresh} */
    ReloadedFile(Path file, T nothing, Loader<T> loader) {
        this.file = file;
        this.loader = loader;
        this.value = nothing;
    }

    T value() {
        return value;
    }

    /**
     * Reads the file, if it has changed since the last call. Blocks.
     *
     * @return whether other content is in force now
     * @throws IOException if the changed file can't be used; it is not read again before its next change
     */
    boolean refresh() throws IOException {
        String now = look();
        if (now.equals(state)) {
            return false;
        }
        state = now;
        T loaded = load();
        boolean isOther = !loaded.equals(value);
        value = loaded;
        return isOther;
    }

    private String look() throws IOException {
        return Files.exists(file) ? Files.getLastModifiedTime(file) + " " + Files.size(file) : "";
    }

    private T load() throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException(file + ": there is no such file");
        }
        if (Files.size(file) > BYTES_MAX) {
            throw new IOException(file + ": has " + Files.size(file) + " bytes, at most " + BYTES_MAX);
        }
        List<String> lines = Files.readAllLines(file).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
        return loader.load(file, lines);
    }
}
