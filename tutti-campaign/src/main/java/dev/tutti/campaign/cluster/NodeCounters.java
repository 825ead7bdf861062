package dev.tutti.campaign.cluster;

import dev.tutti.core.stack.Report;
import dev.tutti.protocols.node.NodeMachine;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Sums of the counters of all nodes, by name, those of ended processes included. */
final class NodeCounters {

    private final TreeMap<String, Long> ofEnded = new TreeMap<>();

    /** Adds the counters of a node whose process ends now. */
    void remember(NodeMachine machine) {
        machine.report(new SummingReport(ofEnded, ""));
    }

    /** Returns the sums of the counters of ended processes and of {@code running} ones. */
    TreeMap<String, Long> with(List<NodeMachine> running) {
        TreeMap<String, Long> sums = new TreeMap<>(ofEnded);
        running.forEach(machine -> machine.report(new SummingReport(sums, "")));
        return sums;
    }

    private record SummingReport(TreeMap<String, Long> sums, String prefix) implements Report {
        @Override
        public void put(String name, long value) {
            sums.merge(prefix + name, value, Long::sum);
        }

        @Override
        public void put(String name, String value) {
            // Nothing to add up.
        }

        @Override
        public Report section(String name) {
            return new SummingReport(sums, prefix + (NODE.matcher(name).matches() ? "*" : name) + ".");
        }

        private static final Pattern NODE = Pattern.compile("n\\d+");
    }
}
