package dev.tutti.bench.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.internal.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes join while strangers connect. The delay of loops and the effect of many handshakes are measured by {@code tutti
 * perf strangers} on a quiet machine.
 */
@Tag("slow")
@Timeout(120)
class StrangersTest {

    /** A door that strangers hold shut keeps a newcomer out for as long as they stay; other tests make one late by seconds. */
    private static final double JOIN_SECONDS_MAX = 20;
    private static final double GROWTH_BYTES_MAX = 64 << 20;

    @TempDir
    private Path directory = Path.of("");

    private void holds(String... options) throws IOException {
        Path figures = directory.resolve("figures.json");
        String[] all = Stream.concat(
                        Stream.of("strangers", "--seconds", "3", "--json", figures.toString()), Stream.of(options))
                .toArray(String[]::new);
        assertThat(Perf.run(all)).isZero();
        Map<?, ?> found = (Map<?, ?>) Objects.requireNonNull(Json.parse(Files.readString(figures)));
        assertThat((List<?>) Objects.requireNonNull(found.get("join-seconds"))).isNotEmpty().allSatisfy(join ->
                assertThat(((Number) join).doubleValue()).isLessThan(JOIN_SECONDS_MAX));
        assertThat(((Number) Objects.requireNonNull(found.get("growth-bytes"))).doubleValue()).isLessThan(GROWTH_BYTES_MAX);
    }

    @Test
    void aNewcomerJoinsWhileStrangersHoldTheDoorInSilence() throws IOException {
        holds("--rate", "2000", "--held", "2000", "--silent");
    }
}
