package dev.tutti.campaign.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.Campaign;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Mutants are caught in JVMs of their own by schedules and by tests. */
@Order(1)
@Tag("slow")
class MutantHuntTest {

    private static final Path HOME = Path.of("..");

    private final List<String> progress = Collections.synchronizedList(new ArrayList<>());
    private final MutantHunt hunt = new MutantHunt(HOME, Campaign.class.getName(), progress::add, 2, 5);

    private static Mutant mutant(String name) {
        return Mutant.all(HOME).stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
    }

    @Test
    void schedulesAndTestsCatchMutantsAndResultsAreInOrder() {
        Mutant primary = mutant("64-half-is-a-majority");
        Mutant ranges = mutant("59-tail-of-a-range-is-forgotten");
        Mutant joined = mutant("16-joined-is-never-told");
        List<MutantHunt.Result> found = new ArrayList<>();
        List<MutantHunt.Result> results = hunt.run(List.of(primary, ranges, joined), 1, 100, found::add);
        assertThat(results).extracting(MutantHunt.Result::mutant).containsExactly(primary, ranges, joined);
        assertThat(results).extracting(MutantHunt.Result::property).containsExactly("S20", "RangesTest", "T1");
        assertThat(results).allMatch(MutantHunt.Result::isCaught);
        assertThat(found).containsExactlyInAnyOrderElementsOf(results);
        assertThat(progress).hasSize(3).anyMatch(line -> line.startsWith("1/3 ")).anyMatch(line -> line.startsWith("3/3 "));
    }

    /** Mutants whose schedule is a file, with a coincidence that seeds hardly ever draw. */
    static List<Mutant> ofScenarios() {
        return Mutant.all(HOME).stream()
                .filter(each -> each.seer() instanceof Mutant.Seer.Schedules(List<String> options)
                        && options.contains("--scenario"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("ofScenarios")
    void scenarioBreaksItsPropertyOnlyWithTheMutant(Mutant mutant) {
        MutantHunt.Result result = hunt.run(List.of(mutant), 1, 1, each -> {}).getFirst();
        assertThat(result.isCaught()).as(result.toString()).isTrue();
        assertThat(result.schedules()).isOne();
    }

    @Test
    void everyScenarioBelongsToAMutant() throws IOException {
        try (Stream<Path> files = Files.list(HOME.resolve(Mutant.DIRECTORY).resolve("scenarios"))) {
            List<String> names = files.map(file -> file.getFileName().toString().replace(".txt", "")).toList();
            assertThat(names).isNotEmpty().allMatch(name ->
                    ofScenarios().stream().anyMatch(each -> each.seer().toString().endsWith("/" + name + ".txt")));
        }
    }

    @Test
    void violationOfAnotherPropertyIsNoCatch() {
        Mutant joined = mutant("16-joined-is-never-told");
        Mutant other = new Mutant(joined.name(), joined.wrong(), List.of("S9"), joined.seer(), joined.patch());
        MutantHunt.Result result = hunt.run(List.of(other), 1, 2, each -> {}).getFirst();
        assertThat(result.isCaught()).isFalse();
        assertThat(result.schedules()).isEqualTo(2);
        assertThat(result).hasToString(String.format("16-joined-is-never-told: NOT caught, 2 schedules, %.1f s", result.seconds()));
        assertThat(new MutantTable(List.of(result)).text()).contains("NOT CAUGHT", "0 of 1 mutants caught");
    }

    @Test
    void violationWithoutTheMutantTooIsNoCatch() {
        MutantHunt.Result result = new MutantHunt.Result(
                mutant("16-joined-is-never-told"), "T1", "1", 1, 1, "broken without the mutant, too");
        assertThat(result.isCaught()).isFalse();
        assertThat(new MutantTable(List.of(result)).isFull()).isFalse();
    }
}
