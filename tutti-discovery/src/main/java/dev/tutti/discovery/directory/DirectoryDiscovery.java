package dev.tutti.discovery.directory;

import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.discovery.SourceDrops;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A directory that nodes share: below it one directory for each cluster, and there one file for each node, with its address in
 * the first line and its name in the second.
 *
 * <p>A file is written beside its place and moved there, which is one step on local file systems and on NFS. Files that are empty,
 * too long or no address are passed over: a disk was full, or somebody else has written them.
 */
public final class DirectoryDiscovery implements DiscoverySource {

    private static final String SUFFIX = ".node";

    /** An address and a name are shorter. */
    private static final long BYTES_MAX = 4_096;

    private static final int FILES_MAX = 10_000;

    private final Path root;
    private final AtomicLong malformed = new AtomicLong();
    private final AtomicLong overflow = new AtomicLong();
    private @Nullable NodeEntry self;
    private Path directory;

    /** @param root exists, and this process may write there */
    public DirectoryDiscovery(Path root) {
        this.root = root;
        this.directory = root;
    }

    @Override
    public void start(NodeEntry self) throws IOException {
        if (!Files.isDirectory(root)) {
            throw new IOException(root + " is not there, or no directory; make it, or mount it");
        }
        directory = root.resolve(text(self.cluster()));
        try {
            Files.createDirectories(directory);
        } catch (FileSystemException e) {
            throw readable(e);
        }
        this.self = self;
    }

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public void announce() throws IOException {
        NodeEntry entry = self;
        if (entry == null) {
            throw new IllegalStateException("announced before the start");
        }
        Path file = file(entry.address());
        Path beside = directory.resolve(file.getFileName() + ".new");
        try {
            Files.createDirectories(directory);
            Files.writeString(beside, entry.address() + "\n" + entry.name() + "\n");
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (FileSystemException e) {
            throw readable(e);
        }
    }

    @Override
    public List<String> addresses() throws IOException {
        List<String> addresses = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (Path file : files) {
                String address = addressIn(file);
                if (address == null) {
                    malformed.incrementAndGet();
                } else {
                    addresses.add(address);
                }
                if (addresses.size() == FILES_MAX) {
                    overflow.incrementAndGet();
                    break;
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            // Somebody has cleared the root: the entry that is missing is made again.
            if (!Files.isDirectory(root)) {
                throw new IOException(root + " is not there any more", e);
            }
        } catch (FileSystemException e) {
            throw readable(e);
        }
        return addresses;
    }

    private static @Nullable String addressIn(Path file) throws IOException {
        try {
            if (!Files.isRegularFile(file) || Files.size(file) > BYTES_MAX) {
                return null;
            }
            String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
            int end = text.indexOf('\n');
            String address = end < 0 ? "" : text.substring(0, end);
            // The file's name says the same: half of a file, or one that was copied, is nobody's entry.
            return file.getFileName().toString().equals(text(address) + SUFFIX) ? address : null;
        } catch (NoSuchFileException e) {
            return null;
        } catch (AccessDeniedException e) {
            // One file of somebody else.
            return null;
        }
    }

    @Override
    public SourceDrops drops() {
        return new SourceDrops(malformed.get(), overflow.get());
    }

    @Override
    public void remove(String address) throws IOException {
        Files.deleteIfExists(file(address));
    }

    @Override
    public void close() throws IOException {
        NodeEntry entry = self;
        if (entry != null) {
            remove(entry.address());
        }
    }

    private Path file(String address) {
        return directory.resolve(text(address) + SUFFIX);
    }

    /** Returns a name for a file that has neither separators nor a leading dot. */
    private static String text(String name) {
        String encoded = URLEncoder.encode(name, StandardCharsets.UTF_8).replace("*", "%2A");
        return encoded.startsWith(".") ? "%2E" + encoded.substring(1) : encoded;
    }

    private static IOException readable(FileSystemException e) {
        String reason = switch (e) {
            case AccessDeniedException denied -> "this process may not write there";
            default -> e.getReason() == null ? e.getClass().getSimpleName() : e.getReason();
        };
        return new IOException(e.getFile() + ": " + reason, e);
    }
}
