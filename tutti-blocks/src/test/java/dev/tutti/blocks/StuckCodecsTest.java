package dev.tutti.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tutti.Node;
import dev.tutti.Problem;
import dev.tutti.Snapshot;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.directory.Directory;
import dev.tutti.blocks.directory.DirectoryContextFactory;
import dev.tutti.blocks.directory.DirectoryException;
import dev.tutti.blocks.directory.DirectoryPath;
import dev.tutti.blocks.directory.NamingValues;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.machine.Replica;
import dev.tutti.blocks.machine.StateMachine;
import dev.tutti.blocks.map.MapBuilder;
import dev.tutti.blocks.map.Overflow;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.blocks.map.TotalOrderMap;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.blocks.queue.QueueException;
import dev.tutti.blocks.queue.WorkQueue;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import javax.naming.Context;
import javax.naming.InitialContext;
import javax.naming.Name;
import javax.naming.NamingException;
import javax.naming.Reference;
import javax.naming.spi.ObjectFactory;
import org.junit.jupiter.api.Tag;

/** Codecs of directories, queues, machines and maps that never return, and code that runs where its caller waits. */
class StuckCodecsTest extends StuckCallback {

    /** The common operations of the blocks that are tested here. */
    private record Texts(Runnable closer, Consumer<String> adder, IntSupplier counter) implements AutoCloseable {

        void add(String text) {
            adder.accept(text);
        }

        int count() {
            return counter.getAsInt();
        }

        @Override
        public void close() {
            closer.run();
        }
    }

    private enum Kind {
        DIRECTORY {
            @Override
            Texts join(Node node, Codec<String> codec) {
                Directory<String> directory = Directory.on(node.group("g").set("state.timeout", "12 s"), codec)
                        .merge(Merge.union())
                        .timeout(TIMEOUT)
                        .join();
                return new Texts(directory::close, text -> directory.bind(DirectoryPath.of("at-" + text), text), directory::size);
            }
        },
        QUEUE {
            @Override
            Texts join(Node node, Codec<String> codec) {
                WorkQueue<String> queue = WorkQueue.on(node.group("g").set("state.timeout", "12 s"), codec)
                        .merge(Merge.union())
                        .timeout(TIMEOUT)
                        .join();
                return new Texts(queue::close, queue::offer, queue::size);
            }
        },
        MACHINE {
            @Override
            Texts join(Node node, Codec<String> codec) {
                Count count = new Count();
                Replica<String, Integer> replica = Replica.on(node.group("g"), count, codec).timeout(TIMEOUT).join();
                return new Texts(replica::close, replica::call, () -> replica.local(() -> count.count));
            }
        };

