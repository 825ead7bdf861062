package dev.tutti.sim;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** What large groups go through, and how well: for tests, and for whoever wants to see figures. */
final class ScaleScenarios {

    private ScaleScenarios() {}

    /**
     * How a group came about.
     *
     * @param millis of virtual time from the start of all to one view
     * @param sizes different sizes of views that anybody saw, itself alone included
     * @param frames that travelled
     * @param connections that were dialled
     */
    record Bootstrap(int nodes, long seed, long millis, TreeSet<Integer> sizes, long frames, long connections) {}

    /**
     * What a change did to those who stayed.
     *
     * @param millis until all had the last view
     * @param views how many views each of them saw, at most
     * @param spared whether nobody was ever removed but those who had to be
     */
    record Removal(int nodes, long seed, long millis, int views, boolean spared) {}

    /** All start at one instant and have each other's addresses. */
    static Bootstrap bootstrap(Cluster cluster, Duration limit) {
        long begin = cluster.simulation().nowNanos();
        cluster.start().until("one view of " + cluster.size(), limit, cluster::isOneView);
        TreeSet<Integer> sizes = new TreeSet<>();
        for (History.Entry entry : cluster.history().entries()) {
            if (entry instanceof History.Viewed(Member member, View view)) {
                sizes.add(view.size());
            }
        }
        Trace trace = cluster.simulation().trace();
        return new Bootstrap(
                cluster.size(),
                cluster.simulation().seed(),
                millisSince(cluster, begin),
                sizes,
                trace.count(Trace.Kind.FRAME),
                trace.count(Trace.Kind.ACCEPTED));
    }

    /** Some of a settled group are killed at one instant. */
    static Removal crashes(Cluster cluster, int count, Duration limit) {
        int seen = cluster.history().entries().size();
        long begin = cluster.simulation().nowNanos();
        int step = cluster.size() / count;
        List<Integer> victims = IntStream.range(0, count).mapToObj(index -> 1 + index * step).toList();
        victims.forEach(cluster::crash);
        cluster.until("one view without the dead", limit, cluster::isOneView);
        return removal(cluster, seen, begin, victims);
    }

    /** One node of a settled group is not heard by anybody any more, and hears all. */
    static Removal silence(Cluster cluster, int victim, Duration limit) {
        int seen = cluster.history().entries().size();
        long begin = cluster.simulation().nowNanos();
        for (int other = 1; other <= cluster.size(); other++) {
            if (other != victim) {
                cluster.network().cut(cluster.node(victim), cluster.node(other));
            }
        }
        String name = "n" + victim;
        cluster.until("one view without " + name, limit, () -> cluster.isOneViewOf(seat -> !seat.node.name().equals(name)));
        return removal(cluster, seen, begin, List.of(victim));
    }

    private static Removal removal(Cluster cluster, int seen, long begin, List<Integer> victims) {
        TreeMap<Member, Integer> views = new TreeMap<>();
        boolean isSpared = true;
        List<History.Entry> entries = new ArrayList<>(cluster.history().entries());
        for (History.Entry entry : entries.subList(seen, entries.size())) {
            if (entry instanceof History.Viewed(Member member, View view) && !victims.contains(cluster.numberOf(member))) {
                views.merge(member, 1, Integer::sum);
                isSpared &= view.size() >= cluster.size() - victims.size();
            }
        }
        int most = views.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        return new Removal(cluster.size(), cluster.simulation().seed(), millisSince(cluster, begin), most, isSpared);
    }

    private static long millisSince(Cluster cluster, long begin) {
        return (cluster.simulation().nowNanos() - begin) / 1_000_000;
    }

    /** {@code ScaleScenarios bootstrap|crashes|silence NODES SEED}: prints figures. */
    public static void main(String[] arguments) {
        int nodes = Integer.parseInt(arguments[1]);
        long began = System.nanoTime();
        Cluster cluster = Cluster.cluster(nodes, Long.parseLong(arguments[2]));
        Duration limit = Duration.ofSeconds(60);
        Object result = bootstrap(cluster, limit);
        print(result, began);
        if (!arguments[0].equals("bootstrap")) {
            cluster.advance(Duration.ofSeconds(1));
            began = System.nanoTime();
            result = arguments[0].equals("crashes") ? crashes(cluster, 10, limit) : silence(cluster, nodes / 2, limit);
            print(result, began);
        }
    }

    private static void print(Object result, long began) {
        Runtime runtime = Runtime.getRuntime();
        System.out.println(result + ", " + (System.nanoTime() - began) / 1_000_000 + " ms of real time, "
                + (runtime.totalMemory() - runtime.freeMemory() >> 20) + " MiB of heap");
    }
}
