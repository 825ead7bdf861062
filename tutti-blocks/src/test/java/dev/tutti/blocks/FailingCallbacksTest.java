package dev.tutti.blocks;

import static dev.tutti.blocks.FailingCode.BAD;
import static dev.tutti.blocks.FailingCode.WAYS;
import static dev.tutti.blocks.FailingCode.group;
import static dev.tutti.blocks.FailingCode.hasLeft;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tutti.Node;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.coordination.Candidate;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.blocks.coordination.Hold;
import dev.tutti.blocks.directory.Directory;
import dev.tutti.blocks.directory.DirectoryPath;
import dev.tutti.blocks.map.MapBuilder;
import dev.tutti.blocks.map.MapException;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.blocks.queue.WorkQueue;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;

/**
 * Effects of application code that a block calls and that throws, whatever it throws: rows of the table "Callbacks that fail" of
 * docs/guarantees.md.
 */
class FailingCallbacksTest {

    private final FailingCode code = new FailingCode();

    // ------------------------------------------------------------------ map

    /** A map, the events of its listener, and the reason for its end. */
    private final class Holder {
        final ReplicatedMap<String, String> map;
        final List<String> told = new ArrayList<>();
        final List<String> closed = new ArrayList<>();

        Holder(Node node, boolean isTotal, Codec<String> values, UnaryOperator<MapBuilder<String, String>> settings) {
            MapBuilder<String, String> builder = settings.apply(ReplicatedMap.on(node.group("g"), Codec.TEXT, values)
                    .onEntry(event -> {
                        told.add(event.key());
                        code.failAt(node, event.key());
                    })
                    .onClosed(closed::add));
            map = isTotal ? builder.totalOrder() : builder.lastWriter();
        }
    }

    private Components<Holder> maps(Cluster cluster, Function<Node, Codec<String>> values) {
        boolean isTotal = cluster.seed() >= WAYS;
        return code.startAll(cluster, node -> new Holder(node, isTotal, values.apply(node), UnaryOperator.identity()));
    }

    @ClusterTest(nodes = 3, seeds = 2 * WAYS)
    void listenerOfEntries(Cluster cluster) {
        Components<Holder> maps = maps(cluster, node -> Codec.TEXT);
        code.arm();
        maps.run(2, holder -> {
            holder.map.put(BAD, "1");
            holder.map.put("next", "1");
        });
        code.assertFate(cluster, "onEntry");
        assertThat(maps.on(2).map.size()).isEqualTo(2);
        if (code.failure().isError()) {
            assertThat(maps.on(1).closed).singleElement().asString().contains("onEntry").contains(code.failure().type());
            maps.run(1, holder -> assertThatThrownBy(() -> holder.map.put("late", "1"))
                    .isInstanceOfSatisfying(MapException.class, e -> assertThat(e.reason()).isEqualTo(MapException.Reason.CLOSED)));
        } else {
            assertThat(maps.on(1).told).containsExactly(BAD, "next");
        }
    }

    @ClusterTest(nodes = 3, seeds = 2 * WAYS)
    void codecOfAMapThatCannotReadWhatOthersCan(Cluster cluster) {
        Components<Holder> maps = maps(cluster, code::failingToTake);
        code.arm();
        maps.run(2, holder -> {
            holder.map.put("a", BAD);
            holder.map.put("next", "1");
        });
        code.assertLeaves(cluster, "");
        assertThat(maps.on(2).map.get("a")).isEqualTo(BAD);
        assertThat(maps.on(3).map.get("a")).isEqualTo(BAD);
        assertThat(maps.on(1).closed).singleElement().asString().contains(code.failure().type());
        assertThat(maps.on(1).told).isEmpty();
    }

    @ClusterTest(nodes = 3, seeds = 2 * WAYS)
    void codecOfAMapThatCannotReadWhatItHasWritten(Cluster cluster) {
        Components<Holder> maps = maps(cluster, code::failingToTake);
        code.arm();
        maps.run(1, holder -> {
            Throwable thrown = catchThrowable(() -> holder.map.put("a", BAD));
            if (code.failure() == Failure.RUNTIME_EXCEPTION) {
                assertThat(thrown).isInstanceOfSatisfying(MapException.class, e -> assertThat(e.reason())
                        .isEqualTo(MapException.Reason.UNREADABLE));
            } else {
                assertThat(thrown.getClass().getName()).isEqualTo(code.failure().type());
            }
            holder.map.put("next", "1");
        });
        cluster.awaitRest();
        assertThat(maps.running()).allSatisfy(holder -> assertThat(holder.map.snapshot().entries()).containsOnlyKeys("next"));
        assertThat(group(cluster, 1).view().size()).isEqualTo(3);
    }

