package dev.tutti.tomcat;

import dev.tutti.internal.Logs;
import dev.tutti.tomcat.replication.Replicator;
import jakarta.servlet.ServletContext;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.catalina.Context;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * File in which a node keeps its sessions while the application is stopped, if no other node has them all. The next
 * start reads it and then deletes it.
 */
final class KeptSessions {

    private static final Logger LOG = Logs.of(KeptSessions.class);

    private final String application;
    private final @Nullable Path file;

    /**
     * @param pathname path of the file, relative to the application's working directory unless absolute; nothing is
     *     kept if it is empty
     */
    KeptSessions(Context context, String pathname) {
        application = context.getName();
        file = file(context.getServletContext(), pathname);
    }

    private static @Nullable Path file(ServletContext context, String pathname) {
        if (pathname.isBlank()) {
            return null;
        }
        Path path = Path.of(pathname);
        if (path.isAbsolute()) {
            return path;
        }
        return context.getAttribute(ServletContext.TEMPDIR) instanceof File directory
                ? directory.toPath().resolve(path)
                : null;
    }

    /** Writes all sessions; the file is complete or absent. On POSIX file systems only its owner may read it. */
    void write(Replicator sessions) {
        Path target = file;
        if (target == null || sessions.isEmpty()) {
            return;
        }
        Path part = target.resolveSibling(target.getFileName() + ".part");
        try {
            Files.deleteIfExists(part);
            createPrivate(part);
            int count = sessions.writeTo(part);
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            LOG.info("{}: {} sessions that no other node has are kept in {}", application, count, target);
        } catch (IOException e) {
            LOG.error("{}: {} sessions that no other node has are lost, because {} can't be written: {}",
                    application, sessions.size(), target, e.toString());
        }
    }

    private static void createPrivate(Path path) throws IOException {
        if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } else {
            Files.createFile(path);
        }
    }

    /** Reads the file, before the group is joined. A file that can't be read is renamed and kept. */
    void read(Replicator sessions) {
        Path source = file;
        if (source == null || !Files.exists(source)) {
            return;
        }
        try {
            int count = sessions.readFrom(source);
            LOG.info("{}: {} sessions were kept in {}", application, count, source);
        } catch (IOException e) {
            Path aside = source.resolveSibling(source.getFileName() + ".unreadable");
            LOG.error("{}: sessions are lost, because {} can't be read; it is now {}: {}",
                    application, source, aside, e.toString());
            moveAside(source, aside);
        }
    }

    private static void moveAside(Path source, Path aside) {
        try {
            Files.move(source, aside, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            LOG.error("{} can't be renamed: {}", source, e.toString());
        }
    }

    /** Deletes the file: the sessions are in use again, and a later start must not restore their former state. */
    void delete() {
        Path used = file;
        if (used == null) {
            return;
        }
        try {
            Files.deleteIfExists(used);
        } catch (IOException e) {
            LOG.error("{}: {} can't be deleted; the next start would go back to the sessions in it: {}",
                    application, used, e.toString());
        }
    }
}
