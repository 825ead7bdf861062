package dev.tutti.campaign.slips;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles the files that a slip changes against the classes that this process runs on; the sources stay as they are. */
public final class Workshop {

    private final Path home;

    /** @param home the root of the sources from which this process was built */
    public Workshop(Path home) {
        this.home = home;
    }

    /**
     * Finds the sources from the place of this class, a module's target directory.
     *
     * @throws IllegalStateException if that place is not inside of a build
     */
    public static Path home() {
        try {
            Path built = Path.of(Workshop.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            Path target = Objects.requireNonNull(built.getParent());
            Path home = Objects.requireNonNull(Objects.requireNonNull(target.getParent()).getParent());
            if (Files.isDirectory(home.resolve(Slip.DIRECTORY))) {
                return home;
            }
            throw new IllegalStateException("there are no sources around " + built + ": no " + home.resolve(Slip.DIRECTORY));
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the place of " + Workshop.class + " is no path", e);
        }
    }

    /** Returns the path of all classes of this process, modules or not. */
    static String classPath() {
        return Stream.of("jdk.module.path", "java.class.path")
                .map(System::getProperty)
                .filter(Objects::nonNull)
                .flatMap(path -> Arrays.stream(path.split(File.pathSeparator)))
                .filter(entry -> !entry.isEmpty())
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * Compiles the changed files into {@code directory}.
     *
     * @throws IllegalArgumentException if the patch does not apply, does not compile or changes no bytecode
     */
    public void build(Slip slip, Path directory) {
        Map<String, String> patched = slip.patch().applyTo(home);
        Path originals = directory.resolveSibling(directory.getFileName() + ".original");
        compile(slip, originals(slip), originals);
        compile(slip, patched, directory);
        if (read(directory).equals(read(originals))) {
            throw new IllegalArgumentException("slip " + slip.name() + " changes no bytecode");
        }
    }

    private Map<String, String> originals(Slip slip) {
        Map<String, String> originals = new TreeMap<>();
        for (String file : slip.patch().files()) {
            try {
                originals.put(file, Files.readString(home.resolve(file)));
            } catch (IOException e) {
                throw new UncheckedIOException("file " + file + " of slip " + slip.name() + " cannot be read", e);
            }
        }
        return originals;
    }

    private static void compile(Slip slip, Map<String, String> sources, Path directory) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("slips need a JDK; this Java has no compiler: " + System.getProperty("java.home"));
        }
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            Files.createDirectories(directory);
            // Without lines and names, so that equal instructions are equal bytes.
            List<String> options = List.of(
                    "-d", directory.toString(), "-classpath", classPath(), "-proc:none", "-nowarn", "-g:none", "-implicit:none");
            List<JavaFileObject> units = new ArrayList<>();
            sources.forEach((file, text) -> units.add(new Source(file, text)));
            if (!compiler.getTask(said, files, null, options, null, units).call()) {
                throw new IllegalArgumentException("slip " + slip.name() + " does not compile:\n" + said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("classes of slip " + slip.name() + " cannot be written to " + directory, e);
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String file, String text) {
            super(URI.create("memory:///" + file), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean isIgnoringErrors) {
            return text;
        }
    }

    /** Returns the classes by their path, as text that can be compared. */
    private static Map<String, String> read(Path directory) {
        Map<String, String> classes = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                classes.put(directory.relativize(file).toString(), Arrays.toString(Files.readAllBytes(file)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("classes in " + directory + " cannot be read", e);
        }
        return classes;
    }
}
