package dev.tutti.bench.relay;

import java.net.InetAddress;
import org.jgroups.stack.GossipRouter;

/** Main class of the process of a GossipRouter. It prints its port, and ends with its input. */
final class GossipRouterMain {

    private GossipRouterMain() {}

    /** Takes the port. */
    public static void main(String[] arguments) throws Exception {
        GossipRouter router = new GossipRouter(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0])).start();
        System.out.println(router.port());
        while (System.in.read() >= 0) {
            // It runs until its input ends.
        }
        router.stop();
        System.exit(0);
    }
}
