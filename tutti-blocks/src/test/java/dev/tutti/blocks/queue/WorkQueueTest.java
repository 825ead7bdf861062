package dev.tutti.blocks.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import dev.tutti.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;

/** Stories of work queues. */
class WorkQueueTest {

    private static final Duration SHORT = Duration.ofMillis(100);

    private UnaryOperator<QueueBuilder<String>> settings = UnaryOperator.identity();
    private String delivery = "agreed";
    private int viewSizeMin = 1;

    /** Number of times that each task was acknowledged with confirmation. */
    private final TreeMap<String, Integer> done = new TreeMap<>();

    /** Tasks for which it is unknown whether their acknowledgement was accepted. */
    private final TreeSet<String> unknown = new TreeSet<>();

    private final TreeSet<String> accepted = new TreeSet<>();

    private static final class Holder {
        final Node node;
        final WorkQueue<String> queue;
        private int offers;

        Holder(Node node, String delivery, UnaryOperator<QueueBuilder<String>> settings) {
            this.node = node;
            queue = settings.apply(WorkQueue.on(node.group("work").set("total.delivery", delivery), Codec.TEXT)
                            .timeout(Duration.ofSeconds(5)))
                    .join();
        }

        Task<String> take() {
            return Objects.requireNonNull(queue.take(SHORT), "there is no task");
        }
    }

    private Components<Holder> startAll(Cluster cluster) {
        Components<Holder> holders = cluster.startAll(node -> new Holder(node, delivery, settings));
        cluster.awaitOneView();
        return holders;
    }

