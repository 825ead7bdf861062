package dev.tutti.console;

import dev.tutti.Node;
import dev.tutti.blocks.inspection.Inspection;
import dev.tutti.console.internal.ClusterWitnesses;
import dev.tutti.console.internal.Site;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Logs;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A cluster in the browser, served by one of its members: its members, the views that they share, the traffic on their
 * links, and events with their causes. Operators may change members that permit it. See {@code
 * docs/operating/console.md}.
 *
 * <p>It shows the members that have {@link Inspection} open, and others as far as these know them. While no page is
 * open, members are asked every {@code console.background-interval}. {@code /health} and {@code /ready} answer without log-in. All methods may be called from
 * any thread.
 */
public final class Console implements AutoCloseable {

    private static final Logger LOG = Logs.of(Console.class);

    private final Site site;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    Console(Node node, Settings settings, @Nullable Inspection inspection) {
        Inspection used = inspection == null ? Inspection.open(node) : inspection;
        ClusterWitnesses witnesses = new ClusterWitnesses(node, used, inspection == null);
        try {
            this.site = new Site(settings, witnesses);
        } catch (RuntimeException e) {
            witnesses.close();
            throw e;
        }
        LOG.info("node {} serves the console at {}", node.name(), site.address());
    }

    /** Returns a builder of a console on a node. */
    public static ConsoleBuilder on(Node node) {
        return new ConsoleBuilder(node);
    }

    /** Returns the port that it listens on. */
    public int port() {
        return site.port();
    }

    /**
     * Returns the port of {@code /health} and {@code /ready} if separate ({@code console.health-port}); otherwise -1.
     */
    public int healthPort() {
        return site.healthPort();
    }

    /** Returns the address for browsers: {@code http://127.0.0.1:7880/}. */
    public String address() {
        return site.address();
    }

    /**
     * Returns a new address that logs in the first browser that opens it, within a quarter of an hour; the previous one
     * becomes invalid. Show it only to people who may look at the cluster.
     */
    public String link() {
        return site.link();
    }

    /** Returns the present counters and levels, by name. */
    public Map<String, Long> status() {
        return site.status();
    }

    /** Ends all connections; the node continues. Idempotent. */
    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            site.close();
        }
    }

    @Override
    public String toString() {
        return "console at " + site.address();
    }
}
