package dev.tutti.cli.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Event;
import dev.tutti.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The documents: their code compiles, the program of the tutorial runs, links lead somewhere, and lists are complete. */
class DocumentsTest {

    private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]+)[^)]*\\)");
    private static final Pattern ROW = Pattern.compile("^\\| `([a-z-]+)` \\|", Pattern.MULTILINE);
    private static final Pattern FENCE = Pattern.compile("^ *```.*?^ *```", Pattern.MULTILINE | Pattern.DOTALL);

    private static final Pattern WARNING = Pattern.compile("\\b(?:LOG|log|logger)\\.(?:warn|error)\\(\\s*((?:\"(?:[^\"\\\\]|\\\\.)*\"\\s*\\+?\\s*)+)");
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern EVENT = Pattern.compile("\\{}|node|group|so far|[^a-z]");
    private static final List<String> MODULES = List.of("tutti-api", "tutti-netty", "tutti-blocks", "tutti-sites", "tutti-tomcat", "tutti-spring", "tutti-jcache", "tutti-jetty",
            "tutti-undertow", "tutti-stomp", "tutti-balancer", "tutti-console", "tutti-grid", "tutti-grid-bridges", "tutti-metrics");

    @TempDir
    private Path classes;

    @Test
    void codeCompiles() throws IOException {
        assertThat(Code.programs()).hasSizeGreaterThan(8);
        assertThat(Code.compileAll(classes)).isEmpty();
    }

    /** A program whose file is in the folder of another one hides an imported type of its name, as when Java runs a source file. */
    @Test
    void allProgramsMayBeInOneFolder() throws IOException {
        assertThat(Code.compileBesideEachOther(classes)).isEmpty();
    }

    @Test
    void theClassOfAProjectOfOnesOwnCompiles() throws IOException {
        assertThat(Code.compileClass(Code.DOCS.resolve("start/tutorial.md"), "me/Chat.java", classes)).isEmpty();
        assertThat(classes.resolve("me/Chat.class")).exists();
    }

    @Test
    void theFirstProgramRunsAsTheTutorialSays() throws IOException {
        try (Programs programs = new Programs(classes, "Chat.java")) {
            Terminal ann = programs.start("Chat", "ann");
            ann.awaits("we are [ann]");
            Terminal bob = programs.start("Chat", "bob");
            ann.awaits("we are [ann, bob]");
            bob.awaits("we are [ann, bob]");
            ann.type("hello");
            bob.awaits("ann: hello");
            ann.kill();
            bob.awaits("we are [bob]");
            assertThat(bob.shows("we are [ann, bob]")).isTrue();
        }
    }

    @Test
    void theShopOfTheRecipeIsTheSample() throws IOException {
        Path sample = Path.of("../samples/spring-shop/src/main");
        String page = Files.readString(Code.DOCS.resolve("recipes/sessions.md"));
        assertThat(page).contains(Files.readString(sample.resolve("java/shop/Shop.java")));
        assertThat(page).contains(Files.readString(sample.resolve("resources/application.yaml")));
    }

    @Test
    void linksLeadSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : allPages()) {
            Matcher link = LINK.matcher(FENCE.matcher(Files.readString(page)).replaceAll(""));
            while (link.find()) {
                String target = link.group(1);
                if (!target.contains(":") && !Files.exists(page.resolveSibling(target))) {
                    broken.add(page + ": " + target);
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void eachEventAndProblemIsExplained() throws IOException {
        List<String> kinds = new ArrayList<>();
        Arrays.stream(Event.Kind.values()).map(Event.Kind::text).forEach(kinds::add);
        Arrays.stream(Problem.Kind.values()).map(Problem.Kind::text).forEach(kinds::add);
        List<String> rows = ROW.matcher(Files.readString(Code.DOCS.resolve("operations/events.md"))).results().map(row -> row.group(1)).toList();
        assertThat(rows).isEqualTo(kinds);
    }

    @Test
    void eachWarningIsExplained() throws IOException {
        String page = Files.readString(Code.DOCS.resolve("operations/logs.md"));
        List<String> unexplained = new ArrayList<>();
        int found = 0;
        for (String module : MODULES) {
            for (Path source : filesBelow(Path.of("..", module, "src/main/java"), ".java")) {
                Matcher warning = WARNING.matcher(Files.readString(source));
                while (warning.find()) {
                    String text = LITERAL.matcher(warning.group(1)).results().map(each -> each.group(1)).reduce("", String::concat);
                    // A text that is only values, or the words of an event, explains itself.
                    if (EVENT.matcher(text).replaceAll("").length() >= 4) {
                        found++;
                        if (!page.contains("`" + text.replace("\\\"", "\"").replace("{}", "…") + "`")) {
                            unexplained.add(source + " writes '" + text + "'; it needs a row in docs/operations/logs.md");
                        }
                    }
                }
            }
        }
        assertThat(found).isGreaterThan(90);
        assertThat(unexplained).isEmpty();
    }

    private static List<Path> filesBelow(Path directory, String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
        }
    }

    private static List<Path> allPages() throws IOException {
        return Stream.concat(Stream.of(Path.of("../README.md")), filesBelow(Code.DOCS, ".md").stream()).toList();
    }
}
