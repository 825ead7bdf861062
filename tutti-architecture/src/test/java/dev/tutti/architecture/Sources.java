package dev.tutti.architecture;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rules for the text of the sources. */
final class Sources {

    /** Programs as users would write them. */
    private static final Path SAMPLES = Path.of("samples");

    /** Modules whose libraries can't be on one module path, or are not made for one: decisions 0385 and 0405. */
    private static final Set<Path> WITHOUT_DESCRIPTOR = Set.of(Path.of("tutti-study"), Path.of("tutti-spring"), SAMPLES);

    static final int LINES_MAX = 600;
    static final int FILES_MAX = 25;

    private static final Set<String> SKIPPED = Set.of("target", ".git", ".ci", "node_modules");

    /** Files that spell out forbidden text, and the one place that catches everything: around the users' code. */
    private static final Set<String> EXEMPT = Set.of("Sources.java", "SourcesTest.java", "Fence.java");

    /** Forbidden in tests. */
    private static final Map<String, Pattern> IN_TESTS = Map.of(
            "waits by the clock", Pattern.compile("(Thread|TimeUnit\\s*\\.\\s*[A-Z]+)\\s*\\.\\s*sleep\\s*\\("),
            "waits by itself; Await.until does it for all", Pattern.compile("\\b(parkNanos|parkUntil|onSpinWait)\\b"),
            "can be skipped",
                    Pattern.compile("@(Disabled|Enabled)(On|If|For|\\b)|\\bAssumptions\\b|\\bassume(True|False|That)\\b"),
            "is repeated until it succeeds", Pattern.compile("rerunFailingTests|@RetryingTest"),
            "has more seeds than ./tutti test tries, and no @Tag(\"seeds\") below",
                    Pattern.compile("(?m)^ {0,4}@ClusterTest(\\((?![^)]*seeds = [1-3]\\b)[^)]*\\)|\\b(?!\\())(?!\\s*@Tag\\()"));

    /** Forbidden everywhere. */
    private static final Map<String, Pattern> ANYWHERE = Map.of(
            "leaves work undone", Pattern.compile("\\b(TODO|FIXME|XXX)\\b"),
            "names an author", Pattern.compile("\\*\\s*@author\\b"),
            "catches everything", Pattern.compile("catch\\s*\\(\\s*(final\\s+)?(java\\.lang\\.)?Throwable\\b"));

    private static final String RELATIVE = "(What|Who|Whom|Whose|How|Whether|So many|So much)\\b";

    /** Forbidden in main sources. */
    private static final Map<String, Pattern> IN_MAIN = Map.of(
            "begins with a relative clause",
            Pattern.compile("(?m)^\\s*(/\\*\\*|\\*)\\s+" + RELATIVE + "|\"" + RELATIVE));

    private final Map<Path, String> files;

    /** @param files contents by path, relative to the root of the project */
    Sources(Map<Path, String> files) {
        this.files = new TreeMap<>(files);
    }

    static Sources below(Path root) throws IOException {
        Map<Path, String> files = new TreeMap<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                boolean isSkipped = SKIPPED.contains(directory.getFileName().toString());
                return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (file.toString().endsWith(".java")) {
                    files.put(root.relativize(file), Files.readString(file));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return new Sources(files);
    }

    int size() {
        return files.size();
    }

    Set<String> violations() {
        Set<String> found = new TreeSet<>();
        files.forEach((file, text) -> {
            long lines = text.lines().count();
            if (lines > LINES_MAX) {
                found.add(file + ": " + lines + " lines, at most " + LINES_MAX);
            }
            if (EXEMPT.contains(file.getFileName().toString())) {
                return;
            }
            ANYWHERE.forEach((what, pattern) -> search(file, text, pattern, what, found));
            if (file.toString().contains("src/test/")) {
                IN_TESTS.forEach((what, pattern) -> search(file, text, pattern, what, found));
            }
            if (file.toString().contains("src/main/")) {
                IN_MAIN.forEach((what, pattern) -> search(file, text, pattern, what, found));
            }
        });
        found.addAll(unmarkedPackages());
        found.addAll(largePackages());
        found.addAll(namelessModules());
        return found;
    }

    private static void search(Path file, String text, Pattern pattern, String what, Set<String> found) {
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            long line = 1 + text.substring(0, matcher.start()).chars().filter(each -> each == '\n').count();
            found.add(file + ":" + line + ": " + what + ": " + matcher.group().strip());
        }
    }

    private List<String> largePackages() {
        Map<String, Integer> counts = new TreeMap<>();
        files.keySet().forEach(file -> {
            String path = file.toString().replace(File.separatorChar, '/');
            int begin = path.indexOf("src/main/java/");
            if (begin >= 0 && file.getParent() != null && !path.endsWith("module-info.java")) {
                String name = path.substring(begin + "src/main/java/".length(), path.lastIndexOf('/')).replace('/', '.');
                counts.merge(name, 1, Integer::sum);
            }
        });
        List<String> found = new ArrayList<>();
        counts.forEach((name, count) -> {
            if (count > FILES_MAX) {
                found.add(name + ": " + count + " files, at most " + FILES_MAX);
            }
        });
        return found;
    }

    private List<String> unmarkedPackages() {
        List<String> found = new ArrayList<>();
        for (Path directory : directories("src/main/java")) {
            if (directory.startsWith(SAMPLES)) {
                continue;
            }
            String info = files.get(directory.resolve("package-info.java"));
            if (info == null) {
                found.add(directory + ": no package-info.java");
            } else if (!info.contains("@NullMarked")) {
                found.add(directory + ": package-info.java is not @NullMarked");
            }
        }
        return found;
    }

    private List<String> namelessModules() {
        List<String> found = new ArrayList<>();
        Set<Path> roots = new TreeSet<>();
        for (Path file : files.keySet()) {
            String path = file.toString();
            int end = path.indexOf("src/main/java/");
            if (end >= 0) {
                roots.add(Path.of(path.substring(0, end), "src", "main", "java"));
            }
        }
        for (Path root : roots) {
            if (WITHOUT_DESCRIPTOR.stream().noneMatch(root::startsWith) && !files.containsKey(root.resolve("module-info.java"))) {
                found.add(root + ": no module-info.java");
            }
        }
        return found;
    }

    /** Returns directories with sources in them, other than module-info.java. */
    private Set<Path> directories(String below) {
        Set<Path> directories = new TreeSet<>();
        for (Path file : files.keySet()) {
            if (file.toString().contains(below) && !file.endsWith("module-info.java") && file.getParent() != null) {
                directories.add(file.getParent());
            }
        }
        return directories;
    }
}
