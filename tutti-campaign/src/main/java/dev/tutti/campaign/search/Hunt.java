package dev.tutti.campaign.search;

import dev.tutti.campaign.schedule.Schedule;
import dev.tutti.campaign.schedule.Swarm;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Hunts mutants, several at a time: runs each with one seed after the other until a promise is broken.
 */
final class Hunt {

    /**
     * Fate of one mutant.
     *
     * @param schedules number of schedules that were run
     * @param failure the first failure; null if there was none
     * @param isHeldWithout whether the schedule of the failure breaks nothing without the bug, as it has to
     */
    record Result(
            Mutant mutant, long schedules, double seconds, Trial.@Nullable Outcome failure, boolean isHeldWithout) {

        boolean isCaught() {
            return failure != null && isHeldWithout;
        }

        @Override
        public String toString() {
            String how = failure == null
                    ? "NOT caught by " + schedules + " schedules"
                    : "caught by " + failure.property() + " after " + schedules + " schedules, seed "
                            + failure.schedule().seed() + " (" + failure.schedule().mode() + ")"
                            + (isHeldWithout ? "" : ", which is broken WITHOUT the bug too");
            return String.format(Locale.ROOT, "%-20s %s, %.1f s", mutant.name(), how, seconds);
        }
    }

    /** Schedules for mistakes in the primary partition, which have no effect in other groups. */
    private static final List<LongFunction<Schedule>> OF_PRIMARY =
            List.of(seed -> Swarm.draw(seed, Schedule.Mode.PRIMARY));

    private final List<LongFunction<Schedule>> ways;
    private final int threads;
    private final Consumer<String> progress;

    /** @param ways to draw a schedule from a seed: all seeds in the first way, then all in the next */
    Hunt(List<LongFunction<Schedule>> ways, int threads, Consumer<String> progress) {
        this.ways = List.copyOf(ways);
        this.threads = threads;
        this.progress = progress;
    }

    /** Returns the results in the order of {@code mutants}. */
    List<Result> run(List<Mutant> mutants, long first, long count) {
        if (mutants.size() == 1) {
            return List.of(hunt(mutants.getFirst(), threads, first, count));
        }
        Result[] results = new Result[mutants.size()];
        AtomicInteger next = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        List<Thread> workers = new ArrayList<>();
        for (int number = 0; number < Math.min(threads, mutants.size()); number++) {
            Thread worker = new Thread(
                    () -> {
                        int index = next.getAndIncrement();
                        while (index < results.length && !Thread.currentThread().isInterrupted()) {
                            results[index] = hunt(mutants.get(index), 1, first, count);
                            progress.accept(done.incrementAndGet() + "/" + results.length + " " + results[index]);
                            index = next.getAndIncrement();
                        }
                    },
                    "hunt-" + number);
            worker.start();
            workers.add(worker);
        }
        for (Thread worker : workers) {
            join(worker, workers);
        }
        List<Result> found = new ArrayList<>();
        for (int index = 0; index < results.length; index++) {
            Result result = results[index];
            if (result == null) {
                throw new IllegalStateException("the hunt for " + mutants.get(index).name() + " came to no end");
            }
            found.add(result);
        }
        return found;
    }

    private Result hunt(Mutant mutant, int workers, long first, long count) {
        List<LongFunction<Schedule>> all = mutant.isOfPrimary() ? OF_PRIMARY : ways;
        LongFunction<Schedule> inOrder =
                index -> all.get((int) (index / count)).apply(first + index % count);
        Search.Result result = new Search(inOrder, mutant, workers, 1, text -> progress.accept(mutant.name() + ": " + text))
                .run(0, all.size() * count, Long.MAX_VALUE);
        Trial.Outcome failure = result.failures().isEmpty() ? null : result.failures().getFirst();
        boolean isHeldWithout = failure == null || !Trial.run(failure.schedule()).isFailed();
        return new Result(mutant, result.schedules(), result.seconds(), failure, isHeldWithout);
    }

    private static void join(Thread worker, List<Thread> workers) {
        try {
            worker.join();
        } catch (InterruptedException e) {
            workers.forEach(Thread::interrupt);
            Thread.currentThread().interrupt();
        }
    }
}
