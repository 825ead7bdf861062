package dev.tutti.internal.storage;

import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.DurableStore;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of a node: a file each in a directory of its own, or in memory. A record is written to a new file, forced
 * to the disk, and replaces the old one atomically; a checksum reveals one that was not written completely.
 *
 * <p>Files are read and written on a thread that is created with the first question.
 */
public final class FileStore implements DurableStore, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(FileStore.class);

    private static final int MAGIC = 0x74757472;
    private static final int FORMAT = 1;

    /** Magic, format, sum, and the lengths of key and record. */
    private static final int HEADER_BYTES = 5 * Integer.BYTES;

    private static final int NAME_CHARACTERS = 48;
    private static final int HASH_BYTES = 8;
    private static final int KEY_BYTES_MAX = 4_096;
    private static final long CLOSE_SECONDS = 2;

    private final @Nullable Path directory;
    private final boolean isInMemory;
    private final @Nullable FileChannel lock;
    private final Consumer<Driver.Task> loop;
    private final Map<String, byte[]> memory = new ConcurrentHashMap<>();
    private final ExecutorService worker =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("tutti-records").factory());

    private FileStore(
            @Nullable Path directory, boolean isInMemory, @Nullable FileChannel lock, Consumer<Driver.Task> loop) {
        this.directory = directory;
        this.isInMemory = isInMemory;
        this.lock = lock;
        this.loop = loop;
    }

    /**
     * @param settings settings, of which {@link TransportSettings#RECORDS_DIRECTORY} is used
     * @param loop runs answers; may refuse when the driver has ended
     * @throws TransportException if the directory can't be used, or another node uses it
     */
    public static FileStore open(Settings settings, Consumer<Driver.Task> loop) {
        String text = settings.get(TransportSettings.RECORDS_DIRECTORY);
        if (text.isEmpty() || text.equals(TransportSettings.IN_MEMORY)) {
            return new FileStore(null, !text.isEmpty(), null, loop);
        }
        Path directory = Path.of(text).toAbsolutePath();
        try {
            Files.createDirectories(directory);
            return new FileStore(directory, false, lock(directory), loop);
        } catch (IOException e) {
            throw new TransportException("records.directory: " + directory + " can't be used: " + e, e);
        }
    }

    /** Locks the directory: two nodes that vote with one record would vote twice. */
    private static FileChannel lock(Path directory) throws IOException {
        FileChannel channel = FileChannel.open(
                directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean isLocked = false;
        try {
            isLocked = channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            LOG.debug("{} is locked within this process", directory);
        } finally {
            if (!isLocked) {
                channel.close();
            }
        }
        if (!isLocked) {
            throw new TransportException(
                    "records.directory: " + directory + " is used by another node; each node needs a directory of its own");
        }
        return channel;
    }

    // ------------------------------------------------------------------ questions

    @Override
    public void load(int question, String key, Client client) {
        work(() -> {
            try {
                byte[] record = directory == null ? memory(key) : read(directory.resolve(fileName(key)), key);
                answer(now -> client.onLoaded(now, question, record));
            } catch (IOException | RuntimeException | Error e) {
                fail(client, question, "record '" + key + "' can't be read: " + e);
            }
        });
    }

    @Override
    public void store(int question, String key, byte[] record, Client client) {
        work(() -> {
            try {
                if (directory != null) {
                    write(directory, fileName(key), bytes(key, record));
                } else {
                    memory(key);
                    memory.put(key, record);
                }
                answer(now -> client.onStored(now, question));
            } catch (IOException | RuntimeException | Error e) {
                fail(client, question, "record '" + key + "' can't be written: " + e);
            }
        });
    }

    private byte @Nullable [] memory(String key) throws IOException {
        if (!isInMemory) {
            throw new IOException("records.directory is empty");
        }
        return memory.get(key);
    }

    private void work(Runnable task) {
        try {
            worker.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the node has ended; its last question to its records is not asked");
        }
    }

    private void fail(Client client, int question, String detail) {
        LOG.error("{}", detail);
        answer(now -> client.onFailed(now, question, detail));
    }

    private void answer(Driver.Task task) {
        try {
            loop.accept(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the node has ended before its records have answered");
        }
    }

    // ------------------------------------------------------------------ files

    /** Returns the file's name: as much of the key as any file system takes, and a unique suffix. */
    static String fileName(String key) {
        StringBuilder name = new StringBuilder();
        for (int index = 0; index < Math.min(NAME_CHARACTERS, key.length()); index++) {
            char character = key.charAt(index);
            boolean isPlain = 'a' <= character && character <= 'z' || '0' <= character && character <= '9';
            name.append(isPlain ? character : '_');
        }
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            return name + "-" + HexFormat.of().formatHex(hash, 0, HASH_BYTES) + ".record";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static byte[] bytes(String key, byte[] record) throws IOException {
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        if (record.length > BYTES_MAX || name.length > KEY_BYTES_MAX) {
            throw new IOException("a key of " + name.length + " bytes and a record of " + record.length + ", at most "
                    + KEY_BYTES_MAX + " and " + BYTES_MAX);
        }
        ByteBuffer buffer = ByteBuffer.allocate(HEADER_BYTES + name.length + record.length);
        buffer.putInt(MAGIC).putInt(FORMAT).putInt(0).putInt(name.length).putInt(record.length);
        buffer.put(name).put(record);
        return buffer.putInt(2 * Integer.BYTES, sum(buffer)).array();
    }

    /** Returns the checksum of all bytes after the checksum itself. */
    private static int sum(ByteBuffer buffer) {
        CRC32C sum = new CRC32C();
        sum.update(buffer.array(), 3 * Integer.BYTES, buffer.array().length - 3 * Integer.BYTES);
        return (int) sum.getValue();
    }

    private static void write(Path directory, String name, byte[] bytes) throws IOException {
        Path fresh = directory.resolve(name + ".new");
        try (FileChannel channel = FileChannel.open(
                fresh,
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
        Files.move(fresh, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        force(directory);
    }

    /**
     * Forces a file's name to disk: it is a part of the directory, which some systems do not open as a file, and write
     * by themselves.
     */
    private static void force(Path directory) {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            LOG.debug("directory {} can't be forced to the disk: {}", directory, e.toString());
        }
    }

    private static byte @Nullable [] read(Path file, String key) throws IOException {
        byte[] bytes;
        try {
            if (Files.size(file) > HEADER_BYTES + KEY_BYTES_MAX + BYTES_MAX) {
                throw new IOException("file " + file + " has more bytes than any record");
            }
            bytes = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return null;
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (bytes.length < HEADER_BYTES || buffer.getInt() != MAGIC || buffer.getInt() != FORMAT) {
            throw new IOException("file " + file + " is no record of this format");
        }
        int sum = buffer.getInt();
        int nameBytes = buffer.getInt();
        int recordBytes = buffer.getInt();
        if (sum != sum(buffer) || nameBytes < 0 || (long) nameBytes + recordBytes != buffer.remaining()) {
            throw new IOException("file " + file + " is damaged");
        }
        byte[] name = new byte[nameBytes];
        byte[] record = new byte[recordBytes];
        buffer.get(name).get(record);
        if (!key.equals(new String(name, StandardCharsets.UTF_8))) {
            throw new IOException("file " + file + " is the record of another group");
        }
        return record;
    }

    /** Ends the thread; questions asked before are still written. Blocks for two seconds at most. Idempotent. */
    @Override
    public void close() {
        worker.shutdown();
        try {
            if (!worker.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("a record is still being written after {} s", CLOSE_SECONDS);
            }
            if (lock != null) {
                lock.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            LOG.debug("the lock of {} can't be closed: {}", directory, e.toString());
        }
    }
}
