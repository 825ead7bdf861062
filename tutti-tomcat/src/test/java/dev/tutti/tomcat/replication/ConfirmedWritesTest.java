package dev.tutti.tomcat.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.base.ReplicationOptions;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.Mark;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.Slot;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A write that a client saw confirmed is overwritten only by a write that was made with knowledge of it, or
 * concurrently with it. This is checked in virtual time, with requests that are interrupted at each step.
 *
 * <p>Each request reads a list, adds a word of its own and writes it, so that a list shows the words that its writer
 * knew. While a request is interrupted, its node stands still, is cut off or crashes, and the client goes on at the
 * other nodes, one request after the other. None of these is concurrent with another one, nor with the interrupted one:
 * so every confirmed word has to be in each list that is read later, at every node.
 */
class ConfirmedWritesTest {

    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;
    private static final long DETECTION = 4 * SECOND;
    private static final String ID = "1";
    private static final int SEEDS = 600;
    private static final Field CART = Field.attribute("cart");

    /** Step at which a request may be interrupted. */
    enum Step {
        BEFORE_LOOK,
        BEFORE_MARK,
        BEFORE_READ,
        AFTER_READ,
        AFTER_SET,
        AFTER_DECISION,
        AFTER_RECORD,
        AFTER_SEND,
        BEFORE_RESPONSE
    }

    /** Kind of interruption. */
    enum Fault {
        PAUSE,
        KILL
    }

    /** Thrown when the node of a request is dead. */
    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private record Event(long atNanos, long order, Runnable action) {}

