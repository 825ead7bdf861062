package dev.tutti.bench;

import picocli.CommandLine.Option;

/** Option for the number of processes. */
final class Members {

    @Option(names = "--members", paramLabel = "N", defaultValue = "4", description = "Processes. Default: ${DEFAULT-VALUE}.")
    private int count;

    int count() {
        return count;
    }
}
