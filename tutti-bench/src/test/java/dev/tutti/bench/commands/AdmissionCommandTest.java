package dev.tutti.bench.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.internal.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Attempts that are refused. Their cost in CPU time is measured by {@code tutti perf admission} on a quiet machine. */
@Tag("slow")
@Timeout(120)
class AdmissionCommandTest {

    private static final double GROWTH_BYTES_MAX = 16 << 20;

    @Test
    void refusalsTakeNoMemory(@TempDir Path directory) throws IOException {
        Path figures = directory.resolve("figures.json");
        assertThat(Perf.run("admission", "--seconds", "6", "--json", figures.toString())).isZero();
        Map<?, ?> found = (Map<?, ?>) Objects.requireNonNull(Json.parse(Files.readString(figures)));
        assertThat(((Number) Objects.requireNonNull(found.get("refused-per-minute"))).doubleValue()).isPositive();
        assertThat(((Number) Objects.requireNonNull(found.get("growth-bytes"))).doubleValue()).isLessThan(GROWTH_BYTES_MAX);
    }
}
