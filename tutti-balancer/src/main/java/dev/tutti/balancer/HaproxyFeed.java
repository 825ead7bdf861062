package dev.tutti.balancer;

import dev.tutti.Node;
import dev.tutti.balancer.internal.haproxy.HaproxyServers;
import dev.tutti.balancer.internal.member.BalancerMember;
import dev.tutti.balancer.internal.member.Directory;
import dev.tutti.balancer.internal.member.NodeTallies;
import java.nio.file.Path;
import java.util.List;

/**
 * Keeps the servers of an HAProxy the same as the web nodes that announce themselves, by its runtime API. It is a member of the group, as
 * a {@link Balancer} is: a node that is killed is taken out with the next view. HAProxy 2.5 and later add servers while they run.
 *
 * <p>A node hears that its announcement holds when HAProxy has it. Requests that HAProxy has passed on before are not known here: a
 * server that stops answers them before it ends, as Tomcat does.
 */
public final class HaproxyFeed implements AutoCloseable {

    private final Directory directory;
    private final HaproxyServers servers;
    private final BalancerMember member;
    private final Ticker ticker;

    private HaproxyFeed(Node node, String group, Path socket, String backend) {
        this.directory = new Directory(true, new NodeTallies(System::nanoTime), System::nanoTime);
        this.servers = new HaproxyServers(socket, backend);
        this.member = BalancerMember.join(node, group, directory, "haproxy " + backend, this::apply);
        // An HAProxy that was started anew has none of them.
        this.ticker = new Ticker(node.threads(), this::apply);
    }

    /**
     * Joins the group of balancers with {@code node}.
     *
     * @param group name of the group, {@code balancer} unless nodes say otherwise
     * @param socket HAProxy's socket of level admin
     * @param backend name of its backend
     */
    public static HaproxyFeed open(Node node, String group, Path socket, String backend) {
        return new HaproxyFeed(node, group, socket, backend);
    }

    private void apply() {
        synchronized (servers) {
            servers.apply(directory.table());
        }
    }

    /** Returns the routes of the nodes that are known. */
    public List<String> routes() {
        return directory.table().nodes().stream().map(each -> each.route()).toList();
    }

    /** Leaves the group. HAProxy keeps its servers. */
    @Override
    public void close() {
        ticker.close();
        member.close();
    }
}
