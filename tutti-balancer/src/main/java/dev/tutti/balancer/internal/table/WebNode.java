package dev.tutti.balancer.internal.table;

import dev.tutti.announce.message.Announcement;
import dev.tutti.announce.message.ContextState;
import dev.tutti.announce.message.WebContext;

/**
 * A node of the table.
 *
 * @param content the node as it is announced
 * @param origin the way in which it was announced
 * @param isStandby whether it gets requests only if no other node can take them
 */
public record WebNode(Announcement content, Origin origin, boolean isStandby) {

    /** Ways in which nodes are announced. */
    public enum Origin {
        /** By a member of the group. */
        GROUP,
        /** By the management protocol of mod_cluster. */
        MOD_CLUSTER,
        /** By a setting of the balancer. */
        LISTED
    }

    /** Load up to which a node counts as idle: differences below would only make the spread uneven. */
    private static final double LOAD_FREE = 0.5;

    private static final double WEIGHT_MIN = 0.05;

    public String route() {
        return content.route();
    }

    /** Returns the share of new sessions: 1 for a node that is at most half loaded, falling to 0.05 for one at its limit. */
    public double weight() {
        double load = content.load().value();
        return load <= LOAD_FREE ? 1 : Math.max(WEIGHT_MIN, (1 - load) / (1 - LOAD_FREE));
    }

    /** Returns the state of the context that takes most, for load balancers with one state for a server. */
    public ContextState mostTaken() {
        ContextState most = ContextState.STOPPED;
        for (WebContext context : content.contexts()) {
            most = context.state().compareTo(most) < 0 ? context.state() : most;
        }
        return most;
    }

    /** Returns whether no context takes a request. */
    public boolean isStopped() {
        return content.contexts().stream().allMatch(context -> context.state() == ContextState.STOPPED);
    }
}
