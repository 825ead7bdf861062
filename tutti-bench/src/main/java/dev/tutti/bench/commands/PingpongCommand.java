package dev.tutti.bench.commands;

import dev.tutti.bench.commands.RoundTrips.Placement;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Rounds;
import dev.tutti.bench.options.Systems;
import dev.tutti.core.settings.Size;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Round trips of unicasts, side by side. */
@Command(
        name = "pingpong",
        mixinStandardHelpOptions = true,
        description = {
            "Round trips between two members, by size.",
            "One at a time: percentiles, and the bandwidth that they make, with both processes on one core, and each on its"
                    + " own.",
        },
        footer = {"", "Examples:", "  tutti bench pingpong", "  tutti bench pingpong --size 64B --place one"})
final class PingpongCommand implements Callable<Integer> {

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final Rounds rounds = new Rounds();

    @Mixin
    private final Systems systems = new Systems();

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            split = ",",
            defaultValue = "64B,1KiB,10KiB,100KiB,1MiB",
            description = "Of a message, at least 40 B. Default: ${DEFAULT-VALUE}.")
    private List<Size> sizes = List.of();

    @Option(
            names = "--place",
            paramLabel = "WHERE",
            split = ",",
            defaultValue = "one,two",
            description = "one: both on one core; two: each on its own; any. Default: ${DEFAULT-VALUE}.")
    private List<Placement> placements = List.of();

    static Map<String, String> defaults() {
        return Map.of(
                "--systems", "tutti,tutti-inline,jgroups-tuned,jgroups-latency,limit-pair",
                "--repetitions", "3",
                "--warmup", "10s",
                "--time", "2s");
    }

    @Override
    public Integer call() {
        output.title("Round trips between two members");
        measure(output);
        return output.finish();
    }

    private void measure(Output to) {
        List<Size> some = rounds.isShort() ? sizes.subList(0, Math.min(2, sizes.size())) : sizes;
        new RoundTrips(to, rounds, systems.all(), some, placements).measure(false);
    }
}
