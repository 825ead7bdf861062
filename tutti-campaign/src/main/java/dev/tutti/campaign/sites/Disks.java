package dev.tutti.campaign.sites;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Disks of the processes of a run: temporary directories. Each start of a process gets a copy of what the one before has written,
 * since a process that is killed in virtual time does not release its locks.
 */
final class Disks implements AutoCloseable {

    private final Path directory;
    private final TreeMap<String, Integer> starts = new TreeMap<>();

    Disks() {
        try {
            directory = Files.createTempDirectory("tutti-sites");
        } catch (IOException e) {
            throw new UncheckedIOException("no temporary directory", e);
        }
    }

    /** Returns the directory for the next start of a process. */
    Path next(String process) {
        int start = Objects.requireNonNull(starts.merge(process, 1, Integer::sum));
        Path next = directory.resolve(process + "-" + start);
        Path last = directory.resolve(process + "-" + (start - 1));
        try {
            Files.createDirectory(next);
            if (start > 1) {
                copy(last, next);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the disk of " + process + " can't be copied", e);
        }
        return next;
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(each -> !each.equals(from)).toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("temporary directory " + directory + " can't be deleted", e);
        }
    }
}
