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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs of the command as brief as possible: what it verifies is tested, the figures are not. */
@Tag("slow")
@Timeout(240)
class RelayCommandTest {

    private static Map<?, ?> run(Path file, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of("relay", "--json", file.toString()));
        all.addAll(QuickJvm.arguments());
        all.addAll(List.of(arguments));
        assertThat(Perf.run(all.toArray(new String[0]))).isZero();
        return map(Json.parse(Files.readString(file)));
    }

    private static Map<?, ?> map(Object value) {
        return (Map<?, ?>) Objects.requireNonNull(value);
    }

    /** The command fails if a message is lost, or tutti's have not gone through the server. HAProxy is not part of the build. */
    @Test
    void nodesReachEachOtherThroughRelaysAlone(@TempDir Path directory) throws IOException {
        Map<?, ?> figures = run(directory.resolve("nodes.json"),
                "--mode", "nodes", "--members", "2", "--repetitions", "1", "--seconds", "1", "--warmup", "80ms", "--haproxy", "/nowhere",
                "--heap", "64m");
        Map<?, ?> systems = map(figures.get("systems"));
        assertThat(systems.keySet().toString()).isEqualTo("[tutti-relayed, tutti-relayed-encrypted, jgroups-tunnel]");
        assertThat(map(map(systems.get("tutti-relayed")).get("messages-per-second")).get("median")).isNotEqualTo(0.0);
    }

    /** The command fails if a pair breaks, or a newcomer with a token is not let in. */
    @Test
    void pairsGoOnAndNewcomersGetInAmongHostileClients(@TempDir Path directory) throws IOException {
        Map<?, ?> figures = run(directory.resolve("hostile.json"), "--hostile", "1000", "--seconds", "3", "--heap", "64m");
        assertThat(map(map(figures.get("attacked")).get("newcomers")).get("count")).isEqualTo(3L);
        assertThat((Long) figures.get("attempts")).isGreaterThanOrEqualTo(1_000);
    }
}
