package dev.tutti.campaign.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Hunts mutants, several at a time, each in a JVM of its own with the changed classes first on the class path. A mutant
 * is caught by the first schedule that breaks one of its properties, or the first test that fails, provided that the
 * same schedule or test passes without the mutant.
 */
public final class MutantHunt {

    /**
     * Fate of one mutant.
     *
     * @param property the broken property; the failed test classes for tests; empty if nothing was detected
     * @param seed seed of the schedule that broke it; empty if a test did, or nothing
     * @param schedules number of schedules that were run; 0 for tests
     * @param remark readable remark; empty if there is none
     */
    public record Result(Mutant mutant, String property, String seed, long schedules, double seconds, String remark) {

        /** Reports whether the mutant was detected by something that passes without it. */
        boolean isCaught() {
            return !property.isEmpty() && remark.isEmpty();
        }

        @Override
        public String toString() {
            String how = property.isEmpty() ? "NOT caught" : "caught by " + property;
            return String.format(Locale.ROOT, "%s: %s%s, %d schedules, %.1f s%s", mutant.name(), how,
                    seed.isEmpty() ? "" : " at seed " + seed, schedules, seconds, remark.isEmpty() ? "" : " (" + remark + ")");
        }
    }

    /** Form of the last line of a run with {@code --until-broken}. */
    private static final Pattern BROKEN = Pattern.compile("broken seed=(-?\\d+) mode=(\\S+) schedules=(\\d+) property=(.+)");

    private static final Pattern HELD = Pattern.compile("held schedules=(\\d+)");

    /** Form of the last line of {@link FirstFailure}. */
    private static final Pattern FAILED = Pattern.compile("failed test=(.+)");

    private static final Pattern PASSED = Pattern.compile("passed tests=[1-9]\\d*");

    private static final String UNSOUND = "broken without the mutant, too";

    private final Path home;
    private final String mainClass;
    private final Consumer<String> progress;
    private final int threads;
    private final long minutesMax;

    /**
     * @param home the root of the sources
     * @param mainClass main class of the campaign
     * @param progress consumer of readable lines, on the threads of the hunt
     * @param threads number of mutants that are hunted at a time; of threads in the JVM of a mutant that is hunted alone
     * @param minutesMax time for each mutant; one that takes longer is not caught
     */
    public MutantHunt(Path home, String mainClass, Consumer<String> progress, int threads, long minutesMax) {
        this.home = home;
        this.mainClass = mainClass;
        this.progress = progress;
        this.threads = threads;
        this.minutesMax = minutesMax;
    }

    /**
     * Hunts mutants with the seeds from {@code first} on, {@code count} at most for each.
     *
     * @param found consumer that gets each result at once, one at a time
     * @return the results in the order of {@code mutants}
     */
    public List<Result> run(List<Mutant> mutants, long first, long count, Consumer<Result> found) {
        int threadsOfEach = mutants.size() == 1 ? threads : 1;
        List<Future<Result>> futures = new ArrayList<>();
        int[] done = {0};
        try (ExecutorService workers = Executors.newFixedThreadPool(Math.max(1, Math.min(threads, mutants.size())))) {
            for (Mutant mutant : mutants) {
                futures.add(workers.submit(() -> {
                    Result result = hunt(mutant, threadsOfEach, first, count);
                    synchronized (done) {
                        done[0]++;
                        found.accept(result);
                        progress.accept(done[0] + "/" + mutants.size() + " " + result);
                    }
                    return result;
                }));
            }
            return results(futures);
        }
    }

    private static List<Result> results(List<Future<Result>> futures) {
        List<Result> results = new ArrayList<>();
        try {
            for (Future<Result> future : futures) {
                results.add(future.get());
            }
            return results;
        } catch (ExecutionException e) {
            futures.forEach(future -> future.cancel(true));
            throw new IllegalStateException("a hunt has failed", e.getCause());
        } catch (InterruptedException e) {
            futures.forEach(future -> future.cancel(true));
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while mutants were hunted", e);
        }
    }

