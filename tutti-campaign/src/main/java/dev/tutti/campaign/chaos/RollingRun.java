package dev.tutti.campaign.chaos;

import dev.tutti.campaign.chaos.Rollout.Release;
import dev.tutti.campaign.chaos.journal.Check;
import dev.tutti.campaign.chaos.journal.ViewSequence;
import dev.tutti.campaign.chaos.process.Child;
import dev.tutti.campaign.chaos.process.ProcessPool;
import dev.tutti.campaign.host.Pause;
import dev.tutti.internal.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A rolling upgrade under load, and the way back: one process after the other leaves, ends and is replaced by one of the
 * other release. The group goes on in one sequence of views ({@link ViewSequence}), and no message is lost.
 */
final class RollingRun {

    private static final Duration AGREE_MAX = Duration.ofSeconds(60);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    /** Lateness of the machine from which processes may lose each other though none has failed. */
    private static final long STARVED_NANOS = 1_000_000_000L;

    /** Version of the view as the membership layer of a process of the present release reports it. */
    private static final Pattern VERSION = Pattern.compile("\"name\":\"membership\".*?\"version\":(\\d+)");

    /**
     * Result of a run.
     *
     * @param replaced number of processes that were replaced
     * @param isStarved the machine was so late that processes may have lost each other
     */
    record Outcome(
            int processes, double seconds, int replaced, boolean isStarved, Check.Result result, List<String> violations) {

        String text() {
            StringBuilder text = new StringBuilder(String.format(
                    Locale.ROOT,
                    "%n%d processes, of which %d were replaced, %.0f s%n%,d entries checked: %,d views, %,d messages submitted, %,d"
                            + " deliveries%n",
                    processes, replaced, seconds, result.entries(), result.views(), result.submitted(), result.delivered()));
            if (isStarved) {
                text.append("the machine was late by a second or more: processes may have lost each other\n");
            }
            violations.forEach(violation -> text.append("VIOLATION ").append(violation).append('\n'));
            return text.append(violations.size()).append(" violations\n").toString();
        }

        String json() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("processes", processes);
            map.put("seconds", seconds);
            map.put("replaced", replaced);
            map.put("starved", isStarved);
            map.put("entries", result.entries());
            map.put("views", result.views());
            map.put("submitted", result.submitted());
            map.put("delivered", result.delivered());
            map.put("violations", violations);
            return Json.write(map) + "\n";
        }
    }

    private final ProcessPool processes;
    private final Rollout rollout;
    private final long settleMillis;
    private final Consumer<String> progress;
    private final List<String> violations = new ArrayList<>();
    private int replaced;

    /** Version of the first view with members of both releases; 0 before it. */
    private int mixedVersion;

    /** @param settleMillis time under load between two replacements */
    RollingRun(ProcessPool processes, Rollout rollout, long settleMillis, Consumer<String> progress) {
        this.processes = processes;
        this.rollout = rollout;
        this.settleMillis = settleMillis;
        this.progress = progress;
    }

    void run() {
        if (!agree("the start")) {
            return;
        }
        processes.setSending(true);
        progress.accept("all " + processes.size() + " in one view, of the previous release");
        Pause.millis(settleMillis);
        if (replaceAll(Release.PRESENT)) {
            replaceAll(Release.PREVIOUS);
        }
        processes.setSending(false);
        processes.rest(processes.present(), AGREE_MAX).forEach(silent -> violations.add("S0: " + silent + " does not answer"));
        checkRemarks();
    }

    /** Replaces all processes, the oldest first, so that the coordinator changes each time. */
    private boolean replaceAll(Release release) {
        for (int slot = 0; slot < processes.size(); slot++) {
            long began = System.nanoTime();
            if (!replace(slot, release)) {
                return false;
            }
            progress.accept(processes.child(slot) + " runs the " + release + " release, after "
                    + (System.nanoTime() - began) / 1_000_000 + " ms");
            Pause.millis(settleMillis);
            checkVersion();
        }
        return true;
    }

    private boolean replace(int slot, Release release) {
        Child old = processes.child(slot);
        old.say("quiet");
        old.say("leave");
        if (!processes.await(AGREE_MAX, () -> !old.isJoined() || old.isOver())) {
            violations.add("L1: " + old + " could not leave within " + AGREE_MAX.toSeconds() + " s" + processes.views());
            return false;
        }
        processes.end(slot);
        rollout.set(slot, release);
        processes.restart(slot);
        replaced++;
        return agree("the start of " + old + " with the " + release + " release");
    }

    private boolean agree(String what) {
        if (processes.await(AGREE_MAX, () -> ProcessPool.isAgreed(processes.present()))) {
            return true;
        }
        violations.add("L1: there was no view of all within " + AGREE_MAX.toSeconds() + " s of " + what + processes.views());
        return false;
    }

    /** Checks that a view has a later version when, and only when, no member of the previous release is in it. */
    private void checkVersion() {
        TreeSet<Integer> versions = new TreeSet<>();
        for (Child child : processes.present()) {
            if (rollout.of(child.slot()) == Release.PRESENT) {
                versions.add(version(child));
            }
        }
        if (versions.isEmpty()) {
            return;
        }
        boolean isMixed = !rollout.isAll(Release.PRESENT);
        if (mixedVersion == 0) {
            mixedVersion = versions.first();
        }
        boolean isRight = isMixed ? versions.last() == mixedVersion : versions.first() > mixedVersion;
        if (versions.size() > 1 || !isRight) {
            violations.add("versions: a view " + (isMixed ? "with members of the previous release" : "of the present release alone")
                    + " has version " + versions + ", and the first one with members of both had " + mixedVersion + processes.views());
        }
    }

    /** Returns the version of the view that a process reports; 0 if it reports none. */
    private int version(Child child) {
        child.say("status");
        processes.await(ANSWER_MAX, () -> child.status() != null || child.isOver());
        String status = child.status();
        Matcher matcher = VERSION.matcher(status == null ? "" : status);
        return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    private void checkRemarks() {
        for (Child child : processes.all()) {
            child.remarks().forEach(remark -> violations.add("S0: " + child + " says: " + remark));
        }
    }

    Outcome check(double seconds, long beganNanos) {
        List<Check.Source> sources =
                processes.all().stream().map(child -> new Check.Source(child.journal(), 0)).toList();
        Check.Result result = Check.run(sources, beganNanos);
        List<String> all = new ArrayList<>(violations);
        all.addAll(result.violations());
        Check.lost(sources).forEach(text -> all.add("lost: " + text));
        boolean isStarved = processes.longestLateNanos() >= STARVED_NANOS;
        if (!isStarved) {
            ViewSequence.violations(processes.all().stream().map(RollingRun::life).toList(), processes.size())
                    .forEach(text -> all.add("views: " + text));
        }
        return new Outcome(processes.size(), seconds, replaced, isStarved, result, all);
    }

    private static ViewSequence.Life life(Child child) {
        return new ViewSequence.Life(
                child.journal().getFileName().toString(),
                child.views().stream().map(seen -> ViewSequence.Seen.of(seen.id(), seen.members())).toList());
    }
}
