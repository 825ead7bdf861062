package dev.tutti.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * An archive of loaded classes (CDS) for the processes that a module's tests start, so that they start with less CPU time.
 *
 * <p>It has the classes of libraries that a rehearsal has loaded. The first test that asks for it makes it. It is only for
 * speed: where it can't be made, processes start without.
 */
public final class SharedClasses {

    private static final String SERIAL = "-XX:+UseSerialGC";

    /** Time after which a rehearsal, or the making of the archive, is given up. */
    private static final int TIMEOUT_SECONDS = 120;

    private final List<String> jars;
    private final List<String> directories;
    private final Path archive;

    private SharedClasses(List<String> entries, Path directory) {
        jars = entries.stream().filter(entry -> !Files.isDirectory(Path.of(entry))).toList();
        directories = entries.stream().filter(entry -> Files.isDirectory(Path.of(entry))).toList();
        archive = directory.resolve("shared-classes.jsa");
    }

    /** Returns the class path of this JVM, with the jars first: an archive is of the beginning, and can't be of directories. */
    public static String classPath() {
        return ofThisJvm().path();
    }

    /**
     * Returns options of a JVM with the {@link #classPath}, which lead it to the archive.
     *
     * @param rehearsal main class and arguments of a run that loads what the processes will load
     */
    public static synchronized List<String> options(String... rehearsal) {
        SharedClasses shared = ofThisJvm();
        try (FileChannel channel = FileChannel.open(
                        Path.of("target", "shared-classes.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            // Other JVMs of the same tests wait meanwhile.
            Objects.requireNonNull(lock);
            if (!shared.isFresh() && !shared.make(List.of(rehearsal))) {
                return List.of();
            }
            return List.of("-XX:SharedArchiveFile=" + shared.archive, "-Xlog:cds=off", "-Xlog:aot=off");
        } catch (IOException e) {
            throw new UncheckedIOException("target/shared-classes.jsa can't be made", e);
        }
    }

    private static SharedClasses ofThisJvm() {
        List<String> entries = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.isEmpty())
                .distinct()
                .toList();
        return new SharedClasses(entries, Path.of("target").toAbsolutePath());
    }

    private String path() {
        return String.join(File.pathSeparator, Stream.concat(jars.stream(), directories.stream()).toList());
    }

    /** Reports whether the archive is newer than all jars; a JVM would refuse an older one. */
    private boolean isFresh() throws IOException {
        if (!Files.exists(archive)) {
            return false;
        }
        for (String jar : jars) {
            Path path = Path.of(jar);
            if (Files.exists(path) && Files.getLastModifiedTime(path).compareTo(Files.getLastModifiedTime(archive)) > 0) {
                return false;
            }
        }
        return true;
    }

    private boolean make(List<String> rehearsal) throws IOException {
        Path list = archive.resolveSibling("shared-classes.list");
        Path made = archive.resolveSibling("shared-classes.new");
        List<String> listing = new ArrayList<>(List.of("-XX:DumpLoadedClassList=" + list, "-cp", path()));
        listing.addAll(rehearsal);
        List<String> dumping = List.of(
                "-Xshare:dump", "-XX:SharedClassListFile=" + list, "-XX:SharedArchiveFile=" + made, "-cp", String.join(File.pathSeparator, jars));
        boolean isMade = isDone(listing) && isDone(dumping) && Files.exists(made);
        if (isMade) {
            Files.move(made, archive, StandardCopyOption.REPLACE_EXISTING);
        }
        return isMade;
    }

    private static boolean isDone(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                SERIAL,
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED"));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                return process.exitValue() == 0;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
        return false;
    }
}
