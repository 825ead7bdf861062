package dev.tutti.tomcat.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.base.ReplicationOptions;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.Mark;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.Slot;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Confirmed writes stand while views come and go during the requests that make them. Nodes are killed and started again
 * at every step of a request, and messages, views and tasks are delivered one by one, in an order drawn from the seed.
 *
 * <p>Two clients share a session and write rising numbers to attributes of their own, each one request after the other,
 * at any node. While a request of one is under way, the other one makes whole requests. So every attribute has one
 * writer at a time: an answer with an older number than a confirmed one is a loss, at whichever node.
 */
class WritesAcrossViewsTest {

    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;
    private static final String ID = "1";
    private static final int NODES = 3;
    private static final int ATTRIBUTES_MAX = 3;
    private static final int REQUESTS = 40;
    private static final int SEEDS = 600;

    /** Thrown when the node of a request is dead. */
    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private record Beat(long atNanos, Node node) implements Comparable<Beat> {
        @Override
        public int compareTo(Beat other) {
            return Long.compare(atNanos, other.atNanos);
        }
    }

    private static final class World {
        final InMemoryCluster cluster = InMemoryCluster.manual();
        final List<Node> nodes = new ArrayList<>();
        final List<Client> clients = List.of(new Client(this, "one"), new Client(this, "two"));
        final List<String> story = new ArrayList<>();
        final Random random;

        /** Number of attributes of each client, which writes to them in turn. */
        final int attributes;

        private final PriorityQueue<Beat> beats = new PriorityQueue<>();
        private long nowNanos = 1_000 * SECOND;
        boolean isHeld;

        World(long seed) {
            random = new Random(seed);
            attributes = 1 + random.nextInt(ATTRIBUTES_MAX);
            for (int index = 0; index < NODES; index++) {
                start("" + (char) ('a' + index));
            }
            cluster.pump();
            Node first = nodes.getFirst();
            first.publish(first.replicator.create(ID, 0), List.of(), first.replicator.contact().standing(), List.of());
            cluster.pump();
        }

        private void start(String name) {
            Node node = new Node(this, name);
            nodes.add(node);
            beats.add(new Beat(nowNanos, node));
        }

        /** Does something independent of the request under way, or nothing. */
        void meanwhile(Client busy) {
            switch (random.nextInt(8)) {
                case 0 -> kill();
                case 1 -> startAgain();
                case 2 -> {
                    if (!isHeld) {
                        clients.get(busy == clients.getFirst() ? 1 : 0).request(false);
                    }
                }
                case 3 -> cluster.pump();
                case 4, 5 -> deliver(random.nextInt(1, 12));
                default -> {}
            }
        }

        private void kill() {
            List<Node> complete = nodes.stream().filter(node -> node.replicator.isComplete()).toList();
            if (nodes.size() == NODES && complete.size() == NODES && random.nextInt(4) == 0) {
                Node node = complete.get(random.nextInt(complete.size()));
                story.add("kill " + node.name);
                nodes.remove(node);
                node.isAlive = false;
                cluster.crash(node.name);
            }
        }

        private void startAgain() {
            if (nodes.size() < NODES && random.nextInt(3) == 0) {
                for (String name : List.of("a", "b", "c")) {
                    if (nodes.stream().noneMatch(node -> node.name.equals(name))) {
                        story.add("start " + name);
                        start(name);
                    }
                }
            }
        }

        private void deliver(int count) {
            for (int index = 0; index < count && cluster.deliverOne(random); index++) {}
        }

        boolean await(CompletableFuture<Void> future, long timeoutNanos) {
            long deadlineNanos = nowNanos + timeoutNanos;
            while (!future.isDone()) {
                if (cluster.deliverOne(random)) {
                    continue;
                }
                if (beats.peek().atNanos > deadlineNanos) {
                    nowNanos = deadlineNanos;
                    return false;
                }
                beat();
            }
            return true;
        }

        private void beat() {
            Beat next = beats.poll();
            nowNanos = Math.max(nowNanos, next.atNanos);
            if (next.node.isAlive) {
                next.node.replicator.onBeat();
                beats.add(new Beat(nowNanos + ReplicationOptions.defaults().beat().toNanos(), next.node));
            }
        }

        void run() {
            for (int index = 0; index < REQUESTS; index++) {
                clients.get(random.nextInt(2)).request(true);
                if (random.nextInt(4) == 0) {
                    deliver(random.nextInt(30));
                }
                kill();
                startAgain();
            }
            cluster.pump();
            for (Node node : nodes) {
                clients.forEach(client -> client.check(node, client.read(node)));
            }
        }
    }

