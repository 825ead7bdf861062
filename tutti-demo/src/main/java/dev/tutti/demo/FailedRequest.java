package dev.tutti.demo;

import java.util.List;

/**
 * A request that was not answered as it should have been.
 *
 * @param route node that the session's cookie named when it was sent
 * @param sentNanos time when it was sent
 * @param failedNanos time when it was known to have failed
 * @param what description of the failure, for people
 */
record FailedRequest(String route, long sentNanos, long failedNanos, String what) {

    /** Returns whether it was in flight at a node when that was killed: the only excuse. */
    boolean isExcusedBy(List<DemoCluster.Kill> kills) {
        for (DemoCluster.Kill kill : kills) {
            boolean wasThere = kill.node().equals(route);
            if (wasThere && sentNanos - kill.removedNanos() <= 0 && failedNanos - kill.killedNanos() >= 0) {
                return true;
            }
        }
        return false;
    }
}
