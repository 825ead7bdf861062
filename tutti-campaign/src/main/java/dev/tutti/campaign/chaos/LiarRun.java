package dev.tutti.campaign.chaos;

import dev.tutti.campaign.chaos.journal.Check;
import dev.tutti.campaign.chaos.process.Child;
import dev.tutti.campaign.chaos.process.MemberProcess;
import dev.tutti.campaign.chaos.process.ProcessPool;
import dev.tutti.campaign.host.Pause;
import dev.tutti.campaign.lies.LyingDriverProvider;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A run in which one process has the credentials of the others, sends as they do, and lies ({@link
 * LyingDriverProvider}). Now and then an honest process leaves the group and comes back. The honest ones have to keep
 * their promises to each other, go on within the bound of docs/design/peers.md, judge none of themselves, and live with
 * their heap. When the liar is killed, they have to come to one view.
 */
final class LiarRun {

    /**
     * Settings of all nodes: times shorter than usual, so that a short run reaches the bounds, and a ring with odd
     * seeds.
     */
    static Map<String, String> settings(long seed) {
        return Map.of(
                MemberProcess.OF_GROUP + "hold-back", "300 ms",
                MemberProcess.OF_GROUP + "merge-delay", "50 ms",
                MemberProcess.OF_GROUP + "ballot-timeout", "1 s",
                MemberProcess.OF_GROUP + "dissemination", (seed & 1) == 0 ? "fan-out" : "ring");
    }

    /** Longest time without a delivery at a member among honest ones: five of its waits for a coordinator, 2.4 s. */
    static final Duration STANDSTILL_MAX = Duration.ofSeconds(12);

    /** Duration of a run in the short profile, enough for each kind of lie. */
    static final Duration CI = Duration.ofSeconds(36);

