package dev.tutti.campaign.scale;

import dev.tutti.campaign.cluster.SimulatedCluster;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.sim.DatagramPath;
import dev.tutti.sim.Trace;
import dev.tutti.sim.check.History;
import dev.tutti.sim.check.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Scenarios with measurements, above all of large groups; used by tests and by {@link ScaleCommand}. */
final class ScaleScenarios {

    private record Sight(Member member, int viewSize) {}

    private final SimulatedCluster cluster;
    private final List<Sight> sights = new ArrayList<>();

    /**
     * @param cluster all of whose nodes are down
     */
    ScaleScenarios(SimulatedCluster cluster) {
        this.cluster = cluster.withWitness(entry -> {
            if (entry instanceof History.Viewed(Member member, View view)) {
                sights.add(new Sight(member, view.size()));
            }
        });
    }

    /**
     * Measurements of the formation of a group.
     *
     * @param millis virtual time from the start of all nodes to one view
     * @param sizes sizes of the views that any member saw, including a view of itself alone
     * @param frames number of frames sent
     * @param connections number of connections dialled
     */
    record Bootstrap(int nodes, long seed, long millis, TreeSet<Integer> sizes, long frames, long connections) {}

    /**
     * Measurements of the effect of a change on the members that stayed.
     *
     * @param millis time until all had the last view
     * @param views largest number of views that one of them saw
     * @param spared whether no member was ever removed except those that had to be
     */
    record Removal(int nodes, long seed, long millis, int views, boolean spared) {}

    /**
     * Measurements of the merge of two parts of a group.
     *
     * @param millis time from the end of the partition until all had one view
     * @param missing messages that a member should have delivered by then, or should not have
     */
    record Healing(int nodes, long seed, long millis, List<Violation> missing) {}

    /** Starts all nodes at one instant, with each other's addresses. */
    Bootstrap bootstrap(Duration limit) {
        long begin = cluster.simulation().nowNanos();
        cluster.start().until("one view of " + cluster.size(), limit, cluster::isOneView);
        TreeSet<Integer> sizes = new TreeSet<>();
        sights.forEach(sight -> sizes.add(sight.viewSize()));
        Trace trace = cluster.simulation().trace();
        return new Bootstrap(
                cluster.size(),
                cluster.simulation().seed(),
                millisSince(begin),
                sizes,
                trace.count(Trace.Kind.FRAME),
                trace.count(Trace.Kind.ACCEPTED));
    }

    /** Kills some nodes of a settled group at one instant. */
    Removal crashes(int count, Duration limit) {
        sights.clear();
        long begin = cluster.simulation().nowNanos();
        int step = cluster.size() / count;
        List<Integer> victims = IntStream.range(0, count).mapToObj(index -> 1 + index * step).toList();
        victims.forEach(cluster::crash);
        cluster.until("one view without the dead", limit, cluster::isOneView);
        return removal(begin, victims);
    }

    /** Cuts off one node of a settled group so that no other hears it while it hears all. */
    Removal silence(int victim, Duration limit) {
        sights.clear();
        long begin = cluster.simulation().nowNanos();
        for (int other = 1; other <= cluster.size(); other++) {
            if (other != victim) {
                cluster.network().cut(cluster.node(victim), cluster.node(other));
            }
        }
        String name = "n" + victim;
        cluster.until("one view without " + name, limit, () -> cluster.isOneViewOf(seat -> !seat.node.name().equals(name)));
        return removal(begin, List.of(victim));
    }

    /**
     * Puts one node of a settled group on datagrams behind links that lose most datagrams, in both directions.
     *
     * @param victim the node
     */
    Removal behindLoss(int victim, double loss, Duration limit) {
        sights.clear();
        long begin = cluster.simulation().nowNanos();
        DatagramPath lossy = DatagramPath.LOCAL.withLoss(loss);
        for (int other = 1; other <= cluster.size(); other++) {
            if (other != victim) {
                cluster.datagrams().setPath(cluster.node(victim), cluster.node(other), lossy);
                cluster.datagrams().setPath(cluster.node(other), cluster.node(victim), lossy);
            }
        }
        int witness = victim == 1 ? 2 : 1;
        Member lost = cluster.seat(victim).member();
        cluster.until("one view without n" + victim, limit, () -> cluster.view(witness).size() == cluster.size() - 1
                && !cluster.view(witness).contains(lost));
        return removal(begin, List.of(victim));
    }

    /** Splits a settled group into two parts, both of which go on, and heals the partition. */
    Healing partition(Duration duration, Duration limit) {
        int[] side = IntStream.rangeClosed(1, cluster.size() * 2 / 5).toArray();
        cluster.partition(side).advance(duration);
        for (int number = 1; number <= cluster.size(); number++) {
            cluster.send(number, 20, 300);
        }
        cluster.advance(Duration.ofSeconds(1)).heal();
        long begin = cluster.simulation().nowNanos();
        cluster.until("one view again", limit, cluster::isOneView);
        long millis = millisSince(begin);
        for (int number = 1; number <= cluster.size(); number++) {
            cluster.send(number, 5, 300);
        }
        cluster.advance(Duration.ofSeconds(1));
        return new Healing(cluster.size(), cluster.simulation().seed(), millis, cluster.missing());
    }

    private Removal removal(long begin, List<Integer> victims) {
        TreeMap<Member, Integer> views = new TreeMap<>();
        boolean isSpared = true;
        for (Sight sight : sights) {
            if (!victims.contains(cluster.numberOf(sight.member()))) {
                views.merge(sight.member(), 1, Integer::sum);
                isSpared &= sight.viewSize() >= cluster.size() - victims.size();
            }
        }
        int most = views.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        return new Removal(cluster.size(), cluster.simulation().seed(), millisSince(begin), most, isSpared);
    }

    private long millisSince(long begin) {
        return (cluster.simulation().nowNanos() - begin) / 1_000_000;
    }
}
