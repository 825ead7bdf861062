package dev.tutti.blocks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.blocks.map.TotalOrderMap;
import dev.tutti.blocks.map.distributed.DistributedMap;
import dev.tutti.blocks.queue.Task;
import dev.tutti.blocks.queue.WorkQueue;
import dev.tutti.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Map and queue on sockets and threads of this machine, many at a time. */
@Timeout(60)
class RealBlocksTest {

    private static final int MEMBERS = 3;
    private static final int THREADS = 4;
    private static final int ROUNDS = 200;

    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void closeNodes() {
        nodes.forEach(Node::close);
    }

    private <B> List<B> start(Function<Node, B> join) {
        List<B> blocks = new ArrayList<>();
        for (int number = 0; number < MEMBERS; number++) {
            String[] seeds = nodes.stream().limit(1).map(Node::address).toArray(String[]::new);
            nodes.add(Node.tcp(0).name("n" + number).seeds(seeds).start());
            blocks.add(join.apply(nodes.getLast()));
        }
        return blocks;
    }

    /** Polls the condition in real time, without sleeping. */
    private interface Work<B> {
        void round(B block, int thread, int round);
    }

    private static <B> void work(List<B> blocks, Work<B> work) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < MEMBERS * THREADS; thread++) {
                int own = thread;
                running.add(threads.submit(() -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        work.round(blocks.get(own % MEMBERS), own, round);
                    }
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
    }

    @Test
    void mapOfTheLastWriterIsTheSameEverywhere() throws Exception {
        List<ReplicatedMap<String, String>> maps = start(node ->
                ReplicatedMap.on(node.group("map"), Codec.TEXT, Codec.TEXT).lastWriter());
        Await.until("one view of all", () -> maps.stream().allMatch(map -> map.view().size() == MEMBERS));
        work(maps, (map, thread, round) -> {
            String key = "k" + round % 17;
            if (round % 5 == 0) {
                map.remove(key);
            } else {
                map.put(key, thread + " " + round);
            }
        });
        // Each map has everything that its own writes waited for; this write follows everything of its sender.
        maps.forEach(map -> map.put("last of " + map.self(), "x"));
        Await.until("all maps have the last of each", () -> maps.stream().allMatch(map -> maps.stream().allMatch(other -> map.containsKey("last of " + other.self()))));
        assertThat(maps).allMatch(map -> map.snapshot().entries().equals(maps.getFirst().snapshot().entries()));
    }

    @Test
    void mapInTotalOrderCountsRight() throws Exception {
        List<TotalOrderMap<String, Integer>> maps = start(node ->
                ReplicatedMap.on(node.group("map"), Codec.TEXT, Codec.INT).totalOrder());
        Await.until("one view of all", () -> maps.stream().allMatch(map -> map.view().size() == MEMBERS));
        work(maps, (map, thread, round) ->
                map.compute("k" + thread % 5, (key, count) -> count == null ? 1 : count + 1));
        maps.forEach(TotalOrderMap::sync);
        assertThat(maps).allSatisfy(map -> assertThat(
                        map.snapshot().entries().values().stream().mapToInt(Integer::intValue).sum())
                .isEqualTo(MEMBERS * THREADS * ROUNDS));
    }

    @Test
    void queueHandsEachTaskToOneWorker() throws Exception {
        List<WorkQueue<String>> queues = start(node -> WorkQueue.on(node.group("queue"), Codec.TEXT).join());
        Await.until("one view of all", () -> queues.stream().allMatch(queue -> queue.view().size() == MEMBERS));
        Set<String> done = ConcurrentHashMap.newKeySet();
        work(queues, (queue, thread, round) -> {
            if (thread % 2 == 0) {
                assertThat(queue.offer(thread + " " + round)).isTrue();
            } else {
                Task<String> task = queue.take(Duration.ofSeconds(20));
                assertThat(task).isNotNull();
                assertThat(task.deliveries()).isEqualTo(1);
                assertThat(task.acknowledge()).isTrue();
                assertThat(done.add(task.value())).isTrue();
            }
        });
        assertThat(done).hasSize(MEMBERS * THREADS * ROUNDS / 2);
    }

    @Test
    void mapWithSomeCopiesLosesNothingWhenAMemberLeaves() throws Exception {
        List<DistributedMap<String, Integer>> maps = start(node ->
                DistributedMap.on(node, "map", Codec.TEXT, Codec.INT).shards(16).join());
        Await.until("one view of all", () -> maps.stream().allMatch(map -> map.view().size() == MEMBERS));
        work(maps, (map, thread, round) -> {
            map.put("own " + thread + " " + round % 10, round);
            if (round % 10 == 0) {
                map.compute("shared", (key, count) -> count == null ? 1 : count + 1);
            }
        });
        assertThat(maps.get(1).get("shared")).isEqualTo(MEMBERS * THREADS * ROUNDS / 10);
        maps.getFirst().close();
        assertThat(maps.get(1).size()).isEqualTo(MEMBERS * THREADS * 10 + 1);
        for (int thread = 0; thread < MEMBERS * THREADS; thread++) {
            assertThat(maps.get(2).get("own " + thread + " 9")).isEqualTo(ROUNDS - 1);
        }
    }
}
