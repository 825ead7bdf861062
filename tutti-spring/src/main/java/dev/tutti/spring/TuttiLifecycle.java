package dev.tutti.spring;

import dev.tutti.Node;
import dev.tutti.blocks.calls.Calls;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Start and end of the application's part in the cluster.
 *
 * <p>Starts before the web server does and ends after it: requests find sessions and groups as long as there are any, and
 * the node leaves when the last one has been answered. So it leaves with nothing under way, and others take over its locks at
 * once instead of when they miss it.
 */
final class TuttiLifecycle implements SmartLifecycle {

    /** Below the phase in which web servers start and stop, which is 2048 below the highest. */
    static final int PHASE = DEFAULT_PHASE - 3072;

    private static final Duration DRAIN_MAX = Duration.ofSeconds(10);

    private final Node node;
    private final ObjectProvider<Groups> groups;
    private final ObjectProvider<Leadership> leadership;
    private final ObjectProvider<Calls> calls;
    private volatile boolean isRunning;

    TuttiLifecycle(Node node, ObjectProvider<Groups> groups, ObjectProvider<Leadership> leadership, ObjectProvider<Calls> calls) {
        this.node = node;
        this.groups = groups;
        this.leadership = leadership;
        this.calls = calls;
    }

    @Override
    public void start() {
        groups.ifAvailable(Groups::open);
        leadership.ifAvailable(Leadership::start);
        isRunning = true;
    }

    @Override
    public void stop() {
        isRunning = false;
        leadership.ifAvailable(Leadership::stop);
        // Others are answered, and make no more calls to this node.
        calls.stream().forEach(each -> each.drain(DRAIN_MAX));
        node.close();
    }

    @Override
    public boolean isRunning() {
        return isRunning;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Returns false: a node that has left can't come back, so a context that is paused keeps it. */
    @Override
    public boolean isPauseable() {
        return false;
    }
}
