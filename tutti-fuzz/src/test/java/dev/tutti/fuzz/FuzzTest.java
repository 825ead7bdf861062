package dev.tutti.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Gives every decoder its corpus and some thousands of hostile inputs, always the same ones. {@code -Dtutti.fuzz.seed}
 * and {@code -Dtutti.fuzz.runs} give others and more, {@code -Dtutti.test.tries=2000} all of the usual number;
 * {@code ./tutti-fuzz/campaign} looks for new ones, guided by coverage.
 */
@Tag("seeds")
@Execution(ExecutionMode.CONCURRENT) // They are so many that one after the other would outlast all other classes.
@Order(1)
class FuzzTest {

    private static final long SEED = Long.getLong("tutti.fuzz.seed", 1);

    /** Number of runs, in thousandths of the usual number. */
    private static final long RUNS = Long.getLong("tutti.fuzz.runs", 1_000);

    private static final int TRIES = Integer.getInteger("tutti.test.tries", 0);

    /** Part of the runs after which a target is left that has had all of its outcomes. */
    private static final int FEW =
            System.getProperties().containsKey("tutti.fuzz.runs") || TRIES >= 2_000 ? 1 : TRIES > 0 ? 2 : 24;

    /** Bound of the processor time for an input; real time would depend on the load of the machine. */
    private static final long INPUT_NANOS_MAX = 2_000_000_000L;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    @TestFactory
    Stream<DynamicTest> readsHostileBytes() {
        return Targets.ALL.stream().map(target -> DynamicTest.dynamicTest(target.name(), () -> fuzz(target)));
    }

    private static int runs(Target target) {
        int usual =
                switch (target.name()) {
                    case "session" -> 1_500;
                    case "primary" -> 1_000;
                    case "large-view" -> 20;
                    case "diagnostics" -> 500;
                    case "datagrams" -> 250;
                    case "certificates" -> 400;
                    case "json", "key", "sessions", "view", "members", "vector", "record" -> 3_000;
                    case "accepted", "answered", "attribute" -> 2_000;
                    case "map", "map-messages", "directory", "queue", "coordination", "replica" -> 5_000;
                    case "map-state", "directory-state", "queue-state", "coordination-state", "replica-state" -> 2_000;
                    case "yaml", "seeds", "setting", "stream", "stream-plain" -> 2_000;
                    default -> 20_000;
                };
        return (int) (usual * RUNS / 1_000);
    }

    private static void fuzz(Target target) {
        List<byte[]> start = Corpus.startOf(target);
        Set<String> outcomes = new TreeSet<>();
        for (byte[] input : start) {
            outcomes.addAll(run(target, input));
        }
        Mutator mutator = new Mutator(SEED);
        int runs = runs(target);
        for (int run = 0; run < runs && (run < runs / FEW || !outcomes.containsAll(target.outcomes())); run++) {
            outcomes.addAll(run(target, mutator.mutate(start)));
        }
        Set<String> missing = new TreeSet<>(target.outcomes());
        missing.removeAll(outcomes);
        assertThat(missing).as("what never came of %d inputs, seed %d; there was %s", runs, SEED, outcomes).isEmpty();
    }

    /** Fails if an input leads to more than a refusal. */
    static Set<String> run(Target target, byte[] input) {
        Allocation first = new Allocation(target.bound());
        Set<String> outcomes = run(target, input, first);
        if (first.excessBytes() > 0) {
            // Loading a class counts the first time, so that only the second run is exact.
            Allocation again = new Allocation(target.bound());
            run(target, input, again);
            if (again.excessBytes() > 0) {
                throw new AssertionError(target + " allocates " + again.excessBytes() + " bytes more than "
                        + target.bound() + describe(target, input));
            }
        }
        return outcomes;
    }

    private static Set<String> run(Target target, byte[] input, Allocation allocation) {
        long startedNanos = THREADS.getCurrentThreadCpuTime();
        Set<String> outcomes;
        try {
            outcomes = target.decoder().decode(input.clone(), allocation);
        } catch (Exception | AssertionError | StackOverflowError | OutOfMemoryError e) {
            throw new AssertionError(target + " lets " + e + " out" + describe(target, input), e);
        }
        long nanos = THREADS.getCurrentThreadCpuTime() - startedNanos;
        if (nanos > INPUT_NANOS_MAX) {
            throw new AssertionError(target + " takes " + nanos / 1_000_000 + " ms" + describe(target, input));
        }
        return outcomes;
    }

    private static String describe(Target target, byte[] input) {
        return " for " + input.length + " bytes; to keep them: base64 -d > " + Corpus.directory(target.name())
                + "/NAME, with " + Base64.getEncoder().encodeToString(input);
    }

    @Test
    void findsWhatIsWrongWithADecoder() {
        List<byte[]> seeds = new ArrayList<>(List.of(new byte[] {1, 2, 3}));
        Target throwing = Target.of("throwing", input -> "byte " + input[2], () -> seeds);
        Target hungry = Target.of("hungry", input -> "of " + new byte[100_000].length, () -> seeds);
        assertThat(run(throwing, seeds.getFirst())).containsExactly("byte 3");
        assertThat(findingOf(throwing)).contains("ArrayIndexOutOfBoundsException", "base64");
        assertThat(findingOf(hungry)).contains("allocates");
    }

    private static String findingOf(Target target) {
        try {
            Mutator mutator = new Mutator(SEED);
            for (int run = 0; run < 1_000; run++) {
                run(target, mutator.mutate(target.seeds().get()));
            }
            return "";
        } catch (AssertionError e) {
            return e.getMessage();
        }
    }
}