        abstract Texts join(Node node, Codec<String> codec);
    }

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

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
            return out -> out.write(now);
        }

        @Override
        public void install(InputStream in) throws IOException {
            count = in.read();
        }
    }

    private static Kind kind(Cluster cluster) {
        return Kind.values()[(int) ((cluster.seed() - 1) % Kind.values().length)];
    }

    private static CompletableFuture<Throwable> start(Cluster cluster, Runnable call) {
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        cluster.node(1).threads().start("caller", () -> ended.complete(catchThrowable(call::run)));
        return ended;
    }

    // ------------------------------------------------------------------ where a command is submitted

    /** The codec waits when putting, with later seeds when reading back. Only the caller waits, for its time-out. */
    @ClusterTest(nodes = 2, seeds = 6)
    @Tag("seeds")
    void codecWhereItsCallerWaits(Cluster cluster) {
        Components<Part<Texts>> all = startAll(cluster, node ->
                kind(cluster).join(node, cluster.seed() <= 3 ? stuckInPut(node) : stuckInTake(node)));
        isArmed = true;
        Texts first = all.on(1).block();
        CompletableFuture<Throwable> call = start(cluster, () -> first.add(BAD));
        awaitCalled(cluster);
        all.run(1, part -> part.block().add("own"));
        all.run(2, part -> part.block().add("other"));
        assertNoStuckListener(cluster);
        assertThat(first.count()).isEqualTo(2);
        assertThat(call).isNotDone();
        release(cluster);
        assertThat(call).isCompletedWithValueMatching(thrown -> switch (thrown) {
            case CommandException e -> e.reason() == CommandException.Reason.TIMED_OUT && e.execution() == CommandException.Execution.NEVER;
            case QueueException e -> e.reason() == QueueException.Reason.REFUSED;
            case DirectoryException e -> e.reason() == DirectoryException.Reason.REFUSED;
            case null, default -> false;
        });
        assertThat(first.count()).as("nothing is sent").isEqualTo(2);
        assertThat(all.on(2).block().count()).isEqualTo(2);
    }

    /** While the codec of one caller does not return, commands of others end at their deadlines. */
    @ClusterTest(nodes = 2, seeds = 1)
    void deadlinesOfOthersWhileACodecDoesNotReturn(Cluster cluster) {
        Components<Part<Replica<String, Integer>>> replicas =
                startAll(cluster, node -> Replica.on(node.group("g"), new Count(), stuckInPut(node)).timeout(TIMEOUT).join());
        isArmed = true;
        Replica<String, Integer> first = replicas.on(1).block();
        var unused = start(cluster, () -> first.call(BAD));
        awaitCalled(cluster);
        cluster.pause(2);
        CompletableFuture<Integer> own = first.submit("own", Duration.ofMillis(300));
        cluster.advance(Duration.ofMillis(400));
        assertThat(own).isCompletedExceptionally();
        cluster.resume(2);
        assertCloses(cluster, replicas);
    }

    @ClusterTest(nodes = 2, seeds = 1)
    void functionOfCompute(Cluster cluster) {
        Components<Part<TotalOrderMap<String, String>>> maps =
                startAll(cluster, node -> ReplicatedMap.on(node.group("g"), Codec.TEXT, Codec.TEXT).totalOrder());
        isArmed = true;
        TotalOrderMap<String, String> first = maps.on(1).block();
        CompletableFuture<Throwable> call = start(cluster, () -> first.compute("a", (key, value) -> {
            hang(cluster.node(1), BAD);
            return "1";
        }));
        awaitCalled(cluster);
        maps.run(1, part -> part.block().put("b", "1"));
        maps.run(2, part -> part.block().put("c", "1"));
        assertNoStuckListener(cluster);
        assertThat(first.snapshot().entries()).containsOnlyKeys("b", "c");
        assertThat(call).isNotDone();
        release(cluster);
        assertThat(first.get("a")).isEqualTo("1");
    }

    /** A factory that is called when a name is looked up. */
    public static final class Factory implements ObjectFactory {

        private static final AtomicReference<Runnable> MAKING = new AtomicReference<>(() -> {});

        public Factory() {}

        @Override
        public Object getObjectInstance(Object object, Name name, Context context, Hashtable<?, ?> environment) {
            MAKING.get().run();
            return "made";
        }
    }

    private static Object lookUp(Directory<Object> directory) {
        Hashtable<String, Object> environment = new Hashtable<>();
        environment.put(Context.INITIAL_CONTEXT_FACTORY, DirectoryContextFactory.class.getName());
        environment.put(DirectoryContextFactory.DIRECTORY, directory);
        environment.put(DirectoryContextFactory.FACTORIES, Factory.class.getName());
        try {
            return new InitialContext(environment).lookup("a");
        } catch (NamingException e) {
            throw new IllegalStateException(e);
        }
    }

    @ClusterTest(nodes = 2, seeds = 1)
    void objectFactoryOfJndi(Cluster cluster) {
        Components<Part<Directory<Object>>> directories =
                startAll(cluster, node -> Directory.on(node.group("g"), NamingValues.codec()).join());
        directories.run(2, part ->
                part.block().bind(DirectoryPath.of("a"), new Reference("java.lang.String", Factory.class.getName(), null)));
        isArmed = true;
        Directory<Object> first = directories.on(1).block();
        Factory.MAKING.set(() -> hang(cluster.node(1), BAD));
        try {
            CompletableFuture<Throwable> call = start(cluster, () -> assertThat(lookUp(first)).isEqualTo("made"));
            awaitCalled(cluster);
            directories.run(1, part -> part.block().bind(DirectoryPath.of("b"), "1"));
            directories.run(2, part -> part.block().bind(DirectoryPath.of("c"), "1"));
            assertNoStuckListener(cluster);
            assertThat(first.size()).isEqualTo(3);
            assertThat(call).isNotDone();
            release(cluster);
            assertThat(call).isCompletedWithValue(null);
        } finally {
            Factory.MAKING.set(() -> {});
        }
    }

    // ------------------------------------------------------------------ where it is delivered

    @ClusterTest(nodes = 2, seeds = 3)
    void codecThatTakesFromAMessage(Cluster cluster) {
        Components<Part<Texts>> all = startAll(cluster, node -> kind(cluster).join(node, stuckInTake(node)));
        isArmed = true;
        all.run(2, part -> part.block().add(BAD));
        assertStuckListener(cluster, all, "onMessage");
        assertCloses(cluster, all);
    }

    /** For directories and queues; a machine reads its state itself. */
    @ClusterTest(nodes = 2, seeds = 2)
    void codecThatTakesAState(Cluster cluster) {
        Components<Part<Texts>> all = deploy(cluster, node -> kind(cluster).join(node, stuckInTake(node)));
        cluster.start(2).advance(Duration.ofSeconds(5));
        all.run(2, part -> part.block().add(BAD));
        isArmed = true;
        cluster.start(1);
        awaitCalled(cluster);
        all.run(2, part -> part.block().add("more"));
        assertStuckState(cluster);
        assertJoinHasFailed(all);
        assertOtherGroupDelivers(cluster, all);
        release(cluster);
    }

    // ------------------------------------------------------------------ duties of one member for all

    /** The oldest member evicts for all; StuckLocksTest tests expiry. */
    @ClusterTest(nodes = 2, seeds = 1)
    void codecOfAMapThatTellsWhatIsEvicted(Cluster cluster) {
        Components<Part<ReplicatedMap<String, String>>> maps = deploy(cluster, node -> ReplicatedMap.on(
                        node.group("g"), stuckInPut(node), Codec.TEXT)
                .entriesMax(1, Overflow.EVICT)
                .lastWriter());
        cluster.start(1).advance(Duration.ofSeconds(5)).start(2).advance(Duration.ofSeconds(5));
        isArmed = true;
        maps.run(2, part -> part.block().put(BAD, "1"));
        maps.run(2, part -> part.block().put("b", "1"));
        assertStuckListener(cluster, maps, "onMessage");
        assertThat(maps.on(1).block().get("b")).as("the map can be read").isEqualTo("1");
        assertThat(maps.on(2).block().size()).as("nobody else makes room").isEqualTo(2);
        assertCloses(cluster, maps);
    }

    /** n1 is the side that is given up, and brings in again what only it has. */
    @ClusterTest(nodes = 3, seeds = 4)
    @Tag("seeds")
    void codecOfABlockThatTellsWhatIsMerged(Cluster cluster) {
        List<BiFunction<Node, Codec<String>, Texts>> blocks = new ArrayList<>();
        blocks.add(Kind.DIRECTORY::join);
        blocks.add(Kind.QUEUE::join);
        blocks.add((node, codec) -> map(builder(node, codec).lastWriter()));
        blocks.add((node, codec) -> map(builder(node, codec).totalOrder()));
        Components<Part<Texts>> all =
                startAll(cluster, node -> blocks.get((int) cluster.seed() - 1).apply(node, stuckInPut(node)));
        cluster.partition(1).advance(Duration.ofSeconds(10));
        all.run(1, part -> part.block().add(BAD));
        all.run(2, part -> part.block().add("other"));
        isArmed = true;
        cluster.heal();
        assertStuckListener(cluster, all, "onView");
        assertThat(all.on(2).block().count()).isEqualTo(1);
        assertThat(all.on(3).block().count()).isEqualTo(1);
        if (cluster.seed() == 4) {
            // When it closes, its message about the clock is refused, which a thread that waits for the lock notes.
            release(cluster);
            assertThat(all.on(3).block().count()).isEqualTo(2);
        } else {
            assertCloses(cluster, all);
        }
    }

    private static MapBuilder<String, String> builder(Node node, Codec<String> codec) {
        return ReplicatedMap.on(node.group("g"), Codec.TEXT, codec);
    }

    private static Texts map(ReplicatedMap<String, String> map) {
        return new Texts(map::close, text -> map.put("at-" + text, text), map::size);
    }
}