    private static void assertAlike(Cluster cluster, Components<Holder> holders) {
        // Duties of a member for all follow what it sees, and are also done on a timer.
        cluster.awaitRest().advance(Duration.ofMillis(500)).awaitRest();
        List<Holder> running = holders.running();
        assertThat(running).allSatisfy(holder -> {
            for (String counter : List.of("tasks", "waiting", "held", "workers-waiting", "bytes")) {
                assertThat(holder.queue.status().get(counter))
                        .as(counter)
                        .isEqualTo(running.getFirst().queue.status().get(counter));
            }
            assertThat(holder.queue.status()).containsEntry("to-bring-in", 0L).containsEntry("malformed", 0L);
        });
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void tasksGoToWorkersAtAnyMemberInTheirOrder(Cluster cluster) {
        Components<Holder> holders = startAll(cluster);
        holders.run(1, holder -> {
            for (int index = 0; index < 6; index++) {
                assertThat(holder.queue.offer("t" + index)).isTrue();
            }
        });
        List<String> taken = new ArrayList<>();
        for (int index = 0; index < 6; index++) {
            holders.run(1 + index % 3, holder -> {
                Task<String> task = holder.take();
                taken.add(task.value());
                assertThat(task.deliveries()).isEqualTo(1);
                assertThat(task.acknowledge()).isTrue();
                assertThat(task.acknowledge()).isFalse();
            });
        }
        assertThat(taken).containsExactly("t0", "t1", "t2", "t3", "t4", "t5");
        holders.run(2, holder -> assertThat(holder.queue.take(SHORT)).isNull());
        assertAlike(cluster, holders);
        assertThat(holders.on(3).queue.size()).isZero();
        assertThat(holders.on(3).queue.status()).containsEntry("workers-waiting", 0L);
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void workerThatWaitsGetsWhatIsOfferedLater(Cluster cluster) {
        Components<Holder> holders = startAll(cluster);
        CompletableFuture<Task<String>> first = holders.ask(2, holder -> holder.queue.takeAsync());
        CompletableFuture<Task<String>> second = holders.ask(3, holder -> holder.queue.takeAsync());
        cluster.advance(SHORT);
        first.cancel(false);
        cluster.advance(SHORT);
        holders.run(1, holder -> holder.queue.offer("t"));
        cluster.advance(SHORT);
        assertThat(second.join().value()).isEqualTo("t");
        assertAlike(cluster, holders);
    }

    @ClusterTest(nodes = 3, seeds = 10)
    @Tag("seeds")
    void taskOfAWorkerThatDiesOrLeavesOrGivesItBackIsAnothers(Cluster cluster) {
        Components<Holder> holders = startAll(cluster);
        holders.run(1, holder -> {
            holder.queue.offer("a");
            holder.queue.offer("b");
            holder.queue.offer("c");
            holder.queue.offer("d");
        });
        holders.run(2, holder -> assertThat(holder.take().value()).isEqualTo("a"));
        holders.run(3, holder -> assertThat(holder.take().value()).isEqualTo("b"));
        holders.run(1, holder -> {
            Task<String> task = holder.take();
            assertThat(task.value()).isEqualTo("c");
            assertThat(task.release()).isTrue();
            assertThat(task.acknowledge()).isFalse();
        });
        cluster.crash(2).stop(3).awaitRest();
        holders.run(1, holder -> {
            for (String value : List.of("a", "b", "c")) {
                Task<String> task = holder.take();
                assertThat(task.value()).isEqualTo(value);
                assertThat(task.deliveries()).isEqualTo(2);
                assertThat(task.acknowledge()).isTrue();
            }
            assertThat(holder.take().deliveries()).isEqualTo(1);
        });
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void taskThatIsNotAcknowledgedInTimeIsAnothers(Cluster cluster) {
        settings = queue -> queue.acknowledgeWithin(Duration.ofSeconds(2));
        Components<Holder> holders = startAll(cluster);
        holders.run(1, holder -> holder.queue.offer("slow"));
        Task<String> slow = holders.ask(2, Holder::take);
        cluster.advance(Duration.ofMillis(1_500));
        holders.run(2, holder -> assertThat(slow.extend()).isTrue());
        cluster.advance(Duration.ofMillis(1_500));
        holders.run(3, holder -> assertThat(holder.queue.take(SHORT)).isNull());
        cluster.advance(Duration.ofMillis(600));
        Task<String> again = holders.ask(3, Holder::take);
        assertThat(again.deliveries()).isEqualTo(2);
        holders.run(2, holder -> assertThat(slow.acknowledge()).isFalse());
        holders.run(3, holder -> assertThat(again.acknowledge()).isTrue());
        assertAlike(cluster, holders);
        assertThat(holders.on(1).queue.size()).isZero();
    }

    @ClusterTest(nodes = 2, seeds = 3)
    void closedQueueTellsNothingAnyMoreThoughItsNodeGoesOn(Cluster cluster) {
        settings = queue -> queue.acknowledgeWithin(Duration.ofMillis(500));
        Components<Holder> holders = cluster.deploy(node -> new Holder(node, delivery, settings));
        cluster.start(1).start(2).awaitOneView();
        holders.run(1, holder -> holder.queue.offer("t"));
        holders.run(2, Holder::take);
        holders.run(1, holder -> holder.queue.close());
        cluster.advance(Duration.ofSeconds(10));
        assertThat(holders.on(1).queue.status().get("tried-again")).isLessThanOrEqualTo(1);
        holders.run(2, holder -> assertThat(holder.take().deliveries()).isEqualTo(2));
    }

    @ClusterTest(nodes = 2, seeds = 3)
    void fullQueueRefuses(Cluster cluster) {
        settings = queue -> queue.tasksMax(3).bytesMax(40);
        Components<Holder> holders = startAll(cluster);
        holders.run(1, holder -> {
            assertThat(holder.queue.offer("x".repeat(30))).isTrue();
            assertThat(holder.queue.offer("x".repeat(30))).isFalse();
            assertThat(holder.queue.offer("")).isTrue();
            assertThat(holder.queue.offer("")).isFalse();
            assertThat(holder.take().acknowledge()).isTrue();
            assertThat(holder.queue.offer("y")).isTrue();
        });
        assertAlike(cluster, holders);
    }

    @ClusterTest(nodes = 3, seeds = 3)
    void newcomerHasTheTasksAndWhoWaitsIsToldOfTheEnd(Cluster cluster) {
        Components<Holder> holders = cluster.deploy(node -> new Holder(node, delivery, settings));
        cluster.start(1, 2).awaitOneView();
        holders.run(1, holder -> {
            for (int index = 0; index < 500; index++) {
                holder.queue.offer("x".repeat(400));
            }
            holder.take();
        });
        cluster.start(3);
        assertAlike(cluster, holders);
        assertThat(holders.on(3).queue.size()).isEqualTo(500);
        holders.run(3, holder -> {
            while (holder.queue.take(Duration.ofMillis(10)) != null) {
                assertThat(holder.queue.size()).isEqualTo(500);
            }
            CompletableFuture<Task<String>> open = holder.queue.takeAsync();
            holder.queue.close();
            assertThatThrownBy(open::join)
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .isInstanceOfSatisfying(QueueException.class, e -> assertThat(e.reason())
                            .isEqualTo(QueueException.Reason.CLOSED));
        });
    }

    @ClusterTest(nodes = 5, seeds = 10)
    @Tag("seeds")
    void whatBothSidesHaveAcceptedIsThereAfterAMergeAndWhatOneHasDoneIsDone(Cluster cluster) {
        Components<Holder> holders = startAll(cluster);
        holders.run(1, holder -> {
            holder.queue.offer("done left");
            holder.queue.offer("done right");
            holder.queue.offer("open");
        });
        cluster.advance(SHORT).partition(1, 2).advance(Duration.ofSeconds(10));
        CompletableFuture<Task<String>> waiting = new CompletableFuture<>();
        holders.run(1, holder -> {
            assertThat(holder.take().acknowledge()).isTrue();
            holder.queue.offer("left");
        });
        holders.run(3, holder -> {
            Task<String> other = holder.take();
            assertThat(holder.take().acknowledge()).isTrue();
            other.release();
            holder.queue.offer("right");
        });
        holders.run(2, holder -> {
            for (int index = 0; index < 3; index++) {
                holder.take();
            }
            holder.queue.takeAsync().thenAccept(waiting::complete);
        });
        cluster.advance(Duration.ofSeconds(1)).heal().awaitOneView();
        assertAlike(cluster, holders);
        // Tasks of both sides, and the one that waited before they met.
        assertThat(holders.on(4).queue.size()).isEqualTo(3);
        cluster.advance(Duration.ofSeconds(40)).awaitRest();
        assertThat(waiting).isDone();
        TreeSet<String> rest = new TreeSet<>();
        rest.add(waiting.join().value());
        holders.run(5, holder -> {
            Task<String> next = holder.queue.take(SHORT);
            while (next != null) {
                rest.add(next.value());
                next = holder.queue.take(SHORT);
            }
        });
        // A waiting worker may get a task that is done before that is reported.
        rest.remove("done left");
        assertThat(rest).containsExactly("left", "open", "right");
    }

    @ClusterTest(nodes = 5, seeds = 5)
    @Tag("seeds")
    void functionOfTheSidesDecides(Cluster cluster) {
        settings = queue -> queue.merge(Merge.by(sides -> {
            TreeMap<TaskId, String> all = new TreeMap<>();
            sides.forEach(side -> all.putAll(side.state()));
            all.values().removeIf(value -> value.equals("drop"));
            return all;
        }));
        Components<Holder> holders = startAll(cluster);
        cluster.partition(1, 2).advance(Duration.ofSeconds(10));
        for (int number : new int[] {1, 3}) {
            holders.run(number, holder -> {
                holder.queue.offer("keep");
                holder.queue.offer("drop");
            });
        }
        cluster.heal().awaitOneView();
        assertAlike(cluster, holders);
        holders.run(2, holder -> {
            assertThat(holder.take().value()).isEqualTo("keep");
            assertThat(holder.take().value()).isEqualTo("keep");
            assertThat(holder.queue.take(SHORT)).isNull();
        });
    }

    private void acknowledge(Task<String> task) {
        unknown.add(task.value());
        boolean isDone = task.acknowledge();
        // Not if it throws, or the process dies meanwhile.
        unknown.remove(task.value());
        if (isDone) {
            done.merge(task.value(), 1, Integer::sum);
        }
    }

    private void work(Cluster cluster, Holder holder) {
        try {
            if (cluster.random().nextBoolean()) {
                holder.offers++;
                String value = holder.node.name() + "/" + holder.node.id().incarnation() + "/" + holder.offers;
                if (holder.queue.offer(value) && holder.queue.view().size() >= viewSizeMin) {
                    accepted.add(value);
                }
                return;
            }
            Task<String> task = holder.queue.take(Duration.ofMillis(1 + cluster.random().nextInt(100)));
            if (task == null) {
                return;
            }
            switch (cluster.random().nextInt(6)) {
                case 0 -> task.release();
                case 1 -> task.extend();
                default -> acknowledge(task);
            }
        } catch (QueueException e) {
            // Faults cost calls; the test is that no task is lost.
            assertThat(e.reason()).isNotNull();
        }
    }

    private void assertNothingLost(Cluster cluster, Components<Holder> holders, Fault... faults) {
        cluster.awaitOneView();
        holders.keep(Duration.ofMillis(20), holder -> work(cluster, holder));
        cluster.randomFaults(Duration.ofSeconds(15), faults).quiet().advance(Duration.ofSeconds(2));
        assertAlike(cluster, holders);
        holders.run(1, holder -> {
            Task<String> next = holder.queue.take(Duration.ofSeconds(1));
            while (next != null) {
                acknowledge(next);
                next = holder.queue.take(Duration.ofSeconds(1));
            }
            assertThat(holder.queue.size()).isZero();
        });
        unknown.addAll(done.keySet());
        assertThat(unknown).containsAll(accepted);
        assertThat(accepted).hasSizeGreaterThan(50);
    }

    /** No crashes here: a member that is alone on its side would take what only it has with it. */
    @ClusterTest(nodes = 5, seeds = 8)
    @Tag("seeds")
    void losesNothingThatWasAcceptedInPartitionsAndMerges(Cluster cluster) {
        settings = queue -> queue.acknowledgeWithin(Duration.ofMillis(500));
        Components<Holder> holders = cluster.startAll(node -> new Holder(node, delivery, settings));
        assertNothingLost(
                cluster, holders, Fault.PAUSE, Fault.PARTITION, Fault.CUT, Fault.BREAK, Fault.SLOWNESS);
    }

    /**
     * With safe delivery, accepted tasks are at all members of the view. Those of a small view, who have found each
     * other before the rest, may all be killed before they meet that.
     */
    @ClusterTest(nodes = 5, seeds = 8)
    @Tag("seeds")
    void losesNothingThatWasAcceptedInCrashes(Cluster cluster) {
        settings = queue -> queue.acknowledgeWithin(Duration.ofMillis(500));
        delivery = "safe";
        viewSizeMin = 3;
        Components<Holder> holders = cluster.startAll(node -> new Holder(node, delivery, settings));
        assertNothingLost(cluster, holders, Fault.CRASH, Fault.STOP, Fault.BREAK, Fault.SLOWNESS);
    }
}
