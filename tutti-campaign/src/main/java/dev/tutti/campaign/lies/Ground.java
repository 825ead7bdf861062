package dev.tutti.campaign.lies;

import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a member that lies knows of the cluster. */
public interface Ground {

    /** The node that lies; null before it is known. */
    @Nullable NodeId self();

    /** All nodes that there have been, the one that lies included. */
    List<NodeId> nodes();

    /** The last view of the one that lies; null before the first. */
    @Nullable View view();

    /** Whether the one that lies passes packets on to the node of that name: another content there is what nobody can tell. */
    boolean isRelayTo(String node);
}
