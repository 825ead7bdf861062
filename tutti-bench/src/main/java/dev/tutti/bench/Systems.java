package dev.tutti.bench;

import java.util.List;
import picocli.CommandLine.Option;

/** Which systems are measured. What is the default is the command's, see {@link Defaults}. */
final class Systems {

    @Option(
            names = "--systems",
            paramLabel = "SYSTEM",
            split = ",",
            description = "They take turns; 'tutti bench --help' names them. Default: ${DEFAULT-VALUE}.")
    private List<SystemKind> systems = List.of();

    List<SystemKind> all() {
        return systems;
    }
}
