package stranger;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.core.admission.Newcomer;
import dev.tutti.core.admission.Verdict;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Two nodes on loopback, of which one has a rule about the other: a message to all, and a map. Then two that find each other by a
 * source of this project.
 */
public final class Main {

    public static void main(String[] args) throws IOException, InterruptedException {
        CountDownLatch both = new CountDownLatch(2);
        CountDownLatch greeted = new CountDownLatch(2);
        try (Node first = Node.tcp(0).name("first").admit(Main::check).start();
                Node second = Node.tcp(0).name("second").seeds(first.address()).start();
                Group here = join(first, both, greeted);
                Group there = join(second, both, greeted)) {
            await(both, "a view of two at both");
            here.send("hello");
            await(greeted, "the message at both");
            try (ReplicatedMap<String, Integer> stock = map(first);
                    ReplicatedMap<String, Integer> copy = map(second)) {
                stock.put("tea", 10);
                for (int i = 0; i < 1_000 && copy.get("tea") == null; i++) {
                    Thread.sleep(10);
                }
                if (!Integer.valueOf(10).equals(copy.get("tea"))) {
                    throw new IllegalStateException("the map has " + copy.get("tea"));
                }
            }
            System.out.println("members " + there.view().members());
        }
        Cloud.meet();
        System.out.println("done");
    }

    private static Verdict check(Newcomer newcomer) {
        return newcomer.name().equals("second") ? Verdict.admitted() : Verdict.refused("only second may come in");
    }

    private static Group join(Node node, CountDownLatch both, CountDownLatch greeted) {
        return node.group("hall")
                .onView(view -> {
                    if (view.size() == 2) {
                        both.countDown();
                    }
                })
                .onMessage(message -> {
                    if (message.text().equals("hello")) {
                        greeted.countDown();
                    }
                })
                .join();
    }

    private static ReplicatedMap<String, Integer> map(Node node) {
        return ReplicatedMap.on(node.group("stock"), Codec.TEXT, Codec.INT).lastWriter();
    }

    private static void await(CountDownLatch latch, String what) throws InterruptedException {
        if (!latch.await(20, TimeUnit.SECONDS)) {
            throw new IllegalStateException("20 s without " + what);
        }
    }

    private Main() {}
}
