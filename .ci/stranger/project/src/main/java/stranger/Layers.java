package stranger;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.core.settings.SettingException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Two nodes whose group has the layer of {@link Checksum}: one by its name, the other by an instance. */
public final class Layers {

    public static void main(String[] args) throws InterruptedException {
        CountDownLatch greeted = new CountDownLatch(2);
        try (Node first = Node.tcp(0).name("first").start();
                Node second = Node.tcp(0).name("second").seeds(first.address()).start();
                Group here = first.group("hall").set("layers", "checksum").onMessage(message -> greeted.countDown()).join();
                Group there = second.group("hall")
                        .layer(new Checksum())
                        .onMessage(message -> greeted.countDown())
                        .join(2, Duration.ofSeconds(20))) {
            there.send("hello");
            if (!greeted.await(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("20 s without the message at both, in " + here.view());
            }
            long checked = first.inspection().samples().stream()
                    .filter(sample -> sample.metric().id().equals("layer.checksum.checked-packets"))
                    .mapToLong(sample -> sample.value())
                    .sum();
            System.out.println("checked " + (checked > 0 ? "packets" : "nothing"));
            try {
                second.group("other").set("layers", "checksun").join().close();
            } catch (SettingException e) {
                System.out.println(e.getMessage());
            }
        }
        System.out.println("done");
    }

    private Layers() {}
}
