package dev.tutti.campaign.chaos;

import dev.tutti.campaign.chaos.network.Network;
import dev.tutti.campaign.chaos.network.NetworkFault;
import dev.tutti.campaign.chaos.process.Child;
import dev.tutti.campaign.chaos.process.ProcessPool;
import dev.tutti.campaign.history.HistoryCheck;
import dev.tutti.campaign.history.HistoryJournal;
import dev.tutti.campaign.history.Operation;
import dev.tutti.campaign.host.Pause;
import dev.tutti.internal.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A run of processes that use coordination blocks. One fault follows the other, also faults of a majority; then
 * everything is healed, and the results of all operations are checked. A side without a majority stands still, so that
 * views during a fault prove little; after each fault all have to come together again.
 */
final class CoordinationRun {

    private static final Duration AGREE_MAX = Duration.ofSeconds(90);
    private static final long SETTLE_MILLIS = 1_500;

    private final Network network;
    private final ProcessPool processes;
    private final SplittableRandom random;
    private final Set<NetworkFault> allowed;
    private final Consumer<String> progress;
    private final EnumMap<NetworkFault, Long> faults = new EnumMap<>(NetworkFault.class);
    private final List<String> violations = new ArrayList<>();

    CoordinationRun(Network network, ProcessPool processes, long seed, Set<NetworkFault> allowed, Consumer<String> progress) {
        this.network = network;
        this.processes = processes;
        this.random = new SplittableRandom(seed);
        this.allowed = allowed;
        this.progress = progress;
    }

    static final List<NetworkFault> FAULTS =
            List.of(NetworkFault.KILL, NetworkFault.STOP, NetworkFault.CUT, NetworkFault.ISOLATE, NetworkFault.ONE_WAY, NetworkFault.FLAP, NetworkFault.RESET);

    /** @return whether all came together after each fault */
    boolean run(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        boolean isTogether = agree("the start");
        processes.setSending(true);
        Pause.millis(SETTLE_MILLIS);
        List<NetworkFault> able = FAULTS.stream().filter(allowed::contains).toList();
        while (isTogether && System.nanoTime() < end) {
            NetworkFault fault = able.get(random.nextInt(able.size()));
            faults.merge(fault, 1L, Long::sum);
            long began = System.nanoTime();
            perform(fault);
            network.heal();
            processes.present().forEach(Child::go);
            isTogether = agree(fault.toString());
            progress.accept(fault + " is over after " + (System.nanoTime() - began) / 1_000_000 + " ms");
            Pause.millis(SETTLE_MILLIS);
        }
        processes.setSending(false);
        Pause.millis(2 * SETTLE_MILLIS);
        return isTogether;
    }

    private boolean agree(String what) {
        if (processes.await(AGREE_MAX, () -> ProcessPool.isAgreed(processes.present()))) {
            return true;
        }
        violations.add("L1: there was no primary view of all within " + AGREE_MAX.toSeconds() + " s after: " + what
                + processes.views());
        return false;
    }

    private void perform(NetworkFault fault) {
        int slot = random.nextInt(processes.size());
        switch (fault) {
            case KILL -> kill();
            case STOP -> {
                processes.child(slot).stop();
                Pause.millis(200 + random.nextInt(8_000));
            }
            case CUT -> {
                Set<Integer> side = some(1 + random.nextInt(processes.size() - 1));
                cut(side);
                Pause.millis(500 + random.nextInt(8_000));
            }
            case ISOLATE -> {
                cut(Set.of(processes.coordinator()));
                Pause.millis(500 + random.nextInt(8_000));
            }
            case ONE_WAY -> {
                Map<Network.Path, Double> losses = new HashMap<>();
                some(1 + random.nextInt(processes.size() - 1)).stream()
                        .filter(other -> other != slot)
                        .forEach(other -> losses.put(new Network.Path(slot, other), 1.0));
                network.lose(losses);
                Pause.millis(500 + random.nextInt(8_000));
            }
            case FLAP -> {
                Set<Integer> side = some(1 + random.nextInt(processes.size() - 1));
                for (int time = 0; time < 4; time++) {
                    cut(side);
                    Pause.millis(100 + random.nextInt(3_000));
                    network.heal();
                    Pause.millis(100 + random.nextInt(600));
                }
            }
            case RESET -> network.reset(slot, (slot + 1) % processes.size());
            case RESTART, LEAVE, BRIDGE, LOSS, HALF_OPEN, SLOW, CORRUPT, STORM ->
                throw new IllegalArgumentException(fault + " is no fault of this workload");
        }
    }

