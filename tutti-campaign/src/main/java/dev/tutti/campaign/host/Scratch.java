package dev.tutti.campaign.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Temporary directories of runs. */
public final class Scratch {

    private Scratch() {}

    /** Makes a directory whose name begins with {@code prefix}. */
    public static Path directory(String prefix) {
        try {
            return Files.createTempDirectory(prefix);
        } catch (IOException e) {
            throw new UncheckedIOException("no directory for journals and logs", e);
        }
    }

    /** Deletes a directory and all that is in it. */
    public static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(directory + " can't be deleted", e);
        }
    }
}
