package dev.tutti.bench.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.internal.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MatchCommandTest {

    /** The command fails if an index finds other subscriptions than a scan. */
    @Test
    void allIndexesFindWhatAScanFinds(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("match.json");
        assertThat(Perf.run("match", "--short", "--time", "20ms", "--warmup", "20ms", "--subscriptions", "1000", "--json", file.toString()))
                .isZero();
        Map<?, ?> figures = (Map<?, ?>) Objects.requireNonNull(Json.parse(Files.readString(file)));
        for (String mix : List.of("exact", "wildcards", "tags", "tags-in-selectors", "selectors", "all")) {
            Map<?, ?> part = (Map<?, ?>) Objects.requireNonNull(figures.get(mix));
            assertThat(((Number) Objects.requireNonNull(part.get("found"))).doubleValue()).as(mix).isPositive();
            assertThat(part.containsKey("moquette")).as(mix).isEqualTo(mix.equals("exact") || mix.equals("wildcards"));
        }
    }
}
