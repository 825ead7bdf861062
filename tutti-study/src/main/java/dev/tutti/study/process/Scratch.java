package dev.tutti.study.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Temporary directories. */
public final class Scratch {

    private Scratch() {}

    /** Creates a directory whose name begins with {@code prefix}. */
    public static Path create(String prefix) {
        try {
            return Files.createTempDirectory(prefix);
        } catch (IOException e) {
            throw new StudyException("can't make a temporary directory", e);
        }
    }

    /** Creates a directory in another one. */
    public static Path create(Path parent, String name) {
        try {
            return Files.createDirectories(parent.resolve(name));
        } catch (IOException e) {
            throw new StudyException("can't make " + parent.resolve(name), e);
        }
    }

    /** Deletes a directory with all that is in it. */
    public static void delete(Path directory) {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new StudyException("can't delete " + directory, e);
        }
    }
}