    /**
     * Runs {@code ./tutti sim} with the mutant and these arguments, and prints what it prints.
     *
     * @return its exit code
     */
    public int replay(Mutant mutant, List<String> arguments) {
        Path directory = temporary();
        try {
            new Workshop(home).build(mutant, directory.resolve("classes"));
            return new ForkedJvm(List.of(directory.resolve("classes")), Path.of("").toAbsolutePath()).runInForeground(mainClass, sim(arguments, List.of()));
        } finally {
            delete(directory);
        }
    }

    private Result hunt(Mutant mutant, int threadsOfEach, long first, long count) {
        long begin = System.nanoTime();
        Path directory = temporary();
        try {
            Path classes = directory.resolve("classes");
            new Workshop(home).build(mutant, classes);
            return switch (mutant.seer()) {
                case Mutant.Seer.Schedules(List<String> options) -> bySchedules(mutant, classes, begin, options, List.of(
                        "--until-broken", String.join(",", mutant.breaks()),
                        "--schedules", Long.toString(count),
                        "--first", Long.toString(first),
                        "--threads", Integer.toString(threadsOfEach)));
                case Mutant.Seer.Tests tests -> byTests(mutant, classes, begin, tests, directory.resolve("tests"));
            };
        } finally {
            delete(directory);
        }
    }

    private Result bySchedules(Mutant mutant, Path classes, long begin, List<String> options, List<String> search) {
        ForkedJvm.End end = new ForkedJvm(List.of(classes), home).run(mainClass, sim(search, options), minutesMax);
        Matcher broken = BROKEN.matcher(end.lastLine());
        Matcher held = HELD.matcher(end.lastLine());
        if (broken.matches()) {
            List<String> again = sim(List.of("--seed", broken.group(1), "--no-shrink"), options);
            boolean isHeld = new ForkedJvm(List.of(), home).run(mainClass, again, minutesMax).code() == 0;
            return new Result(mutant, broken.group(4), broken.group(1), Long.parseLong(broken.group(3)), seconds(begin),
                    isHeld ? "" : UNSOUND);
        }
        if (held.matches()) {
            return new Result(mutant, "", "", Long.parseLong(held.group(1)), seconds(begin), "");
        }
        return new Result(mutant, "", "", 0, seconds(begin), "the run came to no end: " + end.lastLine());
    }

    /** Returns the arguments of {@code ./tutti sim} with both lists. */
    private static List<String> sim(List<String> arguments, List<String> options) {
        return Stream.of(List.of("sim"), arguments, options).flatMap(List::stream).toList();
    }

    private Result byTests(Mutant mutant, Path classes, long begin, Mutant.Seer.Tests tests, Path directory) {
        Path module = home.resolve(tests.module());
        List<String> names = new Workshop(home).buildTests(tests, directory);
        List<Path> front = List.of(directory, module.resolve("src/test/resources"));
        List<Path> patched = Stream.concat(Stream.of(classes), front.stream()).toList();
        ForkedJvm.End end = new ForkedJvm(patched, module).run(FirstFailure.class.getName(), names, minutesMax);
        Matcher failed = FAILED.matcher(end.lastLine());
        if (failed.matches()) {
            List<String> again = List.of(failed.group(1));
            String without = new ForkedJvm(front, module).run(FirstFailure.class.getName(), again, minutesMax).lastLine();
            boolean isPassed = PASSED.matcher(without).matches();
            return new Result(mutant, tests.classes(), "", 0, seconds(begin), isPassed ? "" : UNSOUND + ": " + failed.group(1));
        }
        String remark = PASSED.matcher(end.lastLine()).matches() ? "" : "the tests did not run: " + end.lastLine();
        return new Result(mutant, "", "", 0, seconds(begin), remark);
    }

    private static double seconds(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("mutant");
        } catch (IOException e) {
            throw new UncheckedIOException("no temporary directory", e);
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("temporary directory " + directory + " cannot be deleted", e);
        }
    }
}
