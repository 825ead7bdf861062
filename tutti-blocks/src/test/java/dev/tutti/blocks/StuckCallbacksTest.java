package dev.tutti.blocks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.Problem;
import dev.tutti.Snapshot;
import dev.tutti.StateException;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.coordination.Candidate;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.blocks.directory.Directory;
import dev.tutti.blocks.directory.DirectoryPath;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.machine.Replica;
import dev.tutti.blocks.machine.StateMachine;
import dev.tutti.blocks.map.MapBuilder;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.blocks.queue.WorkQueue;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;

/** Callbacks of maps, directories, machines, elections and locks that never return. */
class StuckCallbacksTest extends StuckCallback {

    // ------------------------------------------------------------------ map, directory

    /** Joins a map: one of the last writer for the first seed, an ordered one for the second. */
    private static ReplicatedMap<String, String> join(Cluster cluster, MapBuilder<String, String> map) {
        return cluster.seed() == 1 ? map.lastWriter() : map.totalOrder();
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void listenerOfEntries(Cluster cluster) {
        Components<Part<ReplicatedMap<String, String>>> maps = startAll(cluster, node ->
                join(cluster, ReplicatedMap.on(node.group("g"), Codec.TEXT, Codec.TEXT).onEntry(event -> hang(node, event.key()))));
        isArmed = true;
        maps.run(2, part -> part.block().put(BAD, "1"));
        assertStuckListener(cluster, maps, "onMessage");
        assertThat(maps.on(1).block().get(BAD)).as("the map can be read").isEqualTo("1");
        assertCloses(cluster, maps);
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void codecOfAMapThatTakesFromAMessage(Cluster cluster) {
        Components<Part<ReplicatedMap<String, String>>> maps = startAll(cluster, node ->
                join(cluster, ReplicatedMap.on(node.group("g"), Codec.TEXT, stuckInTake(node))));
        isArmed = true;
        maps.run(2, part -> part.block().put("a", BAD));
        assertStuckListener(cluster, maps, "onMessage");
        assertCloses(cluster, maps);
    }

    /** The codec waits when putting, or with the later seeds when reading back: others are still delivered. */
    @ClusterTest(nodes = 2, seeds = 4)
    @Tag("seeds")
    void codecOfAMapWhereItsCallerWaits(Cluster cluster) {
        boolean isByWriter = cluster.seed() % 2 == 1;
        Components<Part<ReplicatedMap<String, String>>> maps = startAll(cluster, node -> {
            Codec<String> values = cluster.seed() <= 2 ? stuckInPut(node) : stuckInTake(node);
            MapBuilder<String, String> map = ReplicatedMap.on(node.group("g"), Codec.TEXT, values);
            return isByWriter ? map.lastWriter() : map.totalOrder();
        });
        isArmed = true;
        ReplicatedMap<String, String> first = maps.on(1).block();
        CompletableFuture<Boolean> put = new CompletableFuture<>();
        cluster.node(1).threads().start("caller", () -> {
            first.put("a", BAD);
            put.complete(true);
        });
        awaitCalled(cluster);
        maps.run(2, part -> part.block().put("b", "1"));
        maps.run(1, part -> part.block().put("c", "1"));
        assertNoStuckListener(cluster);
        assertThat(first.get("b")).isEqualTo("1");
        assertThat(maps.on(2).block().containsKey("a")).isFalse();
        assertThat(put).isNotDone();
        release(cluster);
        assertThat(put).isDone();
        assertThat(maps.on(2).block().get("a")).isEqualTo(BAD);
    }

    @ClusterTest(nodes = 2, seeds = 1)
    void listenerOfNames(Cluster cluster) {
        Components<Part<Directory<String>>> directories = startAll(cluster, node -> {
            Directory<String> directory = Directory.on(node.group("g"), Codec.TEXT).join();
            directory.listen(DirectoryPath.ROOT, event -> hang(node, event.path().toString()));
            return directory;
        });
        isArmed = true;
        directories.run(2, part -> part.block().bind(DirectoryPath.of(BAD), "1"));
        assertStuckListener(cluster, directories, "onMessage");
        assertCloses(cluster, directories);
    }

    @ClusterTest(nodes = 3, seeds = 2)
    void viewListenerOfABlock(Cluster cluster) {
        Components<Part<ReplicatedMap<String, String>>> maps = startAll(cluster, node ->
                join(cluster, ReplicatedMap.on(node.group("g"), Codec.TEXT, Codec.TEXT).onView(view -> hang(node, BAD))));
        isArmed = true;
        cluster.stop(3);
        assertStuckListener(cluster, maps, "onView");
        assertCloses(cluster, maps);
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void closingListenerOfABlock(Cluster cluster) {
        Components<Part<ReplicatedMap<String, String>>> maps = startAll(cluster, node ->
                join(cluster, ReplicatedMap.on(node.group("g"), Codec.TEXT, Codec.TEXT).onClosed(reason -> hang(node, BAD))));
        isArmed = true;
        assertThat(assertCloses(cluster, maps)).isGreaterThanOrEqualTo(LEAVE_TIMEOUT);
    }

    /** The function runs while the other side's state is installed: its member waits, says for what, and leaves. */
    @ClusterTest(nodes = 3, seeds = 2)
    void functionOfAMerge(Cluster cluster) {
        Components<Part<ReplicatedMap<String, String>>> maps = startAll(cluster, node -> join(cluster, ReplicatedMap.on(
                        node.group("g").set("state.timeout", "12 s"), Codec.TEXT, Codec.TEXT)
                .merge(Merge.by(sides -> {
                    hang(node, BAD);
                    return Map.of("merged", "1");
                }))));
        cluster.partition(1).advance(Duration.ofSeconds(10));
        maps.run(1, part -> part.block().put("left", "1"));
        maps.run(2, part -> part.block().put("right", "1"));
        isArmed = true;
        cluster.heal();
        awaitCalled(cluster);
        assertThat(maps.on(1).block().get("left")).as("the map can be read").isEqualTo("1");
        maps.run(2, part -> part.block().put("more", "1"));
        assertThat(maps.on(3).block().get("right")).isEqualTo("1");
        assertThat(maps.on(1).block().get("more")).as("nothing is delivered").isNull();
        assertStuckState(cluster);
        assertOtherGroupDelivers(cluster, maps);
        release(cluster);
    }

    // ------------------------------------------------------------------ machine

    /** A machine that counts the texts it was given. */
    private final class Diary implements StateMachine<String, Integer> {
        private final Node node;
        private final String stuck;
        private int length;

        Diary(Node node, String stuck) {
            this.node = node;
            this.stuck = stuck;
        }

        private void hangIn(String callback) {
            if (stuck.equals(callback)) {
                hang(node, BAD);
            }
        }

        @Override
        public Integer apply(Member member, String command) {
            if (command.equals(BAD)) {
                hangIn("apply");
            }
            length++;
            return length;
        }

        @Override
        public void onView(View view) {
            hangIn("onView");
        }

        @Override
        public void begin(long era) {
            hangIn("begin");
        }

        @Override
        public void onStable() {
            hangIn("onStable");
        }

        @Override
        public Snapshot snapshot() {
            int now = length;
            return out -> new DataOutputStream(out).writeInt(now);
        }

        @Override
        public void install(InputStream in) throws IOException {
            hangIn("install");
            length = new DataInputStream(in).readInt();
        }
    }

    private Components<Part<Replica<String, Integer>>> replicas(Cluster cluster, String stuck) {
        return startAll(cluster, node -> Replica.on(node.group("g"), new Diary(node, stuck), Codec.TEXT)
                .timeout(Duration.ofSeconds(3))
                .join());
    }

    /** Asserts that it has ended, and that it is unknown whether it was executed. */
    private static void assertUnknown(CompletableFuture<?> command, CommandException.Reason reason) {
        assertThat(command).isCompletedExceptionally();
        assertThat(command.exceptionNow()).isInstanceOfSatisfying(CommandException.class, e -> {
            assertThat(e.reason()).isEqualTo(reason);
            assertThat(e.execution()).isEqualTo(CommandException.Execution.UNKNOWN);
        });
    }

    private static void assertTimedOut(CompletableFuture<?> command) {
        assertUnknown(command, CommandException.Reason.TIMED_OUT);
    }

    @ClusterTest(nodes = 2, seeds = 1)
    void machineThatAppliesACommand(Cluster cluster) {
        Components<Part<Replica<String, Integer>>> replicas = replicas(cluster, "apply");
        isArmed = true;
        CompletableFuture<Integer> own = replicas.on(1).block().submit(BAD);
        CompletableFuture<Integer> next = replicas.on(1).block().submit("next");
        replicas.run(2, part -> assertThat(part.block().call("elsewhere")).isPositive());
        assertThat(own).isNotDone();
        cluster.advance(Duration.ofSeconds(4));
        assertTimedOut(own);
        assertThat(own.exceptionNow()).hasMessageContaining("it may have been executed");
        assertTimedOut(next);
        assertThat(replicas.on(1).block().status()).containsEntry("open-commands", 0L);
        assertStuckListener(cluster, replicas, "onMessage");
        assertCloses(cluster, replicas);
    }

    /** A command or a read, which closing ends at once. */
    @ClusterTest(nodes = 2, seeds = 2)
    void machineThatExecutesWhenItsReplicaIsClosed(Cluster cluster) {
        Components<Part<Replica<String, Integer>>> replicas = replicas(cluster, "apply");
        isArmed = true;
        Replica<String, Integer> first = replicas.on(1).block();
        CompletableFuture<Integer> own = cluster.seed() == 1
                ? first.submit(BAD, Duration.ofHours(1))
                : first.read(() -> hangAndGet(cluster.node(1)), Duration.ofHours(1));
        awaitCalled(cluster);
        cluster.node(1).threads().start("closer", replicas.on(1)::close);
        cluster.advance(Duration.ofMillis(10));
        assertUnknown(own, CommandException.Reason.CLOSED);
        cluster.advance(LEAVE_TIMEOUT.plusSeconds(2));
        release(cluster);
    }

    private int hangAndGet(Node node) {
        hang(node, BAD);
        return 1;
    }

    /** The member leaves if its settings say so, and all commands that wait there end with that. */
    @ClusterTest(nodes = 2, seeds = 1)
    void machineWhoseMemberLeavesWhenItIsStuck(Cluster cluster) {
        Components<Part<Replica<String, Integer>>> replicas = startAll(cluster, node ->
                Replica.on(leavingIfStuck(node.group("g")), new Diary(node, "apply"), Codec.TEXT).join());
        isArmed = true;
        CompletableFuture<Integer> own = replicas.on(1).block().submit(BAD, Duration.ofHours(1));
        CompletableFuture<Integer> next = replicas.on(1).block().submit("next", Duration.ofHours(1));
        awaitCalled(cluster);
        replicas.run(2, part -> {
            assertThat(part.block().call("elsewhere")).isPositive();
            assertThat(part.block().call("elsewhere")).isPositive();
        });
        assertLeaves(cluster, replicas);
        assertUnknown(own, CommandException.Reason.CLOSED);
        assertUnknown(next, CommandException.Reason.CLOSED);
        replicas.run(2, part -> assertThat(part.block().call("after")).isGreaterThan(2));
        release(cluster);
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void listenerOfEntriesWhoseMemberLeavesWhenItIsStuck(Cluster cluster) {
        Components<Part<ReplicatedMap<String, String>>> maps = startAll(cluster, node -> join(cluster,
                ReplicatedMap.on(leavingIfStuck(node.group("g")), Codec.TEXT, Codec.TEXT).onEntry(event -> hang(node, event.key()))));
        isArmed = true;
        maps.run(2, part -> {
            part.block().put(BAD, "1");
            part.block().put("b", "1");
        });
        assertLeaves(cluster, maps);
        maps.run(2, part -> part.block().put("c", "1"));
        release(cluster);
    }

    /** A stage that never returns blocks the thread that completes its future: the group's, or none at a deadline. */
    @ClusterTest(nodes = 2, seeds = 2)
    void stageOnACommand(Cluster cluster) {
        Components<Part<Replica<String, Integer>>> replicas = replicas(cluster, "apply");
        Replica<String, Integer> first = replicas.on(1).block();
        isArmed = true;
        if (cluster.seed() == 1) {
            var unused = first.submit("a").thenAccept(result -> hang(cluster.node(1), BAD));
            CompletableFuture<Integer> next = first.submit("next");
            assertStuckListener(cluster, replicas, "onMessage");
            assertTimedOut(next);
        } else {
            CompletableFuture<Integer> own = first.submit(BAD);
            awaitCalled(cluster);
            int[] hanging = new int[1];
            for (int count = 0; count < 2; count++) {
                var unused = first.submit("next").whenComplete((result, failure) -> {
                    hanging[0]++;
                    hang(cluster.node(1), BAD);
                });
            }
            CompletableFuture<Integer> last = first.submit("last", Duration.ofSeconds(5));
            cluster.advance(Duration.ofSeconds(4));
            assertTimedOut(own);
            assertThat(hanging[0]).isEqualTo(2);
            cluster.advance(Duration.ofSeconds(2));
            assertTimedOut(last);
        }
        assertCloses(cluster, replicas);
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void stageOnAWrite(Cluster cluster) {
        Components<Part<ReplicatedMap<String, String>>> maps =
                startAll(cluster, node -> join(cluster, ReplicatedMap.on(node.group("g"), Codec.TEXT, Codec.TEXT)));
        isArmed = true;
        var unused = maps.on(1).block().putAsync("a", "1").thenRun(() -> hang(cluster.node(1), BAD));
        assertStuckListener(cluster, maps, "onMessage");
        assertThat(maps.on(1).block().get("a")).isEqualTo("1");
        assertCloses(cluster, maps);
    }

    @ClusterTest(nodes = 2, seeds = 1)
    void stageOnATask(Cluster cluster) {
        Components<Part<WorkQueue<String>>> queues = startAll(cluster, node -> WorkQueue.on(node.group("g"), Codec.TEXT).join());
        isArmed = true;
        var unused = queues.on(1).block().takeAsync().thenAccept(task -> hang(cluster.node(1), task.value()));
        cluster.advance(Duration.ofMillis(100));
        queues.run(2, part -> part.block().offer(BAD));
        assertStuckListener(cluster, queues, "onMessage");
        assertCloses(cluster, queues);
    }

    @ClusterTest(nodes = 3, seeds = 1)
    void suspensionListenerOfAMachine(Cluster cluster) {
        cluster.configure(node -> node.set("records.directory", "simulated"));
        Components<Part<Replica<String, Integer>>> replicas = startAll(cluster, node -> Replica.on(
                        node.group("g"), new Diary(node, "nothing"), Codec.TEXT)
                .onlyInPrimary("n1", "n2", "n3")
                .timeout(Duration.ofSeconds(3))
                .onSuspended(reason -> hang(node, BAD))
                .join());
        isArmed = true;
        cluster.partition(1);
        awaitCalled(cluster);
        awaitProblem(cluster, Problem.Kind.LISTENER_STUCK, "group g: onSuspended does not return");
        CompletableFuture<Integer> own = replicas.on(1).block().submit("own");
        replicas.run(2, part -> assertThat(part.block().call("1")).isEqualTo(1));
        cluster.advance(Duration.ofSeconds(4));
        assertThat(own).isCompletedExceptionally();
        cluster.heal().advance(Duration.ofSeconds(10));
        assertStuckListener(cluster, replicas, "onSuspended");
        assertCloses(cluster, replicas);
    }

    @ClusterTest(nodes = 3, seeds = 1)
    void machineThatIsToldAView(Cluster cluster) {
        Components<Part<Replica<String, Integer>>> replicas = replicas(cluster, "onView");
        isArmed = true;
        cluster.stop(3);
        assertStuckListener(cluster, replicas, "onView");
        assertCloses(cluster, replicas);
    }

    /** Executed after a transition, and reported with the view, which the machine gets first. */
    @ClusterTest(nodes = 3, seeds = 1)
    void resultThatWaitsForAView(Cluster cluster) {
        Components<Part<Replica<String, Integer>>> replicas = startAll(cluster, node -> Replica.on(
                        node.group("g").set("total.delivery", "safe"), new Diary(node, "onView"), Codec.TEXT)
                .join());
        isArmed = true;
        cluster.partition(1);
        CompletableFuture<Integer> own = replicas.on(1).block().submit("own", Duration.ofSeconds(20));
        awaitCalled(cluster);
        assertThat(own).isNotDone();
        cluster.advance(Duration.ofSeconds(20));
        assertTimedOut(own);
        assertThat(own.exceptionNow()).hasMessageContaining("delivered here");
        cluster.heal().advance(Duration.ofSeconds(10));
        assertStuckListener(cluster, replicas, "onView");
        assertCloses(cluster, replicas);
    }

    @ClusterTest(nodes = 2, seeds = 1)
    void machineThatTellsTheOutside(Cluster cluster) {
        Components<Part<Replica<String, Integer>>> replicas = replicas(cluster, "onStable");
        isArmed = true;
        replicas.run(2, part -> assertThat(part.block().call("1")).isEqualTo(1));
        assertStuckListener(cluster, replicas, "onMessage");
        assertCloses(cluster, replicas);
    }

    /** The member is in the view, and its join waits for the machine. */
    @ClusterTest(nodes = 2, seeds = 1)
    void machineThatBeginsAnew(Cluster cluster) {
        cluster.configure(node -> node.set("records.directory", "simulated"));
        Components<Part<Replica<String, Integer>>> replicas = deploy(cluster, node -> Replica.on(
                        node.group("g"), new Diary(node, "begin"), Codec.TEXT)
                .onlyInPrimary("n1", "n2")
                .join());
        isArmed = true;
        cluster.start(1, 2);
        assertStuckListener(cluster, replicas, "onView");
        assertThat(replicas.on(1).joined).isNotDone();
        replicas.run(2, part -> assertThat(part.block().call("1")).isEqualTo(1));
        release(cluster);
        replicas.run(1, part -> assertThat(part.block().call("2")).isEqualTo(2));
    }

    @ClusterTest(nodes = 2, seeds = 1)
    void readOfAMachine(Cluster cluster) {
        Components<Part<Replica<String, Integer>>> replicas = replicas(cluster, "nothing");
        isArmed = true;
        CompletableFuture<Integer> read = replicas.on(1).block().read(
                () -> hangAndGet(cluster.node(1)), Duration.ofSeconds(1));
        awaitCalled(cluster);
        CompletableFuture<Integer> next = replicas.on(1).block().read(() -> 2, Duration.ofSeconds(1));
        cluster.advance(Duration.ofMillis(1_500));
        assertTimedOut(read);
        assertTimedOut(next);
        assertStuckListener(cluster, replicas, "onMessage");
        assertCloses(cluster, replicas);
    }

    /** A newcomer's join waits for the machine until {@code state.timeout}, and the others do not wait. */
    @ClusterTest(nodes = 2, seeds = 1)
    void machineThatInstallsAState(Cluster cluster) {
        Components<Part<Replica<String, Integer>>> replicas = deploy(cluster, node -> Replica.on(
                        node.group("g").set("state.timeout", "12 s"), new Diary(node, "install"), Codec.TEXT)
                .join());
        cluster.start(2).advance(Duration.ofSeconds(5));
        replicas.run(2, part -> assertThat(part.block().call("1")).isEqualTo(1));
        isArmed = true;
        cluster.start(1);
        awaitCalled(cluster);
        assertStuckState(cluster);
        assertJoinHasFailed(replicas);
        replicas.run(2, part -> assertThat(part.block().call("2")).isEqualTo(2));
        assertOtherGroupDelivers(cluster, replicas);
        release(cluster);
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void codecOfAMapThatTakesAState(Cluster cluster) {
        Components<Part<ReplicatedMap<String, String>>> maps = deploy(cluster, node -> join(cluster, ReplicatedMap.on(
                node.group("g").set("state.timeout", "12 s"), Codec.TEXT, stuckInTake(node))));
        cluster.start(2).advance(Duration.ofSeconds(5));
        maps.run(2, part -> part.block().put("a", BAD));
        isArmed = true;
        cluster.start(1);
        awaitCalled(cluster);
        assertStuckState(cluster);
        assertJoinHasFailed(maps);
        maps.run(2, part -> part.block().put("b", "1"));
        assertOtherGroupDelivers(cluster, maps);
        release(cluster);
    }

    // ------------------------------------------------------------------ coordination

    private static Components<Part<Coordination>> coordinations(Cluster cluster) {
        cluster.configure(node -> node.set("records.directory", "simulated"));
        return startAll(cluster, node -> Coordination.on(node.group("g")).founders("n1", "n2", "n3").join());
    }

    private Candidate candidate(Node node, String stuck) {
        return new Candidate() {
            @Override
            public void onElected(long token) {
                if (stuck.equals("onElected")) {
                    hang(node, BAD);
                }
            }

            @Override
            public void onDeposed(String reason) {
                if (stuck.equals("onDeposed")) {
                    hang(node, BAD);
                }
            }
        };
    }

    @ClusterTest(nodes = 3, seeds = 1)
    void candidateThatIsElected(Cluster cluster) {
        Components<Part<Coordination>> coordinations = coordinations(cluster);
        isArmed = true;
        coordinations.run(1, part -> part.block().election("e").stand(candidate(cluster.node(1), "onElected")));
        assertStuckListener(cluster, coordinations, "onMessage");
        coordinations.run(2, part -> assertThat(part.block().lock("l").tryAcquire(Duration.ofSeconds(5))).isPresent());
        assertCloses(cluster, coordinations);
    }

    @ClusterTest(nodes = 3, seeds = 1)
    void candidateThatIsDeposed(Cluster cluster) {
        Components<Part<Coordination>> coordinations = coordinations(cluster);
        coordinations.run(1, part -> part.block().election("e").stand(candidate(cluster.node(1), "onDeposed")));
        cluster.awaitRest();
        assertStuckWhenCutOff(cluster, coordinations);
    }

    @ClusterTest(nodes = 3, seeds = 1)
    void holderThatLosesALock(Cluster cluster) {
        Components<Part<Coordination>> coordinations = coordinations(cluster);
        coordinations.run(1, part -> part.block().lock("l").tryAcquire(Duration.ofSeconds(5)).orElseThrow()
                .onLost(reason -> hang(cluster.node(1), BAD)));
        assertStuckWhenCutOff(cluster, coordinations);
    }

    private void assertStuckWhenCutOff(Cluster cluster, Components<Part<Coordination>> coordinations) {
        isArmed = true;
        cluster.partition(1);
        awaitCalled(cluster);
        awaitProblem(cluster, Problem.Kind.LISTENER_STUCK, "group g: onSuspended does not return");
        coordinations.run(2, part -> assertThat(part.block().lock("l").tryAcquire(Duration.ofSeconds(5))).isPresent());
        cluster.heal().advance(Duration.ofSeconds(10));
        assertStuckListener(cluster, coordinations, "onSuspended");
        assertCloses(cluster, coordinations);
    }
}