    private static final class Node {
        final World world;
        final String name;
        final Replicator replicator;
        Runnable beforeSend = () -> {};
        Runnable afterSend = () -> {};
        boolean isAlive = true;

        /** True while a request is about to publish; a session allows one at a time. */
        boolean isLocked;

        Node(World world, String name) {
            this.world = world;
            this.name = name;
            replicator = new Replicator(
                    ReplicationOptions.defaults(),
                    new ReplicationCounters(),
                    ended -> {},
                    () -> world.nowNanos,
                    world.cluster.executor(),
                    world::await);
            replicator.join(this::join, "shop");
            replicator.onBeat();
        }

        private SessionChannel join(String group, SessionChannel.Listener listener) {
            SessionChannel seat = world.cluster.source(name).join(group, listener);
            return new SessionChannel() {
                @Override
                public CompletableFuture<Void> send(byte[] message) {
                    Runnable before = beforeSend;
                    Runnable after = afterSend;
                    beforeSend = () -> {};
                    afterSend = () -> {};
                    before.run();
                    seat.send(message);
                    return new Sent(after);
                }

                @Override
                public boolean sendTo(dev.tutti.core.Member receiver, byte[] message) {
                    return seat.sendTo(receiver, message);
                }

                @Override
                public CompletableFuture<Void> post(dev.tutti.core.Member receiver, byte[] message) {
                    return seat.post(receiver, message);
                }

                @Override
                public boolean trySendTo(dev.tutti.core.Member receiver, byte[] message) {
                    return seat.trySendTo(receiver, message);
                }

                @Override
                public void close() {
                    seat.close();
                }
            };
        }

        long publish(SessionRecord record, List<Change> changes, Contact.Standing standing, List<Mark> marks) {
            try {
                return replicator.publish(record, changes, standing, marks);
            } catch (StalledException e) {
                throw new AssertionError(e);
            } catch (OutdatedException e) {
                return -1;
            }
        }
    }

    /** Future that runs an action at its second use, when the lock under which messages are sent is free again. */
    private static final class Sent extends CompletableFuture<Void> {
        private final Runnable after;
        private int looks;

        Sent(Runnable after) {
            this.after = after;
            complete(null);
        }

        @Override
        public CompletableFuture<Void> whenComplete(java.util.function.BiConsumer<? super Void, ? super Throwable> action) {
            CompletableFuture<Void> result = super.whenComplete(action);
            looks++;
            if (looks == 2) {
                after.run();
            }
            return result;
        }
    }

    private static final class Client {
        final World world;
        final String name;
        final Map<String, Long> confirmed = new TreeMap<>();
        long last;

        Client(World world, String name) {
            this.world = world;
            this.name = name;
        }

        /** @param isInterrupted whether anything happens between the steps of the request */
        void request(boolean isInterrupted) {
            List<Node> free = world.nodes.stream().filter(each -> !each.isLocked).toList();
            Node node = free.get(world.random.nextInt(free.size()));
            last++;
            String attribute = name + last % world.attributes;
            try {
                boolean isOk = run(node, attribute, () -> {
                    if (isInterrupted) {
                        world.meanwhile(this);
                        if (!node.isAlive) {
                            throw new Killed();
                        }
                    }
                });
                world.story.add(attribute + "=" + last + " at " + node.name + (isOk ? " confirmed" : " refused"));
                if (isOk) {
                    confirmed.put(attribute, last);
                }
            } catch (Killed e) {
                world.isHeld = false;
                world.story.add(attribute + "=" + last + " at " + node.name + " died");
            }
        }

        private boolean run(Node node, String attribute, Runnable step) {
            Replicator replicator = node.replicator;
            if (!replicator.awaitContact()) {
                return false;
            }
            step.run();
            SessionRecord record = replicator.await(ID);
            assertThat(record).as("the session at %s after%n%s", node.name, String.join("\n", world.story)).isNotNull();
            Mark mark = replicator.contact().mark(record);
            step.run();
            check(node, read(node));
            Change change = new Change(
                    Field.attribute(attribute), Long.toString(last).getBytes(StandardCharsets.UTF_8), false);
            long number = -1;
            while (number < 0) {
                step.run();
                node.isLocked = true;
                Contact.Standing standing = replicator.contact().standing();
                step.run();
                node.beforeSend = () -> sending(node, step);
                node.afterSend = step;
                number = node.publish(record, List.of(change), standing, List.of(mark));
                node.beforeSend = () -> {};
                node.afterSend = () -> {};
                node.isLocked = false;
            }
            step.run();
            boolean isOk = replicator.confirm(record, mark, number);
            step.run();
            return isOk;
        }

