package dev.tutti.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.GroupBuilder;
import dev.tutti.Node;
import dev.tutti.Snapshot;
import dev.tutti.blocks.calls.CallToOne;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.calls.CallsBuilder;
import dev.tutti.blocks.calls.Procedure;
import dev.tutti.blocks.calls.Service;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.Codecs;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.blocks.coordination.CoordinationBuilder;
import dev.tutti.blocks.coordination.FencedSemaphore;
import dev.tutti.blocks.coordination.Hold;
import dev.tutti.blocks.directory.Directory;
import dev.tutti.blocks.directory.DirectoryBuilder;
import dev.tutti.blocks.directory.DirectoryContextFactory;
import dev.tutti.blocks.directory.DirectoryPath;
import dev.tutti.blocks.inspection.Inspection;
import dev.tutti.blocks.machine.Replica;
import dev.tutti.blocks.machine.ReplicaBuilder;
import dev.tutti.blocks.machine.StateMachine;
import dev.tutti.blocks.map.MapBuilder;
import dev.tutti.blocks.map.Overflow;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.blocks.map.TotalOrderMap;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.blocks.queue.QueueBuilder;
import dev.tutti.blocks.queue.WorkQueue;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Invalid arguments are refused where they are passed, by an error that names them. */
@SuppressWarnings("NullAway")
class BlockArgumentsTest {

    private static final DirectoryPath PATH = DirectoryPath.of("a");
    private static final Duration NEGATIVE = Duration.ofMillis(-1);
    private static final Procedure<String, String> ECHO = Procedure.of("echo", Codec.TEXT, Codec.TEXT);

    private static void isNull(String named, ThrowingCallable call) {
        assertThatThrownBy(call).as(named).isInstanceOf(NullPointerException.class).hasMessageContaining(named);
    }

    private static void isRefused(String named, ThrowingCallable call) {
        assertThatThrownBy(call).as(named).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(named);
    }

    private static Map<String, String> with(String key, String value) {
        Map<String, String> map = new HashMap<>(Map.of("a", "1"));
        map.put(key, value);
        return map;
    }

    private static GroupBuilder group(Cluster cluster) {
        return cluster.node(1).group("unjoined");
    }

