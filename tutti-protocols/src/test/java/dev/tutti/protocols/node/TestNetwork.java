package dev.tutti.protocols.node;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Application;
import dev.tutti.protocols.link.Versions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** Nodes on a wire of FIFO connections, on virtual time, with the faults that tests ask for. */
final class TestNetwork {

    static final long MS = 1_000_000;
    static final long SECOND = 1_000 * MS;

    private record Event(long at, long order, Runnable action) {}

    private final PriorityQueue<Event> events = new PriorityQueue<>(
            java.util.Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    private final Map<String, Node> hosts = new TreeMap<>();
    private final List<Wire> wires = new ArrayList<>();
    private final TreeSet<String> blocked = new TreeSet<>();
    final TreeSet<String> unresolved = new TreeSet<>();
    private final TreeSet<String> refused = new TreeSet<>();
    private SplittableRandom delays = new SplittableRandom(1);
    private long order;
    private long incarnations = 100;
    long now = SECOND;
    long delayMin = MS / 10;
    long delayMax = MS / 10;
    long framesWritten;
    long dials;

    /** Change of a frame in transit. */
    UnaryOperator<byte[]> spoil = bytes -> bytes;

    /** Number of written frames at which every connection breaks and loses its frames in flight; -1 for never. */
    long breakAtFrame = -1;

    void seed(long seed) {
        delays = new SplittableRandom(seed);
        delayMax = 3 * MS;
    }

    // ------------------------------------------------------------------ wire

    private final class End {
        final Node host;
        int number;
        boolean isOpen;
        long lastArrival;
        final ArrayDeque<Runnable> stalled = new ArrayDeque<>();

        End(Node host) {
            this.host = host;
        }
    }

    final class Wire {
        final End dialer;
        final End acceptor;
        boolean isBroken;
        boolean isConnected;

        /** Nothing arrives at it any more. */
        End stuck;

        Wire(Node from, Node to) {
            dialer = new End(from);
            acceptor = new End(to);
        }

        private End other(End end) {
            return end == dialer ? acceptor : dialer;
        }

        /** Something arrives at an end, after what is under way to it already. */
        private void arrive(End to, Runnable action) {
            if (to == stuck || isBlocked(other(to).host, to.host)) {
                to.stalled.add(action);
                return;
            }
            long at = Math.max(to.lastArrival, now + delay());
            to.lastArrival = at;
            at(at, () -> {
                if (!isBroken) {
                    action.run();
                }
            });
        }

        void breakNow() {
            isBroken = true;
            lose(dialer);
            lose(acceptor);
        }

        void lose(End end) {
            isBroken = true;
            if (!isConnected && dialer.isOpen) {
                dialer.isOpen = false;
                at(now, () -> dialer.host.input(() -> dialer.host.machine.onDialFailed(
                        now, dialer.number, DialFailure.UNREACHABLE, "reset")));
            }
            if (end.isOpen) {
                end.isOpen = false;
                at(now, () -> end.host.input(() -> end.host.machine.onDisconnected(now, end.number, false, "reset")));
            }
        }
    }

    private long delay() {
        return delayMin == delayMax ? delayMin : delays.nextLong(delayMin, delayMax);
    }

    private void at(long time, Runnable action) {
        events.add(new Event(time, order++, action));
    }

    private boolean isBlocked(Node from, Node to) {
        return blocked.contains(from.id.address() + ">" + to.id.address());
    }

    /** Frames from one to the other stall, and dials do not get through. */
    void block(Node from, Node to) {
        blocked.add(from.id.address() + ">" + to.id.address());
    }

    /** Holds back all frames from one to the other on the present connections. */
    void stall(Node from, Node to) {
        for (Wire wire : connected(from, to)) {
            wire.stuck = wire.dialer.host == to ? wire.dialer : wire.acceptor;
        }
    }

    /** Dials from one to the other are refused from now on, as by a firewall. */
    void refuse(Node from, Node to) {
        refused.add(from.id.address() + ">" + to.id.address());
    }

    void unblock(Node from, Node to) {
        blocked.remove(from.id.address() + ">" + to.id.address());
        for (Wire wire : wires) {
            for (End end : List.of(wire.dialer, wire.acceptor)) {
                if (end.host == to && wire.other(end).host == from) {
                    List<Runnable> waiting = List.copyOf(end.stalled);
                    end.stalled.clear();
                    waiting.forEach(action -> wire.arrive(end, action));
                }
            }
        }
    }

    /** All connections between two break, at both ends. */
    void breakBetween(Node a, Node b) {
        for (Wire wire : connected(a, b)) {
            wire.breakNow();
        }
    }

    /** All connections between two break; only one end gets to know. */
    void breakAt(Node a, Node b) {
        for (Wire wire : connected(a, b)) {
            wire.lose(wire.dialer.host == a ? wire.dialer : wire.acceptor);
        }
    }

    /** A frame arrives at a node as if the other had sent it. */
    void say(Node from, Node to, Packet frame) {
        Wire wire = connected(from, to).getFirst();
        End end = wire.dialer.host == to ? wire.dialer : wire.acceptor;
        to.input(() -> to.machine.onFrame(now, end.number, frame));
    }

    List<Wire> connected(Node a, Node b) {
        return wires.stream()
                .filter(wire -> !wire.isBroken && wire.dialer.isOpen && wire.acceptor.isOpen)
                .filter(wire -> wire.dialer.host == a && wire.acceptor.host == b
                        || wire.dialer.host == b && wire.acceptor.host == a)
                .toList();
    }

    // ------------------------------------------------------------------ nodes

    /** Another address at which a node answers. */
    void alias(String address, Node node) {
        hosts.put(address, node);
    }

    Node node(String name, int port, String... seeds) {
        return node(name, port, settings -> settings, seeds);
    }

    Node node(String name, int port, UnaryOperator<Settings> tune, String... seeds) {
        return new Node(new NodeId(++incarnations, name, "host:" + port), tune, false, Versions.SPOKEN, seeds);
    }

    /** A node that behaves as one of an earlier version. */
    Node nodeOfVersion(int version, String name, int port, String... seeds) {
        return new Node(
                new NodeId(++incarnations, name, "host:" + port), settings -> settings, true, Versions.upTo(version), seeds);
    }

    Node node(NodeId id, UnaryOperator<Settings> tune, boolean isRealStack, String... seeds) {
        return new Node(id, tune, isRealStack, Versions.SPOKEN, seeds);
    }

    /** A node with its driver and its applications. */
    final class Node implements Effects {
        final NodeId id;
        final CountingMemory memory = new CountingMemory();
        final NodeMachine machine;
        final List<String> events = new ArrayList<>();
        final Map<Integer, TinyLayer> layers = new TreeMap<>();
        final Map<String, TestGroup> groups = new LinkedHashMap<>();
        private final Map<Integer, End> ends = new TreeMap<>();
        private final Map<Integer, Wire> wiresOf = new TreeMap<>();
        private final ArrayDeque<Runnable> frozen = new ArrayDeque<>();
        private boolean isFrozen;
        boolean isUp;
        private long alarm = Long.MAX_VALUE;
        boolean isDraining;

        Node(NodeId id, UnaryOperator<Settings> tune, boolean isRealStack, Versions versions, String... seeds) {
            this.id = id;
            Settings settings = Settings.of(NodeSettings.ALL).with(NodeSettings.SEEDS, List.of(seeds));
            NodeEvents log = event -> events.add(event.toString());
            NodeMachine.StackMaker tiny = (member, groupSettings, submissions, addedBytes) -> {
                TinyLayer layer = new TinyLayer(member);
                layers.put(member.join(), layer);
                return List.of(layer);
            };
            machine = isRealStack
                    ? new NodeMachine(id, tune.apply(settings), versions.max(), id.incarnation(), memory, log)
                    : new NodeMachine(id, tune.apply(settings), versions, id.incarnation(), memory, log, tiny);
        }

        Node start() {
            isUp = true;
            hosts.put(id.address(), this);
            input(() -> machine.onStart(now));
            return this;
        }

        TestGroup join(String name) {
            return join(name, Settings.of(GroupSettings.ALL));
        }

        TestGroup join(String name, Settings settings) {
            TestGroup group = new TestGroup(this);
            groups.put(name, group);
            input(() -> group.self = machine.join(now, name, settings, group, group.submissions));
            return group;
        }

        /** A turn of one input; a frozen process takes it later. */
        void input(Runnable action) {
            if (!isUp) {
                return;
            }
            if (isFrozen) {
                frozen.add(action);
                return;
            }
            if (isDraining) {
                throw new AssertionError("machine entered from an effect");
            }
            action.run();
            drain();
        }

        private void drain() {
            isDraining = true;
            machine.drain(this);
            isDraining = false;
            long deadline = machine.nextDeadline();
            if (deadline < alarm) {
                alarm = deadline;
                TestNetwork.this.at(Math.max(now, deadline), this::ring);
            }
        }

        private void ring() {
            if (isFrozen) {
                frozen.add(this::ring);
                return;
            }
            if (isUp && alarm <= now) {
                alarm = Long.MAX_VALUE;
                input(() -> machine.onTimer(now));
            }
        }

        void freeze() {
            isFrozen = true;
        }

        void thaw() {
            isFrozen = false;
            for (int count = frozen.size(); count > 0; count--) {
                Runnable action = frozen.remove();
                TestNetwork.this.at(now, () -> {
                    action.run();
                    if (isUp) {
                        drain();
                    }
                });
            }
        }

        /** As by kill -9: all its connections break, nobody listens any more. */
        void kill() {
            isUp = false;
            hosts.remove(id.address(), this);
            for (Wire wire : List.copyOf(wiresOf.values())) {
                End mine = wire.dialer.host == this ? wire.dialer : wire.acceptor;
                mine.isOpen = false;
                End other = wire.other(mine);
                // Frames sent before the end still arrive, then the end does.
                if (other.isOpen) {
                    wire.arrive(other, () -> wire.lose(other));
                }
            }
        }

        /** As by loss of power: nothing is heard of it any more. */
        void vanish() {
            freeze();
        }

        @Override
        public void dial(int connection, String address) {
            dials++;
            if (unresolved.contains(address)) {
                TestNetwork.this.at(now, () -> input(
                        () -> machine.onDialFailed(now, connection, DialFailure.UNRESOLVED, "nowhere")));
                return;
            }
            Node target = hosts.get(address);
            if (target == null || refused.contains(id.address() + ">" + address)) {
                TestNetwork.this.at(now + 2 * delay(), () -> input(
                        () -> machine.onDialFailed(now, connection, DialFailure.REFUSED, "refused")));
                return;
            }
            if (isBlocked(this, target) || isBlocked(target, this)) {
                TestNetwork.this.at(now + 2 * SECOND, () -> input(
                        () -> machine.onDialFailed(now, connection, DialFailure.UNREACHABLE, "no answer")));
                return;
            }
            Wire wire = new Wire(this, target);
            wires.add(wire);
            wire.dialer.number = connection;
            wire.dialer.isOpen = true;
            ends.put(connection, wire.dialer);
            wiresOf.put(connection, wire);
            wire.arrive(wire.acceptor, () -> {
                if (!target.isUp) {
                    wire.lose(wire.dialer);
                    return;
                }
                target.input(() -> {
                    wire.acceptor.number = target.machine.onAccepted(now, id.address() + "/" + connection);
                    wire.acceptor.isOpen = true;
                    target.ends.put(wire.acceptor.number, wire.acceptor);
                    target.wiresOf.put(wire.acceptor.number, wire);
                });
                wire.arrive(wire.dialer, () -> {
                    wire.isConnected = true;
                    input(() -> machine.onConnected(now, connection));
                });
            });
        }

        @Override
        public void write(int connection, Packet frame) {
            byte[] bytes = spoil.apply(bytes(frame));
            frame.release();
            End end = ends.get(connection);
            Wire wire = wiresOf.get(connection);
            if (end == null || wire == null || !end.isOpen) {
                return;
            }
            if (wire.isBroken) {
                // The other end answers that it knows of no such connection.
                TestNetwork.this.at(now + 2 * delay(), () -> wire.lose(end));
                return;
            }
            framesWritten++;
            End to = wire.other(end);
            wire.arrive(to, () -> {
                if (to.isOpen) {
                    to.host.input(() -> to.host.machine.onFrame(now, to.number, to.host.packet(bytes)));
                }
            });
            if (framesWritten == breakAtFrame) {
                List.copyOf(wires).forEach(Wire::breakNow);
            }
        }

        @Override
        public void close(int connection, String reason) {
            End end = ends.get(connection);
            Wire wire = wiresOf.get(connection);
            if (end == null || wire == null || !end.isOpen) {
                return;
            }
            end.isOpen = false;
            End to = wire.other(end);
            wire.arrive(to, () -> {
                if (to.isOpen) {
                    to.isOpen = false;
                    to.host.input(() -> to.host.machine.onDisconnected(now, to.number, true, "closed"));
                }
            });
        }

        Packet packet(byte[] bytes) {
            return Packet.create(memory, bytes.length).append(bytes, 0, bytes.length);
        }

        String log() {
            return String.join("\n", events);
        }

        @Override
        public String toString() {
            return id.name();
        }
    }

    static byte[] bytes(Packet packet) {
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(packet.offset(), bytes);
        return bytes;
    }

    /** A member's application: remembers what it is told, and consumes at once. */
    final class TestGroup implements Application {
        final Node node;
        final TestSubmissions submissions = new TestSubmissions();
        final List<View> views = new ArrayList<>();
        final List<String> received = new ArrayList<>();
        Member self;
        String left;
        int joins;
        long joinedAt = -1;

        TestGroup(Node node) {
            this.node = node;
        }

        void send(String text) {
            send(null, text.getBytes(StandardCharsets.UTF_8));
        }

        void send(Member receiver, byte[] payload) {
            node.input(() -> {
                TinyLayer layer = node.layers.get(self.join());
                layer.outgoing.add(node.packet(payload).withPeer(receiver));
                node.machine.onSubmitted(now, self);
            });
        }

        /** As membership does with a member from which nothing comes back. */
        void expel(Member member) {
            node.input(() -> {
                node.layers.get(self.join()).expelled = member;
                node.machine.onSubmitted(now, self);
            });
        }

        void leave() {
            node.input(() -> node.machine.leave(now, self));
        }

        List<String> members() {
            return views.isEmpty()
                    ? List.of()
                    : views.getLast().members().stream().map(Member::name).sorted().toList();
        }

        List<String> signals() {
            return node.layers.get(self.join()).signals;
        }

        @Override
        public void onPacket(Member sender, Packet packet) {
            received.add(sender.name() + ":" + new String(bytes(packet), StandardCharsets.UTF_8));
            TestNetwork.this.at(now, () -> node.input(() -> node.machine.onConsumed(now, self, packet)));
        }

        @Override
        public void onView(View view) {
            views.add(view);
        }

        @Override
        public void onJoined() {
            joins++;
            joinedAt = now;
        }

        @Override
        public void onLeft(String reason) {
            left = reason;
        }
    }

    // ------------------------------------------------------------------ time

    void run(long nanos) {
        long end = now + nanos;
        while (!events.isEmpty() && events.peek().at() <= end) {
            step();
        }
        now = end;
    }

    /** Runs until something holds; how long it took. */
    long runUntil(long limitNanos, BooleanSupplier condition) {
        long start = now;
        while (!condition.getAsBoolean()) {
            if (events.isEmpty() || events.peek().at() > start + limitNanos) {
                throw new AssertionError("not within " + limitNanos / MS + " ms");
            }
            step();
        }
        return now - start;
    }

    private void step() {
        Event event = events.poll();
        now = Math.max(now, event.at());
        event.action().run();
    }
}