    private static final class World {
        final InMemoryCluster cluster = InMemoryCluster.manual();
        final List<Node> nodes = new ArrayList<>();
        final Random random;
        final Set<String> confirmed = new LinkedHashSet<>();
        final List<String> story = new ArrayList<>();
        private final PriorityQueue<Event> events =
                new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::order));
        private long nowNanos = 1_000 * SECOND;
        private long orders;
        private int words;

        World(long seed, int size) {
            random = new Random(seed);
            for (int index = 0; index < size; index++) {
                nodes.add(new Node(this, "" + (char) ('a' + index)));
            }
            cluster.pump();
            Node first = nodes.getFirst();
            SessionRecord record = first.replicator.create(ID, 0);
            first.publish(record, "", first.replicator.contact().standing(), List.of());
            cluster.pump();
        }

        void at(long atNanos, Runnable action) {
            events.add(new Event(atNanos, orders++, action));
        }

        void advance(long untilNanos) {
            while (!events.isEmpty() && events.peek().atNanos <= untilNanos) {
                Event next = events.poll();
                nowNanos = Math.max(nowNanos, next.atNanos);
                next.action.run();
                cluster.pump();
            }
            nowNanos = Math.max(nowNanos, untilNanos);
        }

        boolean await(CompletableFuture<Void> future, long timeoutNanos) {
            long deadlineNanos = nowNanos + timeoutNanos;
            cluster.pump();
            while (!future.isDone() && !events.isEmpty() && events.peek().atNanos <= deadlineNanos) {
                advance(events.peek().atNanos);
            }
            if (!future.isDone()) {
                nowNanos = Math.max(nowNanos, deadlineNanos);
            }
            return future.isDone();
        }

        List<Node> awake() {
            return nodes.stream().filter(node -> node.isAlive && !node.isPaused).toList();
        }

        /** Runs a request without interruption, at a node that answers. */
        void requestAt(Node node) {
            Set<String> known = new LinkedHashSet<>(confirmed);
            Request request = new Request(node, "w" + words++);
            boolean isOk = request.run(step -> {});
            story.add(request.word + " at " + node.name + (isOk ? " confirmed" : " refused") + ", read " + request.read);
            if (isOk) {
                assertThat(request.read).as("what is read was confirmed before\n" + String.join("\n", story)).containsAll(known);
                confirmed.add(request.word);
            }
        }

        /** Runs a request that is interrupted, while clients go on elsewhere. */
        void interruptedRequest(Node node, Step where, Fault fault, long pauseNanos, boolean isPatient) {
            Request request = new Request(node, "w" + words++);
            story.add(request.word + " at " + node.name + ": " + fault + " of " + pauseNanos / MILLI + " ms " + where);
            try {
                boolean isOk = request.run(step -> {
                    if (step == where) {
                        node.isSending = where == Step.AFTER_RECORD;
                        interrupt(node, fault, pauseNanos);
                        node.isSending = false;
                    }
                });
                story.add(request.word + (isOk ? " done" : " refused") + ", had read " + request.read);
                if (isOk && isPatient) {
                    confirmed.add(request.word);
                }
            } catch (Killed e) {
                story.add(request.word + " is dead");
            }
        }

        private void interrupt(Node node, Fault fault, long pauseNanos) {
            if (fault == Fault.KILL) {
                node.isAlive = false;
                cluster.crash(node.name);
                goOnElsewhere(nowNanos);
                throw new Killed();
            }
            node.isPaused = true;
            cluster.hold(node.name);
            long wakeNanos = nowNanos + pauseNanos;
            at(nowNanos + DETECTION + random.nextLong(SECOND), () -> {
                if (node.isPaused) {
                    cluster.partition(node.name);
                    node.isCut = true;
                }
            });
            cluster.pump();
            goOnElsewhere(wakeNanos);
            advance(wakeNanos);
            node.isPaused = false;
            cluster.release(node.name);
            if (node.isCut) {
                at(nowNanos + random.nextLong(SECOND), () -> {
                    node.isCut = false;
                    cluster.heal();
                });
            }
            switch (random.nextInt(4)) {
                case 0 -> {}
                case 1 -> cluster.pump();
                case 2 -> advance(nowNanos + random.nextLong(SECOND));
                default -> {
                    advance(nowNanos + random.nextLong(3 * SECOND));
                    if (random.nextBoolean()) {
                        goOnElsewhere(nowNanos);
                    }
                }
            }
        }

        /** Runs some requests in turn. After a kill, the first one precedes messages that the dead node sent. */
        private void goOnElsewhere(long untilNanos) {
            int count = random.nextInt(1, 5);
            for (int index = 0; index < count; index++) {
                List<Node> free = awake().stream().filter(node -> !node.isSending).toList();
                requestAt(free.get(random.nextInt(free.size())));
                if (random.nextBoolean()) {
                    long left = Math.max(1, untilNanos - nowNanos);
                    advance(Math.min(untilNanos, nowNanos + random.nextLong(left)));
                }
            }
        }

        void check() {
            advance(nowNanos + 30 * SECOND);
            cluster.pump();
            for (Node node : awake()) {
                assertThat(node.read()).as("at " + node.name + " after\n" + String.join("\n", story)).containsAll(confirmed);
            }
            for (Node node : awake()) {
                assertThat(node.read()).as("the same everywhere").isEqualTo(awake().getFirst().read());
            }
        }
    }

    private static final class Node {
        final World world;
        final String name;
        final ReplicationCounters counters = new ReplicationCounters();
        final Replicator replicator;
        Runnable beforeSend = () -> {};
        boolean isAlive = true;
        boolean isPaused;
        boolean isCut;

        /** True while a request is about to send, which no other one can overtake. */
        boolean isSending;

        Node(World world, String name) {
            this.world = world;
            this.name = name;
            ReplicationOptions options = ReplicationOptions.defaults();
            replicator = new Replicator(
                    options, counters, ended -> {}, () -> world.nowNanos, world.cluster.executor(), world::await);
            replicator.join(this::join, "shop");
            replicator.onBeat();
            beat(options.beat().toNanos());
        }

        private void beat(long periodNanos) {
            world.at(world.nowNanos + periodNanos, () -> {
                if (isAlive && !isPaused) {
                    replicator.onBeat();
                }
                if (isAlive) {
                    beat(periodNanos);
                }
            });
        }

        private SessionChannel join(String group, SessionChannel.Listener listener) {
            SessionChannel seat = world.cluster.source(name).join(group, listener);
            return new SessionChannel() {
                @Override
                public CompletableFuture<Void> send(byte[] message) {
                    Runnable hook = beforeSend;
                    beforeSend = () -> {};
                    hook.run();
                    return seat.send(message);
                }

                @Override
                public boolean sendTo(Member receiver, byte[] message) {
                    return seat.sendTo(receiver, message);
                }

                @Override
                public CompletableFuture<Void> post(Member receiver, byte[] message) {
                    return seat.post(receiver, message);
                }

                @Override
                public boolean trySendTo(Member receiver, byte[] message) {
                    return seat.trySendTo(receiver, message);
                }

                @Override
                public void close() {
                    seat.close();
                }
            };
        }

        List<String> read() {
            SessionRecord record = replicator.find(ID);
            Slot slot = record == null ? null : record.slot(CART);
            if (slot == null || slot.isRemoved()) {
                return List.of();
            }
            String text = new String(slot.content(), StandardCharsets.UTF_8);
            return text.isEmpty() ? List.of() : Arrays.asList(text.split(" "));
        }

        long publish(SessionRecord record, String text, Contact.Standing standing, List<Mark> marks) {
            try {
                Change change = new Change(CART, text.getBytes(StandardCharsets.UTF_8), false);
                return replicator.publish(record, List.of(change), standing, marks);
            } catch (StalledException e) {
                throw new AssertionError(e);
            } catch (OutdatedException e) {
                return -1;
            }
        }
    }

    /** Steps of the valve and a session for one request. */
    private static final class Request {
        final Node node;
        final String word;
        List<String> read = List.of();

        Request(Node node, String word) {
            this.node = node;
            this.word = word;
        }

        boolean run(java.util.function.Consumer<Step> steps) {
            Replicator replicator = node.replicator;
            steps.accept(Step.BEFORE_LOOK);
            if (!replicator.awaitContact()) {
                return false;
            }
            SessionRecord record = replicator.find(ID);
            steps.accept(Step.BEFORE_MARK);
            Mark mark = replicator.contact().mark(record);
            steps.accept(Step.BEFORE_READ);
            read = node.read();
            steps.accept(Step.AFTER_READ);
            List<String> written = new ArrayList<>(read);
            written.add(word);
            steps.accept(Step.AFTER_SET);
            long number = -1;
            while (number < 0) {
                Contact.Standing standing = replicator.contact().standing();
                if (replicator.contact().wasAwaySince(mark) && (!replicator.awaitContact() || replicator.contact().isOutdated(record, mark))) {
                    return false;
                }
                steps.accept(Step.AFTER_DECISION);
                node.beforeSend = () -> steps.accept(Step.AFTER_RECORD);
                number = node.publish(record, String.join(" ", written), standing, List.of(mark));
                node.beforeSend = () -> {};
            }
            steps.accept(Step.AFTER_SEND);
            boolean isOk = replicator.confirm(record, mark, number);
            steps.accept(Step.BEFORE_RESPONSE);
            return isOk;
        }
    }

    static Stream<Arguments> interruptions() {
        List<Arguments> all = new ArrayList<>();
        for (Step step : Step.values()) {
            all.add(Arguments.of(step, Fault.KILL, 0L));
            for (long seconds : new long[] {3, 8, 20, 60}) {
                all.add(Arguments.of(step, Fault.PAUSE, seconds));
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("interruptions")
    void confirmedWritesStandWhenARequestIsInterrupted(Step step, Fault fault, long seconds) {
        for (int seed = 0; seed < 24; seed++) {
            World world = new World(seed, 3);
            world.requestAt(world.nodes.get(seed % 3));
            world.interruptedRequest(world.nodes.get(seed / 3 % 3), step, fault, seconds * SECOND, seed % 2 == 0);
            world.requestAt(world.awake().getFirst());
            world.check();
        }
    }

    @Test
    void confirmedWritesStandWhateverIsInterruptedAndWhen() {
        for (int seed = 0; seed < SEEDS; seed++) {
            run(seed);
        }
    }

    private static void run(int seed) {
        try {
            World world = new World(seed, 2 + seed % 3);
            Random random = world.random;
            int rounds = random.nextInt(1, 5);
            for (int round = 0; round < rounds; round++) {
                // One fault at a time: if all members with a write are away, the others go on without it after a while.
                world.advance(world.nowNanos + 3 * SECOND);
                List<Node> awake = world.awake();
                Node node = awake.get(random.nextInt(awake.size()));
                Fault fault = awake.size() > 2 && random.nextInt(4) == 0 ? Fault.KILL : Fault.PAUSE;
                Step step = Step.values()[random.nextInt(Step.values().length)];
                long pauseNanos = random.nextInt(200, 30_000) * MILLI;
                world.interruptedRequest(node, step, fault, pauseNanos, random.nextBoolean());
                world.requestAt(world.awake().get(random.nextInt(world.awake().size())));
                if (random.nextBoolean()) {
                    world.advance(world.nowNanos + random.nextLong(10 * SECOND));
                }
            }
            world.check();
        } catch (AssertionError e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
    }

    @Test
    void interruptionsAreNoticedAndTheirWritesWithdrawn() {
        World world = new World(1, 3);
        world.interruptedRequest(world.nodes.getFirst(), Step.AFTER_SET, Fault.PAUSE, 8 * SECOND, true);
        assertThat(world.story.getLast()).contains("refused");
        assertThat(world.nodes.getFirst().counters.get(Counter.ABSENCES)).isPositive();
    }
}
