package dev.tutti.metrics;

import dev.tutti.Event;
import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.Subscription;
import dev.tutti.internal.Logs;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;

/**
 * Tells a task the parts that a node has: groups, members, links and components, now and after each change. One call at a time, on a
 * virtual thread, with an inspection that is younger than that of the call before and than the change: an older one would bring back
 * parts that have gone, or take away those that have come.
 */
final class Changes implements AutoCloseable {

    private static final Logger LOG = Logs.of(Changes.class);

    private final Node node;
    private final String thread;
    private final Consumer<? super NodeInspection> task;
    private final AtomicBoolean isDue = new AtomicBoolean();
    private final Subscription listening;

    /** @param thread name of the threads that call {@code task} */
    Changes(Node node, String thread, Consumer<? super NodeInspection> task) {
        this.node = node;
        this.thread = thread;
        this.task = task;
        this.listening = node.onEvent(this::onEvent);
    }

    private void onEvent(Event event) {
        boolean isChange = switch (event.kind()) {
            case VIEW, JOINED, LEFT, LINK_OPENED, LINK_CLOSED, COMPONENT -> true;
            default -> false;
        };
        if (isChange) {
            tellSoon();
        }
    }

    /** Tells the parts that the node has, on another thread. */
    void tellSoon() {
        if (isDue.compareAndSet(false, true)) {
            Thread.ofVirtual().name(thread).start(() -> {
                isDue.set(false);
                tell();
            });
        }
    }

    /** Tells the parts that the node has now, in the caller's thread. Not from a callback of the node. */
    synchronized void tell() {
        NodeInspection inspection;
        try {
            inspection = node.inspection();
        } catch (IllegalStateException e) {
            LOG.debug("{} is not asked for its parts: {}", node, e.getMessage());
            return;
        }
        task.accept(inspection);
    }

    /** Ends the calls; one that has begun goes on. Idempotent. */
    @Override
    public void close() {
        listening.close();
    }
}
