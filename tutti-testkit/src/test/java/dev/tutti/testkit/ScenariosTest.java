package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The golden scenarios of {@code docs/scenarios.md} and of the pages on concepts: each is played, and must go as the page says. With {@code
 * -Dtutti.test.golden=write} the page gets the events that happened, for its author to review.
 */
class ScenariosTest {

    private static final Path DOCS = Path.of("../docs");
    private static final String PAGE = "scenarios.md";
    private static final List<String> CONCEPTS =
            List.of("concepts/views.md", "concepts/synchrony.md", "concepts/orders.md", "concepts/primary.md");
    private static final String BLOCK = "```scenario";
    private static final String BLOCK_END = "```";

    /** Parts of a page: prose and blocks of steps in turn, by the heading above them. */
    private static Map<String, List<String>> sections(String page) throws IOException {
        Map<String, List<String>> sections = new LinkedHashMap<>();
        List<String> section = new ArrayList<>();
        for (String line : Files.readAllLines(DOCS.resolve(page))) {
            if (line.startsWith("## ")) {
                section = new ArrayList<>();
                sections.put(line.substring("## ".length()), section);
            }
            section.add(line);
        }
        return sections;
    }

    static List<Arguments> scenarios() throws IOException {
        List<Arguments> scenarios = new ArrayList<>();
        sections(PAGE).keySet().forEach(title -> scenarios.add(Arguments.of(PAGE, title)));
        for (String page : CONCEPTS) {
            sections(page).forEach((title, lines) -> {
                if (lines.contains(BLOCK)) {
                    scenarios.add(Arguments.of(page, title));
                }
            });
        }
        return scenarios;
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void goesAsThePageSays(String page, String title) throws IOException {
        List<String> told = sections(page).get(title);
        List<String> played = withSteps(told, new Scenario().play(steps(told)));
        if ("write".equals(System.getProperty("tutti.test.golden"))) {
            String text = Files.readString(DOCS.resolve(page));
            Files.writeString(DOCS.resolve(page), text.replace(String.join("\n", told), String.join("\n", played)));
            return;
        }
        assertThat(String.join("\n", played)).isEqualTo(String.join("\n", told));
    }

    @Test
    void thereAreTen() throws IOException {
        assertThat(sections(PAGE)).hasSize(10);
    }

    /** Returns the lines of all blocks of a section; an empty line ends each. */
    private static List<String> steps(List<String> section) {
        List<String> steps = new ArrayList<>();
        boolean isStep = false;
        for (String line : section) {
            if (line.equals(BLOCK_END)) {
                isStep = false;
                steps.add("");
            } else if (isStep) {
                steps.add(line);
            }
            isStep = isStep || line.equals(BLOCK);
        }
        return steps;
    }

    /** Returns the section with these blocks instead of its own. */
    private static List<String> withSteps(List<String> section, List<String> blocks) {
        List<String> lines = new ArrayList<>();
        int next = 0;
        boolean isStep = false;
        for (String line : section) {
            if (line.equals(BLOCK)) {
                isStep = true;
                lines.add(line);
                while (!blocks.get(next).isEmpty()) {
                    lines.add(blocks.get(next++));
                }
                next++;
            } else if (!isStep) {
                lines.add(line);
            } else if (line.equals(BLOCK_END)) {
                isStep = false;
                lines.add(line);
            }
        }
        return lines;
    }
}
