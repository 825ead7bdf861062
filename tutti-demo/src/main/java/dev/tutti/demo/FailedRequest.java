package dev.tutti.demo;

import java.util.List;

/**
 * A request that was not answered as it should have been.
 *
 * @param route the node that it was at: what the balancer says, or what the session's cookie said when it was sent
 * @param sentNanos when it was sent
 * @param failedNanos when it was known to have failed
 * @param what happened, for people
 */
record FailedRequest(String route, long sentNanos, long failedNanos, String what) {

    /** Whether it was in flight at a node when that was killed: the only excuse. */
    boolean isExcusedBy(List<Cluster.Kill> kills) {
        for (Cluster.Kill kill : kills) {
            boolean wasThere = kill.node().equals(route);
            if (wasThere && sentNanos - kill.removedNanos() <= 0 && failedNanos - kill.killedNanos() >= 0) {
                return true;
            }
        }
        return false;
    }
}
