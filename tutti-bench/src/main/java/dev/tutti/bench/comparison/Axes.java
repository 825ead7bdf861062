package dev.tutti.bench.comparison;

import dev.tutti.bench.BenchException;
import dev.tutti.core.settings.Size;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/** The loads that a command measures: all combinations of these. */
public final class Axes {

    private static final int SHORT_VALUES = 2;

    @Option(
            names = {"--pattern", "--mode"},
            paramLabel = "PATTERN",
            split = ",",
            defaultValue = "n-n",
            description = "1-n, n-n, m-n with --senders, or a number of senders and -n. Default: ${DEFAULT-VALUE}.")
    private List<String> patterns = List.of();

    @Option(names = "--senders", paramLabel = "N", description = "Number of members that send, for the pattern m-n.")
    private int senders;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            split = ",",
            defaultValue = "1KiB",
            description = "Of a message: 1 KiB, 100 B, or bytes. Default: ${DEFAULT-VALUE}.")
    private List<Size> sizes = List.of();

    @Option(
            names = "--members",
            paramLabel = "N",
            split = ",",
            defaultValue = "4",
            description = "Default: ${DEFAULT-VALUE}.")
    private List<Integer> members = List.of();

    @Option(
            names = "--threads",
            paramLabel = "N",
            split = ",",
            defaultValue = "1",
            description = "That send, of each sender. Default: ${DEFAULT-VALUE}.")
    private List<Integer> threads = List.of();

    @Option(
            names = "--count",
            paramLabel = "N",
            description = "Messages of each thread in the measured phase, at most. Default: as many as there is time for.")
    private long count = Long.MAX_VALUE;

    long count() {
        return count;
    }

    Set<Load> loads(boolean isShort) {
        Set<Load> loads = new LinkedHashSet<>();
        for (String pattern : patterns) {
            for (int member : some(members, isShort)) {
                for (Size size : some(sizes, isShort)) {
                    for (int thread : some(threads, isShort)) {
                        loads.add(new Load(
                                senders(pattern, member), member, thread, Math.toIntExact(size.bytes())));
                    }
                }
            }
        }
        return loads;
    }

    private int senders(String pattern, int member) {
        if (!pattern.matches("m-?n")) {
            return Load.senders(pattern, member);
        }
        if (senders < 1) {
            throw new BenchException("m-n needs --senders");
        }
        return senders;
    }

    private static <T> List<T> some(List<T> values, boolean isShort) {
        return isShort && values.size() > SHORT_VALUES ? values.subList(0, SHORT_VALUES) : values;
    }
}
