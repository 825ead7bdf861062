package hello;

import dev.tutti.Node;
import java.util.concurrent.CountDownLatch;

/** Says hello to a second process: run it twice, with "7801 7802" and with "7802 7801". */
public final class Hello {

    public static void main(String[] ports) throws InterruptedException {
        var both = new CountDownLatch(1);
        var greetings = new CountDownLatch(2);
        try (var node = Node.tcp(Integer.parseInt(ports[0])).name("hello-" + ports[0]).seeds("localhost:" + ports[1]).start();
                var group = node.group("hello")
                        .onView(view -> {
                            if (view.size() == 2) {
                                both.countDown();
                            }
                        })
                        .onMessage(message -> {
                            System.out.println(message.sender() + ": " + message.text());
                            greetings.countDown();
                        })
                        .join()) {
            both.await();
            group.send("hello");
            greetings.await();
        }
    }

    private Hello() {}
}