    private static void alone(Cluster cluster) {
        cluster.deploy(node -> node);
        cluster.start(1);
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void ofMapsThatAreBuilt(Cluster cluster) {
        alone(cluster);
        isNull("the group", () -> ReplicatedMap.on(null, Codec.TEXT, Codec.TEXT));
        isNull("the codec of keys", () -> ReplicatedMap.on(group(cluster), null, Codec.TEXT));
        isNull("the codec of values", () -> ReplicatedMap.on(group(cluster), Codec.TEXT, null));
        MapBuilder<String, String> map = ReplicatedMap.on(group(cluster), Codec.TEXT, Codec.TEXT);
        isNull("onEntry: the listener", () -> map.onEntry(null));
        isNull("onView: the listener", () -> map.onView(null));
        isNull("onClosed: the listener", () -> map.onClosed(null));
        isNull("merge: the rule", () -> map.merge(null));
        isNull("writeOrder: the order", () -> map.writeOrder(null));
        isNull("what happens to more", () -> map.entriesMax(1, null));
        isNull("what happens to more", () -> map.bytesMax(1, null));
        isNull("the founders", () -> map.onlyInPrimary((String[]) null));
        isNull("one of onlyInPrimary: the founders", () -> map.onlyInPrimary("a", null));
        isNull("the time to live", () -> map.timeToLive(null));
        isNull("timeout: the time", () -> map.timeout(null));
        isNull("clockErrorMax", () -> map.clockErrorMax(null));
        isRefused("the time to live is PT0S", () -> map.timeToLive(Duration.ZERO));
        isRefused("the time to live is PT-0.001S", () -> map.timeToLive(NEGATIVE));
        isRefused("timeout: the time is PT0S", () -> map.timeout(Duration.ZERO));
        isRefused("timeout: the time is PT-0.001S", () -> map.timeout(NEGATIVE));
        isRefused("timeout", () -> map.timeout(Duration.ofDays(1_000_000)));
        isRefused("clockErrorMax", () -> map.clockErrorMax(Duration.ZERO));
        isRefused("at least 1", () -> map.entriesMax(0, Overflow.EVICT));
        isRefused("at least 1", () -> map.bytesMax(0, Overflow.EVICT));
        isRefused("at least 1", () -> map.removedMax(0));
        isNull("by: the function", () -> Merge.by(null));
    }

    private static void checkMap(ReplicatedMap<String, String> map) {
        isNull("get: the key", () -> map.get(null));
        isNull("get: the key", () -> map.containsKey(null));
        isNull("map m, put: the value of key a is null; remove(key) removes", () -> map.put("a", null));
        isNull("map m, put: the key", () -> map.put(null, "1"));
        isNull("remove(key)", () -> map.put("a", null, Duration.ofSeconds(1)));
        isNull("the key", () -> map.put(null, "1", Duration.ofSeconds(1)));
        isNull("the time to live", () -> map.put("a", "1", null));
        isRefused("the time to live", () -> map.put("a", "1", Duration.ZERO));
        isRefused("the time to live", () -> map.put("a", "1", NEGATIVE));
        isNull("remove(key)", () -> map.putAsync("a", null));
        isNull("the key", () -> map.putAsync(null, "1"));
        isNull("putAll", () -> map.putAll(null));
        isNull("remove(key)", () -> map.putAll(with("b", null)));
        isNull("the key", () -> map.putAll(with(null, "1")));
        isNull("the key", () -> map.remove(null));
        isNull("the key", () -> map.removeAsync(null));
        assertThat(map.size()).as("nothing was written").isZero();
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void ofMapsOfTheLastWriter(Cluster cluster) {
        Components<ReplicatedMap<String, String>> maps =
                cluster.startAll(node -> ReplicatedMap.on(node.group("m"), Codec.TEXT, Codec.TEXT).lastWriter());
        maps.run(1, BlockArgumentsTest::checkMap);
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void ofMapsInTotalOrder(Cluster cluster) {
        Components<TotalOrderMap<String, String>> maps =
                cluster.startAll(node -> ReplicatedMap.on(node.group("m"), Codec.TEXT, Codec.TEXT).totalOrder());
        maps.run(1, map -> {
            checkMap(map);
            isNull("remove(key)", () -> map.getAndPut("a", null));
            isNull("the key", () -> map.getAndPut(null, "1"));
            isNull("the key", () -> map.getAndRemove(null));
            isNull("remove(key)", () -> map.putIfAbsent("a", null));
            isNull("the key", () -> map.putIfAbsent(null, "1"));
            isNull("remove(key)", () -> map.replace("a", null));
            isNull("the key", () -> map.replace(null, "1"));
            isNull("the expected value", () -> map.replace("a", null, "1"));
            isNull("remove(key)", () -> map.replace("a", "1", null));
            isNull("the key", () -> map.replace(null, "1", "2"));
            isNull("the expected value", () -> map.remove("a", null));
            isNull("the key", () -> map.remove(null, "1"));
            isNull("the key", () -> map.compute(null, (key, value) -> value));
            isNull("the function", () -> map.compute("a", null));
            assertThat(map.size()).isZero();
        });
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void ofDirectories(Cluster cluster) {
        Components<Directory<String>> directories =
                cluster.startAll(node -> Directory.on(node.group("d"), Codec.TEXT).join());
        DirectoryBuilder<String> builder = Directory.on(group(cluster), Codec.TEXT);
        isNull("the group", () -> Directory.on(null, Codec.TEXT));
        isNull("the codec", () -> Directory.on(group(cluster), null));
        isNull("the rule", () -> builder.merge(null));
        isNull("the listener", () -> builder.onView(null));
        isNull("the listener", () -> builder.onClosed(null));
        isNull("the founders", () -> builder.onlyInPrimary("a", null));
        isNull("timeout", () -> builder.timeout(null));
        isRefused("timeout: the time is PT0S", () -> builder.timeout(Duration.ZERO));
        isRefused("timeout", () -> builder.timeout(NEGATIVE));
        isRefused("at least 1", () -> builder.namesMax(0));
        isNull("a path", () -> DirectoryPath.of(null));
        isNull("publish: the name", () -> DirectoryContextFactory.publish(null, null));
        isNull("publish: the directory", () -> DirectoryContextFactory.publish("d", null));
        directories.run(1, directory -> {
            isNull("the path", () -> directory.lookup(null));
            isNull("the path", () -> directory.find(null));
            isNull("the path", () -> directory.list(null));
            isNull("the path", () -> directory.listen(null, event -> {}));
            isNull("the listener", () -> directory.listen(PATH, null));
            isNull("the path", () -> directory.bind(null, "1"));
            isNull("directory d: the value for 'a' is null; unbind(path) removes", () -> directory.bind(PATH, null));
            isNull("the path", () -> directory.rebind(null, "1"));
            isNull("unbind(path)", () -> directory.rebind(PATH, null));
            isNull("the path", () -> directory.unbind(null));
            isNull("the path", () -> directory.createContext(null));
            isNull("the path", () -> directory.destroyContext(null));
            isNull("the present path", () -> directory.rename(null, PATH));
            isNull("the new path", () -> directory.rename(PATH, null));
            assertThat(directory.size()).isZero();
        });
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void ofQueues(Cluster cluster) {
        Components<WorkQueue<String>> queues = cluster.startAll(node -> WorkQueue.on(node.group("q"), Codec.TEXT).join());
        QueueBuilder<String> builder = WorkQueue.on(group(cluster), Codec.TEXT);
        isNull("the group", () -> WorkQueue.on(null, Codec.TEXT));
        isNull("the codec", () -> WorkQueue.on(group(cluster), null));
        isNull("the rule", () -> builder.merge(null));
        isNull("the listener", () -> builder.onView(null));
        isNull("the listener", () -> builder.onClosed(null));
        isNull("the founders", () -> builder.onlyInPrimary("a", null));
        isNull("timeout", () -> builder.timeout(null));
        isNull("acknowledgeWithin", () -> builder.acknowledgeWithin(null));
        isRefused("timeout", () -> builder.timeout(Duration.ZERO));
        isRefused("timeout", () -> builder.timeout(NEGATIVE));
        isRefused("acknowledgeWithin", () -> builder.acknowledgeWithin(Duration.ZERO));
        isRefused("acknowledgeWithin", () -> builder.acknowledgeWithin(NEGATIVE));
        isRefused("at least 1", () -> builder.tasksMax(0));
        isRefused("at least 1", () -> builder.bytesMax(0));
        queues.run(1, queue -> {
            isNull("offer: the task", () -> queue.offer(null));
            isNull("take", () -> queue.take(null));
            isRefused("take: the time to wait is PT-0.001S", () -> queue.take(NEGATIVE));
            isRefused("take", () -> queue.take(Duration.ofDays(1_000_000)));
            assertThat(queue.take(Duration.ZERO)).isNull();
            assertThat(queue.size()).isZero();
        });
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void ofCoordination(Cluster cluster) {
        cluster.configure(node -> node.set("records.directory", "simulated"));
        Components<Coordination> all =
                cluster.startAll(node -> Coordination.on(node.group("c")).founders("n1").join());
        CoordinationBuilder builder = Coordination.on(group(cluster));
        isNull("the group", () -> Coordination.on(null));
        isNull("the listener", () -> builder.onView(null));
        isNull("the listener", () -> builder.onSuspended(null));
        isNull("the listener", () -> builder.onClosed(null));
        isNull("founders", () -> builder.founders("a", null));
        isNull("timeout", () -> builder.timeout(null));
        isRefused("timeout", () -> builder.timeout(Duration.ZERO));
        isRefused("timeout", () -> builder.timeout(NEGATIVE));
        all.run(1, coordination -> {
            isNull("the name", () -> coordination.lock(null));
            isNull("the name", () -> coordination.semaphore(null, 1));
            isNull("the name", () -> coordination.election(null));
            isNull("the name", () -> coordination.counter(null));
            isNull("the name", () -> coordination.ids(null, 1));
            isRefused("1 to 200", () -> coordination.lock(""));
            isRefused("at least 1", () -> coordination.semaphore("s", 0));
            isRefused("blocks of 0 ids", () -> coordination.ids("i", 0));
            isNull("tryAcquire", () -> coordination.lock("l").tryAcquire(null));
            isRefused("tryAcquire", () -> coordination.lock("l").tryAcquire(Duration.ZERO));
            isRefused("tryAcquire", () -> coordination.lock("l").tryAcquire(NEGATIVE));
            FencedSemaphore semaphore = coordination.semaphore("s", 2);
            isRefused("0 permits, 1 to 2", () -> semaphore.tryAcquire(0));
            isRefused("3 permits, 1 to 2", () -> semaphore.tryAcquire(3));
            isRefused("-1 permits, 1 to 2", () -> semaphore.tryAcquire(-1, Duration.ofSeconds(1)));
            isRefused("tryAcquire", () -> semaphore.tryAcquire(1, Duration.ZERO));
            isNull("stand: the candidate", () -> coordination.election("e").stand(null));
            isNull("the expected value", () -> coordination.counter("n").compareAndExchange(null, 1));
            try (Hold hold = coordination.lock("l").tryAcquire().orElseThrow()) {
                isNull("onLost: the listener", () -> hold.onLost(null));
            }
            assertThat(coordination.status()).as("nothing is asked for any more").containsEntry("leases", 0L);
        });
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void ofMachines(Cluster cluster) {
        alone(cluster);
        Sum objects = new Sum();
        isNull("the group", () -> Replica.on(null, objects, Codec.LONG));
        isNull("the machine", () -> Replica.on(group(cluster), null, Codec.LONG));
        isNull("the codec", () -> Replica.on(group(cluster), objects, null));
        ReplicaBuilder<Long, Long> builder = Replica.on(group(cluster), objects, Codec.LONG);
        isNull("the listener", () -> builder.onView(null));
        isNull("the listener", () -> builder.onSuspended(null));
        isNull("the listener", () -> builder.onClosed(null));
        isNull("the founders", () -> builder.onlyInPrimary("a", null));
        isNull("timeout", () -> builder.timeout(null));
        isRefused("timeout", () -> builder.timeout(Duration.ZERO));
        isRefused("1 to", () -> builder.openMax(0));
        AtomicReference<Replica<Long, Long>> joined = new AtomicReference<>();
        Node node = cluster.node(1);
        node.threads().start("test", () -> joined.set(Replica.on(node.group("r"), objects, Codec.LONG).join()));
        cluster.advanceUntil("join", Duration.ofSeconds(10), () -> joined.get() != null);
        Replica<Long, Long> replica = joined.get();
        isNull("the command", () -> replica.submit(null));
        isNull("the command", () -> replica.submit(null, Duration.ofSeconds(1)));
        isNull("the command", () -> replica.call(null));
        isNull("the time of a command", () -> replica.submit(1L, null));
        isRefused("the time of a command", () -> replica.submit(1L, Duration.ZERO));
        isRefused("the time of a command", () -> replica.call(1L, NEGATIVE));
        isNull("the read", () -> replica.read(null));
        isNull("the read", () -> replica.local(null));
        isRefused("the time of a command", () -> replica.ask(() -> 1, Duration.ZERO));
        assertThat(replica.status()).containsEntry("open-commands", 0L);
    }

    /** Adds numbers. */
    private static final class Sum implements StateMachine<Long, Long> {
        private long sum;

        @Override
        public Long apply(Member member, Long command) {
            sum += command;
            return sum;
        }

        @Override
        public Snapshot snapshot() {
            long now = sum;
            return out -> new DataOutputStream(out).writeLong(now);
        }

        @Override
        public void install(InputStream in) throws IOException {
            sum = new DataInputStream(in).readLong();
        }
    }

    /** A service that could be called. */
    public interface Greeter {
        String greet(String name);
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void ofCalls(Cluster cluster) {
        Components<Calls> all = cluster.startAll(node -> Calls.on(node.group("c")).join());
        CallsBuilder builder = Calls.on(group(cluster));
        isNull("the group", () -> Calls.on(null));
        isNull("the procedure", () -> builder.handle(null, (request, context) -> "1"));
        isNull("the handler", () -> builder.handle(ECHO, null));
        isNull("the handler", () -> builder.handleInline(ECHO, null));
        isNull("the handler", () -> builder.handleAsync(ECHO, null));
        isNull("the service", () -> builder.serve(null, ""));
        Service<Greeter> service = Service.of("greeter", Greeter.class, Codecs.standard());
        isNull("the implementation", () -> builder.serve(service, null));
        isNull("the listener", () -> builder.onView(null));
        isNull("the listener", () -> builder.onClosed(null));
        isRefused("open calls", () -> builder.openCallsMax(0));
        isRefused("at least 1", () -> builder.handlersMax(0));
        isNull("the name", () -> Procedure.of(null, Codec.TEXT, Codec.TEXT));
        isNull("the codec of requests; Codec.NOTHING", () -> Procedure.of("p", null, Codec.TEXT));
        isNull("the codec of answers; Codec.NOTHING", () -> Procedure.of("p", Codec.TEXT, null));
        isNull("the name of a service", () -> Service.of(null, Greeter.class, Codecs.standard()));
        isNull("the interface", () -> Service.of("s", null, Codecs.standard()));
        isNull("the codecs", () -> Service.of("s", Greeter.class, null));
        isNull("the codec", () -> Codec.list(null));
        isNull("the codec", () -> Codec.nullable(null));
        isNull("that takes", () -> Codec.of(null, (value, out) -> {}));
        isNull("that puts", () -> Codec.of(in -> 1, null));
        isNull("the type", () -> Codecs.standard().with(null, Codec.TEXT));
        isNull("the codec", () -> Codecs.standard().with(String.class, null));
        isNull("the node", () -> Inspection.open(null));
        all.run(1, calls -> {
            isNull("to: the member", () -> calls.to((Member) null));
            isNull("to: the members", () -> calls.to((Collection<Member>) null));
            isNull("to: one of the members", () -> calls.to(Arrays.asList(calls.self(), null)));
            isNull("toAllBut", () -> calls.toAllBut((Member[]) null));
            isNull("one of toAllBut", () -> calls.toAllBut((Member) null));
            CallToOne one = calls.to(calls.self());
            isNull("the procedure", () -> one.call(null, "1"));
            isNull("the procedure", () -> one.start(null, "1"));
            isNull("the procedure", () -> one.send(null, "1"));
            isNull("the procedure", () -> calls.toAll().call((Procedure<String, String>) null, "1"));
            isNull("within", () -> one.within(null));
            isRefused("within: the time of a call is PT0S", () -> one.within(Duration.ZERO));
            isRefused("within", () -> calls.toAll().within(NEGATIVE));
            isNull("waitFor", () -> calls.toAll().waitFor(null));
            isRefused("at least 1", () -> calls.toAll().atOnce(0));
            isRefused("-1 bytes", () -> one.answerBytesMax(-1));
            isNull("the service", () -> one.proxy(null));
            isNull("the function", () -> calls.toAll().call(service, null));
            assertThat(calls.status()).containsEntry("open-calls", 0L);
            assertThat(calls.to(Collections.emptyList()).call(ECHO, "1").byMember()).isEmpty();
        });
    }
}
