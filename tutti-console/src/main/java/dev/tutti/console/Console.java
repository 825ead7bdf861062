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
 * A cluster in the browser, served by one of its members: who is there, which views they share, what goes over their links,
 * what happened and why. It only looks; see {@code docs/operating/console.md}.
 *
 * <p>It shows the members that have {@link Inspection} open, and what these know of the others. While no page is open nobody
 * is asked. {@code /health} and {@code /ready} answer without log-in. All methods may be called from any thread.
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

    /** A console on a node; to be configured and started. */
    public static ConsoleBuilder on(Node node) {
        return new ConsoleBuilder(node);
    }

    /** Where it listens. */
    public int port() {
        return site.port();
    }

    /** Where {@code /health} and {@code /ready} are served apart ({@code console.health-port}); -1 if they are not. */
    public int healthPort() {
        return site.healthPort();
    }

    /** Where browsers find it: {@code http://127.0.0.1:7880/}. */
    public String address() {
        return site.address();
    }

    /**
     * A new address that logs in whoever opens it first, within a quarter of an hour; the one before is good no more. To be
     * shown to whoever may look, and to nobody else.
     */
    public String link() {
        return site.link();
    }

    /** Counters and levels now, by name. */
    public Map<String, Long> status() {
        return site.status();
    }

    /** Ends all connections; the node goes on. Idempotent. */
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
