package dev.tutti.campaign.cluster;

import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeMachine;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Trace;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/** Crashes, orderly stops and lost records of a cluster's nodes; keeps the counters of processes that have ended. */
public final class Outages {

    private final ClusterNodes nodes;
    private final SimulatedGroup group;
    private final ClusterSettings settings;
    private final NodeCounters counters = new NodeCounters();
    private final TreeMap<Integer, Integer> stopping = new TreeMap<>();
    private boolean hasLostRecords;

    Outages(ClusterNodes nodes, SimulatedGroup group, ClusterSettings settings) {
        this.nodes = nodes;
        this.group = group;
        this.settings = settings;
    }

    void crash(int number) {
        rememberCounters(number);
        group.member(number).crash();
    }

    void powerOff(int number) {
        rememberCounters(number);
        group.member(number).powerOff();
    }

    /** Begins the orderly stop of a node: it says goodbye, and then its process ends. */
    void stop(int number) {
        rememberCounters(number);
        stopping.put(number, nodes.node(number).run());
        group.member(number).stop();
    }

    /** Reports whether this run of the node was told to stop. */
    boolean isStopping(int number) {
        return stopping.getOrDefault(number, 0) == nodes.node(number).run();
    }

    /**
     * Removes the records of a node that is down, but not of a founder: a founder counts in the first primary view by
     * its name, even if its record is lost.
     *
     * @return whether the records were removed
     */
    boolean loseRecords(int number) {
        boolean isPossible = nodes.node(number).life() == SimulatedNode.Life.DOWN
                && group.find(number) != null
                && !settings.group().get(GroupSettings.FOUNDERS).contains("n" + number);
        if (isPossible) {
            nodes.node(number).loseRecords();
            hasLostRecords = true;
        }
        return isPossible;
    }

    public boolean hasLostRecords() {
        return hasLostRecords;
    }

    private void rememberCounters(int number) {
        counters.remember(group.member(number).machine());
    }

    /** Adds up the nodes' counters and the kinds of events of the trace, by name. */
    TreeMap<String, Long> counters(Trace trace) {
        List<NodeMachine> running = group.started().stream()
                .filter(member -> member.node.life() != SimulatedNode.Life.DOWN)
                .map(SimulatedMember::machine)
                .toList();
        TreeMap<String, Long> sums = counters.with(running);
        for (Trace.Kind kind : Trace.Kind.values()) {
            sums.merge("trace." + kind.name().toLowerCase(Locale.ROOT), trace.count(kind), Long::sum);
        }
        return sums;
    }
}
