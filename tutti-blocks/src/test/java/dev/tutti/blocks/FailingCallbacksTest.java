package dev.tutti.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tutti.Event;
import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.Snapshot;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.calls.Outcome;
import dev.tutti.blocks.calls.Procedure;
import dev.tutti.blocks.calls.Refusal;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.coordination.Candidate;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.blocks.coordination.Hold;
import dev.tutti.blocks.directory.Directory;
import dev.tutti.blocks.directory.DirectoryPath;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.machine.Replica;
import dev.tutti.blocks.machine.StateMachine;
import dev.tutti.blocks.map.MapBuilder;
import dev.tutti.blocks.map.MapException;
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
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Effects of application code that a block calls and that throws, whatever it throws: the rows of the table "Callbacks
 * that fail" of docs/guarantees.md. The seed selects the exception. The code fails at n1, for {@code bad}.
 */
class FailingCallbacksTest {

    private static final int WAYS = 5;
    private static final String BAD = "bad";

    /** Selects the node at which code fails, once it is armed. */
    private final class Switch {
        private int armed;

        void arm() {
            armed = 1;
        }

        void failAt(Node node, Object argument) {
            if (armed > 0 && node.name().equals("n1") && argument.equals(BAD)) {
                failure.raise();
            }
        }
    }

    private final Switch fuse = new Switch();
    private Failure failure = Failure.RUNTIME_EXCEPTION;

    private void begin(Cluster cluster) {
        failure = Failure.values()[(int) (cluster.seed() % WAYS)];
        cluster.expectCallbackFailures(thrown -> true);
    }

    private <C> Components<C> startAll(Cluster cluster, Function<? super Node, ? extends C> component) {
        begin(cluster);
        Components<C> components = cluster.startAll(component);
        cluster.awaitOneView();
        return components;
    }

    private static Group group(Cluster cluster, int number) {
        return cluster.node(number).groups().getFirst();
    }

    private static boolean hasLeft(Cluster cluster, int number) {
        return cluster.node(number).groups().isEmpty();
    }

    /** Asserts that the failure was reported, and that the member is still in the group. */
    private void assertGoesOn(Cluster cluster, String callback) {
        cluster.awaitRest();
        assertTold(cluster, callback);
        assertThat(group(cluster, 1).view().size()).isEqualTo(cluster.size());
        assertThat(cluster.node(1).health().reasons()).anySatisfy(reason -> assertThat(reason).contains("callback").contains(failure.type()));
    }

    private void assertTold(Cluster cluster, String callback) {
        assertThat(cluster.node(1).events(0).list()).anySatisfy(event -> {
            assertThat(event.kind()).isEqualTo(Event.Kind.CALLBACK_FAILED);
            assertThat(event.text()).contains("callback " + callback).contains(failure.type());
        });
        assertThat(cluster.node(2).events(0).list()).noneMatch(event -> event.kind() == Event.Kind.CALLBACK_FAILED);
    }

    /** Asserts that the member has left at once, with the cause, and that its node and the others continue. */
    private void assertLeaves(Cluster cluster, String callback) {
        cluster.advanceUntil("n1 leaves", Duration.ofSeconds(1), () -> hasLeft(cluster, 1));
        cluster.awaitRest();
        assertTold(cluster, callback);
        assertThat(group(cluster, 2).view().size()).isEqualTo(cluster.size() - 1);
        assertThat(cluster.node(1).health().isAlive()).isTrue();
        assertThat(cluster.story()).anySatisfy(line -> assertThat(line).contains(callback).contains(failure.type()));
    }

    private void assertFate(Cluster cluster, String callback) {
        if (failure.isError()) {
            assertLeaves(cluster, callback);
        } else {
            assertGoesOn(cluster, callback);
        }
    }

    /** Returns a codec of texts that fails to take them. */
    private Codec<String> failingToTake(Node node) {
        return new Codec<>() {
            @Override
            public void put(String text, ByteOutput out) {
                out.putText(text);
            }

            @Override
            public String take(ByteInput in) {
                String text = in.takeText();
                fuse.failAt(node, text);
                return text;
            }
        };
    }

