package dev.tutti.study.load;

import dev.tutti.study.setup.Keeping;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Sessions of one system at a number of nodes.
 *
 * @param load load without a fault
 * @param kill load under which one node was killed
 */
public record SessionsResult(Keeping keeping, int nodes, LoadResult load, FaultResult kill) {

    /** Returns the name of the system, for options and reports. */
    public String system() {
        return nameOf(keeping);
    }

    /** Returns the name of a system. */
    public static String nameOf(Keeping keeping) {
        return keeping.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the requests per second at each node. */
    public double requestsAtNode() {
        return load.confirmed() / load.seconds() / nodes;
    }

    /** Returns the updates of sessions per second at each node. */
    public double updatesAtNode() {
        return load.updates() / load.seconds() / nodes;
    }

    /** Returns the number of lost updates that the system promises to keep. */
    public long brokenUpdates() {
        return keeping.isPromised() ? load.lost().updates() + kill.load().lost().updates() : 0;
    }

    /** Returns the figures for programs. */
    public Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("system", system());
        map.put("nodes", nodes);
        map.put("requestsPerSecondAtNode", requestsAtNode());
        map.put("updatesPerSecondAtNode", updatesAtNode());
        map.put("load", load.map());
        map.put("kill", kill.map());
        return map;
    }
}
