package dev.tutti.campaign.lies;

import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Knowledge of a lying member about the cluster. */
public interface Ground {

    /** Returns the node that lies; null before it is known. */
    @Nullable NodeId self();

    /** Returns all nodes that there have been, including the one that lies. */
    List<NodeId> nodes();

    /** Returns the last view of the lying member; null before the first. */
    @Nullable View view();

    /** Reports whether the liar relays packets to the node of that name, which cannot detect changed contents. */
    boolean isRelayTo(String node);
}
