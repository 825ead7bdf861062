package dev.tutti.campaign.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The patches of {@code tutti-campaign/mutants} apply and compile; {@code ./tutti sim --mutant all} hunts them. */
@Order(2)
class MutantsTest {

    private static final Path HOME = Path.of("..");
    private static final Workshop WORKSHOP = new Workshop(HOME);

    private static final List<String> HEADER = List.of("Wrong: One is", "  too few.", "Breaks: S9, no exception leaves a node", "Seen by: sim --mode prompt");

    private static Batches batches;

    @BeforeAll
    static void compile(@TempDir Path directory) {
        batches = new Batches(WORKSHOP, HOME, mutants(), directory);
    }

    static List<Mutant> mutants() {
        return Mutant.all(HOME);
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void appliesCompilesAndChangesBytecode(Mutant mutant) {
        batches.check(mutant);
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
                .containsExactly(java.util.Map.entry("x", "0\n0\na\nc\nd\na\ne\n"));
    }

    @Test
    void patchThatFitsNowhereIsRefused(@TempDir Path directory) throws IOException {
        Files.write(directory.resolve("x"), List.of("a", "b", "e"));
        Patch patch = Mutant.parse("01-one", lines(" a", "-b", "+c", " d")).patch();
        assertThatThrownBy(() -> patch.applyTo(directory)).hasMessageContaining("does not apply to x").hasMessageContaining("near line 1");
    }

    /** Returns a mutant that puts a line before the first one of a file that {@code mutant} changes. */
    private static Mutant lineBefore(Mutant mutant, String name, String line) {
        String file = mutant.patch().files().getFirst();
        return Mutant.parse(name, List.of("Wrong: " + name, "Breaks: S9", "Seen by: sim", "--- a/" + file, "+++ b/" + file, "@@ -1,1 +1,2 @@", "+" + line));
    }

    @Test
    void patchThatChangesNoBytecodeIsRefused(@TempDir Path directory) {
        Mutant nothing = lineBefore(mutants().getFirst(), "01-nothing", "// nothing");
        assertThatThrownBy(() -> WORKSHOP.build(nothing, directory.resolve("classes")))
                .hasMessageContaining("changes no bytecode");
    }

    @Test
    void mutantsThatAreCompiledTogetherFailAlone(@TempDir Path directory) {
        Mutant good = mutants().getFirst();
        List<Mutant> others = mutants().stream()
                .filter(each -> Collections.disjoint(each.patch().files(), good.patch().files()))
                .toList();
        Mutant nothing = lineBefore(others.getFirst(), "02-nothing", "// nothing");
        Mutant broken = others.stream()
                .filter(each -> Collections.disjoint(each.patch().files(), nothing.patch().files()))
                .map(each -> lineBefore(each, "03-broken", "nothing"))
                .findFirst()
                .orElseThrow();
        Batches two = new Batches(WORKSHOP, HOME, List.of(good, nothing), directory.resolve("two"));
        Batches three = new Batches(WORKSHOP, HOME, List.of(good, nothing, broken), directory.resolve("three"));
        for (Batches each : List.of(two, three)) {
            assertThatCode(() -> each.check(good)).doesNotThrowAnyException();
            assertThatThrownBy(() -> each.check(nothing)).hasMessageContaining("02-nothing changes no bytecode");
        }
        assertThatThrownBy(() -> three.check(broken)).hasMessageContaining("03-broken does not compile");
    }

    private static List<String> lines(String... hunk) {
        List<String> lines = new java.util.ArrayList<>(HEADER);
        lines.addAll(List.of("", "--- a/x", "+++ b/x", "@@ -1,3 +1,3 @@"));
        lines.addAll(List.of(hunk));
        return lines;
    }
}
