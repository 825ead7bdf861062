package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.SendException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Behaviour of a simulated cluster towards a component, the same as that of a real one. */
@Timeout(60)
class ClusterStoriesTest {

    /** A component that remembers what it got. */
    static final class Recorder implements AutoCloseable {
        final List<String> got = new ArrayList<>();
        final List<Integer> views = new ArrayList<>();
        final Group group;
        boolean isClosed;

        Recorder(Node node) {
            this(node, text -> {});
        }

        Recorder(Node node, Consumer<String> listener) {
            group = node.group("records")
                    .set("window", "128 KiB")
                    .onView(view -> views.add(view.size()))
                    .onMessage(message -> {
                        got.add(message.text());
                        listener.accept(message.text());
                    })
                    .join();
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    private Cluster cluster = Cluster.of(3, 1);

    @AfterEach
    void closeCluster() {
        cluster.close();
    }

    private Cluster cluster(int size, long seed) {
        cluster.close();
        cluster = Cluster.of(size, seed);
        return cluster;
    }

    @Test
    void membersSeeOneViewAndEachOthersMessages() {
        Components<Recorder> recorders = cluster.startAll(Recorder::new);
        cluster.awaitOneView();
        recorders.on(1).group.send("hello");
        cluster.awaitRest();
        assertThat(recorders.running()).hasSize(3).allMatch(recorder -> recorder.got.equals(List.of("hello")));
        assertThat(recorders.on(2).group.view().size()).isEqualTo(3);
    }

    @Test
    void largeMessagesArriveWhole() {
        Components<Recorder> recorders = cluster.startAll(Recorder::new);
        cluster.awaitOneView();
        String large = "0123456789".repeat(50_000);
        recorders.on(2).group.send(large);
        cluster.awaitRest();
        assertThat(recorders.running()).allMatch(recorder -> recorder.got.equals(List.of(large)));
    }

    @Test
    void unicastsArriveAtOneMember() {
        Components<Recorder> recorders = cluster.startAll(Recorder::new);
        cluster.awaitOneView();
        recorders.on(1).group.sendTo(recorders.on(2).group.self(), "you".getBytes(StandardCharsets.UTF_8));
        cluster.awaitRest();
        assertThat(recorders.on(2).got).containsExactly("you");
        assertThat(recorders.on(3).got).isEmpty();
    }

    @Test
    void theSameSeedGivesTheSameRunAndAnotherAnother() {
        TreeSet<Long> fingerprints = new TreeSet<>();
        for (long seed : new long[] {5, 5, 6}) {
            Components<Recorder> recorders = cluster(4, seed).startAll(Recorder::new);
            recorders.keep(Duration.ofMillis(20), recorder -> recorder.group.send("m"));
            cluster.randomFaults(Duration.ofSeconds(5)).awaitRest();
            fingerprints.add(cluster.fingerprint());
        }
        assertThat(fingerprints).hasSize(2);
    }

    @Test
    void blockedSendTakesVirtualTimeUntilTheSlowMemberGoesOn() {
        Components<Recorder> recorders = cluster.startAll(Recorder::new);
        cluster.awaitOneView();
        cluster.slow(2, Duration.ofMillis(10));
        Duration before = cluster.elapsed();
        String message = "x".repeat(1_000);
        recorders.run(1, recorder -> {
            for (int count = 0; count < 1_000; count++) {
                recorder.group.send(message);
            }
        });
        assertThat(cluster.elapsed().minus(before))
                .as("a megabyte, a window of 128 KiB, 100 KB/s")
                .isGreaterThan(Duration.ofSeconds(5));
        assertThat(recorders.on(2).got.size()).as("the others are at most a window ahead").isGreaterThan(500);
        cluster.slow(2, Duration.ZERO).awaitRest();
        assertThat(recorders.running()).allMatch(recorder -> recorder.got.size() == 1_000);
    }

    @Test
    void blockedSendOfTheTestItselfLetsTimePass() {
        Components<Recorder> recorders = cluster.startAll(Recorder::new);
        cluster.awaitOneView().slow(2, Duration.ofMillis(10));
        for (int count = 0; count < 300; count++) {
            recorders.on(1).group.send("x".repeat(1_000));
        }
        cluster.awaitRest();
        assertThat(recorders.on(3).got).hasSize(300);
    }

    @Test
    void sendTimeoutIsOfVirtualTime() {
        Components<Group> groups = cluster.startAll(node ->
                node.group("g").set("window", "128 KiB").set("send-timeout", "2 s").join());
        cluster.awaitOneView().slow(3, Duration.ofHours(1));
        assertThatThrownBy(() -> {
                    for (int count = 0; count < 1_000; count++) {
                        groups.on(1).send("x".repeat(1_000));
                    }
                })
                .isInstanceOfSatisfying(
                        SendException.class, e -> assertThat(e.reason()).isEqualTo(SendException.Reason.WINDOW_CLOSED))
                .hasMessageContaining("n3");
    }

    /** Answers a question with more than the window takes. */
    private Components<Recorder> answering(Function<Node, Executor> executors) {
        return cluster.startAll(node -> {
            Recorder[] self = new Recorder[1];
            self[0] = new Recorder(node, text -> {
                if (text.equals("ask") && node.name().equals("n2")) {
                    executors.apply(node).execute(() -> {
                        for (int count = 0; count < 300; count++) {
                            self[0].group.send("a".repeat(1_000));
                        }
                    });
                }
            });
            return self[0];
        });
    }

    @Test
    void largeAnswerFromAThreadOfTheComponentArrives() {
        Components<Recorder> recorders = answering(cluster::scheduler);
        cluster.awaitOneView().slow(3, Duration.ofMillis(2));
        recorders.on(1).group.send("ask");
        cluster.awaitRest();
        assertThat(recorders.running()).allMatch(recorder -> recorder.got.size() == 301);
    }

    @Test
    void largeAnswerFromTheListenerItselfIsRefusedAtOnce() {
        Components<Recorder> recorders = answering(node -> Runnable::run);
        cluster.awaitOneView();
        recorders.on(1).group.send("ask");
        assertThatThrownBy(() -> cluster.advance(Duration.ofMinutes(2)))
                .isInstanceOfSatisfying(
                        SendException.class, e -> assertThat(e.reason()).isEqualTo(SendException.Reason.LISTENER))
                .hasMessageContaining("n2");
        assertThat(cluster.elapsed()).as("long before send-timeout").isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void crashEndsWhatItsProcessWasDoingAndTheNextRunStartsAnew() {
        Components<Recorder> recorders = cluster.startAll(Recorder::new);
        cluster.awaitOneView().slow(2, Duration.ofHours(1));
        AtomicInteger sent = new AtomicInteger();
        recorders.keep(Duration.ofMillis(1), recorder -> {
            recorder.group.send("x".repeat(10_000));
            sent.incrementAndGet();
        });
        cluster.advance(Duration.ofSeconds(1));
        int blocked = sent.get();
        assertThat(blocked).as("all that fits the windows").isLessThan(200);
        Recorder former = recorders.on(1);
        cluster.quiet().crash(1).crash(2).slow(2, Duration.ZERO);
        assertThat(sent.get()).as("a thread of a crashed process does not go on").isEqualTo(blocked);
        assertThatThrownBy(() -> recorders.on(1)).isInstanceOf(IllegalStateException.class).hasMessageContaining("n1 is down");
        assertThatThrownBy(() -> former.group.send("from the grave"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("n1 has crashed");
        cluster.restart(1, 2).awaitRest();
        assertThat(recorders.on(1)).isNotSameAs(former);
        assertThat(recorders.on(1).views).last().isEqualTo(3);
    }

    @Test
    void nodesGiveTheirComponentsVirtualTimeAndThreadsThatEndWithTheProcess() {
        List<String> happened = new ArrayList<>();
        Function<Node, Node> component = node -> {
            long start = node.threads().nanoTime();
            CompletableFuture<String> future = new CompletableFuture<>();
            node.threads().startAfter(TimeUnit.SECONDS.toNanos(5), "timer", () -> {
                happened.add(node.name() + " after " + (node.threads().nanoTime() - start) / 1_000_000_000 + " s");
                future.complete("done");
            });
            node.threads().start("waiter", () -> happened.add(node.name() + " " + node.threads().join(future)));
            return node;
        };
        cluster.startAll(component);
        cluster.advance(Duration.ofSeconds(1)).crash(2).advance(Duration.ofSeconds(10));
        assertThat(happened).containsExactlyInAnyOrder("n1 after 5 s", "n1 done", "n3 after 5 s", "n3 done");
    }

    @Test
    void powerLossIsNoticedLaterThanACrash() {
        cluster.startAll(Recorder::new);
        cluster.awaitOneView();
        Duration start = cluster.elapsed();
        cluster.crash(3).awaitOneView();
        Duration ofCrash = cluster.elapsed().minus(start);
        cluster.restart(3).awaitOneView();
        start = cluster.elapsed();
        cluster.powerOff(3).awaitOneView();
        assertThat(cluster.elapsed().minus(start)).isGreaterThan(ofCrash.plusSeconds(1));
    }

    @Test
    void stopClosesTheComponentAndSaysGoodbye() {
        Components<Recorder> recorders = cluster.startAll(Recorder::new);
        cluster.awaitOneView();
        Recorder leaving = recorders.on(2);
        Duration start = cluster.elapsed();
        cluster.stop(2);
        assertThat(leaving.isClosed).isTrue();
        assertThat(cluster.isUp(2)).isFalse();
        cluster.awaitOneView();
        assertThat(cluster.elapsed().minus(start)).isLessThan(Duration.ofSeconds(1));
        assertThat(recorders.on(1).views).last().isEqualTo(2);
    }

    @Test
    void pausedProcessHearsNothingUntilItGoesOn() {
        Components<Recorder> recorders = cluster.startAll(Recorder::new);
        cluster.awaitOneView();
        cluster.pause(3);
        recorders.on(1).group.send("while you slept");
        cluster.advance(Duration.ofMillis(500));
        assertThat(recorders.on(2).got).containsExactly("while you slept");
        assertThat(cluster.isRunning(3)).isFalse();
        cluster.resume(3).awaitRest();
        assertThat(recorders.on(3).got).containsExactly("while you slept");
    }

    @Test
    void bothSidesOfAPartitionGoOnAndMerge() {
        Components<Recorder> recorders = cluster(4, 3).startAll(Recorder::new);
        cluster.awaitOneView().partition(1, 2);
        cluster.awaitOneViewOf(Duration.ofSeconds(10), 1, 2).awaitOneViewOf(Duration.ofSeconds(10), 3, 4);
        recorders.on(1).group.send("left");
        recorders.on(3).group.send("right");
        cluster.advance(Duration.ofSeconds(1)).heal().awaitRest();
        assertThat(recorders.on(2).got).containsExactly("left");
        assertThat(recorders.on(4).got).containsExactly("right");
        assertThat(recorders.on(4).views).last().isEqualTo(4);
    }

    @Test
    void manyProcessesStartAtOnceAndLoseSomeAtOnce() {
        Components<Recorder> recorders = cluster(24, 7).startAll(Recorder::new);
        cluster.awaitOneView(Duration.ofSeconds(5)).crash(1, 5, 9).awaitOneView(Duration.ofSeconds(5));
        assertThat(recorders.running()).hasSize(21).allMatch(recorder -> recorder.group.view().size() == 21);
    }

    @Test
    void clockAndSchedulerGoByVirtualTime() {
        List<Instant> ticks = new ArrayList<>();
        cluster.startAll(node -> cluster.scheduler(node)
                .scheduleAtFixedRate(() -> ticks.add(cluster.clock().instant()), 1, 1, TimeUnit.HOURS));
        cluster.crash(2, 3).advance(Duration.ofHours(3)).crash(1).advance(Duration.ofHours(3));
        assertThat(ticks).as("of the one that lived, while it lived").hasSizeBetween(2, 3);
        assertThat(Duration.between(ticks.get(0), ticks.get(1)).minusHours(1).abs()).isLessThan(Duration.ofMillis(1));
        assertThat(cluster.elapsed()).isGreaterThanOrEqualTo(Duration.ofHours(6));
    }

    @Test
    void acceptedFuturesAndUnreliableGroupsWork() {
        AtomicInteger accepted = new AtomicInteger();
        Components<Group> groups = cluster.startAll(node -> node.group("load").unreliable().join());
        cluster.awaitOneView();
        groups.on(1).sendAsync("42".getBytes(StandardCharsets.UTF_8)).thenRun(accepted::incrementAndGet);
        cluster.awaitRest();
        assertThat(accepted).hasValue(1);
    }

    @Test
    void inspectionCanBeAsked() {
        cluster.startAll(Recorder::new);
        cluster.awaitOneView();
        NodeInspection inspection = cluster.node(2).inspection();
        assertThat(inspection.links()).isNotEmpty();
        assertThat(inspection.groups()).isNotEmpty();
    }

    @Test
    void waitingForSomethingElseThanTuttiIsReportedWithThePlace() {
        CompletableFuture<String> never = new CompletableFuture<>();
        Components<Recorder> recorders = cluster.startAll(Recorder::new);
        assertThatThrownBy(() -> recorders.run(2, recorder -> never.join()))
                .hasMessageContaining("thread n2 test waits for something that virtual time does not know")
                .hasMessageContaining("ClusterStoriesTest");
    }

    /** Holds its lock while it sends, which is a mistake. */
    static final class Greedy {
        private final Group group;

        Greedy(Node node) {
            group = node.group("greedy").set("window", "128 KiB").join();
        }

        synchronized void fill() {
            for (int count = 0; count < 1_000; count++) {
                group.send("x".repeat(1_000));
            }
        }

        synchronized int size() {
            return 0;
        }
    }

    @Test
    void lockThatAComponentHoldsWhileItWaitsDoesNotHangTheTest() {
        Components<Greedy> greedy = cluster.startAll(Greedy::new);
        cluster.awaitOneView().slow(2, Duration.ofHours(1));
        greedy.keep(Duration.ofMillis(1), Greedy::fill);
        cluster.advance(Duration.ofSeconds(1));
        assertThat(greedy.on(1).size()).as("waits for the lock, until the watchdog comes").isZero();
        assertThatThrownBy(() -> cluster.advance(Duration.ofSeconds(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the test's own thread waits")
                .hasMessageContaining("Greedy.size")
                .hasMessageContaining("while thread n1 work waits in tutti");
        assertThat(Thread.interrupted()).as("what the watchdog has set it has cleared").isFalse();
    }

    @Test
    void inlineListenerThatWouldBlockItsLoopIsToldSo() {
        List<String> answers = new ArrayList<>();
        Components<Group> groups = cluster.startAll(node -> node.group("g")
                .inline()
                .onMessage(message -> answers.add(String.valueOf(node.inspection())))
                .join());
        cluster.awaitOneView();
        groups.on(1).send("ask");
        assertThatThrownBy(() -> cluster.advance(Duration.ofSeconds(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("waits for the loop of node n1")
                .hasMessageContaining("inline group g");
    }

    @Test
    void clusterIsDrivenByTheTestAlone() {
        Components<Recorder> recorders = cluster.startAll(Recorder::new);
        assertThatThrownBy(() -> recorders.run(1, recorder -> cluster.crash(2)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("driven by the thread of the test alone");
    }

    @Test
    void failureOfAComponentsThreadFailsTheTest() {
        Components<Recorder> recorders = cluster.startAll(Recorder::new);
        assertThatThrownBy(() -> recorders.run(1, recorder -> {
                    throw new IllegalArgumentException("wrong");
                }))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Cluster.of(0, 1)).hasMessageContaining("1 to 64");
        assertThatThrownBy(() -> cluster.deploy(Recorder::new)).hasMessageContaining("given already");
        assertThatThrownBy(() -> cluster.crash(4)).hasMessageContaining("only n1 to n3");
    }
}
