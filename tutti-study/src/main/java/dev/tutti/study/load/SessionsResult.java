package dev.tutti.study.load;

import dev.tutti.study.setup.Keeping;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Sessions of one system at a number of nodes.
 *
 * @param rounds loads without a fault
 * @param kill load under which one node was killed
 */
public record SessionsResult(Keeping keeping, int nodes, List<LoadResult> rounds, FaultResult kill) {

    /** Copies the rounds, the slowest first. */
    public SessionsResult {
        rounds = rounds.stream().sorted(Comparator.comparingDouble(SessionsResult::rate)).toList();
    }

    private static double rate(LoadResult load) {
        return load.confirmed() / load.seconds();
    }

    /** Returns the round with the median rate. */
    public LoadResult load() {
        return rounds.get(rounds.size() / 2);
    }

    /** Returns the updates that were lost without a fault, in all rounds. */
    public long lostUpdates() {
        return rounds.stream().mapToLong(round -> round.lost().updates()).sum();
    }

    /** Returns the requests that failed without a fault, in all rounds. */
    public long failed() {
        return rounds.stream().mapToLong(LoadResult::failed).sum();
    }


    /** Returns the name of the system, for options and reports. */
    public String system() {
        return nameOf(keeping);
    }

    /** Returns the name of a system. */
    public static String nameOf(Keeping keeping) {
        return keeping.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the requests per second at each node, in the median round. */
    public double requestsAtNode() {
        return rate(load()) / nodes;
    }

    /** Returns the requests per second at each node, in the slowest round. */
    public double requestsAtNodeMin() {
        return rate(rounds.getFirst()) / nodes;
    }

    /** Returns the requests per second at each node, in the fastest round. */
    public double requestsAtNodeMax() {
        return rate(rounds.getLast()) / nodes;
    }

    /** Returns the updates of sessions per second at each node, in the median round. */
    public double updatesAtNode() {
        return load().updates() / load().seconds() / nodes;
    }

    /** Returns the number of lost updates that the system promises to keep. */
    public long brokenUpdates() {
        return keeping.isPromised() ? lostUpdates() + kill.load().lost().updates() : 0;
    }

    /** Returns the figures for programs. */
    public Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("system", system());
        map.put("nodes", nodes);
        map.put("requestsPerSecondAtNode", requestsAtNode());
        map.put("updatesPerSecondAtNode", updatesAtNode());
        map.put("requestsPerSecondAtNodeMin", requestsAtNodeMin());
        map.put("requestsPerSecondAtNodeMax", requestsAtNodeMax());
        map.put("rounds", rounds.stream().map(LoadResult::map).toList());
        map.put("kill", kill.map());
        return map;
    }
}
