package dev.tutti.bench;

import dev.tutti.bench.commands.Bench;
import dev.tutti.testing.SharedClasses;
import java.util.List;
import java.util.stream.Stream;

/** Options of the JVMs that tests start, many and for a second each: they start with a third of the CPU time. */
public final class QuickJvm {

    private QuickJvm() {}

    /** Returns the options of a JVM. */
    public static List<String> options() {
        return Stream.concat(
                        Stream.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                        SharedClasses.options(Bench.class.getName(), "rehearse").stream())
                .toList();
    }

    /** Returns the options of a command that passes those on. */
    public static List<String> arguments() {
        return options().stream().map("--jvm="::concat).toList();
    }
}
