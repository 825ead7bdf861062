package dev.tutti.campaign.cluster;

import dev.tutti.campaign.lies.Ground;
import dev.tutti.campaign.lies.Lies;
import dev.tutti.campaign.lies.Theme;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.sim.Interceptor;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.check.History;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A simulated node whose frames are changed on their way ({@link Lies}). */
public final class Liar implements Interceptor, Ground {

    private final SimulatedCluster cluster;
    private final int number;
    private final Lies lies;

    /** @param number of the node that lies */
    Liar(SimulatedCluster cluster, int number, Theme theme, SplittableRandom random) {
        this.cluster = cluster;
        this.number = number;
        boolean isFifo = cluster.groupSettings().get(GroupSettings.STACK) == GroupSettings.StackKind.FIFO;
        this.lies = new Lies(this, theme, isFifo, random);
    }

    /** Reports whether an entry is the liar's, or a message of the liar: no promise holds for these. */
    boolean isAbout(History.Entry entry) {
        return cluster.numberOf(entry.member()) == number
                || entry instanceof History.Delivered delivered
                        && cluster.numberOf(delivered.message().sender()) == number;
    }

    /** Returns how often each kind of lie was told. */
    public TreeMap<String, Long> told() {
        return lies.told();
    }

    @Override
    public byte[] intercept(SimulatedNode from, SimulatedNode to, byte[] frame) {
        if (cluster.numberOf(from) == number) {
            return lies.instead(to.name(), frame);
        }
        lies.hear(from.name(), cluster.numberOf(to) == number, frame);
        return frame;
    }

    // ------------------------------------------------------------------ knowledge of the cluster

    @Override
    public @Nullable NodeId self() {
        return cluster.wasStarted(number) ? cluster.node(number).id() : null;
    }

    @Override
    public List<NodeId> nodes() {
        List<NodeId> started = new ArrayList<>();
        for (int node = 1; node <= cluster.size(); node++) {
            if (cluster.wasStarted(node)) {
                started.add(cluster.node(node).id());
            }
        }
        return started;
    }

    @Override
    public @Nullable View view() {
        return cluster.seat(number).view();
    }

    /** Reports whether the liar precedes {@code node} in the ring, by the view of {@code node}. */
    @Override
    public boolean isRelayTo(String node) {
        int receiver = Integer.parseInt(node.substring(1));
        View view = cluster.isUp(receiver) ? cluster.seat(receiver).view() : null;
        List<Member> members = view == null ? List.of() : view.members();
        for (int rank = 0; rank < members.size(); rank++) {
            if (cluster.numberOf(members.get(rank)) == receiver) {
                return cluster.numberOf(members.get((rank + members.size() - 1) % members.size())) == number;
            }
        }
        return false;
    }
}
