package dev.tutti.spring;

import dev.tutti.Node;
import dev.tutti.metrics.HealthServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * The node's health over HTTP, for orchestrators.
 *
 * <p>It opens after the web server has, and closes before it: an instance that answers takes requests.
 */
final class HealthLifecycle implements SmartLifecycle {

    private final Node node;
    private final String address;
    private volatile @Nullable HealthServer server;

    HealthLifecycle(Node node, String address) {
        this.node = node;
        this.address = address;
    }

    @Override
    public void start() {
        try {
            server = HealthServer.start(node, address);
        } catch (IOException e) {
            throw new UncheckedIOException("tutti.spring.health: nothing can listen at " + address, e);
        }
    }

    @Override
    public void stop() {
        HealthServer present = server;
        if (present != null) {
            present.close();
        }
        server = null;
    }

    @Override
    public boolean isRunning() {
        return server != null;
    }

    /** Returns the highest phase, above that of web servers. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
