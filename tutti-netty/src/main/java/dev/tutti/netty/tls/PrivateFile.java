package dev.tutti.netty.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** A file that only its owner may read: a key, or a secret. */
public final class PrivateFile {

    private static final Set<PosixFilePermission> OF_OTHERS = EnumSet.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    private PrivateFile() {}

    /**
     * Checks that nobody but the owner may read or write a file. Does nothing where files have no POSIX permissions.
     *
     * @throws IOException if others may, with the command that changes it, or if there is no such file
     */
    public static void check(Path file) throws IOException {
        if (!Files.getFileStore(file).supportsFileAttributeView("posix")) {
            return;
        }
        Set<PosixFilePermission> there = Files.getPosixFilePermissions(file);
        if (there.stream().anyMatch(OF_OTHERS::contains)) {
            throw new IOException(file + ": others can read or change it (" + PosixFilePermissions.toString(there)
                    + "); run: chmod 600 " + file);
        }
    }
}
