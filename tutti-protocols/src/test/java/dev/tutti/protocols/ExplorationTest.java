package dev.tutti.protocols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.protocols.GroupModel.Proc;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Random walks over the actions of the view change's model: sends, receptions in any order, closes, crashes, restarts,
 * reconnections and time. After the walk everything heals, and every property is checked.
 */
class ExplorationTest {

    private static final int SEEDS = Integer.getInteger("tutti.exploration.seeds", 1_000);
    private static final List<String> PROBES = List.of(
            "membership.stragglers-completed",
            "membership.ballots-refused",
            "reliability.repairs-received",
            "dropped.late_repair",
            "dropped.old_ballot",
            "dropped.frozen",
            "dropped.gap",
            "dropped.old_view");
    private static final long FIRST_SEED = Long.getLong("tutti.exploration.seed", 1);

    @Test
    void everyPropertyHoldsOnRandomWalks() {
        int views = 0;
        int deliveries = 0;
        TreeMap<String, Long> probes = new TreeMap<>();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            GroupModel model = walk(seed);
            for (Proc proc : model.procs) {
                views += proc.history.size();
                deliveries += model.deliveredByAll(proc).size();
                for (String probe : PROBES) {
                    probes.merge(probe, proc.number(probe), Long::sum);
                }
            }
        }
        assertThat(views).as("the walks change views").isGreaterThan(SEEDS * 3);
        assertThat(deliveries).as("the walks deliver").isGreaterThan(SEEDS);
        if (SEEDS < 1_000) {
            return;
        }
        assertThat(probes).as("what must have happened in some walk").allSatisfy((probe, count) -> assertThat(count)
                .as(probe)
                .isPositive());
    }

    private static GroupModel walk(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int count = random.nextInt(2, 6);
        GroupModel model = new GroupModel(count, 128 * 1024);
        try {
            if (random.nextInt(3) > 0) {
                model.connectAll();
                if (random.nextBoolean()) {
                    model.settle();
                }
            }
            int faults = random.nextInt(6);
            int steps = random.nextInt(30, 250);
            for (int step = 0; step < steps; step++) {
                List<Runnable> actions = new ArrayList<>();
                int weight = random.nextInt(100);
                if (weight < 4 && faults > 0 && addFaults(model, actions, random)) {
                    faults--;
                } else if (weight < 12) {
                    addReconnections(model, actions);
                } else if (weight < 22) {
                    model.up().forEach(proc -> actions.add(() -> model.send(proc)));
                } else if (weight < 27) {
                    long nanos = random.nextLong(1, 60_000_000);
                    actions.add(() -> model.advance(nanos));
                } else {
                    addReceptions(model, actions);
                }
                if (!actions.isEmpty()) {
                    actions.get(random.nextInt(actions.size())).run();
                }
            }
            model.checkSafety();
            model.heal();
            model.checkSafety();
            model.checkAtRest();
            return model;
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ", " + count + " members; run it alone with -Dtutti.exploration.seed="
                    + seed + " -Dtutti.exploration.seeds=1\n" + String.join("\n", lastSteps(model)), e);
        }
    }

    private static List<String> lastSteps(GroupModel model) {
        List<String> interesting = model.steps.stream()
                .filter(step -> !step.startsWith("receive"))
                .toList();
        return interesting.subList(Math.max(0, interesting.size() - 40), interesting.size());
    }

    private static boolean addFaults(GroupModel model, List<Runnable> actions, SplittableRandom random) {
        int kind = random.nextInt(10);
        for (Proc one : model.up()) {
            if (kind < 2 && model.up().size() > 1) {
                actions.add(() -> model.crash(one));
            } else if (kind == 2 && model.procs.size() < 8) {
                actions.add(model::add);
            } else {
                for (Proc other : model.procs) {
                    if (one.open.getOrDefault(other.index, false)) {
                        actions.add(() -> model.close(one, other));
                    }
                }
            }
        }
        return !actions.isEmpty();
    }

    private static void addReconnections(GroupModel model, List<Runnable> actions) {
        for (Proc one : model.procs) {
            for (Proc other : model.procs) {
                if (model.canNotice(one, other)) {
                    actions.add(() -> model.close(one, other));
                }
                if (one.index < other.index && model.canConnect(one, other)) {
                    actions.add(() -> model.connect(one, other));
                }
            }
        }
    }

    private static void addReceptions(GroupModel model, List<Runnable> actions) {
        for (Proc from : model.procs) {
            for (Proc to : model.procs) {
                if (model.canReceive(from, to)) {
                    actions.add(() -> model.receive(from, to));
                }
            }
        }
    }
}
