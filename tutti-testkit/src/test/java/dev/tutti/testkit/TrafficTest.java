package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.SendException;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;

/** The guarantees are checked and hold for every kind of message under every fault. */
class TrafficTest {

    /** Sends messages of all sizes to all and to one, in two groups. */
    static final class Talker {
        private final AtomicLong got = new AtomicLong();
        private final RandomGenerator random;
        private final Group large;
        private final Group small;
        private long count;

        Talker(Node node, RandomGenerator random) {
            this.random = random;
            large = node.group("large").set("window", "256 KiB").onMessage(message -> got.incrementAndGet()).join();
            small = node.group("small").set("window", "128 KiB").onMessage(message -> got.incrementAndGet()).join();
        }

        void talk() {
            count++;
            switch (random.nextInt(6)) {
                case 0 -> large.send(new byte[random.nextInt(200_000)]);
                case 1 -> large.send("small " + count);
                case 2, 3 -> small.send("the same");
                case 4 -> small.send(new byte[random.nextInt(2_000)]);
                default -> whisper();
            }
        }

        private void whisper() {
            View view = small.view();
            Member receiver = view.members().get(random.nextInt(view.size()));
            try {
                small.sendTo(receiver, ("to one " + count).getBytes(StandardCharsets.UTF_8));
            } catch (SendException e) {
                assertThat(e.reason()).matches(reason -> reason == SendException.Reason.NO_MEMBER || reason.isFinal());
            }
        }
    }

    @ClusterTest(nodes = 4, seeds = 15)
    @Tag("seeds")
    void isCheckedAndArrives(Cluster cluster) {
        RandomGenerator random = cluster.random();
        Components<Talker> talkers = cluster.startAll(node -> new Talker(node, random));
        talkers.keep(Duration.ofMillis(40), Talker::talk);
        cluster.randomFaults(Duration.ofSeconds(8)).awaitRest();
        talkers.on(1).small.send("to those too who have just come back");
        cluster.awaitRest();
        assertThat(talkers.running()).hasSize(4).allMatch(talker -> talker.got.get() > 0);
    }

    /** A member's window opens again when it has consumed its own messages, however few bytes they have. */
    @ClusterTest(nodes = 2, seeds = 3)
    void memberSendsItselfPacketsOfTheWholeWindow(Cluster cluster) {
        RandomGenerator random = cluster.random();
        Components<Talker> talkers = cluster.startAll(node -> new Talker(node, random));
        cluster.awaitOneView();
        talkers.run(1, talker -> {
            talker.small.sendTo(talker.small.self(), new byte[6_000]);
        });
        cluster.awaitRest();
        talkers.run(1, talker -> talker.small.sendTo(talker.small.self(), new byte[129_000]));
        cluster.awaitRest();
        assertThat(talkers.on(1).got).hasValue(2);
    }
}
