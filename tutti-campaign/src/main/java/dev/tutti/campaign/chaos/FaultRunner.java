package dev.tutti.campaign.chaos;

import dev.tutti.campaign.chaos.network.Network;
import dev.tutti.campaign.chaos.network.NetworkFault;
import dev.tutti.campaign.chaos.process.Child;
import dev.tutti.campaign.chaos.process.ProcessPool;
import dev.tutti.campaign.host.Pause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Causes one fault after the other, measures the times, and lets everything come to rest in the end.
 *
 * <p>A fault begins when all are in one view, except in a storm. The seed determines its kind, victims and duration.
 */
final class FaultRunner {

    private static final Duration FORM_MAX = Duration.ofSeconds(60);
    private static final Duration AGREE_MAX = Duration.ofSeconds(60);
    private static final Duration PART_MAX = Duration.ofSeconds(20);
    private static final Duration DELIVER_MAX = Duration.ofSeconds(60);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);
    private static final double STOP_SECONDS_MIN = 0.1;

    /** Time in which a JVM that has just started loads its classes; only storms do not wait for it. */
    private static final long WARM_MILLIS = 2_000;

    private final Network network;
    private final ProcessPool processes;
    private final SplittableRandom random;
    private final Report report;
    private final Consumer<String> progress;
    private final Bound deathBound;
    private final double stopSecondsMax;
    private final long beganNanos;
    private final List<NetworkFault> bag = new ArrayList<>();

    /** Thrown to end a run that cannot go on; the reason is in the report. */
    private static final class EndException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** @param deathBound bound for the time from a kill */
    FaultRunner(
            Network network,
            ProcessPool processes,
            long seed,
            Bound deathBound,
            double stopSecondsMax,
            long beganNanos,
            Report report,
            Consumer<String> progress) {
        this.network = network;
        this.processes = processes;
        this.random = new SplittableRandom(seed);
        this.deathBound = deathBound;
        this.stopSecondsMax = stopSecondsMax;
        this.beganNanos = beganNanos;
        this.report = report;
        this.progress = progress;
    }

    /** Causes each of these faults once, in order. */
    void run(List<NetworkFault> faults) {
        direct(() -> faults.forEach(this::perform));
    }

    /** Causes these faults in an order drawn from the seed, until the time is over. */
    void run(Set<NetworkFault> faults, Duration time) {
        long end = System.nanoTime() + time.toNanos();
        direct(() -> {
            while (System.nanoTime() < end) {
                perform(next(faults));
            }
        });
    }

    private void direct(Runnable play) {
        try {
            form();
            play.run();
            rest();
        } catch (EndException e) {
            progress.accept("the run ends here");
        }
    }

    private NetworkFault next(Set<NetworkFault> faults) {
        if (bag.isEmpty()) {
            for (NetworkFault fault : faults) {
                bag.addAll(Collections.nCopies(fault.weight(), fault));
            }
            Collections.shuffle(bag, new Random(random.nextLong()));
        }
        return bag.removeLast();
    }

    private void form() {
        if (!processes.await(FORM_MAX, () -> ProcessPool.isAgreed(processes.present()))) {
            fail("L1", "there was no view of all within " + FORM_MAX.toSeconds() + " s of the start");
        }
        say("all " + processes.size() + " in one view");
        processes.setSending(true);
        Pause.millis(WARM_MILLIS);
    }

    private void perform(NetworkFault fault) {
        long began = System.nanoTime();
        report.count(fault);
        switch (fault) {
            case KILL -> kill();
            case RESTART -> restart();
            case STOP -> stop();
            case LEAVE -> leave();
            case CUT -> cut(someOf(1 + random.nextInt(processes.size() - 1)));
            case ISOLATE -> cut(Set.of(processes.coordinator()));
            case ONE_WAY -> oneWay();
            case BRIDGE -> bridge();
            case FLAP -> flap();
            case LOSS -> loss();
            case RESET -> between(fault, network::reset);
            case HALF_OPEN -> between(fault, network::halfOpen);
            case SLOW -> slow();
            case CORRUPT -> between(fault, network::corrupt);
            case STORM -> storm();
        }
        checkAlive();
        say(fault + " is over after " + (System.nanoTime() - began) / 1_000_000 + " ms");
        Pause.millis(200 + random.nextInt(1_500));
    }

    // ------------------------------------------------------------------ faults of processes

    private void kill() {
        int slot = target();
        Child killed = processes.child(slot);
        String gone = killed.self();
        List<Child> others = others(slot);
        long atNanos = processes.kill(slot);
        Long parted = awaitParted(others, Set.of(gone), atNanos);
        take(deathBound, atNanos, parted, others, "kill -9 of " + killed);
        Pause.millis(random.nextInt(6_000));
        start(slot);
    }

    /** Kills and restarts a process, mostly behind a cut, so that no other notices before the new one appears. */
    private void restart() {
        int slot = target();
        boolean isHidden = network.faults().contains(NetworkFault.ISOLATE) && random.nextInt(3) > 0;
        say("restart of " + processes.child(slot) + (isHidden ? ", behind a cut" : ""));
        if (isHidden) {
            network.lose(between(Set.of(slot), 1));
            Pause.millis(random.nextInt(300));
        }
        processes.kill(slot);
        network.heal();
        start(slot);
    }

    private void start(int slot) {
        long began = System.nanoTime();
        processes.restart(slot);
        agree(Bound.REJOIN, began, "start of " + processes.child(slot));
        Pause.millis(WARM_MILLIS);
    }

    private void stop() {
        int slot = target();
        double seconds = STOP_SECONDS_MIN * Math.pow(stopSecondsMax / STOP_SECONDS_MIN, random.nextDouble());
        Child stopped = processes.child(slot);
        say(String.format(Locale.ROOT, "stop of %s for %.1f s", stopped, seconds));
        stopped.stop();
        Pause.millis((long) (seconds * 1_000));
        stopped.go();
        agree(Bound.RETURN, System.nanoTime(), String.format(Locale.ROOT, "stop of %s for %.1f s", stopped, seconds));
    }

    private void leave() {
        int slot = target();
        Child leaver = processes.child(slot);
        String gone = leaver.self();
        long atNanos = System.nanoTime();
        leaver.say("leave");
        if (!processes.await(ANSWER_MAX.multipliedBy(2), () -> !leaver.isJoined())) {
            fail("L1", leaver + " has not left the group");
        }
        awaitParted(others(slot), Set.of(gone), atNanos);
        Pause.millis(random.nextInt(2_000));
        long began = System.nanoTime();
        leaver.say("join");
        agree(Bound.REJOIN, began, leaver + " has left and joins again");
    }

    // ------------------------------------------------------------------ faults of the network

    private void cut(Set<Integer> side) {
        List<Child> here = children(side);
        List<Child> there = others(side);
        Set<String> selfHere = selves(here);
        Set<String> selfThere = selves(there);
        boolean isShort = random.nextInt(4) == 0;
        String what = "cut of " + here + " from " + there;
        say(what);
        long atNanos = System.nanoTime();
        network.lose(between(side, 1));
        if (isShort) {
            Pause.millis(200 + random.nextInt(2_800));
        } else {
            Long partedHere = awaitParted(here, selfThere, atNanos);
            Long partedThere = awaitParted(there, selfHere, atNanos);
            take(Bound.SILENCE, atNanos, Math.max(partedHere, partedThere), processes.present(), what);
            Pause.millis(random.nextInt(6_000));
        }
        heal(what);
    }

    private void oneWay() {
        int from = target();
        Set<Integer> to = new HashSet<>(someOf(1 + random.nextInt(processes.size() - 1)));
        to.remove(from);
        if (to.isEmpty()) {
            to.add((from + 1) % processes.size());
        }
        Map<Network.Path, Double> losses = new HashMap<>();
        to.forEach(each -> losses.put(new Network.Path(from, each), 1.0));
        String what = "one-way cut from " + processes.child(from) + " to " + children(to);
        say(what);
        network.lose(losses);
        Pause.millis(1_000 + random.nextInt(11_000));
        heal(what);
    }

    private void bridge() {
        int bridge = random.nextInt(processes.size());
        Set<Integer> one = new HashSet<>();
        Set<Integer> other = new HashSet<>();
        for (int slot = 0; slot < processes.size(); slot++) {
            if (slot != bridge) {
                (one.size() <= other.size() ? one : other).add(slot);
            }
        }
        String what = "only " + processes.child(bridge) + " hears both " + children(one) + " and " + children(other);
        say(what);
        network.lose(between(one, other, 1));
        Pause.millis(4_000 + random.nextInt(8_000));
        heal(what);
    }

    private void flap() {
        Set<Integer> side = someOf(1 + random.nextInt(processes.size() - 1));
        int times = 3 + random.nextInt(8);
        String what = "link between " + children(side) + " and the others flaps " + times + " times";
        say(what);
        for (int time = 0; time < times; time++) {
            network.lose(between(side, 1));
            Pause.millis(50 + random.nextInt(1_500));
            network.lose(between(side, 0));
            Pause.millis(50 + random.nextInt(1_500));
        }
        heal(what);
    }

    private void loss() {
        double share = 0.01 + 0.29 * random.nextDouble();
        boolean isEverywhere = random.nextBoolean();
        Set<Integer> side = someOf(1 + random.nextInt(processes.size() - 1));
        Map<Network.Path, Double> losses = new HashMap<>();
        for (int from = 0; from < processes.size(); from++) {
            for (int to = 0; to < processes.size(); to++) {
                if (from != to && (isEverywhere || side.contains(from) != side.contains(to))) {
                    losses.put(new Network.Path(from, to), share);
                }
            }
        }
        String what = String.format(Locale.ROOT, "%.0f %% lost on %d paths", share * 100, losses.size());
        say(what);
        network.lose(losses);
        Pause.millis(3_000 + random.nextInt(7_000));
        network.heal();
        agree(Bound.SETTLE, System.nanoTime(), what);
    }

    private void slow() {
        int slot = random.nextInt(processes.size());
        String what = processes.child(slot) + " has a slow network";
        say(what);
        network.slow(slot, true);
        Pause.millis(3_000 + random.nextInt(6_000));
        network.heal();
        agree(Bound.SETTLE, System.nanoTime(), what);
    }

    private interface Between {
        void act(int one, int other);
    }

    private void between(NetworkFault fault, Between act) {
        int times = 1 + random.nextInt(4);
        String what = fault + " between " + times + " pairs";
        say(what);
        for (int time = 0; time < times; time++) {
            int one = random.nextInt(processes.size());
            act.act(one, (one + 1 + random.nextInt(processes.size() - 1)) % processes.size());
            Pause.millis(random.nextInt(200));
        }
        agree(Bound.SETTLE, System.nanoTime(), what);
    }

    /** Causes faults of all kinds, several at once. */
    private void storm() {
        int steps = 5 + random.nextInt(16);
        say("storm of " + steps + " faults");
        for (int step = 0; step < steps; step++) {
            stormStep(random.nextInt(processes.size()));
            Pause.millis(random.nextInt(1_200));
        }
        network.heal();
        long began = System.nanoTime();
        boolean isStarted = false;
        for (Child child : processes.present()) {
            child.go();
            if (child.killedAtNanos() != 0) {
                processes.restart(child.slot());
                isStarted = true;
            }
        }
        agree(isStarted ? Bound.REJOIN : Bound.SETTLE, began, "storm of " + steps + " faults");
        if (isStarted) {
            Pause.millis(WARM_MILLIS);
        }
    }

    private void stormStep(int slot) {
        Child child = processes.child(slot);
        int other = (slot + 1 + random.nextInt(processes.size() - 1)) % processes.size();
        Set<NetworkFault> able = network.faults();
        int dice = random.nextInt(10);
        if (child.killedAtNanos() != 0) {
            processes.restart(slot);
        } else if (child.isStopped()) {
            child.go();
        } else if (dice < 2 && processes.awake().size() > 1) {
            processes.kill(slot);
        } else if (dice < 4 && processes.awake().size() > 1) {
            child.stop();
        } else if (dice < 6 && able.contains(NetworkFault.CUT)) {
            network.lose(between(Set.of(slot), dice == 4 ? 1 : 0));
        } else if (dice < 8 && able.contains(NetworkFault.ONE_WAY)) {
            network.lose(Map.of(new Network.Path(slot, other), dice == 6 ? 1.0 : 0.0));
        } else if (dice < 9 && able.contains(NetworkFault.RESET)) {
            network.reset(slot, other);
        } else {
            network.heal();
        }
    }

    // ------------------------------------------------------------------ waiting and timing

    /** Heals the network and waits for one view; the time counts as a merge if the views had split. */
    private void heal(String what) {
        boolean isApart = !ProcessPool.isAgreed(processes.present());
        network.heal();
        agree(isApart ? Bound.MERGE : Bound.SETTLE, System.nanoTime(), what);
    }

    private void agree(Bound bound, long sinceNanos, String what) {
        List<Child> all = processes.present();
        if (!processes.await(AGREE_MAX, () -> ProcessPool.isAgreed(all))) {
            fail("L1", "there was no view of all within " + AGREE_MAX.toSeconds() + " s after: " + what);
        }
        take(bound, sinceNanos, Math.max(sinceNanos, ProcessPool.agreedAtNanos(all)), all, what);
    }

    private long awaitParted(Collection<Child> children, Set<String> gone, long sinceNanos) {
        if (!processes.await(PART_MAX, () -> ProcessPool.parted(children, gone, sinceNanos) != null)) {
            fail("L1", children + " have not all had a view without " + gone + " within " + PART_MAX.toSeconds() + " s");
        }
        Long parted = ProcessPool.parted(children, gone, sinceNanos);
        return parted == null ? sinceNanos + PART_MAX.toNanos() : parted;
    }

    private void take(Bound bound, long fromNanos, long toNanos, Collection<Child> involved, String what) {
        // A process that is late reports it only afterwards.
        Pause.millis(50);
        Sample sample = new Sample(
                bound, fromNanos - beganNanos, toNanos - fromNanos, processes.lateBetween(involved, fromNanos, toNanos), what);
        report.add(sample);
        say(sample.verdict().toString().toLowerCase(Locale.ROOT) + ": " + sample);
    }

    private void checkAlive() {
        for (Child child : processes.present()) {
            if (child.killedAtNanos() == 0 && child.isOver()) {
                fail("S0", child + " has ended by itself: " + child.remarks());
            }
            if (child.remarks().stream().anyMatch(remark -> remark.contains(" lost ") || remark.contains(" failed "))) {
                fail("S0", child + " says " + child.remarks());
            }
        }
    }

    /** Stops all sending, and waits until all have delivered everything. */
    private void rest() {
        network.heal();
        agree(Bound.SETTLE, System.nanoTime(), "the end");
        processes.setSending(false);
        processes.rest(processes.present(), DELIVER_MAX).forEach(silent -> fail("S0", silent + " does not answer"));
        long delivered = 0;
        for (Child child : processes.present()) {
            Child.Count count = child.count();
            delivered += count == null ? 0 : count.delivered();
        }
        say("at rest: " + delivered + " deliveries at those who are there");
    }

    private void fail(String property, String text) {
        report.addViolation(String.format(
                Locale.ROOT, "%s: %s (at %.1f s)%s", property, text, (System.nanoTime() - beganNanos) / 1e9, processes.views()));
        say(text + processes.views());
        network.heal();
        for (Child child : processes.awake()) {
            child.say("status");
            processes.await(ANSWER_MAX, () -> child.status() != null || child.isOver());
            say("status of " + child + ": " + child.status());
        }
        throw new EndException();
    }

    private void say(String text) {
        progress.accept(String.format(Locale.ROOT, "%7.1f s  %s", (System.nanoTime() - beganNanos) / 1e9, text));
    }

    // ------------------------------------------------------------------ victims

    /** Draws a slot, every third time that of the coordinator. */
    private int target() {
        return random.nextInt(3) == 0 ? processes.coordinator() : random.nextInt(processes.size());
    }

    private Set<Integer> someOf(int count) {
        List<Integer> slots = new ArrayList<>();
        for (int slot = 0; slot < processes.size(); slot++) {
            slots.add(slot);
        }
        Collections.shuffle(slots, new Random(random.nextLong()));
        return new HashSet<>(slots.subList(0, count));
    }

    private List<Child> children(Set<Integer> slots) {
        return processes.present().stream().filter(child -> slots.contains(child.slot())).toList();
    }

    private List<Child> others(Set<Integer> slots) {
        return processes.present().stream().filter(child -> !slots.contains(child.slot())).toList();
    }

    private List<Child> others(int slot) {
        return others(Set.of(slot));
    }

    private static Set<String> selves(Collection<Child> children) {
        return children.stream().map(Child::self).collect(Collectors.toSet());
    }

    /** Returns all paths between these and the others, with their loss. */
    private Map<Network.Path, Double> between(Set<Integer> side, double loss) {
        Set<Integer> rest = new HashSet<>();
        for (int slot = 0; slot < processes.size(); slot++) {
            if (!side.contains(slot)) {
                rest.add(slot);
            }
        }
        return between(side, rest, loss);
    }

    private static Map<Network.Path, Double> between(Set<Integer> side, Set<Integer> other, double loss) {
        Map<Network.Path, Double> losses = new HashMap<>();
        for (int one : side) {
            for (int two : other) {
                losses.put(new Network.Path(one, two), loss);
                losses.put(new Network.Path(two, one), loss);
            }
        }
        return losses;
    }
}
