package dev.tutti.internal.admission;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** A file with values of an attribute, one a line; lines that begin with {@code #} are left out. */
final class ListFile {

    private static final int VALUES_MAX = 100_000;

    private final Path path;
    private final ReloadedFile<Set<String>> file;

    /** Reads nothing before the first {@link #refresh}. */
    ListFile(Path path) {
        this.path = path;
        this.file = new ReloadedFile<>(path, Set.of(), ListFile::load);
    }

    private static Set<String> load(Path path, List<String> lines) throws IOException {
        TreeSet<String> values = new TreeSet<>();
        for (String line : lines) {
            values.add(Attribute.normal(line));
        }
        if (values.isEmpty() || values.size() > VALUES_MAX) {
            throw new IOException(path + ": has " + values.size() + " values; it must have 1 to " + VALUES_MAX
                    + " lines with a value each");
        }
        return values;
    }

    boolean contains(String value) {
        return file.value().contains(value);
    }

    /** Reads the file if it has changed, as {@link ReloadedFile#refresh} does. */
    boolean refresh() throws IOException {
        return file.refresh();
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
