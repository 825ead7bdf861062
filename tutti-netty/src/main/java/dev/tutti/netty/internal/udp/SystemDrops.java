package dev.tutti.netty.internal.udp;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Datagrams that Linux dropped because a socket's buffer was full. From any thread. */
final class SystemDrops {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final List<Path> TABLES = List.of(Path.of("/proc/net/udp"), Path.of("/proc/net/udp6"));

    private static final int LOCAL_ADDRESS = 1;
    private static final int INODE = 9;
    private static final int DROPS = 12;

    private SystemDrops() {}

    /**
     * Returns the number of datagrams dropped by this process's sockets that are bound to {@code ports}; 0 if not
     * known.
     */
    static long count(Set<Integer> ports) {
        try {
            Set<String> own = sockets();
            long drops = 0;
            for (Path table : TABLES) {
                if (Files.isReadable(table)) {
                    drops += count(Files.readAllLines(table), ports, own);
                }
            }
            return drops;
        } catch (IOException | DirectoryIteratorException e) {
            return 0;
        }
    }

    static long count(List<String> lines, Set<Integer> ports, Set<String> inodes) {
        Set<String> endings = new HashSet<>();
        ports.forEach(port -> endings.add(String.format(Locale.ROOT, "%04X", port)));
        long drops = 0;
        for (String line : lines) {
            String[] fields = line.strip().split("\\s+");
            if (DROPS < fields.length && inodes.contains(fields[INODE])) {
                String local = fields[LOCAL_ADDRESS];
                if (endings.contains(local.substring(local.lastIndexOf(':') + 1))) {
                    drops += Long.parseLong(fields[DROPS]);
                }
            }
        }
        return drops;
    }

    /** Returns the inodes of this process's sockets. */
    private static Set<String> sockets() throws IOException {
        Set<String> inodes = new HashSet<>();
        if (!Files.isDirectory(DESCRIPTORS)) {
            return inodes;
        }
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path descriptor : descriptors) {
                String target = target(descriptor);
                if (target.startsWith("socket:[")) {
                    inodes.add(target.substring("socket:[".length(), target.length() - 1));
                }
            }
        }
        return inodes;
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return "closed meanwhile";
        }
    }
}