    /** Kills some at once, now and then a majority or all, half of the time with a cut; restarts them one by one. */
    private void kill() {
        int count = random.nextInt(5) == 0 ? 1 + random.nextInt(processes.size()) : 1 + random.nextInt(processes.size() / 2);
        Set<Integer> killed = some(count);
        if (random.nextBoolean() && allowed.contains(NetworkFault.CUT)) {
            cut(some(1 + random.nextInt(processes.size() - 1)));
            Pause.millis(random.nextInt(4_000));
        }
        progress.accept("kill -9 of " + killed);
        killed.forEach(processes::kill);
        Pause.millis(random.nextInt(3_000));
        for (int slot : killed) {
            processes.restart(slot);
            Pause.millis(random.nextInt(500));
        }
    }

    private Set<Integer> some(int count) {
        TreeSet<Integer> some = new TreeSet<>();
        while (some.size() < count) {
            some.add(random.nextInt(processes.size()));
        }
        return some;
    }

    private void cut(Set<Integer> side) {
        Map<Network.Path, Double> losses = new HashMap<>();
        for (int from = 0; from < processes.size(); from++) {
            for (int to = 0; to < processes.size(); to++) {
                if (side.contains(from) != side.contains(to)) {
                    losses.put(new Network.Path(from, to), 1.0);
                }
            }
        }
        network.lose(losses);
    }

    /** Result of a run. */
    record Outcome(HistoryCheck.Result result, List<String> violations, Map<NetworkFault, Long> faults, double seconds) {

        boolean isBroken() {
            return !violations.isEmpty();
        }

        String text() {
            StringBuilder text = new StringBuilder();
            text.append(String.format(Locale.ROOT, "coordination, %.0f s, faults %s%n", seconds, faults));
            text.append(String.format(
                    Locale.ROOT,
                    "  %,d operations with an outcome, %,d whose outcome nobody knows; %,d locks granted; %d numbers in %d eras%n",
                    result.told(),
                    result.unknown(),
                    result.grants(),
                    result.objects(),
                    result.eras()));
            text.append(String.format(
                    Locale.ROOT, "  largest search %,d places; undecided %s%n", result.configurations(), result.undecided()));
            text.append("  violations: ").append(violations.size()).append('\n');
            violations.forEach(violation -> text.append("    ").append(violation).append('\n'));
            return text.toString();
        }

        String json() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("seconds", seconds);
            Map<String, Object> done = new LinkedHashMap<>();
            faults.forEach((fault, count) -> done.put(fault.toString(), count));
            map.put("faults", done);
            map.put("told", result.told());
            map.put("unknown", result.unknown());
            map.put("grants", result.grants());
            map.put("objects", result.objects());
            map.put("eras", result.eras());
            map.put("configurations", result.configurations());
            map.put("undecided", result.undecided());
            map.put("violations", violations);
            return Json.write(map) + "\n";
        }
    }

    /** Checks the journals of all processes, once none of them writes any more. */
    Outcome check(double seconds) {
        List<Operation> operations = new ArrayList<>();
        processes.all().forEach(child -> operations.addAll(HistoryJournal.read(child.journal())));
        HistoryCheck.Result result = HistoryCheck.run(operations);
        violations.addAll(result.violations());
        return new Outcome(result, List.copyOf(violations), new EnumMap<>(faults), seconds);
    }
}
