package dev.tutti.campaign.cluster;

import dev.tutti.core.settings.Settings;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.packing.PacketSizes;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import dev.tutti.sim.check.PropertyChecker;
import java.util.List;
import java.util.function.Predicate;

/**
 * A second group of all nodes of a {@link SimulatedCluster}, with a stack of its own. Whatever the other group does, its members
 * come to one view and get their messages: groups of one node share sessions, and none waits for another.
 */
public final class Neighbours {

    static final String GROUP = "aside";

    /** Prefix of the names of this group's settings in a scenario. */
    public static final String PREFIX = GROUP + ".";

    private static final int MESSAGE_BYTES = 60;

    private final Settings settings;
    private final SimulatedGroup group;

    Neighbours(Simulation simulation, Settings settings, int size) {
        this.settings = settings;
        this.group = new SimulatedGroup(simulation, GROUP, size, () -> settings);
    }

    public Settings settings() {
        return settings;
    }

    public PropertyChecker checker() {
        return group.checker();
    }

    public boolean isUnreliable() {
        return settings.get(GroupSettings.STACK) == GroupSettings.StackKind.UNRELIABLE;
    }

    /** Joins a new member, because the node has started or its former member has left. */
    void join(int number, SimulatedNode node, PacketSizes sizes) {
        group.join(number, node, sizes, 0);
    }

    /** Makes the member of a node leave; returns whether there was one. */
    boolean leave(int number) {
        SimulatedMember seat = group.find(number);
        boolean isPossible = seat != null && seat.isUp() && seat.application.isMember();
        if (isPossible && seat != null) {
            seat.leave();
        }
        return isPossible;
    }

    /** Reports whether the former member of a node has left, so that a new one can join. */
    boolean hasLeft(int number) {
        SimulatedMember seat = group.find(number);
        return seat != null && seat.application.isLeft();
    }

    /** Records the crash of the member of a node that is about to end without a goodbye. */
    void end(int number) {
        SimulatedMember seat = group.find(number);
        if (seat != null) {
            seat.end();
        }
    }

    /** Sends a message to all members of this group, beside one of the other group. */
    void send(int number) {
        SimulatedMember seat = group.find(number);
        if (seat != null && seat.isUp() && seat.ordersWaiting() == 0) {
            seat.send(null, 1, MESSAGE_BYTES);
        }
    }

    public List<SimulatedMember> present(Predicate<SimulatedMember> filter) {
        return group.present().stream().filter(filter).toList();
    }

    public boolean isOneViewOf(List<SimulatedMember> chosen) {
        return SimulatedGroup.isOneViewOf(chosen);
    }

    String describe() {
        StringBuilder text = new StringBuilder();
        for (SimulatedMember seat : group.started()) {
            text.append(GROUP).append(' ').append(seat).append(' ').append(seat.view()).append(", submits ")
                    .append(seat.ordersWaiting()).append(" more, waits for '").append(seat.waitsFor()).append("'\n");
        }
        return text.toString();
    }
}