    @ClusterTest(nodes = 3, seeds = 2 * WAYS)
    void codecOfAMapThatCannotWrite(Cluster cluster) {
        Components<Holder> maps = maps(cluster, code::failingToPut);
        code.arm();
        maps.run(1, holder -> {
            assertThat(catchThrowable(() -> holder.map.put("a", BAD)).getClass().getName()).isEqualTo(code.failure().type());
            holder.map.remove("b");
        });
        cluster.awaitRest();
        assertThat(maps.on(2).map.size()).isZero();
        assertThat(group(cluster, 1).view().size()).isEqualTo(3);
    }

    /** The oldest member can't announce expired entries: it leaves, and the next one does it. */
    @ClusterTest(nodes = 3, seeds = 2 * WAYS)
    void codecOfAMapWhereItsMemberTellsForAll(Cluster cluster) {
        code.begin(cluster);
        boolean isTotal = cluster.seed() >= WAYS;
        Components<ReplicatedMap<String, String>> maps = cluster.deploy(node -> {
            Codec<String> keys = Codec.of(ByteInput::takeText, (text, out) -> {
                code.failAt(node, text);
                out.putText(text);
            });
            MapBuilder<String, String> map = ReplicatedMap.on(node.group("g"), keys, Codec.TEXT);
            return isTotal ? map.totalOrder() : map.lastWriter();
        });
        cluster.start(1).start(2).start(3).awaitOneView();
        maps.run(2, map -> map.put(BAD, "1", Duration.ofSeconds(1)));
        code.arm();
        cluster.advance(Duration.ofSeconds(5)).awaitRest();
        assertThat(hasLeft(cluster, 1)).isTrue();
        code.assertTold(cluster, "codec");
        assertThat(maps.on(2).containsKey(BAD)).isFalse();
        assertThat(maps.on(3).containsKey(BAD)).isFalse();
    }

    @ClusterTest(nodes = 3, seeds = 2 * WAYS)
    void functionOfAMerge(Cluster cluster) {
        boolean isTotal = cluster.seed() >= WAYS;
        TreeSet<String> failed = new TreeSet<>();
        Components<Holder> maps = code.startAll(cluster, node -> new Holder(node, isTotal, Codec.TEXT, map -> map.merge(Merge.by(sides -> {
            failed.add(node.name());
            return code.failure().raise();
        }))));
        cluster.partition(1).advance(Duration.ofSeconds(10));
        maps.run(1, holder -> holder.map.put("left", "1"));
        maps.run(2, holder -> holder.map.put("right", "1"));
        cluster.heal().advance(Duration.ofSeconds(10)).awaitRest();
        assertThat(failed).hasSizeBetween(1, 2);
        for (int number = 1; number <= 3; number++) {
            Holder holder = maps.on(number);
            if (failed.contains("n" + number)) {
                assertThat(hasLeft(cluster, number)).isTrue();
                assertThat(holder.closed).singleElement().asString().contains(code.failure().type());
            } else {
                assertThat(group(cluster, number).view().size()).isEqualTo(3 - failed.size());
                assertThat(holder.map.size()).isEqualTo(1);
            }
        }
    }

    // ------------------------------------------------------------------ directory, queue

    @ClusterTest(nodes = 2, seeds = WAYS)
    @Tag("seeds")
    void listenerOfADirectory(Cluster cluster) {
        List<String> told = new ArrayList<>();
        Components<Directory<String>> directories = code.startAll(cluster, node -> {
            Directory<String> directory = Directory.on(node.group("g"), Codec.TEXT).join();
            directory.listen(DirectoryPath.ROOT, event -> {
                told.add(node.name() + " " + event.path());
                code.failAt(node, event.path().toString());
            });
            directory.listen(DirectoryPath.ROOT, event -> told.add(node.name() + " second " + event.path()));
            return directory;
        });
        code.arm();
        directories.run(2, directory -> {
            directory.bind(DirectoryPath.of(BAD), "1");
            directory.bind(DirectoryPath.of("next"), "1");
        });
        code.assertFate(cluster, "listener");
        assertThat(told).contains("n2 next", "n2 second next");
        if (!code.failure().isError()) {
            assertThat(told).contains("n1 second bad", "n1 next", "n1 second next");
        }
    }

