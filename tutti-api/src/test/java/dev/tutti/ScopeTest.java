package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Order of messages within scopes, and the lack of it between them; on real sockets of this machine. */
@Timeout(60)
class ScopeTest {

    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void closeAll() {
        nodes.forEach(Node::close);
    }

    private Node node(String name) {
        NodeBuilder builder = Node.tcp(0).name(name);
        if (!nodes.isEmpty()) {
            builder.seeds(nodes.getFirst().address());
        }
        Node node = builder.start();
        nodes.add(node);
        return node;
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Test
    void differentScopesAreDeliveredSideBySide() throws InterruptedException {
        int scopes = 50;
        CyclicBarrier together = new CyclicBarrier(scopes);
        CountDownLatch met = new CountDownLatch(scopes);
        Group group = node("a").group("g")
                .onMessage(message -> {
                    try {
                        together.await(20, TimeUnit.SECONDS);
                        met.countDown();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                })
                .join();
        for (int scope = 0; scope < scopes; scope++) {
            group.send(new byte[100], Scope.of(scope));
        }
        assertThat(await(met)).as("all listeners ran at the same time").isTrue();
    }

    @Test
    void oneScopeIsDeliveredInOrderOneAtATime() {
        int count = 20_000;
        Map<Integer, List<Integer>> got = new TreeMap<>();
        AtomicInteger[] running = new AtomicInteger[7];
        for (int scope = 0; scope < running.length; scope++) {
            running[scope] = new AtomicInteger();
            got.put(scope, new ArrayList<>());
        }
        AtomicInteger collisions = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(count);
        Group group = node("a").group("g")
                .set("window", "128 KiB")
                .onMessage(message -> {
                    int number = message.buffer().getInt(0);
                    int scope = number % running.length;
                    collisions.addAndGet(running[scope].getAndIncrement());
                    got.get(scope).add(number);
                    running[scope].getAndDecrement();
                    all.countDown();
                })
                .join();
        for (int number = 0; number < count; number++) {
            byte[] message = ByteBuffer.allocate(number % 5_000 == 17 ? 200_000 : 20).putInt(number).array();
            group.send(message, Scope.of("scope " + number % running.length));
        }
        assertThat(await(all)).isTrue();
        assertThat(collisions).hasValue(0);
        got.forEach((scope, numbers) -> {
            assertThat(numbers).isSorted().hasSizeBetween(count / running.length, count / running.length + 1);
        });
    }

    @Test
    void scopeThatIsStuckHoldsOnlyItselfUntilItsQueueIsFull() {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch others = new CountDownLatch(1_000);
        CountDownLatch all = new CountDownLatch(1_500);
        Group group = node("a").group("g")
                .onMessage(message -> {
                    if (message.buffer().get(0) == 1) {
                        await(release);
                    } else {
                        others.countDown();
                    }
                    all.countDown();
                })
                .join();
        for (int index = 0; index < 500; index++) {
            group.send(new byte[] {1}, Scope.of("stuck"));
            group.send(new byte[] {2}, Scope.of("free"));
            group.send(new byte[] {3});
        }
        assertThat(await(others)).isTrue();
        release.countDown();
        assertThat(await(all)).isTrue();
    }

    @Test
    void viewWaitsForScopesOfTheOneBefore() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        List<String> events = new ArrayList<>();
        Recorder recorder = new Recorder();
        Group group = node("a").group("g")
                .onMessage(message -> {
                    begun.countDown();
                    await(release);
                    synchronized (events) {
                        events.add("message in a view of " + message.view().size());
                    }
                })
                .onView(view -> {
                    synchronized (events) {
                        events.add("view of " + view.size());
                    }
                    recorder.onView(view);
                })
                .join();
        group.send(new byte[1], Scope.of(1));
        assertThat(await(begun)).isTrue();
        Recorder other = new Recorder();
        other.on(node("b").group("g")).join();
        other.awaitViewOf(2);
        assertThat(recorder.views()).hasSize(1);
        release.countDown();
        recorder.awaitViewOf(2);
        assertThat(events).containsExactly("view of 1", "message in a view of 1", "view of 2");
    }

    @Test
    void outOfBandOvertakesWhatWaitsToBeDelivered() {
        for (String stack : List.of("fifo", "causal", "total")) {
            CountDownLatch release = new CountDownLatch(1);
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch urgent = new CountDownLatch(1);
            CountDownLatch all = new CountDownLatch(101);
            Group group = node(stack).group(stack)
                    .set("stack", stack)
                    .onMessage(message -> {
                        begun.countDown();
                        if (message.length() == 2) {
                            urgent.countDown();
                        } else {
                            await(release);
                        }
                        all.countDown();
                    })
                    .join();
            for (int index = 0; index < 100; index++) {
                group.send(new byte[1]);
            }
            assertThat(await(begun)).isTrue();
            group.send(new byte[2], Scope.OUT_OF_BAND);
            assertThat(await(urgent)).as(stack).isTrue();
            release.countDown();
            assertThat(await(all)).as(stack).isTrue();
        }
    }

    @Test
    void whatIsOutOfBandFitsIntoAPacket() {
        Group group = node("a").group("g").join();
        assertThatThrownBy(() -> group.send(new byte[130_000], Scope.OUT_OF_BAND))
                .isInstanceOf(SendException.class)
                .hasMessageContaining("130000 bytes");
    }

    @Test
    void totalGroupHasOneOrderForAllSenders() throws InterruptedException {
        for (String by : List.of("sequencer", "rotation")) {
            Recorder one = new Recorder();
            Recorder two = new Recorder();
            Group first = one.on(node("one-" + by).group(by).total().set("total.by", by)).join();
            Group second = two.on(node("two-" + by).group(by).total().set("total.by", by)).join();
            one.awaitViewOf(2);
            two.awaitViewOf(2);
            for (int index = 0; index < 200; index++) {
                first.send("first " + index);
                second.send("second " + index);
            }
            one.awaitMessages(400);
            two.awaitMessages(400);
            assertThat(one.texts()).isEqualTo(two.texts()).doesNotHaveDuplicates();
        }
    }
}
