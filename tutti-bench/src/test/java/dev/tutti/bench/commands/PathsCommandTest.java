package dev.tutti.bench.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.bench.QuickJvm;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class PathsCommandTest {

    /** The command fails if anything that arrives is not what was sent. */
    @Test
    void allPathsCarryWhatWasSent(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("grid.json");
        Path page = directory.resolve("grid.html");
        List<String> arguments = new ArrayList<>(List.of("grid", "--short", "--time", "50ms", "--warmup", "50ms", "--size", "1B,512KiB",
                "--producers", "3", "--json", file.toString(), "--html", page.toString()));
        arguments.addAll(QuickJvm.arguments());
        assertThat(Perf.run(arguments.toArray(new String[0]))).isZero();
        Map<?, ?> figures = (Map<?, ?>) Objects.requireNonNull(Json.parse(Files.readString(file)));
        assertThat((List<?>) figures.get("failures")).isEmpty();
        assertThat((List<?>) figures.get("sizes")).hasSize(10);
        assertThat((List<?>) figures.get("producers")).hasSize(3);
        assertThat(Files.readString(page)).contains("round trip, median", "socket-each");
    }

    @Test
    void wrongNumbersAreRefused() {
        assertThat(Perf.run("grid", "--size", "5MiB")).isEqualTo(1);
        assertThat(Perf.run("grid", "--producers", "1001")).isEqualTo(1);
    }
}
