package dev.tutti.campaign.search;

import dev.tutti.campaign.cluster.Action;
import dev.tutti.campaign.cluster.NodeMaker;
import dev.tutti.campaign.cluster.ScheduledFault;
import dev.tutti.campaign.cluster.Traffic;
import dev.tutti.campaign.schedule.Schedule;
import dev.tutti.core.settings.SettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Makes a schedule that breaks a promise smaller while it breaks the same promise: kinds of faults, parts of the
 * schedule, single steps, nodes, and then time and amounts.
 */
final class Shrinker {

    private final String property;
    private final NodeMaker maker;
    private final long endMillis;
    private int runs;
    private Trial.Outcome best;

    private Shrinker(Trial.Outcome failed, NodeMaker maker, long millisMax) {
        this.best = failed;
        this.property = failed.property();
        this.maker = maker;
        this.endMillis = System.currentTimeMillis() + millisMax;
    }

    /** Returns the smallest failure found within {@code millisMax}; {@code failed} if none is smaller. */
    static Trial.Outcome shrink(Trial.Outcome failed, NodeMaker maker, long millisMax) {
        if (failed.schedule().mode().isOfNodes()) {
            // The seed alone determines everything.
            return failed;
        }
        Shrinker shrinker = new Shrinker(failed, maker, millisMax);
        int size;
        do {
            size = shrinker.best.schedule().toString().length();
            shrinker.pass();
        } while (shrinker.best.schedule().toString().length() < size && shrinker.hasTime());
        return shrinker.best;
    }

    private void pass() {
        removeKinds();
        removeSteps();
        removeWorld();
        removeNodes();
        shortenTime();
        shrinkAmounts();
    }

    private boolean hasTime() {
        return runs < RUNS_MAX && System.currentTimeMillis() < endMillis;
    }

    private boolean attempt(Schedule candidate) {
        if (!hasTime()) {
            return false;
        }
        runs++;
        Trial.Outcome outcome;
        try {
            outcome = Trial.run(candidate, maker);
        } catch (SettingException e) {
            // Another setting needs the one that was left out.
            return false;
        }
        if (outcome.property().equals(property)) {
            best = outcome;
            return true;
        }
        return false;
    }

    private void removeKinds() {
        for (ScheduledFault fault : ScheduledFault.values()) {
            List<Schedule.Step> steps = best.schedule().steps();
            List<Schedule.Step> rest =
                    steps.stream().filter(step -> step.action().fault() != fault).toList();
            if (rest.size() < steps.size()) {
                attempt(best.schedule().withSteps(rest));
            }
        }
    }

    /** Removes halves, quarters, and so on down to single steps. */
    private void removeSteps() {
        for (int length = best.schedule().steps().size() / 2; length >= 1; length /= 2) {
            int from = best.schedule().steps().size() - length;
            while (from >= 0 && hasTime()) {
                List<Schedule.Step> steps = new ArrayList<>(best.schedule().steps());
                int end = Math.min(steps.size(), from + length);
                steps.subList(Math.min(from, end), end).clear();
                attempt(best.schedule().withSteps(steps));
                from -= length;
            }
        }
    }

    private void removeWorld() {
        Schedule.World world = best.schedule().world();
        for (String name : List.copyOf(world.settings().keySet())) {
            Schedule.World less = best.schedule().world().copy();
            less.settings().remove(name);
            attempt(best.schedule().withWorld(less));
        }
        Schedule.World exact = best.schedule().world().copy();
        if (!exact.driftPpm().isEmpty() || !exact.lateTimers().isEmpty()) {
            exact.driftPpm().clear();
            exact.lateTimers().clear();
            attempt(best.schedule().withWorld(exact));
        }
        Schedule.World plain = Schedule.World.plain();
        Schedule.World near = best.schedule().world().copy().withPath(plain.path());
        if (!near.equals(best.schedule().world())) {
            attempt(best.schedule().withWorld(near));
        }
        Schedule.World prompt = best.schedule().world().copy()
                .withDelays(plain.connectTimeout(), plain.endDelayMax(), plain.noticeDelayMax());
        if (!prompt.equals(best.schedule().world())) {
            attempt(best.schedule().withWorld(prompt));
        }
    }

    /** Removes the last nodes that no step needs; removing others would rename the rest. */
    private void removeNodes() {
        for (int size = best.schedule().size() - 1; size >= 1 && hasTime(); size--) {
            int limit = size;
            List<Schedule.Step> rest = best.schedule().steps().stream()
                    .filter(step -> step.action().nodes().isEmpty() || step.action().nodes().last() <= limit)
                    .toList();
            Schedule.World world = best.schedule().world().copy();
            world.driftPpm().tailMap(limit, false).clear();
            world.lateTimers().tailMap(limit, false).clear();
            TreeSet<Integer> core = world.core();
            core.tailSet(limit, false).clear();
            Schedule schedule = best.schedule();
            if (!attempt(new Schedule(schedule.seed(), schedule.mode(), size, world, rest))) {
                return;
            }
        }
    }

    /** Shortens long waits. */
    private void shortenTime() {
        for (int index = 0; index < best.schedule().steps().size() && hasTime(); index++) {
            List<Schedule.Step> steps = best.schedule().steps();
            long before = index == 0 ? 0 : steps.get(index - 1).timeNanos();
            long gap = steps.get(index).timeNanos() - before;
            for (long shorter : new long[] {0, 1_000_000, 100_000_000, 1_000_000_000, 10_000_000_000L}) {
                if (shorter < gap && attempt(best.schedule().withSteps(moved(steps, index, gap - shorter)))) {
                    break;
                }
            }
        }
    }

    private static List<Schedule.Step> moved(List<Schedule.Step> steps, int from, long earlierNanos) {
        List<Schedule.Step> moved = new ArrayList<>(steps.subList(0, from));
        for (Schedule.Step step : steps.subList(from, steps.size())) {
            moved.add(new Schedule.Step(step.timeNanos() - earlierNanos, step.action()));
        }
        return moved;
    }

    private void shrinkAmounts() {
        for (int index = 0; index < best.schedule().steps().size() && hasTime(); index++) {
            if (best.schedule().steps().get(index).action() instanceof Traffic.Send send) {
                for (int count : new int[] {1, 10}) {
                    if (count < send.count() && attempt(replaced(index, new Traffic.Send(
                            send.node(), count, send.length(), send.receiver(), send.band())))) {
                        break;
                    }
                }
            }
        }
    }

    private Schedule replaced(int index, Action action) {
        List<Schedule.Step> steps = new ArrayList<>(best.schedule().steps());
        steps.set(index, new Schedule.Step(steps.get(index).timeNanos(), action));
        return best.schedule().withSteps(steps);
    }

    private static final int RUNS_MAX = 3_000;
}
