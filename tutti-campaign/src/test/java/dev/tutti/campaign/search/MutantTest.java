package dev.tutti.campaign.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.schedule.Schedule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Schedules with the coincidences that some mutants need, in {@code src/test/resources/mutants}. A file is named after
 * its mutant, and begins with the property that shows it.
 */
class MutantTest {

    private static final Path MUTANTS = Path.of("src/test/resources/mutants");

    static List<Path> mutants() throws IOException {
        try (Stream<Path> files = Files.list(MUTANTS)) {
            return files.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void isShownByItsCoincidenceWhichBreaksNothingElse(Path file) throws IOException {
        String text = Files.readString(file);
        Schedule schedule = Schedule.parse(text);
        Mutant mutant = Mutant.all().stream()
                .filter(each -> file.getFileName().toString().equals(each.name() + ".txt"))
                .findFirst()
                .orElseThrow();
        Trial.Outcome without = Trial.run(schedule);
        assertThat(without.property()).as(without.failure()).isEmpty();
        assertThat(text).startsWith("# " + Trial.run(schedule, mutant).property() + ":");
    }
}
