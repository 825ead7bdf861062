package dev.tutti.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * A file that only its owner may read: a key, or a token. The same rule as that of drivers for their files
 * (docs/decisions/0280-secrets-are-read-from-private-files.md).
 */
public final class PrivateFile {

    private static final Set<PosixFilePermission> OF_OTHERS = EnumSet.of(
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    private static final Set<String> ROOT = Set.of("root", "0");

    private PrivateFile() {}

    /**
     * Checks that nobody but the owner may read or write a file. One exception: the file may belong to root and be
     * readable by its group, if this process is not root's, because it was given to the group on purpose. Does nothing
     * where files have no POSIX permissions.
     *
     * @throws IOException if others have access, with the command that changes it, or if there is no such file
     */
    public static void check(Path file) throws IOException {
        if (!Files.getFileStore(file).supportsFileAttributeView("posix")) {
            return;
        }
        Set<PosixFilePermission> there = Files.getPosixFilePermissions(file);
        if (!isPrivate(there, Files.getOwner(file).getName(), System.getProperty("user.name", ""))) {
            throw new IOException(file + ": others can read or change it (" + PosixFilePermissions.toString(there)
                    + "); run: chmod 600 " + file);
        }
    }

    /** @param user user who runs this process */
    static boolean isPrivate(Set<PosixFilePermission> there, String owner, String user) {
        if (there.stream().anyMatch(OF_OTHERS::contains)) {
            return false;
        }
        return !there.contains(PosixFilePermission.GROUP_READ) || ROOT.contains(owner) && !ROOT.contains(user);
    }
}
