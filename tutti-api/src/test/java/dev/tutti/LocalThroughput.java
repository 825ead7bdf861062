package dev.tutti;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures nodes of one process: {@code LocalThroughput <transport> <nodes> <bytes> <messages>}. All send to all. The time of a
 * start is from the first node to the common view.
 */
final class LocalThroughput {

    private LocalThroughput() {}

    public static void main(String[] arguments) throws Exception {
        String transport = arguments[0];
        int size = Integer.parseInt(arguments[1]);
        byte[] content = new byte[Integer.parseInt(arguments[2])];
        int messages = Integer.parseInt(arguments[3]);
        for (int round = 0; round < 5; round++) {
            LongAdder received = new LongAdder();
            CountDownLatch all = new CountDownLatch(1);
            CountDownLatch whole = new CountDownLatch(size);
            List<Node> nodes = new ArrayList<>();
            List<Group> groups = new ArrayList<>();
            long start = System.nanoTime();
            for (int number = 0; number < size; number++) {
                NodeBuilder builder = Node.tcp(0).transport(transport).name("n" + number);
                Node node = (number == 0 ? builder : builder.seeds(nodes.getFirst().address())).start();
                nodes.add(node);
            }
            for (Node node : nodes) {
                groups.add(node.group("all")
                        .onView(view -> {
                            if (view.members().size() == size) {
                                whole.countDown();
                            }
                        })
                        .onMessage(message -> {
                            received.increment();
                            if (received.sum() == (long) size * size * messages) {
                                all.countDown();
                            }
                        })
                        .join());
            }
            whole.await();
            long started = System.nanoTime();
            List<Thread> senders = new ArrayList<>();
            for (Group group : groups) {
                senders.add(Thread.ofPlatform().start(() -> {
                    for (int number = 0; number < messages; number++) {
                        group.send(content);
                    }
                }));
            }
            boolean isDone = all.await(120, TimeUnit.SECONDS);
            double seconds = (System.nanoTime() - started) / 1e9;
            System.out.printf(
                    "%s: %d nodes in one view after %.1f ms; %d B: %,.0f messages/s to all, %.1f MB/s per node%s%n",
                    transport, size, (started - start) / 1e6, content.length, (double) size * messages / seconds,
                    (double) size * messages * content.length / seconds / 1e6, isDone ? "" : " NOT ALL");
            for (Thread sender : senders) {
                sender.join();
            }
            nodes.forEach(Node::close);
        }
    }
}
