package dev.tutti.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The walks of {@code docs/ARCHITECTURE.md} are short, and lead to classes and methods that exist. */
class WalkTest {

    private static final Path DOCS = Path.of("../docs");
    private static final int STATIONS_MAX = 10;
    private static final Pattern STATION = Pattern.compile("(?m)^\\d+\\. ");
    private static final Pattern LINK = Pattern.compile("\\[`(\\w+)(?:\\.(\\w+))?`]\\(([^)]+\\.java)\\)");

    @ParameterizedTest
    @ValueSource(strings = {"## A message, from `send` to the listener", "## A crash, from the closed socket to the new view"})
    void leadsToWhatExists(String title) throws IOException {
        String page = Files.readString(DOCS.resolve("ARCHITECTURE.md"));
        int begin = page.indexOf(title);
        assertThat(begin).as(title).isPositive();
        String[] stations = STATION.split(page.substring(begin, page.indexOf("\n## ", begin + title.length())));
        assertThat(stations.length - 1).as("stations").isBetween(5, STATIONS_MAX);
        for (int number = 1; number < stations.length; number++) {
            assertThat(LINK.matcher(stations[number]).find()).as("station " + number + " names a class and its file").isTrue();
            assertThat(broken(stations[number])).as("station " + number).isEmpty();
        }
    }

    @Test
    void missingNamesAreFound() throws IOException {
        String file = "../tutti-architecture/src/test/java/dev/tutti/architecture/WalkTest.java";
        assertThat(broken("[`WalkTest.broken`](" + file + "), [`WalkTest`](" + file + ")")).isEmpty();
        assertThat(broken("[`WalkTest.gone`](" + file + ")")).containsExactly("WalkTest has no method gone");
        assertThat(broken("[`Walk`](" + file + ")")).containsExactly("Walk is not in " + file);
        assertThat(broken("[`Gone`](../Gone.java)")).containsExactly("there is no ../Gone.java");
    }

    private static List<String> broken(String station) throws IOException {
        List<String> broken = new ArrayList<>();
        Matcher link = LINK.matcher(station);
        while (link.find()) {
            String name = link.group(1);
            String method = link.group(2);
            String file = link.group(3);
            Path path = DOCS.resolve(file);
            if (!Files.exists(path)) {
                broken.add("there is no " + file);
            } else if (!path.getFileName().toString().equals(name + ".java")) {
                broken.add(name + " is not in " + file);
            } else if (method != null && !declares(Files.readString(path), method)) {
                broken.add(name + " has no method " + method);
            }
        }
        return broken;
    }

    /** Returns whether a method is declared in a class that is not nested in another. */
    private static boolean declares(String source, String method) {
        return Pattern.compile("(?m)^ {4}[^ =(.][^=(]*[ >]" + method + "\\(").matcher(source).find();
    }
}
