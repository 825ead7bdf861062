package dev.tutti;

import dev.tutti.testing.Ports;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Three nodes with TLS whose only seed is the name {@code shop}, of three addresses of this machine. Fails if they do not meet. */
final class SharedName {

    private SharedName() {}

    public static void main(String[] arguments) throws Exception {
        int port;
        port = Ports.lasting();
        CountDownLatch whole = new CountDownLatch(3);
        List<Node> nodes = new ArrayList<>();
        for (int number = 1; number <= 3; number++) {
            nodes.add(Node.tcp(port)
                    .bind("127.0.0." + (number + 1))
                    .name("n" + number)
                    .secret("WXBmGH8kqVb3nPzR5sTtUu7Qy2LdJcEaF9hNMxK4j0S")
                    .seeds("shop:" + port)
                    .start());
        }
        List<CompletableFuture<Group>> joined = new ArrayList<>();
        for (Node node : nodes) {
            joined.add(node.group("all")
                    .onView(view -> {
                        if (view.members().size() == nodes.size()) {
                            whole.countDown();
                        }
                    })
                    .joinAsync());
        }
        boolean isWhole = whole.await(10, TimeUnit.SECONDS);
        for (CompletableFuture<Group> join : joined) {
            join.get(10, TimeUnit.SECONDS);
        }
        nodes.forEach(Node::close);
        if (!isWhole) {
            System.exit(1);
        }
    }
}
