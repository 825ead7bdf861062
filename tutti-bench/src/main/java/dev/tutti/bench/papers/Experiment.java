package dev.tutti.bench.papers;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * An experiment: the command that measures it, small and in full, and the figures of papers that its results stand beside.
 *
 * @param name of its own, as {@code --only} takes it
 * @param command of {@code tutti bench}, or of {@code tutti perf} with that word in front; another command of tutti is named only
 * @param needs beyond this machine's processes
 * @param arguments by profile
 * @param durations estimates for two quiet cores, by profile, from which the time left is told
 */
public record Experiment(
        String name,
        String command,
        Needs needs,
        Map<Profile, List<String>> arguments,
        Map<Profile, Duration> durations,
        List<Figure> figures) {

    /** Size of a run. */
    public enum Profile {
        /** Every experiment with a few loads and one repetition. */
        CI,
        FULL
    }

    /** Requirement that decides whether an experiment runs. */
    public enum Needs {
        /** Runs on this machine, and on others. */
        NOTHING,
        /** Runs on this machine only. */
        THIS_MACHINE,
        /** Runs on this machine only, in network namespaces. */
        ROOT,
        /** Is another command of tutti, which is not run from here. */
        ANOTHER_COMMAND
    }

    /** Returns why it does not run here; empty if it does. */
    String obstacle(boolean isRoot, boolean isElsewhere) {
        return switch (needs) {
            case NOTHING -> "";
            case THIS_MACHINE -> isElsewhere ? "it is measured on this machine only" : "";
            case ROOT -> isElsewhere ? "it is measured on this machine only" : isRoot ? "" : "network namespaces need root";
            case ANOTHER_COMMAND -> "run ./tutti " + command;
        };
    }

    /** Returns the arguments of the command. */
    public List<String> arguments(Profile profile) {
        return arguments.getOrDefault(profile, List.of());
    }

    /** Returns the expected time; zero if unknown. */
    public Duration duration(Profile profile) {
        return durations.getOrDefault(profile, Duration.ZERO);
    }
}
