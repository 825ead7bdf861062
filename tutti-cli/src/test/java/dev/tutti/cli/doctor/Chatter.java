package dev.tutti.cli.doctor;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A process with one of three members on UDP with multicast, which all send. It ends when it has heard everything. */
final class Chatter {

    static final String GROUP = "conspiracy-of-the-equals";
    static final String TEXT = "attack-at-dawn-from-the-east";
    private static final int MEMBERS = 3;
    private static final int MESSAGES = 300;

    private Chatter() {}

    /** @param arguments name, address, port, seed, and the secret; without it nothing is encrypted */
    public static void main(String[] arguments) throws InterruptedException {
        CountDownLatch complete = new CountDownLatch(1);
        CountDownLatch heard = new CountDownLatch(MEMBERS * MESSAGES);
        NodeBuilder builder = Node.udp(Integer.parseInt(arguments[2]))
                .name(arguments[0])
                .bind(arguments[1])
                .seeds(arguments[3])
                .set("transport.multicast.address", "239.192.78.60:17860");
        Node node = (arguments.length > 4 ? builder.secret(arguments[4]) : builder.insecure()).start();
        System.out.println("listens on " + node.address());
        Group group = node.group(GROUP)
                .onMessage(message -> heard.countDown())
                .onView(view -> {
                    if (view.size() == MEMBERS) {
                        complete.countDown();
                    }
                })
                .join();
        boolean isComplete = complete.await(60, TimeUnit.SECONDS);
        for (int number = 0; number < MESSAGES; number++) {
            group.send(TEXT + " " + number);
            // Spread over a second, in which the members learn that multicasts reach the others.
            heard.await(4, TimeUnit.MILLISECONDS);
        }
        boolean isHeard = heard.await(30, TimeUnit.SECONDS);
        System.out.println(isComplete && isHeard ? "done" : "view of all: " + isComplete + ", missing messages: " + heard.getCount());
        long multicasts = node.inspection().samples().stream()
                .filter(sample -> sample.metric().name().equals("sent-multicasts"))
                .mapToLong(sample -> sample.value())
                .sum();
        System.out.println("multicasts " + multicasts);
        node.close();
    }
}