        /** Runs a step while other threads of the node that want to send wait, the group's thread among them. */
        private void sending(Node node, Runnable step) {
            world.cluster.hold(node.name);
            world.isHeld = true;
            step.run();
            world.isHeld = false;
            world.cluster.release(node.name);
        }

        Map<String, Long> read(Node node) {
            Map<String, Long> values = new TreeMap<>();
            SessionRecord record = node.replicator.find(ID);
            for (Field field : record == null ? List.<Field>of() : record.fields(Field.Kind.ATTRIBUTE)) {
                Slot slot = record.slot(field);
                values.put(field.name(), Long.parseLong(new String(slot.content(), StandardCharsets.UTF_8)));
            }
            return values;
        }

        void check(Node node, Map<String, Long> values) {
            confirmed.forEach((attribute, number) -> assertThat(values.getOrDefault(attribute, 0L))
                    .as("%s at %s after%n%s", attribute, node.name, String.join("\n", world.story))
                    .isGreaterThanOrEqualTo(number));
        }
    }

    private static long write(Node node, String attribute, int number, Contact.Standing standing) {
        SessionRecord record = node.replicator.find(ID);
        assertThat(record).isNotNull();
        Mark mark = node.replicator.contact().mark(record);
        Change change = new Change(
                Field.attribute(attribute), Integer.toString(number).getBytes(StandardCharsets.UTF_8), false);
        return node.publish(record, List.of(change), standing, List.of(mark));
    }

    private static long write(Node node, String attribute, int number) {
        return write(node, attribute, number, node.replicator.contact().standing());
    }

    /**
     * When another node has died, a node makes its changes again, among them an earlier, confirmed one. A request at a
     * third node, whose standing is from before the view until then, has written upon that one.
     */
    @Test
    void writeThatKnewAnotherStandsWhenThatIsMadeAgainWhileItIsSent() {
        World world = new World(0);
        Node a = world.nodes.get(0);
        Node b = world.nodes.get(1);
        write(b, "other", 1);
        world.cluster.pump();
        world.cluster.hold("c");
        write(a, "other", 2);
        long old = write(a, "cart", 1);
        world.cluster.hold("a");
        world.cluster.release("c");
        world.cluster.pump();
        world.cluster.hold("c");
        // The acknowledgements of c have not reached a yet.
        write(a, "other", 3);
        world.cluster.release("a");
        world.cluster.pump();
        assertThat(a.replicator.awaitSafe(old)).as("the old value is confirmed").isTrue();
        Contact.Standing before = b.replicator.contact().standing();
        world.cluster.hold("b");
        world.cluster.crash("c");
        world.cluster.pump();
        b.afterSend = () -> {
            world.cluster.release("b");
            world.cluster.pump();
        };
        long number = write(b, "cart", 2, before);
        assertThat(b.replicator.awaitSafe(number)).isTrue();
        world.cluster.pump();
        Client reader = world.clients.getFirst();
        assertThat(List.of(reader.read(a), reader.read(b))).allSatisfy(values -> assertThat(values).containsEntry("cart", 2L));
    }

    /** The view reaches the writing node after it sent the change, and before the sender knows its number. */
    @Test
    void firstChangeOfANodeStandsAgainstThatOfOneThatDied() {
        World world = new World(0);
        Node a = world.nodes.get(0);
        Node b = world.nodes.get(1);
        Node c = world.nodes.get(2);
        world.cluster.hold("a");
        world.cluster.hold("b");
        write(c, "other", 1);
        write(c, "cart", 1);
        world.cluster.crash("c");
        b.afterSend = () -> {
            world.cluster.release("a");
            world.cluster.release("b");
            world.cluster.pump();
        };
        long number = write(b, "cart", 2);
        assertThat(b.replicator.awaitSafe(number)).isTrue();
        world.cluster.pump();
        Client reader = world.clients.getFirst();
        assertThat(List.of(reader.read(a), reader.read(b))).allSatisfy(values -> assertThat(values).containsEntry("cart", 2L));
    }

    @Test
    void confirmedWritesStandWhileNodesDieAndStartBeneathRequests() {
        for (int seed = 0; seed < SEEDS; seed++) {
            try {
                new World(seed).run();
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }
}