    /** Returns a codec of texts that fails half-way through putting them. */
    private Codec<String> failingToPut(Node node) {
        return Codec.of(ByteInput::takeText, (text, out) -> {
            out.putInt(7);
            fuse.failAt(node, text);
            throw new AssertionError("only bad ones are put here");
        });
    }

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
                        fuse.failAt(node, event.key());
                    })
                    .onClosed(closed::add));
            map = isTotal ? builder.totalOrder() : builder.lastWriter();
        }
    }

    private Components<Holder> maps(Cluster cluster, Function<Node, Codec<String>> values) {
        boolean isTotal = cluster.seed() >= WAYS;
        return startAll(cluster, node -> new Holder(node, isTotal, values.apply(node), UnaryOperator.identity()));
    }

    @ClusterTest(nodes = 3, seeds = 2 * WAYS)
    void listenerOfEntries(Cluster cluster) {
        Components<Holder> maps = maps(cluster, node -> Codec.TEXT);
        fuse.arm();
        maps.run(2, holder -> {
            holder.map.put(BAD, "1");
            holder.map.put("next", "1");
        });
        assertFate(cluster, "onEntry");
        assertThat(maps.on(2).map.size()).isEqualTo(2);
        if (failure.isError()) {
            assertThat(maps.on(1).closed).singleElement().asString().contains("onEntry").contains(failure.type());
            maps.run(1, holder -> assertThatThrownBy(() -> holder.map.put("late", "1"))
                    .isInstanceOfSatisfying(MapException.class, e -> assertThat(e.reason()).isEqualTo(MapException.Reason.CLOSED)));
        } else {
            assertThat(maps.on(1).told).containsExactly(BAD, "next");
        }
    }

    @ClusterTest(nodes = 3, seeds = 2 * WAYS)
    void codecOfAMapThatCannotReadWhatOthersCan(Cluster cluster) {
        Components<Holder> maps = maps(cluster, this::failingToTake);
        fuse.arm();
        maps.run(2, holder -> {
            holder.map.put("a", BAD);
            holder.map.put("next", "1");
        });
        assertLeaves(cluster, "");
        assertThat(maps.on(2).map.get("a")).isEqualTo(BAD);
        assertThat(maps.on(3).map.get("a")).isEqualTo(BAD);
        assertThat(maps.on(1).closed).singleElement().asString().contains(failure.type());
        assertThat(maps.on(1).told).isEmpty();
    }

    @ClusterTest(nodes = 3, seeds = 2 * WAYS)
    void codecOfAMapThatCannotReadWhatItHasWritten(Cluster cluster) {
        Components<Holder> maps = maps(cluster, this::failingToTake);
        fuse.arm();
        maps.run(1, holder -> {
            Throwable thrown = catchThrowable(() -> holder.map.put("a", BAD));
            if (failure == Failure.RUNTIME_EXCEPTION) {
                assertThat(thrown).isInstanceOfSatisfying(MapException.class, e -> assertThat(e.reason())
                        .isEqualTo(MapException.Reason.UNREADABLE));
            } else {
                assertThat(thrown.getClass().getName()).isEqualTo(failure.type());
            }
            holder.map.put("next", "1");
        });
        cluster.awaitRest();
        assertThat(maps.running()).allSatisfy(holder -> assertThat(holder.map.snapshot().entries()).containsOnlyKeys("next"));
        assertThat(group(cluster, 1).view().size()).isEqualTo(3);
    }

    @ClusterTest(nodes = 3, seeds = 2 * WAYS)
    void codecOfAMapThatCannotWrite(Cluster cluster) {
        Components<Holder> maps = maps(cluster, this::failingToPut);
        fuse.arm();
        maps.run(1, holder -> {
            assertThat(catchThrowable(() -> holder.map.put("a", BAD)).getClass().getName()).isEqualTo(failure.type());
            holder.map.remove("b");
        });
        cluster.awaitRest();
        assertThat(maps.on(2).map.size()).isZero();
        assertThat(group(cluster, 1).view().size()).isEqualTo(3);
    }

    /** The oldest member can't announce expired entries: it leaves, and the next one does it. */
    @ClusterTest(nodes = 3, seeds = 2 * WAYS)
    void codecOfAMapWhereItsMemberTellsForAll(Cluster cluster) {
        begin(cluster);
        boolean isTotal = cluster.seed() >= WAYS;
        Components<ReplicatedMap<String, String>> maps = cluster.deploy(node -> {
            Codec<String> keys = Codec.of(ByteInput::takeText, (text, out) -> {
                fuse.failAt(node, text);
                out.putText(text);
            });
            MapBuilder<String, String> map = ReplicatedMap.on(node.group("g"), keys, Codec.TEXT);
            return isTotal ? map.totalOrder() : map.lastWriter();
        });
        cluster.start(1).start(2).start(3).awaitOneView();
        maps.run(2, map -> map.put(BAD, "1", Duration.ofSeconds(1)));
        fuse.arm();
        cluster.advance(Duration.ofSeconds(5)).awaitRest();
        assertThat(hasLeft(cluster, 1)).isTrue();
        assertTold(cluster, "codec");
        assertThat(maps.on(2).containsKey(BAD)).isFalse();
        assertThat(maps.on(3).containsKey(BAD)).isFalse();
    }

    @ClusterTest(nodes = 3, seeds = 2 * WAYS)
    void functionOfAMerge(Cluster cluster) {
        boolean isTotal = cluster.seed() >= WAYS;
        TreeSet<String> failed = new TreeSet<>();
        Components<Holder> maps = startAll(cluster, node -> new Holder(node, isTotal, Codec.TEXT, map -> map.merge(Merge.by(sides -> {
            failed.add(node.name());
            return failure.raise();
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
                assertThat(holder.closed).singleElement().asString().contains(failure.type());
            } else {
                assertThat(group(cluster, number).view().size()).isEqualTo(3 - failed.size());
                assertThat(holder.map.size()).isEqualTo(1);
            }
        }
    }

    // ------------------------------------------------------------------ directory, queue

    @ClusterTest(nodes = 2, seeds = WAYS)
    void listenerOfADirectory(Cluster cluster) {
        List<String> told = new ArrayList<>();
        Components<Directory<String>> directories = startAll(cluster, node -> {
            Directory<String> directory = Directory.on(node.group("g"), Codec.TEXT).join();
            directory.listen(DirectoryPath.ROOT, event -> {
                told.add(node.name() + " " + event.path());
                fuse.failAt(node, event.path().toString());
            });
            directory.listen(DirectoryPath.ROOT, event -> told.add(node.name() + " second " + event.path()));
            return directory;
        });
        fuse.arm();
        directories.run(2, directory -> {
            directory.bind(DirectoryPath.of(BAD), "1");
            directory.bind(DirectoryPath.of("next"), "1");
        });
        assertFate(cluster, "listener");
        assertThat(told).contains("n2 next", "n2 second next");
        if (!failure.isError()) {
            assertThat(told).contains("n1 second bad", "n1 next", "n1 second next");
        }
    }

    @ClusterTest(nodes = 3, seeds = WAYS)
    void codecOfAQueueThatCannotReadWhatOthersCan(Cluster cluster) {
        Components<WorkQueue<String>> queues =
                startAll(cluster, node -> WorkQueue.on(node.group("g"), failingToTake(node)).join());
        CompletableFuture<?> waiting = queues.on(1).takeAsync();
        cluster.awaitRest();
        fuse.arm();
        queues.run(2, queue -> assertThat(queue.offer(BAD)).isTrue());
        assertLeaves(cluster, "apply");
        assertThat(waiting).isCompletedExceptionally();
        queues.run(3, queue -> {
            var task = queue.take(Duration.ofSeconds(1));
            assertThat(task).isNotNull();
            assertThat(task.value()).isEqualTo(BAD);
        });
    }

    /** A stage keeps the exception of its function, and nobody else is told. */
    @ClusterTest(nodes = 2, seeds = WAYS)
    void stageOnATask(Cluster cluster) {
        Components<WorkQueue<String>> queues = startAll(cluster, node -> WorkQueue.on(node.group("g"), Codec.TEXT).join());
        CompletableFuture<Object> stage = queues.on(1).takeAsync().thenApply(task -> failure.raise());
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

    // ------------------------------------------------------------------ machine

    /** A machine that remembers texts. */
    private final class Diary implements StateMachine<String, Integer> {
        private final Node node;
        private final String failing;
        private int length;

        Diary(Node node, String failing) {
            this.node = node;
            this.failing = failing;
        }

        private void failIn(String callback) {
            if (failing.equals(callback)) {
                fuse.failAt(node, BAD);
            }
        }

        @Override
        public Integer apply(Member member, String command) {
            if (failing.equals("apply")) {
                fuse.failAt(node, command);
            } else if (failing.equals("everywhere") && command.equals(BAD)) {
                failure.raise();
            }
            length++;
            return length;
        }

        @Override
        public void onView(View view) {
            failIn("onView");
        }

        @Override
        public void onStable() {
            failIn("onStable");
        }

        @Override
        public Snapshot snapshot() {
            int now = length;
            return out -> new DataOutputStream(out).writeInt(now);
        }

        @Override
        public void install(InputStream in) throws IOException {
            length = new DataInputStream(in).readInt();
        }
    }

    private Components<Replica<String, Integer>> replicas(Cluster cluster, String failing, Function<Node, Codec<String>> codec) {
        return startAll(cluster, node -> Replica.on(node.group("g"), new Diary(node, failing), codec.apply(node))
                .timeout(Duration.ofSeconds(5))
                .join());
    }

    /** An exception that is the same at all members is a refusal, which the submitter gets. */
    @ClusterTest(nodes = 3, seeds = WAYS)
    void machineThatRefusesACommand(Cluster cluster) {
        Components<Replica<String, Integer>> replicas = replicas(cluster, "everywhere", node -> Codec.TEXT);
        if (failure.isError()) {
            return;
        }
        replicas.run(1, replica -> {
            assertThatThrownBy(() -> replica.call(BAD))
                    .isInstanceOfSatisfying(CommandException.class, e -> {
                        assertThat(e.reason()).isEqualTo(CommandException.Reason.FAILED);
                        assertThat(e.execution()).isEqualTo(CommandException.Execution.ONCE);
                        assertThat(e.getCause().getClass().getName()).isEqualTo(failure.type());
                    });
            assertThat(replica.call("next")).isEqualTo(1);
        });
        assertThat(replicas.running()).allSatisfy(replica -> assertThat(replica.view().size()).isEqualTo(3));
    }

    @ClusterTest(nodes = 3, seeds = WAYS)
    void machineThatAnErrorEndsHalfWay(Cluster cluster) {
        Components<Replica<String, Integer>> replicas = replicas(cluster, "apply", node -> Codec.TEXT);
        if (!failure.isError()) {
            return;
        }
        fuse.arm();
        CompletableFuture<Integer> own = replicas.on(1).submit(BAD);
        CompletableFuture<Integer> next = replicas.on(1).submit("next");
        assertLeaves(cluster, "apply");
        assertThat(own).isCompletedExceptionally();
        assertThatThrownBy(own::join).isInstanceOf(CompletionException.class).hasMessageContaining("this member leaves");
        assertThat(next).isCompletedExceptionally();
        replicas.run(2, replica -> assertThat(replica.call("after")).isBetween(2, 3));
    }

    @ClusterTest(nodes = 3, seeds = WAYS)
    void codecOfCommandsThatCannotReadWhatOthersCan(Cluster cluster) {
        Components<Replica<String, Integer>> replicas = replicas(cluster, "nothing", this::failingToTake);
        fuse.arm();
        replicas.run(2, replica -> assertThat(replica.call(BAD)).isEqualTo(1));
        assertLeaves(cluster, "apply");
        replicas.run(2, replica -> assertThat(replica.call("after")).isEqualTo(2));
    }

    @ClusterTest(nodes = 3, seeds = WAYS)
    void codecOfCommandsThatCannotWrite(Cluster cluster) {
        Components<Replica<String, Integer>> replicas = replicas(cluster, "nothing", this::failingToPut);
        fuse.arm();
        replicas.run(1, replica -> assertThat(catchThrowable(() -> replica.submit(BAD)).getClass().getName())
                .isEqualTo(failure.type()));
        cluster.awaitRest();
        assertThat(replicas.on(1).status()).containsEntry("open-commands", 0L);
        assertThat(group(cluster, 1).view().size()).isEqualTo(3);
    }

    @ClusterTest(nodes = 3, seeds = WAYS)
    void viewOfAMachine(Cluster cluster) {
        replicas(cluster, "onView", node -> Codec.TEXT);
        fuse.arm();
        cluster.stop(3).advanceUntil("n1 leaves", Duration.ofSeconds(5), () -> hasLeft(cluster, 1)).awaitRest();
        assertTold(cluster, "onView of the machine");
        assertThat(group(cluster, 2).view().size()).isEqualTo(1);
    }

    @ClusterTest(nodes = 3, seeds = WAYS)
    void whatAMachineTellsTheOutside(Cluster cluster) {
        Components<Replica<String, Integer>> replicas = replicas(cluster, "onStable", node -> Codec.TEXT);
        fuse.arm();
        replicas.run(2, replica -> assertThat(replica.call("1")).isEqualTo(1));
        assertFate(cluster, "onStable");
        if (!failure.isError()) {
            replicas.run(1, replica -> assertThat(replica.call("2")).isEqualTo(2));
        }
    }

    @ClusterTest(nodes = 3, seeds = WAYS)
    void readOfAMachine(Cluster cluster) {
        Components<Replica<String, Integer>> replicas = replicas(cluster, "nothing", node -> Codec.TEXT);
        replicas.run(1, replica -> {
            assertThatThrownBy(() -> replica.ask(() -> failure.raise(), Duration.ofSeconds(1)))
                    .isInstanceOfSatisfying(CommandException.class, e -> {
                        assertThat(e.reason()).isEqualTo(CommandException.Reason.FAILED);
                        assertThat(e.getCause().getClass().getName()).isEqualTo(failure.type());
                    });
            assertThat(catchThrowable(() -> replica.local(() -> failure.raise())).getClass().getName()).isEqualTo(failure.type());
            assertThat(replica.call("next")).isEqualTo(1);
        });
        assertThat(group(cluster, 1).view().size()).isEqualTo(3);
    }

    // ------------------------------------------------------------------ calls

    private static final Procedure<String, String> ON_THREAD = Procedure.of("on-thread", Codec.TEXT, Codec.TEXT);
    private static final Procedure<String, String> INLINE = Procedure.of("inline", Codec.TEXT, Codec.TEXT);
    private static final Procedure<String, String> ASYNC = Procedure.of("async", Codec.TEXT, Codec.TEXT);
    private static final Procedure<String, String> LATER = Procedure.of("later", Codec.TEXT, Codec.TEXT);

    private Procedure<String, String> request(Node node) {
        return Procedure.of("request", failingToTake(node), Codec.TEXT);
    }

    private Procedure<String, String> answer(Node node) {
        return Procedure.of("answer", Codec.TEXT, Codec.of(ByteInput::takeText, (text, out) -> {
            fuse.failAt(node, text);
            out.putText(text);
        }));
    }

    private String handle(Node node, String request) {
        fuse.failAt(node, request);
        return request;
    }

    private Calls calls(Node node) {
        return Calls.on(node.group("g"))
                .handle(ON_THREAD, (request, context) -> handle(node, request))
                .handleInline(INLINE, (request, context) -> handle(node, request))
                .handleAsync(ASYNC, (request, context) -> CompletableFuture.completedFuture(handle(node, request)))
                .handleAsync(LATER, (request, context) ->
                        CompletableFuture.completedFuture(request).thenApply(each -> handle(node, each)))
                .handle(request(node), (request, context) -> request)
                .handleInline(answer(node), (request, context) -> request)
                .join();
    }

    private Outcome<String> outcome(Calls calls, Procedure<String, String> procedure) {
        Member first = calls.view().members().stream()
                .filter(member -> member.node().name().equals("n1"))
                .findFirst()
                .orElseThrow();
        return calls.to(List.of(first)).within(Duration.ofSeconds(5)).call(procedure, BAD).of(first);
    }

    @ClusterTest(nodes = 2, seeds = WAYS)
    void handlerOfACall(Cluster cluster) {
        Components<Calls> all = startAll(cluster, this::calls);
        fuse.arm();
        Duration begun = cluster.elapsed();
        all.run(2, calls -> {
            for (Procedure<String, String> each : List.of(ON_THREAD, INLINE, ASYNC, LATER, answer(cluster.node(2)))) {
                assertThat(outcome(calls, each)).as("%s", each).isInstanceOfSatisfying(Outcome.Failure.class, failed -> {
                    assertThat(failed.type()).isEqualTo(failure.type());
                    assertThat(failed.message()).isEqualTo("user code");
                });
            }
            assertThat(outcome(calls, request(cluster.node(2)))).isInstanceOfSatisfying(Outcome.Refused.class, refused -> assertThat(
                            refused.refusal())
                    .isEqualTo(Refusal.MALFORMED_REQUEST));
        });
        assertThat(cluster.elapsed().minus(begun)).as("none waits for its deadline").isLessThan(Duration.ofSeconds(2));
        assertThat(all.on(1).status()).containsEntry("handlers", 0L).containsEntry("failures", 4L);
        if (failure.isError()) {
            assertGoesOn(cluster, "handler of on-thread");
        }
        all.run(2, calls -> assertThat(calls.toAll().call(INLINE, "good").values()).containsExactly("good", "good"));
    }

    @ClusterTest(nodes = 2, seeds = WAYS)
    void codecAtTheCaller(Cluster cluster) {
        Components<Calls> all = startAll(cluster, this::calls);
        fuse.arm();
        Procedure<String, String> unreadable = Procedure.of("inline", Codec.TEXT, failingToTake(cluster.node(1)));
        Procedure<String, String> unwritable = Procedure.of("inline", failingToPut(cluster.node(1)), Codec.TEXT);
        Member second = all.on(2).self();
        all.run(1, calls -> {
            Outcome<String> outcome = calls.to(List.of(second)).call(unreadable, BAD).of(second);
            assertThat(outcome).isInstanceOfSatisfying(Outcome.Refused.class, refused -> {
                assertThat(refused.refusal()).isEqualTo(Refusal.MALFORMED_ANSWER);
                assertThat(refused.detail()).contains(failure.type());
            });
            assertThat(catchThrowable(() -> calls.to(second).call(unreadable, BAD))).hasMessageContaining(failure.type());
            assertThat(catchThrowable(() -> calls.to(second).start(unwritable, BAD)).getClass().getName())
                    .isEqualTo(failure.type());
            assertThat(calls.status()).containsEntry("open-calls", 0L);
        });
        assertThat(group(cluster, 1).view().size()).isEqualTo(2);
    }

    @ClusterTest(nodes = 2, seeds = WAYS)
    void actionOfACancelledCall(Cluster cluster) {
        Components<Calls> all = startAll(cluster, node -> Calls.on(node.group("g"))
                .handleAsync(ASYNC, (request, context) -> {
                    context.onCancel(() -> fuse.failAt(node, request));
                    return new CompletableFuture<>();
                })
                .join());
        fuse.arm();
        Member first = all.on(1).self();
        CompletableFuture<String> call = all.on(2).to(first).start(ASYNC, BAD);
        cluster.advance(Duration.ofMillis(100));
        call.cancel(true);
        assertFate(cluster, "onCancel");
    }

    /** The caller ends at its deadline, and the handler is visible where it runs. */
    @ClusterTest(nodes = 2, seeds = 2)
    void handlerThatNeverReturns(Cluster cluster) {
        begin(cluster);
        Components<Calls> all = cluster.startAll(node -> Calls.on(node.group("g"))
                .handleAsync(ASYNC, (request, context) -> new CompletableFuture<>())
                .handleInline(INLINE, (request, context) -> request)
                .join());
        cluster.awaitOneView();
        Member first = all.on(1).self();
        all.run(2, calls -> assertThat(calls.to(List.of(first)).within(Duration.ofSeconds(1)).call(ASYNC, "1").of(first))
                .isInstanceOf(Outcome.TimedOut.class));
        cluster.advance(Duration.ofSeconds(10));
        assertThat(all.on(1).status())
                .containsEntry("handlers", 1L)
                .containsEntry("handlers-past-deadline", 1L)
                .hasEntrySatisfying("longest-handler-millis", millis -> assertThat(millis).isBetween(10_000L, 13_000L));
        all.run(2, calls -> assertThat(calls.to(first).call(INLINE, "next")).isEqualTo("next"));
    }

    // ------------------------------------------------------------------ coordination

    @ClusterTest(nodes = 3, seeds = WAYS)
    void listenersOfLocksAndElections(Cluster cluster) {
        cluster.configure(node -> node.set("records.directory", "simulated"));
        List<String> told = new ArrayList<>();
        Components<Coordination> all = startAll(cluster, node -> Coordination.on(node.group("g"))
                .founders("n1", "n2", "n3")
                .join());
        fuse.arm();
        all.run(1, coordination -> {
            coordination.election("e").stand(new Candidate() {
                @Override
                public void onElected(long token) {
                    told.add("elected");
                    if (told.size() == 1) {
                        fuse.failAt(cluster.node(1), BAD);
                    }
                }

                @Override
                public void onDeposed(String reason) {
                    told.add("deposed");
                    if (!failure.isError()) {
                        fuse.failAt(cluster.node(1), BAD);
                    }
                }
            });
        });
        assertFate(cluster, "onElected");
        if (failure.isError()) {
            all.run(2, coordination -> assertThat(coordination.lock("l").tryAcquire(Duration.ofSeconds(5))).isPresent());
            return;
        }
        List<String> lost = new ArrayList<>();
        all.run(1, coordination -> {
            Hold failing = coordination.lock("a").tryAcquire(Duration.ofSeconds(5)).orElseThrow();
            failing.onLost(reason -> fuse.failAt(cluster.node(1), BAD));
            coordination.lock("b").tryAcquire(Duration.ofSeconds(5)).orElseThrow().onLost(lost::add);
        });
        cluster.partition(1).advance(Duration.ofSeconds(10)).heal().awaitOneView().advance(Duration.ofSeconds(5));
        assertThat(lost).as("the other listener").hasSize(1);
        assertThat(told).as("stands again").startsWith("elected", "deposed", "elected");
        assertTold(cluster, "on");
    }

    // ------------------------------------------------------------------ listeners of groups that blocks pass on

    @ClusterTest(nodes = 3, seeds = WAYS)
    void viewListenerOfABlock(Cluster cluster) {
        begin(cluster);
        Components<ReplicatedMap<String, String>> maps = cluster.startAll(node -> ReplicatedMap.on(node.group("g"), Codec.TEXT, Codec.TEXT)
                .onView(view -> fuse.failAt(node, BAD))
                .lastWriter());
        cluster.awaitOneView();
        fuse.arm();
        cluster.stop(3);
        if (failure.isError()) {
            cluster.advanceUntil("n1 leaves", Duration.ofSeconds(5), () -> hasLeft(cluster, 1)).awaitRest();
            assertThat(group(cluster, 2).view().size()).isEqualTo(1);
        } else {
            cluster.awaitRest();
            maps.run(1, map -> map.put("a", "1"));
            cluster.awaitRest();
            assertThat(maps.on(2).get("a")).isEqualTo("1");
        }
        assertTold(cluster, "onView");
    }
}
