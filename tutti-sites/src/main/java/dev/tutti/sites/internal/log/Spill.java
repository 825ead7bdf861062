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
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Directory of a site group at one member, with what outlasts its process: the messages that it keeps, those that were set aside to
 * be brought back, and the sites that are known. One process at a time uses it. Thread-safe.
 */
public final class Spill implements RetainedLogs {

    /** Most logs that are set aside: more runs than that have ended before they brought back what earlier ones had left. */
    public static final int ASIDE_MAX = 32;

    private static final String LOG = "log-";
    private static final String SITES = "sites";

    private final Path directory;
    private final int segmentBytes;
    private final FileChannel lockFile;
    private final ArrayDeque<DiskLog> aside = new ArrayDeque<>();
    private final TreeSet<String> sites = new TreeSet<>();
    private DiskLog current;

    /** Number of the last log. */
    private long number;

    /**
     * @throws UncheckedIOException if the directory can't be used
     * @throws IllegalStateException if another process, or another member of this one, uses it, or too much is set aside in it
     */
    public Spill(Path directory) {
        this(directory, DiskLog.SEGMENT_BYTES);
    }

    Spill(Path directory, int segmentBytes) {
        this.directory = directory;
        this.segmentBytes = segmentBytes;
        try {
            Files.createDirectories(directory);
            this.lockFile = lock(directory);
        } catch (IOException e) {
            throw unusable(e);
        }
        try {
            if (Files.exists(directory.resolve(SITES))) {
                sites.addAll(Files.readAllLines(directory.resolve(SITES)));
            }
            openAside();
            this.current = openNext(0);
        } catch (IOException e) {
            closeFiles();
            throw unusable(e);
        } catch (RuntimeException e) {
            closeFiles();
            throw e;
        }
    }

    private UncheckedIOException unusable(IOException e) {
        return new UncheckedIOException("messages for other sites can't be kept in " + directory + ": " + e, e);
    }

    private DiskLog openNext(long start) throws IOException {
        if (aside.size() > ASIDE_MAX) {
            throw new IllegalStateException(aside.size() + " logs are set aside in " + directory
                    + ", since earlier runs have ended too soon to bring them back; move them elsewhere if they are not needed");
        }
        return new DiskLog(directory.resolve(LOG + String.format(Locale.ROOT, "%019d", ++number)), start, segmentBytes);
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

    private void openAside() throws IOException {
        List<Path> found;
        try (Stream<Path> files = Files.list(directory)) {
            found = files.filter(file -> file.getFileName().toString().startsWith(LOG)).sorted().toList();
        }
        for (Path path : found) {
            DiskLog log = new DiskLog(path, 0, segmentBytes);
            number = Long.parseLong(path.getFileName().toString().substring(LOG.length()));
            if (!log.isEmpty() || log.damagedBytes() > 0) {
                aside.add(log);
            } else {
                log.delete();
            }
        }
    }

    @Override
    public synchronized RetainedLog current() {
        return current;
    }

    @Override
    public synchronized RetainedLog setAside() {
        if (current.isEmpty()) {
            return current;
        }
        try {
            DiskLog next = openNext(current.end());
            aside.add(current);
            current = next;
            return next;
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    @Override
    public synchronized List<RetainedLog> aside() {
        return List.copyOf(aside);
    }

    @Override
    public synchronized void deleteAside() {
        try {
            // The youngest first: what is left if the process ends has the messages of each sender in order.
            while (!aside.isEmpty()) {
                aside.getLast().delete();
                aside.removeLast();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("messages that were brought back can't be deleted in " + directory, e);
        }
    }

    /** Returns the bytes of logs that were cut off when they were opened, since they were damaged. */
    public synchronized long damagedBytes() {
        return aside.stream().mapToLong(DiskLog::damagedBytes).sum();
    }

    /** Returns the other sites that were known. */
    @Override
    public synchronized List<String> sites() {
        return List.copyOf(sites);
    }

    /** Notes the other sites that are known; those before stay until what was kept for them was brought back. Writes only changes. */
    public synchronized void noteSites(Collection<String> known) {
        TreeSet<String> changed = new TreeSet<>(known);
        if (!aside.isEmpty()) {
            changed.addAll(sites);
        }
        if (sites.equals(changed)) {
            return;
        }
        sites.clear();
        sites.addAll(changed);
        try {
            Path next = directory.resolve(SITES + ".next");
            Files.write(next, sites);
            Files.move(next, directory.resolve(SITES), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("the sites that are known can't be written to " + directory, e);
        }
    }

    @Override
    public synchronized void close() {
        current.close();
        closeFiles();
    }

    private void closeFiles() {
        aside.forEach(DiskLog::close);
        try {
            lockFile.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the lock of " + directory + " can't be released", e);
        }
    }
}
