package dev.tutti.campaign.schedule;

import dev.tutti.campaign.cluster.Action;
import dev.tutti.core.settings.Durations;
import dev.tutti.sim.DatagramPath;
import dev.tutti.sim.Path;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a run depends on: a world, and the actions in it with their times.
 *
 * <p>{@link #toString} is a text for people, which {@link #parse} reads back; docs/design/simulator.md describes it.
 *
 * @param seed of the simulation: latencies, tie breaks, the randomness of the nodes
 * @param size nodes, which are down until they start
 * @param steps in the order of their times
 */
public record Schedule(long seed, Mode mode, int size, World world, List<Step> steps) {

    /** Kind of schedule, with the condition that has to hold at its end. */
    public enum Mode {
        /** All faults heal, and those that are up come to rest together. */
        SAFETY,
        /** Faults between the core and the others stay for good; the core agrees, in time, on a view of exactly itself. */
        LIVENESS,
        /** Some pairs never hear each other again; views settle in time, whichever these are. */
        SETTLING,
        /** Processes start and end, and all can hear each other: each view comes without waiting for a time-out. */
        PROMPT,
        /** A group of which only a majority goes on; in the end all are up and hear each other. */
        PRIMARY,
        /** One of the members lies, as long as it lives; the core is honest, and comes to rest without it. */
        LIAR,
        /** Nodes of the API with applications on them; the seed alone determines everything. */
        APPLICATION,
        /** Sites with a group that spans them; the seed alone determines everything. */
        SITES;

        /** Returns whether the seed alone determines everything, so that no other settings and steps have a meaning. */
        public boolean isOfNodes() {
            return this == APPLICATION || this == SITES;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** An action and its time. */
    public record Step(long timeNanos, Action action) {
        @Override
        public String toString() {
            return "at " + BigDecimal.valueOf(timeNanos, 9).stripTrailingZeros().toPlainString() + " s: " + action;
        }
    }

    /**
     * Conditions that do not change while a schedule runs.
     *
     * @param settings of nodes and group, by name
     * @param driftPpm excess speed of a node's clock
     * @param lateTimers largest delay of a node's timers; the nodes listed are also told the time at random moments
     * @param core nodes that have to agree in {@link Mode#LIVENESS} and {@link Mode#LIAR}
     * @param coldTurn largest extra duration of the turns of a process that has just started
     * @param coldHalf time after which that extra duration is halved, repeatedly
     * @param datagrams null if nodes use streams
     */
    public record World(
            TreeMap<String, String> settings,
            Path path,
            Duration connectTimeout,
            Duration endDelayMax,
            Duration noticeDelayMax,
            TreeMap<Integer, Long> driftPpm,
            TreeMap<Integer, Duration> lateTimers,
            TreeSet<Integer> core,
            Duration coldTurn,
            Duration coldHalf,
            @Nullable Datagrams datagrams) {

        public static World plain() {
            return new World(
                    new TreeMap<>(), Path.LOCAL, Duration.ofSeconds(2), Duration.ofMillis(1), Duration.ofMillis(20),
                    new TreeMap<>(), new TreeMap<>(), new TreeSet<>(), Duration.ZERO, Duration.ofMillis(100), null);
        }

        /** Returns a copy with maps of its own. */
        public World copy() {
            return new World(
                    new TreeMap<>(settings), path, connectTimeout, endDelayMax, noticeDelayMax, new TreeMap<>(driftPpm),
                    new TreeMap<>(lateTimers), new TreeSet<>(core), coldTurn, coldHalf, datagrams);
        }

        public World withPath(Path path) {
            return new World(
                    settings, path, connectTimeout, endDelayMax, noticeDelayMax, driftPpm, lateTimers, core, coldTurn,
                    coldHalf, datagrams);
        }

        public World withDelays(Duration connectTimeout, Duration endDelayMax, Duration noticeDelayMax) {
            return new World(
                    settings, path, connectTimeout, endDelayMax, noticeDelayMax, driftPpm, lateTimers, core, coldTurn,
                    coldHalf, datagrams);
        }

        World withColdTurns(Duration coldTurn, Duration coldHalf) {
            return new World(
                    settings, path, connectTimeout, endDelayMax, noticeDelayMax, driftPpm, lateTimers, core, coldTurn,
                    coldHalf, datagrams);
        }

        World on(@Nullable Datagrams datagrams) {
            return new World(
                    settings, path, connectTimeout, endDelayMax, noticeDelayMax, driftPpm, lateTimers, core, coldTurn,
                    coldHalf, datagrams);
        }
    }

    /**
     * UDP instead of streams.
     *
     * @param bytesMax of a datagram
     * @param isMulticast whether one datagram reaches all
     * @param isSecure whether nodes authenticate each other and encrypt
     * @param receiveBufferBytes limit of the datagrams that wait for a node's next turn
     */
    public record Datagrams(
            int bytesMax, boolean isMulticast, boolean isSecure, int receiveBufferBytes, DatagramPath path) {

        /** Returns the same with a path that loses nothing. */
        public Datagrams withoutFaults() {
            return new Datagrams(bytesMax, isMulticast, isSecure, receiveBufferBytes, DatagramPath.LOCAL);
        }

        @Override
        public String toString() {
            return "on datagrams of " + bytesMax + " bytes, " + (isSecure ? "encrypted " : "") + (isMulticast ? "multicast" : "unicast")
                    + ", receive buffers of " + receiveBufferBytes + " bytes";
        }

        /** Returns the path, as a line of its own. */
        String pathText() {
            return "datagrams take " + Durations.print(path.latency()) + " and up to " + Durations.print(path.jitter())
                    + ", " + path.tail() + " of them up to " + Durations.print(path.tailMax()) + " more, lost "
                    + path.loss() + ", multicasts " + path.multicastLoss() + ", doubled " + path.duplication()
                    + ", damaged " + path.corruption() + ", cut off " + path.truncation() + ", at "
                    + path.bytesPerSecond() + " bytes per second, buffers of " + path.bufferBytes() + " bytes";
        }
    }

    public Schedule {
        steps = List.copyOf(steps);
        if (size < 1 || size > SIZE_MAX) {
            throw new IllegalArgumentException(size + " nodes, 1 to " + SIZE_MAX);
        }
    }

    /** Returns the schedule of a seed of a mode {@linkplain Mode#isOfNodes of nodes}. */
    static Schedule ofNodes(long seed, Mode mode) {
        return new Schedule(seed, mode, 3, World.plain(), List.of());
    }

    public Schedule withSteps(List<Step> changed) {
        return new Schedule(seed, mode, size, world, changed);
    }

    public Schedule withWorld(World changed) {
        return new Schedule(seed, mode, size, changed, steps);
    }

    // ------------------------------------------------------------------ text

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append("seed ").append(seed).append('\n');
        text.append("mode ").append(mode).append('\n');
        if (mode.isOfNodes()) {
            return text.toString();
        }
        text.append(size).append(" nodes\n");
        world.settings().forEach((name, value) ->
                text.append("set ").append(name).append(" to ").append(value).append('\n'));
        Path path = world.path();
        if (!path.equals(Path.LOCAL)) {
            text.append("frames take ").append(Durations.print(path.latency()))
                    .append(" and up to ").append(Durations.print(path.jitter()))
                    .append(", at ").append(path.bytesPerSecond()).append(" bytes per second, buffers of ")
                    .append(path.bufferBytes()).append(" bytes, a tail of ").append(Durations.print(path.tail()))
                    .append('\n');
        }
        text.append("a dial fails after ").append(Durations.print(world.connectTimeout()))
                .append(", an end shows within ").append(Durations.print(world.endDelayMax()))
                .append(", a break within ").append(Durations.print(world.noticeDelayMax())).append('\n');
        world.driftPpm().forEach((node, drift) ->
                text.append("the clock of n").append(node).append(" drifts by ").append(drift).append(" ppm\n"));
        world.lateTimers().forEach((node, late) -> text.append("timers of n").append(node)
                .append(" are early, and late by up to ").append(Durations.print(late)).append('\n'));
        if (!world.coldTurn().isZero()) {
            text.append("a turn of a process that has just begun takes up to ").append(Durations.print(world.coldTurn()))
                    .append(" longer, halved every ").append(Durations.print(world.coldHalf())).append('\n');
        }
        Datagrams datagrams = world.datagrams();
        if (datagrams != null) {
            text.append(datagrams).append('\n').append(datagrams.pathText()).append('\n');
        }
        if (!world.core().isEmpty()) {
            text.append("the core is ").append(Action.names(world.core())).append('\n');
        }
        for (Step step : steps) {
            text.append(step).append('\n');
        }
        return text.toString();
    }

    /**
     * Reads what {@link #toString} writes; empty lines, and lines that begin with {@code #}, are for people.
     *
     * @throws IllegalArgumentException with the line that can't be read
     */
    public static Schedule parse(String text) {
        Reading reading = new Reading();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            String sentence = line.strip();
            if (sentence.isEmpty() || sentence.startsWith("#")) {
                continue;
            }
            try {
                reading.take(sentence);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("line " + number + ": " + e.getMessage(), e);
            }
        }
        return reading.schedule();
    }

    private static final class Reading {
        private long seed = 1;
        private Mode mode = Mode.SAFETY;
        private int size = 3;
        private World world = World.plain();
        private final List<Step> steps = new ArrayList<>();

        /** Forms of a line, each with its effect. */
        private final List<Line> lines = List.of(
                line("seed (-?\\d+)", m -> seed = Long.parseLong(m.group(1))),
                line("mode (\\w+)", m -> mode = Mode.valueOf(m.group(1).toUpperCase(Locale.ROOT))),
                line("(\\d+) nodes", m -> size = Integer.parseInt(m.group(1))),
                line("set (\\S+) to (.+)", m -> world.settings().put(m.group(1), m.group(2))),
                line("frames take % and up to %, at (\\d+) bytes per second, buffers of (\\d+) bytes, a tail of %", m ->
                        world = world.withPath(new Path(
                                Durations.parse(m.group(1)),
                                Durations.parse(m.group(2)),
                                Long.parseLong(m.group(3)),
                                Integer.parseInt(m.group(4)),
                                Durations.parse(m.group(5))))),
                line("a dial fails after %, an end shows within %, a break within %", m ->
                        world = world.withDelays(
                                Durations.parse(m.group(1)),
                                Durations.parse(m.group(2)),
                                Durations.parse(m.group(3)))),
                line("the clock of n(\\d+) drifts by (-?\\d+) ppm", m ->
                        world.driftPpm().put(Integer.parseInt(m.group(1)), Long.parseLong(m.group(2)))),
                line("timers of n(\\d+) are early, and late by up to %", m ->
                        world.lateTimers().put(Integer.parseInt(m.group(1)), Durations.parse(m.group(2)))),
                line("a turn of a process that has just begun takes up to % longer, halved every %", m ->
                        world = world.withColdTurns(Durations.parse(m.group(1)), Durations.parse(m.group(2)))),
                line("on datagrams of (\\d+) bytes, (encrypted )?(multicast|unicast), receive buffers of (\\d+) bytes", m ->
                        world = world.on(new Datagrams(
                                Integer.parseInt(m.group(1)),
                                m.group(3).equals("multicast"),
                                m.group(2) != null,
                                Integer.parseInt(m.group(4)),
                                DatagramPath.LOCAL))),
                line("datagrams take % and up to %, ~ of them up to % more, lost ~, multicasts ~, doubled ~, damaged ~, "
                        + "cut off ~, at (\\d+) bytes per second, buffers of (\\d+) bytes", this::datagramPath),
                line("the core is (.+)", m -> {
                    for (String name : m.group(1).split(" ")) {
                        world.core().add(Integer.parseInt(name.substring(1)));
                    }
                }),
                line("at ([0-9.]+) s: (.+)", m -> steps.add(new Step(
                        new BigDecimal(m.group(1)).movePointRight(9).longValueExact(), Sentences.parse(m.group(2))))));

        private void datagramPath(Matcher m) {
            Datagrams before = world.datagrams();
            if (before == null) {
                throw new IllegalArgumentException("datagrams have a path only on datagrams");
            }
            world = world.on(new Datagrams(
                    before.bytesMax(), before.isMulticast(), before.isSecure(), before.receiveBufferBytes(),
                    new DatagramPath(
                            Durations.parse(m.group(1)),
                            Durations.parse(m.group(2)),
                            Double.parseDouble(m.group(3)),
                            Durations.parse(m.group(4)),
                            Double.parseDouble(m.group(5)),
                            Double.parseDouble(m.group(6)),
                            Double.parseDouble(m.group(7)),
                            Double.parseDouble(m.group(8)),
                            Double.parseDouble(m.group(9)),
                            Long.parseLong(m.group(10)),
                            Integer.parseInt(m.group(11)))));
        }

        private record Line(Pattern pattern, Consumer<Matcher> meaning) {}

        private static Line line(String pattern, Consumer<Matcher> meaning) {
            return new Line(Pattern.compile(
                    pattern.replace("%", "(\\d+ [a-z]+)").replace("~", "([0-9.E-]+)")), meaning);
        }

        void take(String sentence) {
            for (Line line : lines) {
                Matcher matcher = line.pattern().matcher(sentence);
                if (matcher.matches()) {
                    line.meaning().accept(matcher);
                    return;
                }
            }
            throw new IllegalArgumentException("'" + sentence + "' is no line of a scenario");
        }

        Schedule schedule() {
            for (Step step : steps) {
                if (!step.action().nodes().isEmpty() && step.action().nodes().last() > size) {
                    throw new IllegalArgumentException("'" + step + "' names a node beyond n" + size);
                }
            }
            return new Schedule(seed, mode, size, world, steps);
        }
    }

    static final int SIZE_MAX = 64;
}
