package dev.tutti.balancer.internal.httpd;

import dev.tutti.announce.message.ContextState;
import dev.tutti.balancer.internal.feed.ForeignServers;
import dev.tutti.balancer.internal.feed.Trouble;
import dev.tutti.balancer.internal.httpd.BalancerManager.Worker;
import dev.tutti.balancer.internal.table.RoutingTable;
import dev.tutti.balancer.internal.table.WebNode;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Makes the members of a balancer of an Apache httpd those of the table, by its page {@code balancer-manager}. Members of httpd's file stay as they are,
 * unless a node has their address. Each call compares all, so an httpd that was started anew is filled again.
 *
 * <p>httpd can't delete a member. One whose node is gone is disabled and loses its route; it is used again for a node at its address.
 */
public final class HttpdWorkers implements ForeignServers {

    /** httpd takes factors from 1 to 100. */
    private static final int FACTOR_MAX = 100;

    private static final double FACTOR_STEP = 0.5;

    private final BalancerManager manager;
    private final String name;
    private final Trouble trouble;

    /** Addresses of members that were made for nodes. */
    private final Set<String> own = new TreeSet<>();

    /** By route, requests under way to nodes that are stopped, when last seen. */
    private final Map<String, Integer> busy = new TreeMap<>();

    /**
     * @param page address of {@code balancer-manager}
     * @param balancer name of the balancer, without {@code balancer://}
     */
    public HttpdWorkers(URI page, String balancer) {
        this.manager = new BalancerManager(page, balancer);
        this.name = "balancer://" + balancer + " of the httpd at " + page.getAuthority();
        this.trouble = new Trouble(name);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean apply(RoutingTable table) {
        try {
            Map<String, Worker> present = manager.workers();
            boolean isChanged = false;
            for (WebNode node : table.nodes()) {
                isChanged |= apply(node, present);
                own.add(node.content().url());
            }
            for (String url : List.copyOf(own)) {
                boolean isGone = table.nodes().stream().noneMatch(node -> node.content().url().equals(url));
                if (isGone) {
                    Worker gone = present.get(url);
                    if (gone != null) {
                        manager.set(gone, Map.of("w_status_D", "1", "w_wr", ""));
                    }
                    own.remove(url);
                }
            }
            look(table, isChanged ? manager.workers() : present);
            trouble.onDone();
            return true;
        } catch (IOException e) {
            trouble.onFailed(e);
            return false;
        }
    }

    /** Returns whether something had to be changed. */
    private boolean apply(WebNode node, Map<String, Worker> present) throws IOException {
        String url = node.content().url();
        Worker before = present.get(url);
        if (before == null) {
            manager.add(url);
            before = manager.workers().get(url);
            if (before == null) {
                throw new IOException(name + " takes no further member; it had " + present.size()
                        + ". Members can't be deleted before httpd is started anew: raise growth=, as in ProxySet growth=200");
            }
        }
        Map<String, String> values = values(node, before, present.size() <= 1);
        if (!values.isEmpty()) {
            manager.set(before, values);
        }
        return !values.isEmpty();
    }

    private static Map<String, String> values(WebNode node, Worker before, boolean isAlone) {
        Map<String, String> values = new TreeMap<>();
        if (!before.route().equals(node.route())) {
            values.put("w_wr", node.route());
        }
        double factor = Math.max(1, node.weight() * FACTOR_MAX);
        // httpd does not change the factor of a member that is alone.
        if (!isAlone && Math.abs(before.factor() - factor) >= FACTOR_STEP) {
            values.put("w_lf", String.valueOf(Math.round(factor)));
        }
        ContextState state = node.mostTaken();
        boolean isDisabled = state == ContextState.STOPPED;
        boolean isDraining = state == ContextState.DRAINING;
        if (before.is("Dis") != isDisabled) {
            values.put("w_status_D", isDisabled ? "1" : "0");
            // A node that comes again is asked at once: httpd would wait for a minute after its last failure.
            if (!isDisabled && before.is("Err")) {
                values.put("w_status_I", "1");
            }
        } else if (before.is("Ign")) {
            values.put("w_status_I", "0");
        }
        if (before.is("Drn") != isDraining && !isDisabled) {
            values.put("w_status_N", isDraining ? "1" : "0");
        }
        return values;
    }

    private void look(RoutingTable table, Map<String, Worker> present) {
        busy.clear();
        for (WebNode node : table.nodes()) {
            @Nullable Worker worker = present.get(node.content().url());
            if (worker != null && node.mostTaken() == ContextState.STOPPED) {
                busy.put(node.route(), worker.busy());
            }
        }
    }

    @Override
    public boolean isIdle(String route) {
        return busy.getOrDefault(route, 0) <= 0;
    }
}
