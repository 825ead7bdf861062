package dev.tutti.campaign.mutants;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The mutants of {@code tutti-campaign/mutants} compile; {@code ./tutti sim --mutant all} hunts them. */
@Tag("slow")
class MutantsTest {

    private static final Path HOME = Path.of("..");
    private static final Workshop WORKSHOP = new Workshop(HOME);

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
    void compilesAndChangesBytecode(Mutant mutant) {
        assertThatCode(() -> batches.check(mutant)).doesNotThrowAnyException();
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
}
