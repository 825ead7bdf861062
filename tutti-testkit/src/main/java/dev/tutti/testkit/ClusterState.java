package dev.tutti.testkit;

import dev.tutti.core.Member;
import dev.tutti.sim.Simulation;
import dev.tutti.sim.check.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** State of a cluster as a whole: its views, its rest, and the guarantees that were broken. */
final class ClusterState {

    private final Simulation simulation;
    private final Story story;
    private final List<SimulatedProcess> processes;
    private final Map<GroupHistory.Key, GroupHistory> histories;

    /**
     * @param processes all processes; they may be added later
     * @param histories histories of the groups, in their order
     */
    ClusterState(
            Simulation simulation, Story story, List<SimulatedProcess> processes, TreeMap<GroupHistory.Key, GroupHistory> histories) {
        this.simulation = simulation;
        this.story = story;
        this.processes = processes;
        this.histories = histories;
    }

    /** Returns whether each group has one view of all its members on running processes. */
    boolean isOneView() {
        return memberships().isOneView();
    }

    /** Returns whether there is one view in each group, and no thread of a running process is active. */
    boolean isAtRest() {
        return isOneView() && running().stream().noneMatch(SimulatedProcess::isBusy);
    }

    /** Returns the running processes that are active, and why. */
    List<String> busy() {
        return running().stream().filter(SimulatedProcess::isBusy).map(SimulatedProcess::business).toList();
    }

    /** Returns everything that is unfinished though nothing waits to be sent. */
    List<String> missing() {
        List<String> missing = new ArrayList<>(violations(true));
        running().forEach(process -> missing.addAll(process.statesUnderWay()));
        return missing;
    }

    /** Returns the guarantees that were broken. */
    List<String> violations() {
        return violations(false);
    }

    private List<String> violations(boolean isAtRest) {
        TreeMap<GroupHistory.Key, TreeSet<Member>> members = memberships().members();
        List<String> found = new ArrayList<>();
        histories.forEach((group, history) -> {
            TreeSet<Member> present = isAtRest && history.isChecked ? members.get(group) : null;
            List<Violation> violations = present == null ? history.violations() : history.violationsAtRest(present);
            violations.forEach(violation -> found.add("group " + group + ": " + violation));
        });
        return found;
    }

    private Memberships memberships() {
        return new Memberships(running());
    }

    private List<SimulatedProcess> running() {
        return processes.stream().filter(SimulatedProcess::isRunning).toList();
    }

    /** Returns the state of all processes and the last events, for a failure. */
    String describe() {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "  %d processes, seed %d, at %.6f s of virtual time\n",
                processes.size(),
                simulation.seed(),
                simulation.nowNanos() / 1e9));
        for (SimulatedProcess process : processes) {
            text.append("    ").append(process.describe()).append('\n');
        }
        text.append("  what happened last\n");
        for (String line : story.last(LINES_SHOWN)) {
            text.append(line).append('\n');
        }
        return text.toString();
    }

    private static final int LINES_SHOWN = 40;
}
