package dev.tutti.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.architecture.Advisories.Finding;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No library has a flaw that is known to the advisories in the directory {@code TUTTI_ADVISORIES}, if that is set. */
class AdvisoriesTest {

    private static final List<Library> LIBRARIES = Library.of(Library.jars());

    @TempDir
    private Path directory;

    @Test
    void librariesHaveNoKnownFlaw() throws IOException {
        assertThat(LIBRARIES).hasSizeGreaterThan(30).contains(new Library("org.jspecify:jspecify", versionOf("jspecify")));
        write("netty.json", "io.netty:netty-common", "{\"introduced\": \"0\"}");
        assertThat(Advisories.findings(directory, LIBRARIES))
                .containsExactly(new Finding("GHSA-1", new Library("io.netty:netty-common", versionOf("netty-common")), ""));
        String advisories = System.getenv("TUTTI_ADVISORIES");
        if (advisories != null) {
            List<Finding> found = Advisories.findings(Path.of(advisories), LIBRARIES);
            // In the description, as summaries of a run show its first line alone.
            assertThat(found).as("advisories in %s: %s", advisories, found).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "1.9.9.Final | 3.0 | ",
        "2.0.Final | 3.0 | 2.1.Final",
        "2.1.Final-SNAPSHOT | 3.0 | 2.1.Final",
        "2.1.Final | 3.0 | ",
        "2.10.Final | 3.0 | ",
        "3.0-rc1 | 3.0 | ",
        "3.0 | 3.0 | none",
        "3.1 | 3.0 | ",
        "7 | 7 | none",
        "0-alpha | 0 | 2.1.Final"
    })
    void versionsAreAffectedFromTheFlawToItsFix(String version, String last, String fixed) throws IOException {
        write("a.json", "g:a", """
                {"fixed": "2.1.Final"}, {"introduced": "2.0.Final"},
                {"introduced": "%1$s"}, {"last_affected": "%1$s"}""".formatted(last));
        List<Library> libraries = List.of(new Library("g:a", version), new Library("g:b", version));
        assertThat(Advisories.findings(directory, libraries))
                .extracting(Finding::fixed)
                .isEqualTo(fixed == null ? List.of() : List.of(fixed.replace("none", "")));
    }

    @Test
    void listedVersionsAreAffectedAndWithdrawnAdvisoriesAreNot() throws IOException {
        String advisory = """
                {"id": "GHSA-2",%s "affected": [
                  {"package": {"ecosystem": "npm", "name": "g:a"}, "versions": ["5"]}, {"ranges": [{"type": "GIT"}]},
                  {"package": {"ecosystem": "Maven:https://repo.example", "name": "g:a"}, "versions": ["1", "2"],
                   "ranges": [{"type": "GIT", "events": [{"introduced": "0"}]}]}]}""";
        Path below = Files.createDirectory(directory.resolve("2026"));
        Files.writeString(below.resolve("listed.json"), advisory.formatted(" \"withdrawn\": null,"));
        Files.writeString(below.resolve("withdrawn.json"), advisory.formatted("\"withdrawn\": \"2026-01-01T00:00:00Z\","));
        Library affected = new Library("g:a", "2");
        assertThat(Advisories.findings(directory, List.of(affected, new Library("g:a", "5"))))
                .containsExactly(new Finding("GHSA-2", affected, ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "{\"id\": \"GHSA-1\"", "[]", "{}", "{\"id\": \"GHSA-1\", \"affected\": {}}",
        "{\"id\": \"GHSA-1\", \"affected\": [{\"package\": {\"ecosystem\": \"Maven\"}}]}", "\u00ff"
    })
    void brokenFilesAreNamed(String text) throws IOException {
        write("a.json", "g:a", "{\"introduced\": \"0\"}");
        Path broken = Files.write(directory.resolve("broken.json"), text.getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> Advisories.findings(directory, LIBRARIES))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(broken + " is not an advisory in the format of OSV: ");
    }

    @Test
    void directoriesWithoutAdvisoriesAboutMavenAreRefused() throws IOException {
        Files.writeString(directory.resolve("npm.json"), """
                {"id": "GHSA-1", "affected": [{"package": {"ecosystem": "npm", "name": "a"}}]}""");
        assertThatThrownBy(() -> Advisories.findings(directory, LIBRARIES))
                .hasMessage(directory + " has no advisory about a Maven package; files named *.json: 1");
    }

    @Test
    void jarsOutsideARepositoryAreReported() {
        assertThat(Library.of(List.of(Path.of("/r/g/h/a/1/a-1-linux.jar"), Path.of("/r/org/b/2/b-2.jar"))))
                .containsExactly(new Library("g.h:a", "1"), new Library("org:b", "2"));
        assertThatThrownBy(() -> Library.of(List.of(Path.of("/r/g/a/1/a-1.jar"), Path.of("/r/lib/b.jar"))))
                .hasMessage("lib/b.jar is not group/artifact/version/artifact-version.jar of a repository");
    }

    private static String versionOf(String artifact) {
        return LIBRARIES.stream()
                .filter(each -> each.name().endsWith(":" + artifact))
                .map(Library::version)
                .findFirst()
                .orElseThrow();
    }

    private void write(String file, String name, String events) throws IOException {
        Files.writeString(directory.resolve(file), """
                {"id": "GHSA-1", "affected": [
                  {"package": {"ecosystem": "Maven", "name": "%s"}, "ranges": [{"type": "ECOSYSTEM", "events": [%s]}]}]}"""
                .formatted(name, events));
    }
}
