package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The column "never returns" of callbacks on the loop in docs/guarantees.md. In real time, because virtual time stands still
 * while a loop does. Each of three nodes hangs in another callback; {@code a} and {@code b} are healthy.
 */
@Tag("slow")
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT) // It waits for seconds.
class HangingLoopCallbacksTest {

    private static final long DEADLINE_SECONDS = 15;

    private final List<Node> nodes = new ArrayList<>();
    private final CountDownLatch release = new CountDownLatch(1);

    /** Hanging callbacks, by the name of their node. */
    private final Map<String, CountDownLatch> called = new ConcurrentHashMap<>(Map.of(
            "inline onMessage", new CountDownLatch(1),
            "onEvent", new CountDownLatch(1),
            "onTrouble", new CountDownLatch(1)));

    /** Opened when a node has reported that its loop stands still, by name. */
    private final Map<String, CountDownLatch> stalled = new ConcurrentHashMap<>();

    private volatile boolean isArmed;

    @AfterEach
    void closeAll() {
        release.countDown();
        nodes.forEach(Node::close);
    }

    private void hang(String node, String callback) {
        CountDownLatch latch = called.get(callback);
        if (isArmed && node.equals(callback) && latch != null) {
            latch.countDown();
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Node start(String name) {
        NodeBuilder builder = Node.tcp(0).name(name).set("detection.timeout", "1 s").set("detection.heartbeat", "250 ms")
                .onTrouble(text -> hang(name, "onTrouble"));
        if (!nodes.isEmpty()) {
            builder.seeds(nodes.getFirst().address());
        }
        Node node = builder.start();
        nodes.add(node);
        node.onEvent(event -> {
            if (Problem.Kind.LOOP_STALLED.text().equals(event.details().get("problem"))) {
                stalled.computeIfAbsent(name, key -> new CountDownLatch(1)).countDown();
            }
        });
        node.onEvent(event -> hang(name, "onEvent"));
        return node;
    }

    @Test
    void othersExcludeTheNodeWhoseLoopWaitsAndItsOwnHealthSaysWhy() throws InterruptedException {
        Recorder atA = new Recorder();
        Group group = atA.on(start("a").group("g")).join();
        start("b").group("g").join();
        for (String callback : called.keySet()) {
            start(callback).group("g").inline().onMessage(message -> hang(callback, "inline onMessage")).join();
        }
        atA.awaitViewOf(5);
        isArmed = true;
        group.send("hang");
        // Others report that it is silent, which is an event and a trouble.
        for (CountDownLatch each : called.values()) {
            assertThat(each.await(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
        atA.awaitViewOf(2);
        group.send("on");
        atA.await("the others go on", all -> all.texts().contains("on"));
        for (Node node : nodes.subList(2, nodes.size())) {
            CountDownLatch told = stalled.computeIfAbsent(node.name(), key -> new CountDownLatch(1));
            assertThat(told.await(DEADLINE_SECONDS, TimeUnit.SECONDS)).as("%s tells that its loop stands still", node.name()).isTrue();
            Health health = node.health();
            assertThat(health.isAlive()).isFalse();
            assertThat(health.problems()).anySatisfy(problem -> {
                assertThat(problem.kind()).isEqualTo(Problem.Kind.LOOP_STALLED);
                assertThat(problem.advice()).contains("thread dump", "an inline listener or a listener of events may block");
            });
        }
        assertThat(nodes.get(1).health().isReady()).isTrue();
    }
}