    private static final Duration FORM_MAX = Duration.ofSeconds(60);
    private static final Duration REST_MAX = Duration.ofSeconds(60);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);
    private static final long WARM_MILLIS = 2_000;
    private static final long LOOK_MILLIS = 250;
    private static final int LOOKS_TO_LEAVE = 6;
    private static final int LOOKS_AWAY = 3;
    /** Lateness of the machine from which an honest process may be suspected without a lie. */
    private static final long JUDGED_LATE_NANOS = 2_000_000_000L;

    /** Log lines by which a node judges another one. */
    private static final Pattern JUDGED = Pattern.compile(
            "node \\S+: (?:session with )?(\\S+) \\(\\S+\\) (?:is suspected|closed): .*");

    /**
     * Result of a run.
     *
     * @param lies number that was sent, by kind
     * @param standstillMillis longest time for which an honest member delivered nothing among other honest ones
     */
    record Outcome(
            int processes,
            double seconds,
            Map<String, Long> lies,
            long standstillMillis,
            Check.Result result,
            List<String> violations) {

        String text() {
            StringBuilder text = new StringBuilder(String.format(
                    Locale.ROOT,
                    "%n%d processes, of which one lies, %.0f s%nlies sent: %s%nlongest standstill of an honest member %d ms, at most"
                            + " %d ms%n%,d entries of honest members checked: %,d views, %,d messages submitted, %,d deliveries%n",
                    processes, seconds, kinds(lies), standstillMillis, STANDSTILL_MAX.toMillis(), result.entries(), result.views(),
                    result.submitted(), result.delivered()));
            violations.forEach(violation -> text.append("VIOLATION ").append(violation).append('\n'));
            return text.append(violations.size()).append(" violations\n").toString();
        }

        String json() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("processes", processes);
            map.put("seconds", seconds);
            map.put("lies", lies);
            map.put("standstillMillis", standstillMillis);
            map.put("standstillMillisMax", STANDSTILL_MAX.toMillis());
            map.put("entries", result.entries());
            map.put("views", result.views());
            map.put("submitted", result.submitted());
            map.put("delivered", result.delivered());
            map.put("violations", violations);
            return Json.write(map) + "\n";
        }
    }

    /** Returns the sum, and each kind with its number. */
    private static String kinds(Map<String, Long> lies) {
        return sum(lies) + lies.entrySet().stream()
                .map(each -> each.getKey() + " " + each.getValue())
                .collect(Collectors.joining(", ", " (", ")"));
    }

    private static long sum(Map<String, Long> lies) {
        return lies.values().stream().mapToLong(Long::longValue).sum();
    }

    private final ProcessPool processes;
    private final Child liar;
    private final List<Child> honest;
    private final Consumer<String> progress;
    private final List<String> violations = new ArrayList<>();
    private final long[] delivered;
    private final long[] deliveredNanos;
    private long standstillNanos;

    /** The process that was told to leave, and not yet to join again. */
    private @Nullable Child away;

    LiarRun(ProcessPool processes, int liar, Consumer<String> progress) {
        this.processes = processes;
        this.liar = processes.child(liar);
        this.honest = processes.present().stream().filter(child -> child.slot() != liar).toList();
        this.progress = progress;
        this.delivered = new long[processes.size()];
        this.deliveredNanos = new long[processes.size()];
    }

    /** Options of the liar's JVM, which tells each kind of lie for an equal part of the time. */
    static List<String> options(List<String> given, long seed, Duration time) {
        List<String> options = new ArrayList<>(given);
        options.add("-D" + LyingDriverProvider.SEED + "=" + seed);
        options.add("-D" + LyingDriverProvider.THEME_MILLIS + "="
                + Math.max(1, time.toMillis() / LyingDriverProvider.THEMES.size()));
        return options;
    }

    void run(Duration time) {
        if (!processes.await(FORM_MAX, () -> ProcessPool.isAgreed(processes.present()))) {
            violations.add("L1: there was no view of all within " + FORM_MAX.toSeconds() + " s of the start" + processes.views());
            return;
        }
        processes.setSending(true);
        Pause.millis(WARM_MILLIS);
        progress.accept("all " + processes.size() + " in one view; " + liar + " begins to lie");
        liar.say("lie");
        lie(System.nanoTime() + time.toNanos());
        liar.say("told");
        processes.await(ANSWER_MAX, () -> !liar.told().isEmpty() || liar.isOver());
        progress.accept(liar + " has sent " + sum(liar.told()) + " lies, and is killed");
        if (sum(liar.told()) == 0) {
            violations.add("the run shows nothing: " + liar + " has told no lie" + (liar.isOver() ? ", and has ended" : ""));
        }
        processes.kill(liar.slot());
        if (!processes.await(REST_MAX, () -> ProcessPool.isAgreed(honest))) {
            violations.add("L1: the others were not in one view within " + REST_MAX.toSeconds() + " s of the liar's end" + processes.views());
        }
        honest.forEach(child -> child.say("quiet"));
        processes.rest(honest, REST_MAX).forEach(silent -> violations.add("S0: " + silent + " does not answer"));
        checkJudgements();
        checkRemarks();
    }

    /** Lets one after another leave and come back, the liar too: then it answers ballots, and does not only propose them. */
    private void lie(long endNanos) {
        honest.forEach(child -> deliveredNanos[child.slot()] = System.nanoTime());
        int turn = 0;
        for (int look = 1; System.nanoTime() < endNanos && honest.stream().noneMatch(Child::isOver); look++) {
            if (look % LOOKS_TO_LEAVE == 0) {
                away = processes.child(turn++ % processes.size());
                away.say("leave");
            } else if (look % LOOKS_TO_LEAVE == LOOKS_AWAY) {
                comeBack();
            }
            look();
            Pause.millis(LOOK_MILLIS);
        }
        comeBack();
    }

    private void comeBack() {
        if (away != null) {
            away.say("join");
            away = null;
        }
    }

    /** Asks the honest ones for their progress. A process that was told to leave has none to make until it is told to join. */
    private void look() {
        honest.forEach(child -> child.say("count"));
        for (Child child : honest) {
            processes.await(Duration.ofMillis(LOOK_MILLIS), () -> child.count() != null || child.isOver());
            Child.Count count = child.count();
            long now = System.nanoTime();
            if (child == away || count != null && count.delivered() > delivered[child.slot()] && isAmongHonest(child)) {
                deliveredNanos[child.slot()] = now;
                delivered[child.slot()] = count == null ? delivered[child.slot()] : count.delivered();
            }
            long standstill = now - deliveredNanos[child.slot()];
            standstillNanos = Math.max(standstillNanos, standstill);
            if (standstill - processes.lateBetween(honest, now - standstill, now) > STANDSTILL_MAX.toNanos()) {
                violations.add("L1: " + child + " has delivered nothing among other honest members for " + standstill / 1_000_000 + " ms" + processes.views());
                deliveredNanos[child.slot()] = now;
            }
        }
    }

    /** Reports whether another honest process is in its view. */
    private boolean isAmongHonest(Child child) {
        Child.Seen seen = child.seen();
        return seen != null && honest.stream()
                .filter(other -> other != child)
                .anyMatch(other -> seen.members().contains(other.self()));
    }

    /** Looks for honest nodes that judged each other: none was cut off or stood still, so that such a verdict rests on a lie. */
    private void checkJudgements() {
        if (processes.own().longestNanos() >= JUDGED_LATE_NANOS) {
            return;
        }
        for (Child child : honest) {
            try (Stream<String> lines = Files.lines(child.log())) {
                lines.map(JUDGED::matcher)
                        .filter(Matcher::find)
                        .filter(found -> honest.stream().anyMatch(other -> found.group(1).equals(other.toString())))
                        .forEach(found -> violations.add("L1: " + found.group()));
            } catch (IOException e) {
                throw new UncheckedIOException("the log " + child.log() + " can't be read", e);
            }
        }
    }

    /** Looks for honest processes that have ended, or were put out of the group. */
    private void checkRemarks() {
        for (Child child : honest) {
            if (child.isOver()) {
                violations.add("S0: " + child + " has ended by itself, see its log");
            }
            child.remarks().forEach(remark -> violations.add("S0: " + child + " says: " + remark));
        }
    }

    /** Checks the journals of the honest processes. */
    Outcome check(double seconds, long beganNanos) {
        List<Check.Source> sources = honest.stream().map(child -> new Check.Source(child.journal(), 0)).toList();
        Check.Result result = Check.run(sources, beganNanos, liar.journal());
        List<String> all = new ArrayList<>(violations);
        all.addAll(result.violations());
        return new Outcome(processes.size(), seconds, liar.told(), standstillNanos / 1_000_000, result, all);
    }
}
