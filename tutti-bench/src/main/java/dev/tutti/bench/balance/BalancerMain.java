package dev.tutti.bench.balance;

import dev.tutti.Node;
import dev.tutti.balancer.Balancer;
import dev.tutti.balancer.settings.BalancerSettings;
import java.io.IOException;

/** Main class of a balancer's process. It prints the address of its node and its port, and ends with its input. */
final class BalancerMain {

    static final String CLUSTER = "bench-balance";

    private BalancerMain() {}

    public static void main(String[] arguments) throws IOException {
        Node node = Node.tcp(0).name("balancer").cluster(CLUSTER).start();
        Balancer balancer = Balancer.open(
                node, Balancer.defaults().with(BalancerSettings.PORT, 0).with(BalancerSettings.CONSOLE_PORT, 0));
        System.out.println(node.address() + " " + balancer.port());
        while (System.in.read() >= 0) {
            // It runs until its input ends.
        }
        balancer.close();
        node.close();
        System.exit(0);
    }
}
