package dev.tutti.sites.example;

import static dev.tutti.sites.patterns.DailySchedule.shift;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.sites.Sites;
import dev.tutti.sites.patterns.ActiveSite;
import dev.tutti.sites.patterns.DailySchedule;
import java.util.function.Supplier;

/** A help desk that is open where it is day: each site begins its shift at eight or nine in its own time. */
final class FollowTheSunDesk implements AutoCloseable {

    private static final DailySchedule SHIFTS = DailySchedule.of(
            shift("tokyo", "08:00", "Asia/Tokyo"),
            shift("berlin", "08:00", "Europe/Berlin"),
            shift("denver", "09:00", "America/Denver"));

    private final Sites sites;
    private final ActiveSite active;
    private volatile String sign = "closed";

    /** @param founders all nodes of this site */
    FollowTheSunDesk(Node node, String site, String[] founders, Supplier<NodeBuilder> bridge) {
        sites = Sites.on(node).site(site).bridge(bridge).open();
        active = ActiveSite.of(sites, "desk")
                .sites("tokyo", "berlin", "denver")
                .founders(founders)
                .schedule(SHIFTS)
                .onActive(term -> sign = "open")
                .onPassive(() -> sign = "closed")
                .open();
    }

    String sign() {
        return sign;
    }

    ActiveSite active() {
        return active;
    }

    Node node() {
        return sites.node();
    }

    @Override
    public void close() {
        active.close();
        sites.close();
    }
}
