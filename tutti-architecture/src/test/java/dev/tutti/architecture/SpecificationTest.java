package dev.tutti.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Mentions of the formal specification resolve, and its configurations state their result; {@code spec/check} runs them. */
class SpecificationTest {

    private static final Path ROOT = Path.of("..");
    private static final Pattern MENTION = Pattern.compile("\\bspec/([A-Za-z]\\w*\\.(?:md|tla)|check|cfg/\\w+\\.cfg)\\b");
    private static final Pattern HEADER =
            Pattern.compile("\\\\\\* check (\\w+) (ok|deadlock|[A-Z]\\w+) (quick|long|open)( -.*)?");

    @Test
    void mentionsInSourcesAndDocumentsResolve() throws IOException {
        List<String> broken = new ArrayList<>();
        int found = 0;
        try (Stream<Path> files = Stream.concat(Stream.of(ROOT.resolve("CONTRIBUTING.md")), texts())) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Matcher matcher = MENTION.matcher(Files.readString(file));
                while (matcher.find()) {
                    found++;
                    if (!Files.exists(ROOT.resolve(matcher.group()))) {
                        broken.add(file + ": " + matcher.group());
                    }
                }
            }
        }
        assertThat(found).isGreaterThan(8);
        assertThat(broken).isEmpty();
    }

    @Test
    void configurationsSayWhatMustComeOfThem() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("spec/cfg"))) {
            assertThat(files).hasSizeGreaterThan(30).allSatisfy(file -> {
                Matcher header = HEADER.matcher(Files.readAllLines(file).getFirst());
                assertThat(header.matches()).as("first line of %s", file).isTrue();
                assertThat(ROOT.resolve("spec/" + header.group(1) + ".tla")).exists();
                boolean isMistake = Files.readString(file).contains("Bug = \"") && !Files.readString(file).contains("Bug = \"none\"");
                assertThat(header.group(2).equals("ok")).as("%s must pass", file).isEqualTo(!isMistake);
            });
        }
    }

    /** Sources and documents of all modules. */
    private static Stream<Path> texts() throws IOException {
        List<Path> directories = new ArrayList<>(List.of(ROOT.resolve("docs"), ROOT.resolve("spec")));
        try (Stream<Path> modules = Files.list(ROOT)) {
            modules.map(module -> module.resolve("src")).filter(Files::isDirectory).forEach(directories::add);
        }
        return directories.stream().flatMap(SpecificationTest::below).filter(SpecificationTest::isText);
    }

    private static boolean isText(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".java") || name.endsWith(".md");
    }

    private static Stream<Path> below(Path directory) {
        try {
            return Files.walk(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
