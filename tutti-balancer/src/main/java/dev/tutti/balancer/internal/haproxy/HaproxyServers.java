package dev.tutti.balancer.internal.haproxy;

import dev.tutti.announce.message.ContextState;
import dev.tutti.balancer.internal.feed.ForeignServers;
import dev.tutti.balancer.internal.feed.Trouble;
import dev.tutti.balancer.internal.haproxy.RuntimeApi.Present;
import dev.tutti.balancer.internal.table.RoutingTable;
import dev.tutti.balancer.internal.table.WebNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the servers of a backend those of the table: their names are the routes. Servers that HAProxy has from its file stay as they
 * are, unless a node has their name. Each call compares all, so an HAProxy that was started anew is filled again.
 */
public final class HaproxyServers implements ForeignServers {

    private static final Logger LOG = LoggerFactory.getLogger(HaproxyServers.class);

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int WEIGHT_MAX = 256;
    private static final int WEIGHT_FULL = 100;

    private final RuntimeApi api;
    private final String backend;
    private final TreeSet<String> own = new TreeSet<>();
    private final Trouble trouble;

    /** @param socket of level admin */
    public HaproxyServers(Path socket, String backend) {
        this.api = new RuntimeApi(socket, TIMEOUT);
        this.backend = backend;
        this.trouble = new Trouble(name());
    }

    @Override
    public String name() {
        return "HAProxy's backend " + backend;
    }

    @Override
    public boolean apply(RoutingTable table) {
        try {
            Map<String, Present> present = api.servers(backend);
            for (WebNode node : table.nodes()) {
                apply(node, present.get(node.route()));
                own.add(node.route());
            }
            for (String route : List.copyOf(own)) {
                if (table.node(route) == null) {
                    if (present.containsKey(route)) {
                        remove(route);
                    }
                    own.remove(route);
                }
            }
            trouble.onDone();
            return true;
        } catch (IOException | NumberFormatException e) {
            trouble.onFailed(e);
            return false;
        }
    }

    private void apply(WebNode node, @Nullable Present before) throws IOException {
        String server = backend + "/" + node.route();
        int weight = Math.clamp(Math.round(node.weight() * WEIGHT_FULL), 1, WEIGHT_MAX);
        boolean isElsewhere = before != null
                && (!before.address().equals(node.content().host()) || before.port() != node.content().port());
        if (before == null) {
            String tls = node.content().scheme().equals("https") ? " ssl verify required" : "";
            String host = node.content().host();
            api.tell(
                    "add server " + server + " " + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + node.content().port()
                            + tls + " weight " + weight,
                    "New server registered");
        } else if (isElsewhere) {
            api.tell("set server " + server + " addr " + node.content().host() + " port " + node.content().port(), "changed", "no need to change");
        }
        ContextState state = node.mostTaken();
        boolean isMaintenance = before == null || before.isInMaintenance();
        boolean isDrain = before != null && before.isDraining();
        switch (state) {
            case ENABLED -> {
                if (isMaintenance || isDrain) {
                    api.tell("set server " + server + " state ready");
                }
            }
            case DRAINING -> {
                if (!isDrain || isMaintenance) {
                    api.tell("set server " + server + " state drain");
                }
            }
            case STOPPED -> {
                if (!isMaintenance) {
                    api.tell("set server " + server + " state maint");
                }
            }
        }
        if (before != null && before.weight() != weight && state != ContextState.STOPPED) {
            api.tell("set server " + server + " weight " + weight);
        }
    }

    /** Returns true: requests that HAProxy has passed on are not known here. */
    @Override
    public boolean isIdle(String route) {
        return true;
    }

    private void remove(String route) throws IOException {
        String server = backend + "/" + route;
        api.tell("set server " + server + " state maint");
        api.tell("shutdown sessions server " + server);
        // A server of the file, or one with connections that end right now, can't be deleted; it stays in maintenance.
        String answer = api.ask("del server " + server);
        if (!answer.contains("deleted")) {
            LOG.debug("HAProxy keeps server {} in maintenance: {}", server, answer);
        }
    }
}