    @ClusterTest(nodes = 3, seeds = WAYS)
    @Tag("seeds")
    void codecOfAQueueThatCannotReadWhatOthersCan(Cluster cluster) {
        Components<WorkQueue<String>> queues =
                code.startAll(cluster, node -> WorkQueue.on(node.group("g"), code.failingToTake(node)).join());
        CompletableFuture<?> waiting = queues.on(1).takeAsync();
        cluster.awaitRest();
        code.arm();
        queues.run(2, queue -> assertThat(queue.offer(BAD)).isTrue());
        code.assertLeaves(cluster, "apply");
        assertThat(waiting).isCompletedExceptionally();
        queues.run(3, queue -> {
            var task = queue.take(Duration.ofSeconds(1));
            assertThat(task).isNotNull();
            assertThat(task.value()).isEqualTo(BAD);
        });
    }

    /** A stage keeps the exception of its function, and nobody else is told. */
    @ClusterTest(nodes = 2, seeds = WAYS)
    @Tag("seeds")
    void stageOnATask(Cluster cluster) {
        Components<WorkQueue<String>> queues = code.startAll(cluster, node -> WorkQueue.on(node.group("g"), Codec.TEXT).join());
        CompletableFuture<Object> stage = queues.on(1).takeAsync().thenApply(task -> code.failure().raise());
        CompletableFuture<?> other = queues.on(1).takeAsync();
        queues.run(2, queue -> {
            queue.offer("1");
            queue.offer("2");
        });
        cluster.awaitRest();
        assertThat(stage).isCompletedExceptionally();
        assertThat(other).isCompleted();
        assertThat(group(cluster, 1).view().size()).isEqualTo(2);
    }

    // ------------------------------------------------------------------ coordination

    @ClusterTest(nodes = 3, seeds = WAYS)
    @Tag("seeds")
    void listenersOfLocksAndElections(Cluster cluster) {
        cluster.configure(node -> node.set("records.directory", "simulated"));
        List<String> told = new ArrayList<>();
        Components<Coordination> all = code.startAll(cluster, node -> Coordination.on(node.group("g"))
                .founders("n1", "n2", "n3")
                .join());
        code.arm();
        all.run(1, coordination -> {
            coordination.election("e").stand(new Candidate() {
                @Override
                public void onElected(long token) {
                    told.add("elected");
                    if (told.size() == 1) {
                        code.failAt(cluster.node(1), BAD);
                    }
                }

                @Override
                public void onDeposed(String reason) {
                    told.add("deposed");
                    if (!code.failure().isError()) {
                        code.failAt(cluster.node(1), BAD);
                    }
                }
            });
        });
        code.assertFate(cluster, "onElected");
        if (code.failure().isError()) {
            all.run(2, coordination -> assertThat(coordination.lock("l").tryAcquire(Duration.ofSeconds(5))).isPresent());
            return;
        }
        List<String> lost = new ArrayList<>();
        all.run(1, coordination -> {
            Hold failing = coordination.lock("a").tryAcquire(Duration.ofSeconds(5)).orElseThrow();
            failing.onLost(reason -> code.failAt(cluster.node(1), BAD));
            coordination.lock("b").tryAcquire(Duration.ofSeconds(5)).orElseThrow().onLost(lost::add);
        });
        cluster.partition(1).advance(Duration.ofSeconds(10)).heal().awaitOneView().advance(Duration.ofSeconds(5));
        assertThat(lost).as("the other listener").hasSize(1);
        assertThat(told).as("stands again").startsWith("elected", "deposed", "elected");
        code.assertTold(cluster, "on");
    }

    // ------------------------------------------------------------------ listeners of groups that blocks pass on

    @ClusterTest(nodes = 3, seeds = WAYS)
    @Tag("seeds")
    void viewListenerOfABlock(Cluster cluster) {
        code.begin(cluster);
        Components<ReplicatedMap<String, String>> maps = cluster.startAll(node -> ReplicatedMap.on(node.group("g"), Codec.TEXT, Codec.TEXT)
                .onView(view -> code.failAt(node, BAD))
                .lastWriter());
        cluster.awaitOneView();
        code.arm();
        cluster.stop(3);
        if (code.failure().isError()) {
            cluster.advanceUntil("n1 leaves", Duration.ofSeconds(5), () -> hasLeft(cluster, 1)).awaitRest();
            assertThat(group(cluster, 2).view().size()).isEqualTo(1);
        } else {
            cluster.awaitRest();
            maps.run(1, map -> map.put("a", "1"));
            cluster.awaitRest();
            assertThat(maps.on(2).get("a")).isEqualTo("1");
        }
        code.assertTold(cluster, "onView");
    }
}
