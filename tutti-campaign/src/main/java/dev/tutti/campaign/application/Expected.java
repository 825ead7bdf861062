package dev.tutti.campaign.application;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Events that a campaign of applications has to reach, so that a claim to try something is never empty. */
public final class Expected {

    private static final List<String> CALLBACKS =
            List.of("onMessage", "onMessage-scoped", "onMessage-out-of-band", "onBatchEnd", "onView", "onSuspended", "onClosed",
                    "snapshot", "write", "install", "onEntry", "onDirectory");

    private static final List<String> OTHERS = List.of(
            "blocked.onMessage", "blocked.onMessage-scoped", "blocked.onView", "called-back.onMessage", "called-back.onView",
            "closed", "closed-in-callback", "counted", "cuts-compared", "directory", "install", "install-after-merge",
            "install-ends-early", "joined", "joined-in-callback", "left", "left-with-sends-waiting", "locked", "locked-at-rest", "map.last-writer", "map.total", "merged",
            "merged-with-state", "not-joined.state", "provider-lost", "called", "called.back", "queue.offered", "queue.taken", "reader.FAILING",
            "reader.SLOW", "refused.NO_MEMBER", "refused.tried", "sent", "sent.asynchronously", "sent.large",
            "sent.out-of-band", "sent.scoped", "sent.scoped-large", "sent.tried", "sent.unicast", "sent.unicast-large",
            "snapshot", "state.resumed", "state.restarted", "suspended", "transition", "writer.BYTEWISE", "writer.FAILING",
            "writer.SLOW");

    private Expected() {}

    /** Returns the number of times that each expected event was reached, by its readable name. */
    public static Map<String, Long> of(Map<String, Long> counts) {
        Map<String, Long> reached = new TreeMap<>();
        for (String name : names()) {
            long count = 0;
            for (Map.Entry<String, Long> each : counts.entrySet()) {
                if (isPart(each.getKey(), name)) {
                    count += each.getValue();
                }
            }
            reached.put(name, count);
        }
        return reached;
    }

    private static boolean isPart(String counter, String name) {
        return counter.equals(name) || name.startsWith("application.throw.") && counter.startsWith(name + ".");
    }

    private static List<String> names() {
        List<String> names = new ArrayList<>();
        OTHERS.forEach(other -> names.add("application." + other));
        CALLBACKS.forEach(callback -> names.add("application.throw." + callback));
        for (Mischief.Kind kind : Mischief.Kind.values()) {
            names.add("application.throw.onMessage." + kind);
            names.add("application.throw.onView." + kind);
        }
        for (Block block : Block.values()) {
            names.add("application.block." + block);
        }
        return names;
    }
}
