package dev.tutti.campaign.mutants;

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
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles the files that a mutant changes, and tests, against the classes that this process runs on. The sources stay
 * as they are.
 */
public final class Workshop {

    /** The test sources of a module, below its directory. */
    private static final String TESTS = "src/test/java";

    private static final List<String> ALONE = List.of("-implicit:none");

    private final Path home;

    /** Classes that the compiler makes of unchanged files, by the paths of these; many mutants change the same file. */
    private final Map<List<String>, Map<String, String>> unchanged = new ConcurrentHashMap<>();

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
            if (Files.isDirectory(home.resolve(Mutant.DIRECTORY))) {
                return home;
            }
            throw new IllegalStateException("there are no sources around " + built + ": no " + home.resolve(Mutant.DIRECTORY));
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the place of " + Workshop.class + " is no path", e);
        }
    }

    /** Returns the absolute path of all classes of this process, modules or not. */
    static String classPath() {
        return Stream.of("jdk.module.path", "java.class.path")
                .map(System::getProperty)
                .filter(Objects::nonNull)
                .flatMap(path -> Arrays.stream(path.split(File.pathSeparator)))
                .filter(entry -> !entry.isEmpty())
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * Compiles the changed files into {@code directory}.
     *
     * @throws IllegalArgumentException if the patch does not apply, does not compile or changes no bytecode
     */
    public void build(Mutant mutant, Path directory) {
        Map<String, String> patched = mutant.patch().applyTo(home);
        Map<String, String> classes = compile("mutant " + mutant.name(), patched, directory);
        Path originals = directory.resolveSibling(directory.getFileName() + ".original");
        if (classes.equals(unchanged.computeIfAbsent(mutant.patch().files(), files -> classesOf(files, originals)))) {
            throw new IllegalArgumentException("mutant " + mutant.name() + " changes no bytecode");
        }
    }

    /** Returns the classes of unchanged files by their path, as text that can be compared. */
    Map<String, String> classesOf(List<String> files, Path directory) {
        Map<String, String> sources = new TreeMap<>();
        for (String file : files) {
            sources.put(file, read(home.resolve(file)));
        }
        return compile(files.toString(), sources, directory);
    }

    /** Compiles sources by their file names, and returns the classes by their path, as text that can be compared. */
    Map<String, String> compile(String what, Map<String, String> sources, Path directory) {
        compile(what, sources, directory, ALONE);
        return classesIn(directory);
    }

    /**
     * Compiles the test classes of a module that have these simple names, and the test classes that they use, into
     * {@code directory}.
     *
     * @return their qualified names
     * @throws IllegalArgumentException if the module has no such test class, or it does not compile
     */
    List<String> buildTests(Mutant.Seer.Tests tests, Path directory) {
        Path root = home.resolve(tests.module()).resolve(TESTS);
        Map<String, String> sources = new TreeMap<>();
        List<String> names = new ArrayList<>();
        for (String simpleName : tests.classes().split(",")) {
            Path file = find(root, simpleName + ".java");
            sources.put(root.relativize(file).toString(), read(file));
            names.add(root.relativize(file).toString().replaceFirst("\\.java$", "").replace('/', '.'));
        }
        compile(tests.toString(), sources, directory, List.of("-sourcepath", root.toString(), "-implicit:class"));
        return names;
    }

    private static Path find(Path root, String fileName) {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.endsWith(fileName))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("there is no " + fileName + " in " + root));
        } catch (IOException e) {
            throw new UncheckedIOException("tests in " + root + " cannot be listed", e);
        }
    }

    /** The compiler of this JVM, with one manager of files for all mutants: it opens the class path once. Not thread-safe. */
    private static final class Compiler {

        static final Compiler SHARED = new Compiler();

        final JavaCompiler compiler;
        final StandardJavaFileManager files;

        private Compiler() {
            compiler = ToolProvider.getSystemJavaCompiler();
            if (compiler == null) {
                throw new IllegalStateException("mutants need a JDK; this Java has no compiler: " + System.getProperty("java.home"));
            }
            files = compiler.getStandardFileManager(null, null, null);
        }

        /** @return whether it compiles; if not, {@code said} has the errors */
        synchronized boolean run(List<String> options, List<JavaFileObject> units, StringWriter said) {
            return compiler.getTask(said, files, null, options, null, units).call();
        }
    }

    private static void compile(String what, Map<String, String> sources, Path directory, List<String> more) {
        StringWriter said = new StringWriter();
        try {
            Files.createDirectories(directory);
            // Without lines and names, so that equal instructions are equal bytes.
            List<String> options = new ArrayList<>(List.of(
                    "-d", directory.toString(), "-classpath", classPath(), "-proc:none", "-nowarn", "-g:none"));
            options.addAll(more);
            List<JavaFileObject> units = new ArrayList<>();
            sources.forEach((file, text) -> units.add(new Source(file, text)));
            if (!Compiler.SHARED.run(options, units, said)) {
                throw new IllegalArgumentException(what + " does not compile:\n" + said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("classes of " + what + " cannot be written to " + directory, e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException("source " + file + " cannot be read", e);
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

    private static Map<String, String> classesIn(Path directory) {
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
