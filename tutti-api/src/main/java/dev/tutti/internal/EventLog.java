package dev.tutti.internal;

import dev.tutti.Event;
import dev.tutti.Node;
import dev.tutti.protocols.node.NodeEvents;
import java.util.function.Consumer;
import org.slf4j.Logger;

/** Writes what happens to a node into the log: one line for each change of state, nothing per message. */
final class EventLog implements NodeEvents {

    private static final Logger LOG = Logs.of(Node.class);

    /**
     * Number of refusals that are logged before only every hundredth is: anybody who reaches the port can cause them.
     */
    private static final long REFUSALS_WRITTEN = 20;

    private final String node;
    private final Consumer<String> onTrouble;
    private long refusals;

    EventLog(String node, Consumer<String> onTrouble) {
        this.node = node;
        this.onTrouble = onTrouble;
    }

    @Override
    public void onEvent(Event event) {
        switch (event) {
            case Unreachable _, Suspected _, StackMismatch _, Distrusted _, Refused _ -> onTrouble.accept(event.toString());
            case SessionOpened _, SessionClosed _, Resumed _, Late _ -> {}
        }
        switch (event) {
            case SessionOpened opened -> LOG.info("node {}: {}", node, opened);
            case SessionClosed closed -> LOG.info("node {}: {}", node, closed);
            case Resumed resumed -> LOG.info("node {}: {}", node, resumed);
            case Unreachable unreachable -> LOG.warn("node {}: {}", node, unreachable);
            case Suspected suspected -> LOG.warn("node {}: {}", node, suspected);
            case Late late -> LOG.warn("node {}: {}", node, late);
            case StackMismatch mismatch -> LOG.error("node {}: {}", node, mismatch);
            case Distrusted distrusted -> LOG.warn("node {}: {}", node, distrusted);
            case Refused refused -> {
                refusals++;
                if (refusals <= REFUSALS_WRITTEN || refusals % 100 == 0) {
                    LOG.warn("node {}: {} ({} so far)", node, refused, refusals);
                }
            }
        }
    }
}
