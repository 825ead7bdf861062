package dev.tutti.campaign.cluster;

import dev.tutti.core.View;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.packing.PacketSizes;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import dev.tutti.sim.check.History;
import dev.tutti.sim.check.PropertyChecker;
import dev.tutti.sim.check.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Members of one group of a cluster, by the numbers of their nodes, and the check of all that they see. */
final class SimulatedGroup {

    private final Simulation simulation;
    private final String name;
    private final Supplier<Settings> settings;
    private final List<@Nullable SimulatedMember> members = new ArrayList<>();
    private final History history = new History(this::take);
    private final List<Consumer<History.Entry>> witnesses = new ArrayList<>();
    private Predicate<History.Entry> isChecked = entry -> true;
    private @Nullable PropertyChecker checker;

    /** @param settings of members that join, which may change until the first one does */
    SimulatedGroup(Simulation simulation, String name, int size, Supplier<Settings> settings) {
        this.simulation = simulation;
        this.name = name;
        this.settings = settings;
        for (int number = 1; number <= size; number++) {
            members.add(null);
        }
    }

    // ------------------------------------------------------------------ history

    private void take(History.Entry entry) {
        if (isChecked.test(entry)) {
            checker().take(entry);
            witnesses.forEach(witness -> witness.accept(entry));
        }
    }

    /** Leaves out entries for which no promise holds. */
    void check(Predicate<History.Entry> isPromised) {
        isChecked = isPromised;
    }

    /** Adds a consumer of the history's entries, which gets each entry after the checker. */
    void addWitness(Consumer<History.Entry> witness) {
        witnesses.add(witness);
    }

    PropertyChecker checker() {
        PropertyChecker present = checker;
        if (present == null) {
            present = new PropertyChecker(ClusterSettings.promise(settings.get()));
            checker = present;
        }
        return present;
    }

    // ------------------------------------------------------------------ members

    /**
     * Joins a new member, because the node has started or its former member has left.
     *
     * @param askedEvery the member asks for a receipt of each message with this distance; of none if it is 0
     */
    void join(int number, SimulatedNode node, PacketSizes sizes, int askedEvery) {
        members.set(
                number - 1, new SimulatedMember(simulation, history, node, name, settings.get(), sizes, askedEvery));
    }

    /** Returns the last member of a node; null if the node was never started. */
    @Nullable SimulatedMember find(int number) {
        return members.get(number - 1);
    }

    SimulatedMember member(int number) {
        SimulatedMember member = find(number);
        if (member == null) {
            throw new IllegalStateException("n" + number + " was never started");
        }
        return member;
    }

    /** Returns the last member of each node that was started. */
    List<SimulatedMember> started() {
        List<SimulatedMember> started = new ArrayList<>();
        for (SimulatedMember member : members) {
            if (member != null) {
                started.add(member);
            }
        }
        return started;
    }

    List<SimulatedMember> present() {
        List<SimulatedMember> present = started();
        present.removeIf(member -> !member.isPresent());
        return present;
    }

    // ------------------------------------------------------------------ views

    /** Returns the largest view of any present member; null if there is no view. */
    @Nullable View largestView() {
        View largest = null;
        for (SimulatedMember member : present()) {
            View view = member.view();
            if (view != null && (largest == null || view.size() > largest.size())) {
                largest = view;
            }
        }
        return largest;
    }

    /** Reports whether members share one view of exactly themselves. */
    static boolean isOneViewOf(List<SimulatedMember> chosen) {
        View common = null;
        for (SimulatedMember member : chosen) {
            View view = member.view();
            boolean isCommon = view != null && (common == null || common.id().equals(view.id()));
            if (view == null || !isCommon || view.size() != chosen.size() || !view.contains(member.member())) {
                return false;
            }
            common = view;
        }
        return true;
    }

    // ------------------------------------------------------------------ violations

    /** Returns the violations, including those of guarantees that must hold because all members are at rest. */
    List<Violation> missing() {
        return checker().violationsAtRest(present().stream().map(SimulatedMember::member).toList());
    }

    /** Returns a violation if a member was not told of something that it should know; null if all were told. */
    @Nullable Violation untold() {
        boolean isPrimary = settings.get().get(GroupSettings.PARTITION) == GroupSettings.Partition.PRIMARY;
        for (SimulatedMember member : started()) {
            if (member.hasMissedTheEnd()) {
                return new Violation("T4", member + " has stopped, and its member was not told of the end of the group");
            }
            if (isPrimary && member.isSuspendedInSilence()) {
                return new Violation("T3", member + " is outside of the primary partition, and was not told");
            }
        }
        return null;
    }

    /** Describes the state of each member and its node, one in a line. */
    String describe() {
        StringBuilder text = new StringBuilder();
        for (SimulatedMember member : started()) {
            text.append(member).append(' ').append(member.node.life()).append(' ').append(member.view());
            text.append(", submits ").append(member.ordersWaiting()).append(" more, waits for '")
                    .append(member.waitsFor()).append("', ");
            text.append(member.node.memory().outstandingBlocks()).append(" blocks");
            if (member.isUp()) {
                text.append(' ');
                member.machine().report(new TextReport(text, ""));
            }
            text.append('\n');
        }
        return text.toString();
    }

    /** Appends a report to a text, as names and values in one line. */
    private record TextReport(StringBuilder text, String prefix) implements Report {

        @Override
        public void put(String name, long value) {
            put(name, Long.toString(value));
        }

        @Override
        public void put(String name, String value) {
            text.append(prefix).append(name).append('=').append(value).append(' ');
        }

        @Override
        public Report section(String name) {
            return new TextReport(text, prefix + name + ".");
        }
    }
}
