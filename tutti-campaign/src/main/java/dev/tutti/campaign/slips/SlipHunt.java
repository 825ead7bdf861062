package dev.tutti.campaign.slips;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Hunts slips one after the other, each in a JVM of its own with the changed classes first on the class path. */
public final class SlipHunt {

    /**
     * Fate of one slip.
     *
     * @param property the broken property; empty if none was
     * @param seed seed of the schedule that broke it; empty if a test did, or nothing
     * @param schedules number of schedules that were run; 0 for tests
     * @param remark readable remark; empty if there is none
     */
    public record Result(Slip slip, String property, String seed, long schedules, double seconds, String remark) {

        /** Reports whether the slip was detected by something that passes without it. */
        public boolean isCaught() {
            return !property.isEmpty() && remark.isEmpty();
        }

        @Override
        public String toString() {
            String how = property.isEmpty() ? "NOT caught" : "caught by " + property;
            return String.format(Locale.ROOT, "%s: %s%s, %d schedules, %.1f s%s", slip.name(), how,
                    seed.isEmpty() ? "" : " at seed " + seed, schedules, seconds, remark.isEmpty() ? "" : " (" + remark + ")");
        }
    }

    /** Form of the last line of a run with {@code --until-broken}. */
    private static final Pattern BROKEN = Pattern.compile("broken seed=(-?\\d+) mode=(\\S+) schedules=(\\d+) property=(.+)");

    private static final Pattern HELD = Pattern.compile("held schedules=(\\d+)");

    private final Path home;
    private final String mainClass;
    private final Predicate<List<String>> holds;
    private final Consumer<String> progress;
    private final int threads;
    private final long minutesMax;

    /**
     * @param home the root of the sources
     * @param mainClass main class of the campaign
     * @param holds runs {@code ./tutti sim} with these arguments in this process, without a slip; true if nothing broke
     * @param threads number of threads of each run
     * @param minutesMax time for each slip; one that takes longer is not caught
     */
    public SlipHunt(
            Path home, String mainClass, Predicate<List<String>> holds, Consumer<String> progress, int threads, long minutesMax) {
        this.home = home;
        this.mainClass = mainClass;
        this.holds = holds;
        this.progress = progress;
        this.threads = threads;
        this.minutesMax = minutesMax;
    }

    /**
     * Hunts all slips in the order of {@code slips}.
     *
     * @param found consumer that gets each result at once
     */
    public List<Result> run(List<Slip> slips, long first, long count, Consumer<Result> found) {
        List<Result> results = new ArrayList<>();
        for (Slip slip : slips) {
            results.add(hunt(slip, first, count));
            found.accept(results.getLast());
            progress.accept(results.size() + "/" + slips.size() + " " + results.getLast());
        }
        return results;
    }

    private Result hunt(Slip slip, long first, long count) {
        long begin = System.nanoTime();
        Path directory = temporary();
        try {
            return switch (slip.seer()) {
                case Slip.Seer.Schedules schedules -> bySchedules(slip, schedules, directory, first, count, begin);
                case Slip.Seer.Tests tests -> byTests(slip, tests, directory, begin);
            };
        } finally {
            delete(directory);
        }
    }

    // ------------------------------------------------------------------ schedules

    private Result bySchedules(
            Slip slip, Slip.Seer.Schedules schedules, Path directory, long first, long count, long begin) {
        Path classes = directory.resolve("classes");
        new Workshop(home).build(slip, classes);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                // Most runs are over before the second compiler has paid for itself.
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classes + File.pathSeparator + Workshop.classPath(),
                mainClass,
                "sim",
                "--until-broken",
                "--schedules", Long.toString(count),
                "--first", Long.toString(first),
                "--threads", Integer.toString(threads)));
        command.addAll(schedules.options());
        String said = run(command, home);
        Matcher broken = BROKEN.matcher(said);
        Matcher held = HELD.matcher(said);
        if (broken.find()) {
            List<String> again = new ArrayList<>(List.of("--seed", broken.group(1), "--no-shrink"));
            again.addAll(schedules.options());
            String remark = holds.test(again) ? "" : "broken without the slip, too";
            return new Result(
                    slip, broken.group(4), broken.group(1), Long.parseLong(broken.group(3)), seconds(begin), remark);
        }
        if (held.find()) {
            return new Result(slip, "", "", Long.parseLong(held.group(1)), seconds(begin), "");
        }
        return new Result(slip, "", "", 0, seconds(begin), "the run came to no end: " + lastLine(said));
    }

    // ------------------------------------------------------------------ tests

    /** Runs tests in a copy of the sources and of everything built from them. */
    private Result byTests(Slip slip, Slip.Seer.Tests tests, Path directory, long begin) {
        Path copy = directory.resolve("copy");
        new Workshop(home).build(slip, directory.resolve("classes"));
        copy(copy);
        slip.patch().applyTo(home).forEach((file, text) -> write(copy.resolve(file), text));
        String said = run(
                List.of(
                        copy.resolve("tutti").toString(), "test", "-pl", tests.module(), "-am", "-Dtest=" + tests.classes(),
                        "-Dsurefire.failIfNoSpecifiedTests=false"),
                copy);
        Matcher ended = Pattern.compile("tests: (\\d+) run, (\\d+) failed").matcher(said);
        if (!ended.find() || ended.group(1).equals("0")) {
            return new Result(slip, "", "", 0, seconds(begin), "the tests did not run: " + lastLine(said));
        }
        return new Result(slip, ended.group(2).equals("0") ? "" : tests.classes(), "", 0, seconds(begin), "");
    }

    private void copy(Path copy) {
        try (Stream<Path> files = Files.walk(home)) {
            for (Path file : files.filter(each -> !home.relativize(each).startsWith(".git")).toList()) {
                Path to = copy.resolve(home.relativize(file));
                if (Files.isDirectory(file)) {
                    Files.createDirectories(to);
                } else if (Files.isRegularFile(file)) {
                    Files.copy(file, to, java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the sources cannot be copied to " + copy, e);
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException("patched file " + file + " cannot be written", e);
        }
    }

    // ------------------------------------------------------------------ processes

    private String run(List<String> command, Path directory) {
        StringBuilder said = new StringBuilder();
        try {
            Process process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .start();
            Thread reader = Thread.ofVirtual().start(() -> read(process, said));
            if (!process.waitFor(minutesMax, TimeUnit.MINUTES)) {
                process.destroyForcibly().waitFor();
            }
            reader.join();
            return said.toString();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + command.getFirst(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a slip was looked for", e);
        }
    }

    private static void read(Process process, StringBuilder said) {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            reader.lines().forEach(line -> said.append(line).append('\n'));
        } catch (IOException e) {
            said.append(e).append('\n');
        }
    }

    private static String lastLine(String text) {
        return text.lines().filter(line -> !line.isBlank()).reduce("", (before, line) -> line);
    }

    private static double seconds(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("slip");
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
