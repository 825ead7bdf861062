package dev.tutti.balancer;

import dev.tutti.Node;
import dev.tutti.balancer.internal.feed.ForeignServers;
import dev.tutti.balancer.internal.haproxy.HaproxyServers;
import dev.tutti.balancer.internal.httpd.HttpdWorkers;
import dev.tutti.balancer.internal.member.BalancerMember;
import dev.tutti.balancer.internal.member.Directory;
import dev.tutti.balancer.internal.member.NodeTallies;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * Keeps the servers of another load balancer, an HAProxy or an Apache httpd, the same as the web nodes that announce themselves. It is a
 * member of the group, as a {@link Balancer} is: a node that is killed is taken out with the next view.
 *
 * <p>A node hears that its announcement holds when the other load balancer has it; with httpd, when it has no request under way to a node
 * that is stopped. Requests that an HAProxy has passed on before are not known here: a server that stops answers them before it
 * ends, as Tomcat does.
 */
public final class ProxyFeed implements AutoCloseable {

    private final Directory directory;
    private final ForeignServers servers;
    private final BalancerMember member;
    private final Ticker ticker;

    /** Guarded by the lock of the servers. */
    private boolean isApplied;

    private ProxyFeed(Node node, String group, ForeignServers servers) {
        this.directory = new Directory(true, new NodeTallies(System::nanoTime), System::nanoTime);
        this.servers = servers;
        this.member = BalancerMember.join(node, group, directory, servers.name(), this::apply, this::isSettled);
        // A proxy that was started anew has none of them.
        this.ticker = new Ticker(node.threads(), () -> {
            apply();
            member.onContextIdle();
        });
    }

    /**
     * Joins the group of balancers with {@code node}. HAProxy 2.5 and later add servers while they run.
     *
     * @param group name of the group, {@code balancer} unless nodes say otherwise
     * @param socket HAProxy's socket of level admin
     * @param backend name of its backend
     */
    public static ProxyFeed ofHaproxy(Node node, String group, Path socket, String backend) {
        return new ProxyFeed(node, group, new HaproxyServers(socket, backend));
    }

    /**
     * Joins the group of balancers with {@code node}. httpd 2.4 has to have room for further members of its balancer ({@code growth=}).
     *
     * @param group name of the group, {@code balancer} unless nodes say otherwise
     * @param manager address of httpd's page {@code balancer-manager}, such as {@code http://127.0.0.1:8081/balancer-manager}
     * @param balancer name of its balancer, without {@code balancer://}
     * @throws IllegalArgumentException if {@code manager} is no address of HTTP
     */
    public static ProxyFeed ofHttpd(Node node, String group, URI manager, String balancer) {
        return new ProxyFeed(node, group, new HttpdWorkers(manager, balancer));
    }

    private void apply() {
        synchronized (servers) {
            isApplied = servers.apply(directory.table());
        }
    }

    private boolean isSettled(String route) {
        synchronized (servers) {
            return isApplied && servers.isIdle(route);
        }
    }

    /** Returns the routes of the nodes that are known. */
    public List<String> routes() {
        return directory.table().nodes().stream().map(each -> each.route()).toList();
    }

    /** Leaves the group. The other load balancer keeps its servers. */
    @Override
    public void close() {
        ticker.close();
        member.close();
    }
}
