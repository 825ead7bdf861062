package dev.tutti.internal.diagnostics;

import dev.tutti.internal.LocalSocket;
import dev.tutti.internal.Logs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Directory in which the nodes of one user on this machine can be asked: only the user may enter it, and it holds a
 * Unix domain socket {@code <pid>-<port>.sock} for each node.
 *
 * <p>The directory lies where everybody may create files. Another user could create it first, read the questions and
 * forge answers; so both server and client refuse a directory that another user owns, or that others may enter.
 *
 * @param path the directory
 * @param user the only user who may own it; null if the file system knows of no owners
 */
public record DiagnosticsDirectory(Path path, @Nullable UserPrincipal user) {

    /** Longest path of a socket: the smallest limit of an operating system, less the final zero. */
    static final int PATH_BYTES_MAX = 103;

    /** Most nodes that one look into the directory finds. */
    static final int NODES_MAX = 1_000;

    /** Least age of a socket that is removed because nobody listens at it. */
    static final long DEAD_AGE_MILLIS = 10_000;

    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rwx------");
    private static final Logger LOG = Logs.of(DiagnosticsDirectory.class);

    /** The user of this process; null where no file can be created, or files have no owners. */
    private static final @Nullable UserPrincipal OWN_USER = ownUser();
    private static final Pattern NAME = Pattern.compile("([0-9]{1,10})-([0-9]{1,5})\\.sock");

    /** A node that can be asked. */
    public record Entry(long pid, int port, Path socket) {}

    /** Creates a directory of the user who runs this process. */
    public DiagnosticsDirectory(Path path) {
        this(path, OWN_USER);
    }

    /** Returns the owner of a new file: names of users may be unknown in containers, or set. */
    private static @Nullable UserPrincipal ownUser() {
        try {
            Path file = Files.createTempFile("tutti", "");
            try {
                return isPosix(file) ? Files.getOwner(file) : null;
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            LOG.debug("no file can be made in {}", System.getProperty("java.io.tmpdir"), e);
            return null;
        }
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /** Returns the directory of the user who runs this process. */
    public static DiagnosticsDirectory ofUser() {
        String user = System.getProperty("user.name", "").replaceAll("[^A-Za-z0-9._-]", "_");
        return new DiagnosticsDirectory(
                Path.of(System.getProperty("java.io.tmpdir", "/tmp"), "tutti-" + (user.isEmpty() ? "unknown" : user)));
    }

    /**
     * Returns the path for the socket of a node of this process. Creates the directory if it does not exist.
     *
     * @throws IOException if it belongs to another user, is open to others, is no directory, or has too long a path
     */
    Path socket(long pid, int port) throws IOException {
        Path socket = path.resolve(pid + "-" + port + ".sock");
        int length = socket.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > PATH_BYTES_MAX) {
            throw new IOException(socket + " has " + length + " bytes, and a socket's path may have " + PATH_BYTES_MAX
                    + "; use a shorter java.io.tmpdir");
        }
        if (!isPosix(path)) {
            Files.createDirectories(path);
            return socket;
        }
        try {
            Files.createDirectory(path, PosixFilePermissions.asFileAttribute(PRIVATE));
        } catch (FileAlreadyExistsException e) {
            LOG.debug("{} is there already", path);
        }
        checkPrivate();
        return socket;
    }

    private void checkPrivate() throws IOException {
        PosixFileAttributes attributes =
                Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isDirectory()) {
            throw new IOException(path + " is not a directory; remove it");
        }
        if (!attributes.owner().equals(user)) {
            throw new IOException(path + " belongs to " + attributes.owner().getName() + " and not to "
                    + (user == null ? "this user" : user.getName())
                    + ": whoever made it could read and forge answers; remove it, or set another java.io.tmpdir");
        }
        if (!attributes.permissions().equals(PRIVATE)) {
            throw new IOException(path + " is open to others ("
                    + PosixFilePermissions.toString(attributes.permissions()) + "); chmod 700 it, or remove it");
        }
    }

    /**
     * Returns the running nodes. Removes the sockets of those that have ended.
     *
     * @throws IOException if the directory belongs to another user, is open to others, or can't be read
     */
    public List<Entry> entries() throws IOException {
        List<Entry> entries = new ArrayList<>();
        if (isPosix(path) && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            checkPrivate();
        }
        try (var files = Files.newDirectoryStream(path, "*.sock")) {
            for (Path file : files) {
                Matcher matcher = NAME.matcher(file.getFileName().toString());
                if (matcher.matches() && entries.size() < NODES_MAX && isOwn(file) && isAnswered(file)) {
                    entries.add(new Entry(
                            Long.parseLong(matcher.group(1)), Integer.parseInt(matcher.group(2)), file));
                }
            }
        } catch (NoSuchFileException e) {
            return List.of();
        }
        entries.sort((left, right) ->
                left.port() == right.port() ? Long.compare(left.pid(), right.pid()) : left.port() - right.port());
        return entries;
    }

    /** Returns whether a socket belongs to the user: root may have put others there. */
    private boolean isOwn(Path socket) throws IOException {
        return !isPosix(socket) || Files.getOwner(socket, LinkOption.NOFOLLOW_LINKS).equals(user);
    }

    /**
     * Returns whether a process listens. If not, it has died without removing its socket, which is removed then; a young one is left
     * alone: its process may be about to listen, or has just taken the place of a namesake.
     */
    private static boolean isAnswered(Path socket) throws IOException {
        if (LocalSocket.isListening(socket)) {
            return true;
        }
        try {
            long ageMillis = System.currentTimeMillis() - Files.getLastModifiedTime(socket, LinkOption.NOFOLLOW_LINKS).toMillis();
            if (ageMillis >= DEAD_AGE_MILLIS) {
                Files.deleteIfExists(socket);
            }
        } catch (NoSuchFileException e) {
            LOG.debug("{} was removed meanwhile", socket);
        }
        return false;
    }
}
