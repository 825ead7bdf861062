package dev.tutti.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A target as Jazzer calls it: see {@code tutti-fuzz/campaign}. The name of the target is the system property
 * {@code tutti.fuzz.target}.
 */
public final class Campaign {

    /** Bytes that the instrumentation for coverage allocates. */
    private static final long INSTRUMENTS_BYTES = 1 << 20;

    private static final Target TARGET = target(System.getProperty("tutti.fuzz.target", ""));

    private Campaign() {}

    /** Called with each input. */
    public static void fuzzerTestOneInput(byte[] input) {
        FuzzTest.run(TARGET, input);
    }

    private static Target target(String name) {
        for (Target target : Targets.ALL) {
            if (target.name().equals(name)) {
                return target.within(target.bound().withAllowance(target.bound().allowance() + INSTRUMENTS_BYTES));
            }
        }
        throw new IllegalArgumentException("-Dtutti.fuzz.target: '" + name + "' is none of " + Targets.ALL);
    }

    /** Writes the seeds of a target into a directory, for a campaign to start from. */
    public static void main(String[] arguments) throws IOException {
        Path directory = Files.createDirectories(Path.of(arguments[0]));
        int number = 0;
        for (byte[] input : Corpus.startOf(TARGET)) {
            Files.write(directory.resolve("seed-" + number++), input);
        }
    }
}
