package dev.tutti;

import java.util.concurrent.CountDownLatch;

/** A program without an SLF4J provider that has a failing listener, and seeds that refuse it. */
final class WithoutProvider {

    private WithoutProvider() {}

    public static void main(String[] arguments) throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        try (Node node = Node.tcp(0).name("ann").seeds("127.0.0.1:1").start();
                Subscription _ = node.onEvent(event -> {
                    if (event.kind() == Event.Kind.PROBLEM) {
                        told.countDown();
                    }
                })) {
            Group group = node.group("g").onMessage(message -> {
                throw new IllegalStateException("no room in the shop");
            }).join();
            group.send("hello");
            told.await();
        }
    }
}
