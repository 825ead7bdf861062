package dev.tutti.campaign.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MutantPageTest {

    private final Mutant one = mutant("01-one", "tutti-protocols/src/main/java/dev/tutti/protocols/link/Link.java", "sim");
    private final Mutant two = mutant("02-two", "tutti-api/src/main/java/dev/tutti/internal/state/Gate.java", "sim --mode application");
    private final Mutant three = mutant("03-three", "tutti-api/src/main/java/dev/tutti/internal/delivery/DeliveryExecutor.java", "test tutti-api DeliveryExecutorTest");

    @Test
    void interruptedHuntGoesOnWithTheMutantsThatAreLeft(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("mutants.md");
        Files.write(file, List.of("# Mutants", ""));
        MutantPage page = new MutantPage(file);
        page.put(result(two, "", "", 2_000, ""));
        page.put(result(one, "L1", "7", 7, ""));
        MutantPage later = new MutantPage(file);
        assertThat(later.hasCaught(one)).isTrue();
        assertThat(later.hasCaught(two)).isFalse();
        assertThat(later.hasCaught(three)).isFalse();
    }

    @Test
    void rowIsReplacedAndTheTextAroundTheTableStays(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("mutants.md");
        Files.write(file, List.of("# Mutants", ""));
        new MutantPage(file).put(result(two, "", "", 150, ""));
        Files.write(file, List.of("", "Behind.", "| a | table |", "|---|---|"), java.nio.file.StandardOpenOption.APPEND);
        MutantPage page = new MutantPage(file);
        page.put(result(two, "S19", "4", 4, ""));
        page.put(result(one, "L1", "7", 7, "broken without the mutant, too"));
        page.put(result(three, "DeliveryExecutorTest", "", 0, ""));
        assertThat(file).hasContent("""
                # Mutants

                | mutant | layer | wrong | seen by | breaks | seed | schedules |
                |---|---|---|---|---|---|---|
                | `01-one` | protocols.link | One is wrong. | `sim` | **not caught**: broken without the mutant, too | 7 | 7 |
                | `02-two` | api.state | One is wrong. | `--mode application` | S19 | 4 | 4 |
                | `03-three` | api.delivery | One is wrong. | `DeliveryExecutorTest` | S9 |  |  |

                Behind.
                | a | table |
                |---|---|
                """);
    }

    @Test
    void mutantsThatThereAreNoMoreAreForgotten(@TempDir Path directory) {
        Path file = directory.resolve("mutants.md");
        new MutantPage(file).put(result(two, "S19", "4", 4, ""));
        MutantPage page = new MutantPage(file);
        page.retain(List.of(one));
        page.put(result(one, "L1", "7", 7, ""));
        assertThat(file).content().contains("01-one").doesNotContain("02-two");
    }

    private static MutantHunt.Result result(Mutant mutant, String property, String seed, long schedules, String remark) {
        return new MutantHunt.Result(mutant, property, seed, schedules, 1, remark);
    }

    private static Mutant mutant(String name, String file, String seer) {
        return Mutant.parse(name, List.of(
                "Wrong: One is wrong.", "Breaks: S9", "Seen by: " + seer, "--- a/" + file, "+++ b/" + file, "@@ -1,1 +1,1 @@", "-a", "+b"));
    }
}
