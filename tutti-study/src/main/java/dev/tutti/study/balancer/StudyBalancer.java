package dev.tutti.study.balancer;

import dev.tutti.Node;
import dev.tutti.balancer.Balancer;
import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.core.settings.Settings;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The process of the balancer, which is that of {@code ./tutti balance}. Sticky, it sends a request to the node whose name ends the
 * session id; free, to the nodes by turns. All requests of the study are POST, so one goes to another node only if it could not be
 * sent to the first.
 */
public final class StudyBalancer {

    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private StudyBalancer() {}

    /**
     * Runs a balancer until its standard input ends. It prints {@code ready} when it has all nodes.
     *
     * @param arguments port for requests; port of its own node; {@code sticky} or {@code free}; then for each node the address of the
     *     one that announces it, or route=address if it does not announce itself
     */
    public static void main(String[] arguments) throws IOException {
        List<String> nodes = List.of(arguments).subList(3, arguments.length);
        List<String> listed = nodes.stream().filter(each -> each.indexOf('=') >= 0).toList();
        List<String> seeds = nodes.stream().filter(each -> each.indexOf('=') < 0).toList();
        Node node = Node.tcp(Integer.parseInt(arguments[1]))
                .name("balancer")
                .cluster("study")
                .seeds(seeds.toArray(String[]::new))
                .start();
        Balancer balancer = Balancer.open(node, settings(Integer.parseInt(arguments[0]), arguments[2].equals("sticky"), listed));
        while (balancer.routes().size() < nodes.size()) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        System.out.println("ready");
        System.in.transferTo(OutputStream.nullOutputStream());
        Runtime.getRuntime().halt(0);
    }

    static Settings settings(int port, boolean isSticky, List<String> listed) {
        return Balancer.defaults()
                .with(BalancerSettings.PORT, port)
                .with(BalancerSettings.STICKY, isSticky)
                .with(BalancerSettings.NODES, String.join(",", listed))
                .with(BalancerSettings.ANSWER_TIMEOUT, ANSWER_MAX)
                .with(BalancerSettings.CONSOLE_PORT, 0);
    }
}
