package dev.tutti.bench.options;

import picocli.CommandLine.Option;

/** Option for the number of processes. */
public final class MemberCounts {

    @Option(names = "--members", paramLabel = "N", defaultValue = "4", description = "Processes. Default: ${DEFAULT-VALUE}.")
    private int count;

    public int count() {
        return count;
    }
}
