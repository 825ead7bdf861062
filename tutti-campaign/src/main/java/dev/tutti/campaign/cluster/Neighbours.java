package dev.tutti.campaign.cluster;

import dev.tutti.core.View;
import dev.tutti.core.settings.Settings;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.packing.PacketSizes;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import dev.tutti.sim.check.History;
import dev.tutti.sim.check.PropertyChecker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A second group of all nodes of a {@link SimulatedCluster}, with a stack of its own. Whatever the other group does, its members
 * come to one view and get their messages: groups of one node share sessions, and none waits for another.
 */
public final class Neighbours {

    static final String GROUP = "aside";

    /** Prefix of the names of this group's settings in a scenario. */
    public static final String PREFIX = GROUP + ".";

    private static final int MESSAGE_BYTES = 60;

    private final Simulation simulation;
    private final Settings settings;
    private final PropertyChecker checker;
    private final History history;
    private final List<@Nullable SimulatedMember> seats = new ArrayList<>();

    Neighbours(Simulation simulation, Settings settings, int size) {
        this.simulation = simulation;
        this.settings = settings;
        this.checker = new PropertyChecker(ClusterSettings.promise(settings));
        this.history = new History(checker::take);
        for (int number = 1; number <= size; number++) {
            seats.add(null);
        }
    }

    public Settings settings() {
        return settings;
    }

    public PropertyChecker checker() {
        return checker;
    }

    public boolean isUnreliable() {
        return settings.get(GroupSettings.STACK) == GroupSettings.StackKind.UNRELIABLE;
    }

    /** Joins a new member, because the node has started or its former member has left. */
    void join(int number, SimulatedNode node, PacketSizes sizes) {
        seats.set(number - 1, new SimulatedMember(simulation, history, node, GROUP, settings, sizes, 0));
    }

    @Nullable SimulatedMember seat(int number) {
        return seats.get(number - 1);
    }

    /** Records the crash of the member of a node that is about to end without a goodbye. */
    void end(int number) {
        SimulatedMember seat = seat(number);
        if (seat != null) {
            seat.end();
        }
    }

    /** Sends a message to all members of this group, beside one of the other group. */
    void send(int number) {
        SimulatedMember seat = seat(number);
        if (seat != null && seat.isUp() && seat.ordersWaiting() == 0) {
            seat.send(null, 1, MESSAGE_BYTES);
        }
    }

    public List<SimulatedMember> present(Predicate<SimulatedMember> filter) {
        List<SimulatedMember> present = new ArrayList<>();
        for (SimulatedMember seat : seats) {
            if (seat != null && seat.isPresent() && filter.test(seat)) {
                present.add(seat);
            }
        }
        return present;
    }

    public boolean isOneViewOf(List<SimulatedMember> chosen) {
        View common = null;
        for (SimulatedMember seat : chosen) {
            View view = seat.view();
            boolean isCommon = view != null && (common == null || common.id().equals(view.id()));
            if (view == null || !isCommon || view.size() != chosen.size() || !view.contains(seat.member())) {
                return false;
            }
            common = view;
        }
        return true;
    }

    String describe() {
        StringBuilder text = new StringBuilder();
        for (SimulatedMember seat : seats) {
            if (seat != null) {
                text.append(GROUP).append(' ').append(seat).append(' ').append(seat.view()).append(", submits ")
                        .append(seat.ordersWaiting()).append(" more, waits for '").append(seat.waitsFor()).append("'\n");
            }
        }
        return text.toString();
    }
}
