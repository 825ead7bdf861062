package dev.tutti.campaign.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The patches of {@code tutti-campaign/mutants} apply. */
class PatchTest {

    private static final Path HOME = Path.of("..");

    private static final List<String> HEADER = List.of("Wrong: One is", "  too few.", "Breaks: S9, no exception leaves a node", "Seen by: sim --mode prompt");

    static List<Mutant> mutants() {
        return Mutant.all(HOME);
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void applies(Mutant mutant) {
        assertThat(mutant.patch().applyTo(HOME)).containsOnlyKeys(mutant.patch().files());
        if (mutant.seer() instanceof Mutant.Seer.Tests tests) {
            assertThat(HOME.resolve(tests.module()).resolve("src/test/java")).as("module of " + mutant.name()).isDirectory();
        }
    }

    @Test
    void thereAreSome() {
        assertThat(mutants()).isNotEmpty();
    }

    @Test
    void headerNamesTheBugAndTheTestsThatDetectIt() {
        Mutant mutant = Mutant.parse("01-one", lines(" a", "-b", "+c"));
        assertThat(mutant.wrong()).isEqualTo("One is too few.");
        assertThat(mutant.breaks()).containsExactly("S9", "no exception leaves a node");
        assertThat(mutant.seer()).isEqualTo(new Mutant.Seer.Schedules(List.of("--mode", "prompt")));
        assertThatThrownBy(() -> Mutant.parse("01-one", List.of("Wrong: One is too few.", "--- a/x")))
                .hasMessageContaining("lacks 'Breaks:'");
        assertThatThrownBy(() -> Mutant.parse("01-one", List.of("Wrong: a", "Breaks: S9", "Seen by: people", "--- a/x")))
                .hasMessageContaining("neither 'sim [options]' nor 'test MODULE CLASS[,CLASS]'");
    }

    @Test
    void patchIsAppliedWhereTheLinesAreThoughTheyHaveMoved(@TempDir Path directory) throws IOException {
        Files.write(directory.resolve("x"), List.of("0", "0", "a", "b", "d", "a", "e"));
        assertThat(Mutant.parse("01-one", lines(" a", "-b", "+c", " d")).patch().applyTo(directory))
                .containsExactly(Map.entry("x", "0\n0\na\nc\nd\na\ne\n"));
    }

    @Test
    void patchThatFitsNowhereIsRefused(@TempDir Path directory) throws IOException {
        Files.write(directory.resolve("x"), List.of("a", "b", "e"));
        Patch patch = Mutant.parse("01-one", lines(" a", "-b", "+c", " d")).patch();
        assertThatThrownBy(() -> patch.applyTo(directory)).hasMessageContaining("does not apply to x").hasMessageContaining("near line 1");
    }

    private static List<String> lines(String... hunk) {
        List<String> lines = new ArrayList<>(HEADER);
        lines.addAll(List.of("", "--- a/x", "+++ b/x", "@@ -1,3 +1,3 @@"));
        lines.addAll(List.of(hunk));
        return lines;
    }
}
