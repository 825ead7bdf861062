package dev.tutti.campaign.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.schedule.Schedule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Golden scenarios, in {@code src/test/resources/scenarios}, which once broke a promise, or nearly. */
class ScenarioTest {

    private static final Path SCENARIOS = Path.of("src/test/resources/scenarios");

    static List<Path> scenarios() throws IOException {
        try (Stream<Path> files = Files.list(SCENARIOS)) {
            return files.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void promisesHold(Path scenario) throws IOException {
        Trial.Outcome outcome = Trial.run(Schedule.parse(Files.readString(scenario)));
        assertThat(outcome.property()).as(outcome.failure()).isEmpty();
        assertThat(outcome.events()).isPositive();
    }

    @Test
    void thereAreSome() throws IOException {
        assertThat(scenarios()).hasSizeGreaterThan(3);
    }
}
