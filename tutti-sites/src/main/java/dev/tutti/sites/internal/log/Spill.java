package dev.tutti.sites.internal.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Directory of a site group at one member, with what outlasts its process: the messages that it keeps, those that earlier runs have
 * left, and the sites that are known. One process at a time uses it.
 */
public final class Spill implements AutoCloseable {

    private static final String CURRENT = "current";
    private static final String EARLIER = "earlier-";
    private static final String SITES = "sites";

    private final Path directory;
    private final FileChannel lockFile;
    private final DiskLog current;
    private final List<DiskLog> earlier = new ArrayList<>();
    private final TreeSet<String> sites = new TreeSet<>();

    /**
     * @throws UncheckedIOException if the directory can't be used
     * @throws IllegalStateException if another process, or another member of this one, uses it
     */
    public Spill(Path directory) {
        this.directory = directory;
        try {
            Files.createDirectories(directory);
            this.lockFile = lock(directory);
            if (Files.exists(directory.resolve(SITES))) {
                sites.addAll(Files.readAllLines(directory.resolve(SITES)));
            }
            setAside();
            this.current = new DiskLog(directory.resolve(CURRENT));
        } catch (IOException e) {
            throw new UncheckedIOException("messages for other sites can't be kept in " + directory + ": " + e, e);
        }
    }

    private static FileChannel lock(Path directory) throws IOException {
        FileChannel file = FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        @Nullable FileLock lock;
        try {
            lock = file.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        }
        if (lock == null) {
            file.close();
            throw new IllegalStateException("another member uses " + directory + "; each needs a directory of its own");
        }
        return file;
    }

    /** Sets aside what the last run has left, and opens what earlier ones have. */
    private void setAside() throws IOException {
        List<Path> found;
        try (Stream<Path> files = Files.list(directory)) {
            found = new ArrayList<>(files.filter(file -> file.getFileName().toString().startsWith(EARLIER)).sorted().toList());
        }
        Path last = directory.resolve(CURRENT);
        if (Files.exists(last)) {
            long number = found.isEmpty()
                    ? 1
                    : Long.parseLong(found.getLast().getFileName().toString().substring(EARLIER.length())) + 1;
            Path aside = directory.resolve(EARLIER + String.format(Locale.ROOT, "%019d", number));
            Files.move(last, aside, StandardCopyOption.ATOMIC_MOVE);
            found.add(aside);
        }
        for (Path one : found) {
            earlier.add(new DiskLog(one));
        }
    }

    /** Returns the log of this run. */
    public DiskLog current() {
        return current;
    }

    /** Returns the logs of earlier runs, the oldest first. */
    public List<DiskLog> earlier() {
        return List.copyOf(earlier);
    }

    /** Returns the bytes of earlier logs that were cut off, since they were damaged. */
    public long damagedBytes() {
        return earlier.stream().mapToLong(DiskLog::damagedBytes).sum();
    }

    /** Deletes the logs of earlier runs: this one, or other members, keep their messages. */
    public void deleteEarlier() {
        try {
            for (DiskLog log : earlier) {
                log.delete();
            }
            earlier.clear();
        } catch (IOException e) {
            throw new UncheckedIOException("messages of an earlier run can't be deleted in " + directory, e);
        }
    }

    /** Returns the other sites that were known. */
    public List<String> sites() {
        return List.copyOf(sites);
    }

    /** Notes the other sites that are known. Writes only changes. */
    public void noteSites(Collection<String> known) {
        if (sites.equals(new TreeSet<>(known))) {
            return;
        }
        sites.clear();
        sites.addAll(known);
        try {
            Path next = directory.resolve(SITES + ".next");
            Files.write(next, sites);
            Files.move(next, directory.resolve(SITES), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("the sites that are known can't be written to " + directory, e);
        }
    }

    @Override
    public void close() {
        current.close();
        earlier.forEach(DiskLog::close);
        try {
            lockFile.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the lock of " + directory + " can't be released", e);
        }
    }
}
