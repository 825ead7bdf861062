package dev.tutti.tomcat.balancer;

import dev.tutti.announce.Sample;
import dev.tutti.announce.message.ContextState;
import dev.tutti.announce.message.Load;
import dev.tutti.announce.message.WebContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Executor;
import org.apache.catalina.Container;
import org.apache.catalina.Context;
import org.apache.catalina.Engine;
import org.apache.catalina.Host;
import org.apache.catalina.Manager;
import org.apache.catalina.connector.Connector;
import org.apache.tomcat.util.threads.ResizableExecutor;
import org.apache.tomcat.util.threads.ThreadPoolExecutor;

/** Reads the contexts, the load and the sessions of an engine. From any thread. */
final class ServedContexts {

    private final Engine engine;
    private final Connector connector;

    /** @param connector connector that balancers connect to */
    ServedContexts(Engine engine, Connector connector) {
        this.engine = engine;
        this.connector = connector;
    }

    /**
     * Returns the contexts that are available. Those of the default host answer all hosts that no other one has, as in Tomcat.
     *
     * @param stopping contexts that are about to stop
     */
    List<WebContext> read(Set<Context> stopping) {
        List<WebContext> contexts = new ArrayList<>();
        for (Container host : engine.findChildren()) {
            if (!(host instanceof Host of)) {
                continue;
            }
            boolean isDefault = of.getName().equals(engine.getDefaultHost());
            List<String> names = new ArrayList<>();
            if (!isDefault) {
                names.add(of.getName().toLowerCase(Locale.ROOT));
                Arrays.stream(of.findAliases()).map(alias -> alias.toLowerCase(Locale.ROOT)).forEach(names::add);
            }
            for (Container child : of.findChildren()) {
                if (child instanceof Context context && (context.getState().isAvailable() || stopping.contains(context))) {
                    ContextState state = stopping.contains(context) ? ContextState.STOPPED : ContextState.ENABLED;
                    contexts.add(new WebContext(context.getPath(), names, context.getWebappVersion(), state));
                }
            }
        }
        return contexts;
    }

    /** Returns the share of threads that serve requests, and the number of sessions. */
    Sample sample() {
        long sessions = 0;
        for (Container host : engine.findChildren()) {
            for (Container child : host.findChildren()) {
                Manager manager = child instanceof Context context && context.getState().isAvailable() ? context.getManager() : null;
                sessions += manager == null ? 0 : Math.max(0, manager.getActiveSessions());
            }
        }
        return new Sample(Load.of("busy-threads", busyThreads()), sessions);
    }

    private double busyThreads() {
        Executor executor = connector.getProtocolHandler().getExecutor();
        return switch (executor) {
            case ThreadPoolExecutor pool -> pool.getActiveCount() / (double) Math.max(1, pool.getMaximumPoolSize());
            case ResizableExecutor pool -> pool.getActiveCount() / (double) Math.max(1, pool.getMaxThreads());
            // Threads without a limit, such as virtual ones.
            case null, default -> 0;
        };
    }
}
