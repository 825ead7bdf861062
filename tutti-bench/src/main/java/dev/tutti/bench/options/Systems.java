package dev.tutti.bench.options;

import dev.tutti.bench.systems.SystemKind;
import java.util.List;
import picocli.CommandLine.Option;

/** Option for the systems to measure. Its default depends on the command, see {@link Defaults}. */
public final class Systems {

    @Option(
            names = "--systems",
            paramLabel = "SYSTEM",
            split = ",",
            description = "They take turns; 'tutti bench --help' names them. Default: ${DEFAULT-VALUE}.")
    private List<SystemKind> systems = List.of();

    public List<SystemKind> all() {
        return systems;
    }
}
