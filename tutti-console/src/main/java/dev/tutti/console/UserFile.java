package dev.tutti.console;

import dev.tutti.console.internal.access.PasswordHash;
import dev.tutti.internal.PrivateFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The console's users as a file keeps them ({@code console.users-file}): one line for each, with name, role and the hash
 * of the password. Only the owner of the file may read it. Immutable.
 */
public final class UserFile {

    /** Most users in a file. */
    public static final int USERS_MAX = 1_000;

    /** Shortest password that {@link #with} accepts, in characters. */
    public static final int PASSWORD_LENGTH_MIN = 12;

    /** Longest password, in characters. */
    public static final int PASSWORD_LENGTH_MAX = 256;

    private static final int FILE_BYTES_MAX = 512 * 1024;

    /** A user. */
    private record User(Role role, PasswordHash password) {}

    private final SequencedMap<String, User> users;

    private UserFile(SequencedMap<String, User> users) {
        this.users = users;
    }

    /** Returns a file without users. */
    public static UserFile empty() {
        return new UserFile(new LinkedHashMap<>());
    }

    /**
     * Reads a file.
     *
     * @throws IOException if it can't be read, others may read it, or a line is wrong; the message names the line
     */
    public static UserFile read(Path file) throws IOException {
        if (!Files.exists(file)) {
            throw new IOException(file + " is not there; 'tutti console user add' makes it");
        }
        PrivateFile.check(file);
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(FILE_BYTES_MAX + 1);
        }
        if (bytes.length > FILE_BYTES_MAX) {
            throw new IOException(file + " has more than " + FILE_BYTES_MAX + " bytes");
        }
        SequencedMap<String, User> users = new LinkedHashMap<>();
        int number = 0;
        for (String line : new String(bytes, StandardCharsets.UTF_8).lines().toList()) {
            number++;
            String text = line.strip();
            if (text.isEmpty() || text.startsWith("#")) {
                continue;
            }
            String[] words = text.split("\\s+");
            try {
                if (words.length != 3) {
                    throw new IllegalArgumentException("a line has a name, a role and a hash, not " + words.length + " words");
                }
                User user = new User(Role.parse(words[1]), PasswordHash.parse(words[2]));
                if (users.put(checked(words[0]), user) != null) {
                    throw new IllegalArgumentException("user " + words[0] + " is there twice");
                }
            } catch (IllegalArgumentException e) {
                throw new IOException(file + ", line " + number + ": " + e.getMessage(), e);
            }
        }
        if (users.size() > USERS_MAX) {
            throw new IOException(file + ": " + tooMany(users.size()));
        }
        return new UserFile(users);
    }

    /**
     * Returns these users with one more, or with another role and password for one that is there. Takes some tenths of a
     * second.
     *
     * @throws IllegalArgumentException if the name or the password is not allowed, or there are too many users
     */
    public UserFile with(String name, Role role, String password) {
        return with(name, role, password, PasswordHash.ITERATIONS);
    }

    /** @param iterations of the hash, by which tests save time */
    UserFile with(String name, Role role, String password, int iterations) {
        if (password.length() < PASSWORD_LENGTH_MIN || password.length() > PASSWORD_LENGTH_MAX) {
            throw new IllegalArgumentException("a password has " + PASSWORD_LENGTH_MIN + " to " + PASSWORD_LENGTH_MAX
                    + " characters, not " + password.length());
        }
        SequencedMap<String, User> changed = new LinkedHashMap<>(users);
        changed.put(checked(name), new User(role, PasswordHash.of(password, iterations)));
        if (changed.size() > USERS_MAX) {
            throw new IllegalArgumentException(tooMany(changed.size()));
        }
        return new UserFile(changed);
    }

    /** Returns these users without one; the same users if there is none of this name. */
    public UserFile without(String name) {
        SequencedMap<String, User> changed = new LinkedHashMap<>(users);
        changed.remove(name);
        return new UserFile(changed);
    }

    private static String checked(String name) {
        if (!name.matches("[A-Za-z0-9._@-]{1,64}")) {
            throw new IllegalArgumentException(
                    "a user's name has 1 to 64 letters, digits, dots, hyphens, underscores and at signs");
        }
        return name;
    }

    private static String tooMany(int count) {
        return "a file has at most " + USERS_MAX + " users, not " + count;
    }

    /** Returns the role of each user, by name. */
    public Map<String, Role> roles() {
        Map<String, Role> roles = new TreeMap<>();
        users.forEach((name, user) -> roles.put(name, user.role));
        return roles;
    }

    /** Returns a user's role; null if there is no such user. */
    public @Nullable Role role(String name) {
        User user = users.get(name);
        return user == null ? null : user.role;
    }

    /** Returns whether a password is that of a user. Takes some tenths of a second, also for a user that is not there. */
    public boolean isRight(String name, String password) {
        User user = users.get(name);
        if (password.length() > PASSWORD_LENGTH_MAX) {
            return false;
        }
        PasswordHash expected = user == null ? ofNobody() : user.password;
        return expected.matches(password) && user != null;
    }

    /** Returns a password that is never right, and takes as long to check as the slowest of the users. */
    private PasswordHash ofNobody() {
        return PasswordHash.never(
                users.values().stream().mapToInt(user -> user.password.iterations()).max().orElse(PasswordHash.ITERATIONS));
    }

    /** Writes the file in one step, readable by its owner only. */
    public void write(Path file) throws IOException {
        StringBuilder text = new StringBuilder("# Users of the tutti console: NAME ROLE HASH. Made by 'tutti console user add'.\n");
        users.forEach((name, user) ->
                text.append(name).append(' ').append(user.role.text()).append(' ').append(user.password).append('\n'));
        Path whole = file.toAbsolutePath();
        Path parent = whole.getParent();
        Path directory = parent == null ? whole : parent;
        FileAttribute<?>[] attributes = Files.getFileStore(directory).supportsFileAttributeView("posix")
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))}
                : new FileAttribute<?>[0];
        Path made = Files.createTempFile(directory, ".users", ".tmp", attributes);
        try {
            Files.writeString(made, text);
            Files.move(made, whole, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(made);
        }
    }

    @Override
    public String toString() {
        return users.size() + " users";
    }
}
