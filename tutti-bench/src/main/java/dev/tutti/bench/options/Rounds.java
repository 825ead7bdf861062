package dev.tutti.bench.options;

import dev.tutti.core.settings.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options for the number and length of measurements. */
public final class Rounds {

    private static final Duration SHORT_WARMUP = Duration.ofMillis(400);
    private static final Duration SHORT_TIME = Duration.ofMillis(300);

    @Spec(Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Option(
            names = "--repetitions",
            paramLabel = "N",
            defaultValue = "6",
            description = "Of each system. Default: ${DEFAULT-VALUE}.")
    private int repetitions;

    @Option(
            names = "--warmup",
            paramLabel = "DURATION",
            defaultValue = "24s",
            description = "Before it counts, in each repetition. Default: ${DEFAULT-VALUE}.")
    private Duration warmup = Duration.ZERO;

    @Option(
            names = "--time",
            paramLabel = "DURATION",
            defaultValue = "4s",
            description = "That counts, in each repetition. Default: ${DEFAULT-VALUE}.")
    private Duration time = Duration.ZERO;

    @Option(
            names = "--short",
            description = "A single repetition of a fraction of a second, and only the first two of longer lists of sizes,"
                    + " members and threads: to see that everything works, not for figures.")
    private boolean isShort;

    public boolean isShort() {
        return isShort;
    }

    public int repetitions() {
        return isShort && isUnset("--repetitions") ? 1 : repetitions;
    }

    public Duration warmup() {
        return isShort && isUnset("--warmup") ? SHORT_WARMUP : warmup;
    }

    public Duration time() {
        return isShort && isUnset("--time") ? SHORT_TIME : time;
    }

    private boolean isUnset(String option) {
        return spec == null || !spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    @Override
    public String toString() {
        return repetitions() + (repetitions() == 1 ? " repetition of " : " repetitions of ") + Durations.print(warmup())
                + " + " + Durations.print(time());
    }
}
