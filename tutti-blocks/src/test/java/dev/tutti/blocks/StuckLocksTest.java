package dev.tutti.blocks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Event;
import dev.tutti.Node;
import dev.tutti.Snapshot;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.machine.Replica;
import dev.tutti.blocks.machine.StateMachine;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.core.Member;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Callbacks that never return and run on threads of their own, but under the lock of their block, so that the group's listener waits
 * for the lock as soon as there is a message. In real time: virtual time does not know of locks.
 */
@Tag("slow")
@Timeout(60)
class StuckLocksTest {

    private static final class Count implements StateMachine<String, Integer> {
        private int count;

        @Override
        public Integer apply(Member member, String command) {
            count++;
            return count;
        }

        @Override
        public Snapshot snapshot() {
            int now = count;
            return out -> new DataOutputStream(out).writeInt(now);
        }

        @Override
        public void install(InputStream in) throws IOException {
            count = new DataInputStream(in).readInt();
        }
    }

    /** A local read, and expiry, announced by one member for all: other readers and writers wait for the lock. */
    @Test
    void listenerWaitsForTheLockThatAStuckCallbackHolds() throws InterruptedException {
        CountDownLatch stuck = new CountDownLatch(2);
        CountDownLatch told = new CountDownLatch(2);
        CountDownLatch end = new CountDownLatch(1);
        AtomicBoolean isPut = new AtomicBoolean();
        Codec<String> keys = Codec.of(ByteInput::takeText, (text, out) -> {
            if (isPut.getAndSet(true)) {
                stuck.countDown();
                await(end);
            }
            out.putText(text);
        });
        try (Node first = Node.tcp(0).name("n1").start();
                Node second = Node.tcp(0).name("n2").seeds(first.address()).start()) {
            first.onEvent(event -> {
                if (event.kind() == Event.Kind.PROBLEM && event.text().contains("onMessage does not return")) {
                    told.countDown();
                }
            });
            Replica<String, Integer> read = Replica.on(first.group("read"), new Count(), Codec.TEXT).join();
            ReplicatedMap<String, String> expiring = ReplicatedMap.on(first.group("expiry"), keys, Codec.TEXT).lastWriter();
            Replica<String, Integer> reader = Replica.on(second.group("read"), new Count(), Codec.TEXT).join();
            ReplicatedMap<String, String> other = ReplicatedMap.on(second.group("expiry"), Codec.TEXT, Codec.TEXT).lastWriter();
            assertThat(first.groups()).allSatisfy(group -> assertThat(group.awaitMembers(2, Duration.ofSeconds(20))).isTrue());
            expiring.put("a", "1", Duration.ofMillis(300));
            Thread local = Thread.ofVirtual().start(() -> read.local(() -> {
                stuck.countDown();
                await(end);
                return 1;
            }));
            assertThat(stuck.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(reader.call("1")).isEqualTo(1);
            other.put("b", "1");
            assertThat(told.await(20, TimeUnit.SECONDS)).as("health names both groups").isTrue();
            assertThat(read.submit("2", Duration.ofMillis(10))).as("ends at its deadline").failsWithin(Duration.ofSeconds(20));
            assertThat(expiring.get("b")).as("reads of one entry do not wait").isNull();
            List<Thread> waiting = List.of(
                    local,
                    Thread.ofVirtual().start(() -> read.local(() -> 1)),
                    Thread.ofVirtual().start(expiring::snapshot),
                    Thread.ofVirtual().start(() -> expiring.put("c", "1")));
            for (Thread each : waiting) {
                assertThat(each.join(Duration.ofMillis(50))).isFalse();
            }
            end.countDown();
            for (Thread each : waiting) {
                assertThat(each.join(Duration.ofSeconds(20))).isTrue();
            }
        } finally {
            end.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
