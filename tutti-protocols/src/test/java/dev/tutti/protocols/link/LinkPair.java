package dev.tutti.protocols.link;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Effects;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Two nodes' links and the connections between them, where the test decides what arrives next. Each side sends three
 * numbered frames in every session, so that a loss or a repetition shows.
 */
final class LinkPair {

    static final long MS = 1_000_000;
    static final int FRAMES = 3;
    private static final int FIRST_TYPE = 100;

    /** One direction of one connection: what is under way, the first first. */
    private static final class Direction {
        final ArrayDeque<Runnable> queue = new ArrayDeque<>();
    }

    private final class Wire {
        final Side dialer;
        final Side acceptor;
        final int dialerNumber;
        int acceptorNumber;
        boolean isDialerOpen = true;
        boolean isAcceptorOpen;
        final Direction toAcceptor = new Direction();
        final Direction toDialer = new Direction();

        Wire(Side dialer, int dialerNumber) {
            this.dialer = dialer;
            this.acceptor = dialer == low ? high : low;
            this.dialerNumber = dialerNumber;
            directions.add(toAcceptor);
            directions.add(toDialer);
        }

        boolean isOpen() {
            return isDialerOpen && isAcceptorOpen;
        }

        void breakNow() {
            toAcceptor.queue.clear();
            toDialer.queue.clear();
            if (isDialerOpen) {
                toDialer.queue.add(() -> {
                    isDialerOpen = false;
                    dialer.input(() -> dialer.links.onDisconnected(dialerNumber, false, "reset"));
                });
            }
            if (isAcceptorOpen) {
                toAcceptor.queue.add(() -> {
                    isAcceptorOpen = false;
                    acceptor.input(() -> acceptor.links.onDisconnected(acceptorNumber, false, "reset"));
                });
            }
        }
    }

    final class Side implements Effects, LinkOwner {
        final NodeId id;
        final Links links;
        final TreeMap<Integer, Wire> wires = new TreeMap<>();
        final List<String> events = new ArrayList<>();
        final List<String> received = new ArrayList<>();
        int opened;
        int closed;
        int directDials;
        private final List<Runnable> effects = new ArrayList<>();

        Side(NodeId id, Versions versions) {
            this.id = id;
            this.links = new Links(
                    id, "test", versions, new Links.Limits(1 << 20, 5_000 * MS, 16), Memory.onHeap(), this, this);
        }

        void input(Runnable action) {
            links.beginTurn(nowNanos);
            action.run();
            List<Runnable> turn = List.copyOf(effects);
            effects.clear();
            turn.forEach(Runnable::run);
        }

        Side other() {
            return this == low ? high : low;
        }

        Link link() {
            return links.link(other().id);
        }

        void dialOther() {
            input(() -> links.dial(other().id.address(), null));
        }

        void silent() {
            input(() -> links.onSilent(link()));
        }

        @Override
        public void dial(int connection, String address) {
            dial(connection, isRelayed);
        }

        @Override
        public void dialDirectly(int connection, String address) {
            directDials++;
            if (isDirectPossible) {
                dial(connection, false);
            } else {
                effects.add(() -> input(() -> links.onDialFailed(connection, DialFailure.UNREACHABLE, "no route")));
            }
        }

        private void dial(int connection, boolean isThroughServer) {
            effects.add(() -> {
                Wire wire = new Wire(this, connection);
                wires.put(connection, wire);
                all.add(wire);
                wire.toAcceptor.queue.add(() -> {
                    wire.isAcceptorOpen = true;
                    wire.acceptor.input(() -> {
                        wire.acceptorNumber = wire.acceptor.links.onAccepted(id.name());
                        if (isThroughServer) {
                            wire.acceptor.links.onRelayed(wire.acceptorNumber, "server");
                        }
                    });
                    wire.acceptor.wires.put(wire.acceptorNumber, wire);
                    if (wire.isDialerOpen) {
                        wire.toDialer.queue.add(() -> input(() -> {
                            if (isThroughServer) {
                                links.onRelayed(connection, "server");
                            }
                            links.onConnected(connection);
                        }));
                    }
                });
            });
        }

        @Override
        public void write(int connection, Packet frame) {
            effects.add(() -> {
                Wire wire = wires.get(connection);
                boolean isMine = wire.dialer == this;
                Direction direction = isMine ? wire.toAcceptor : wire.toDialer;
                direction.queue.add(() -> {
                    Side to = isMine ? wire.acceptor : wire.dialer;
                    if (isMine ? wire.isAcceptorOpen : wire.isDialerOpen) {
                        int number = isMine ? wire.acceptorNumber : wire.dialerNumber;
                        to.input(() -> to.links.onFrame(number, frame.copy(Memory.onHeap())));
                    }
                });
            });
        }

        @Override
        public void close(int connection, String reason) {
            effects.add(() -> {
                Wire wire = wires.get(connection);
                boolean isMine = wire.dialer == this;
                if (isMine) {
                    wire.isDialerOpen = false;
                } else {
                    wire.isAcceptorOpen = false;
                }
                Direction direction = isMine ? wire.toAcceptor : wire.toDialer;
                direction.queue.add(() -> {
                    Side to = isMine ? wire.acceptor : wire.dialer;
                    boolean isOpen = isMine ? wire.isAcceptorOpen : wire.isDialerOpen;
                    int number = isMine ? wire.acceptorNumber : wire.dialerNumber;
                    wire.isAcceptorOpen = false;
                    wire.isDialerOpen = false;
                    if (isOpen) {
                        to.input(() -> to.links.onDisconnected(number, true, "closed"));
                    }
                });
            });
        }

        @Override
        public void onOpened(Link link, boolean isFirst) {
            opened++;
            events.add("opened");
            for (int index = 0; index < FRAMES; index++) {
                links.send(link, Packet.create(Memory.onHeap(), 8)
                        .appendByte(FIRST_TYPE + index)
                        .appendInt((int) link.epoch()));
            }
        }

        @Override
        public void onGone(Link link) {}

        @Override
        public void onClosed(Link link, boolean isGraceful, String reason) {
            closed++;
            events.add("closed: " + reason);
            received.clear();
        }

        @Override
        public void onFrame(Link link, int type, Packet frame) {
            received.add(frame.takeInt() + "/" + (type - FIRST_TYPE));
            if (isConfirming) {
                links.sendHeartbeat(link, links.heartbeat(link, 0));
            }
        }

        @Override
        public void onHeartbeat(Link link, Packet heartbeat) {
            // None are sent.
        }

        @Override
        public void onResumed(Link link) {
            events.add("resumed");
        }

        @Override
        public void onRefused(String remote, Refusal refusal, String reason) {
            events.add("refused: " + reason);
        }

        @Override
        public void onDialFailed(String address, DialFailure failure, String detail) {
            events.add(failure.toString());
        }

        @Override
        public void onNoHandshake(String address, String detail) {}

        @Override
        public void onAnswered(String address, DialAnswer answer, NodeId node) {
            events.add(answer.toString());
            if (answer != DialAnswer.CONNECTED && answer != DialAnswer.SELF) {
                redial = true;
                expected = node;
            }
        }

        boolean redial;
        NodeId expected;

        @Override
        public String objection(NodeId node) {
            return null;
        }
    }

    final Side low;
    final Side high;
    final List<Wire> all = new ArrayList<>();

    /** Connections pass through a server, unless they are dialled directly. */
    boolean isRelayed;

    boolean isDirectPossible;

    /** Each frame is confirmed as soon as it has arrived. */
    boolean isConfirming;

    private final List<Direction> directions = new ArrayList<>();
    long nowNanos;

    LinkPair() {
        this(Versions.SPOKEN, Versions.SPOKEN);
    }

    LinkPair(Versions ofLow, Versions ofHigh) {
        low = new Side(new NodeId(1, "low", "host:1"), ofLow);
        high = new Side(new NodeId(2, "high", "host:2"), ofHigh);
    }

    /** Returns the number of directions with frames in flight. */
    int choices() {
        int choices = 0;
        for (Direction direction : directions) {
            choices += direction.queue.isEmpty() ? 0 : 1;
        }
        return choices;
    }

    /** Lets the first frame in flight in one direction arrive. */
    void deliver(int choice) {
        int left = choice;
        for (Direction direction : directions) {
            if (!direction.queue.isEmpty() && left-- == 0) {
                direction.queue.poll().run();
                return;
            }
        }
        throw new IllegalArgumentException("choice " + choice + " of " + choices());
    }

    /** All connections break; each side gets to know at a time of the test's choice. */
    void breakAll() {
        for (Wire wire : List.copyOf(all)) {
            if (wire.isDialerOpen || wire.isAcceptorOpen) {
                wire.breakNow();
            }
        }
    }

    /** Lets everything that is under way arrive. */
    void arrive() {
        while (choices() > 0) {
            deliver(0);
        }
    }

    /** Lets a time pass, in which everything arrives at once. */
    void pass(long millis) {
        long end = nowNanos + millis * MS;
        while (true) {
            arrive();
            long deadline = Math.min(low.links.nextDeadline(), high.links.nextDeadline());
            if (deadline > end) {
                nowNanos = end;
                return;
            }
            nowNanos = Math.max(nowNanos, deadline);
            low.input(low.links::onTimer);
            high.input(high.links::onTimer);
        }
    }

    /** Lets everything arrive and time pass, until nothing more happens. */
    void settle() {
        for (int round = 0; round < 400; round++) {
            while (choices() > 0) {
                deliver(0);
            }
            for (Side side : List.of(low, high)) {
                if (side.redial && (side.link() == null || !side.link().isOpen())) {
                    side.redial = false;
                    side.input(() -> side.links.dial(side.other().id.address(), side.expected));
                }
            }
            long deadline = Math.min(low.links.nextDeadline(), high.links.nextDeadline());
            if (choices() == 0 && deadline == Links.NEVER) {
                return;
            }
            if (choices() == 0) {
                nowNanos = Math.max(nowNanos, deadline);
                low.input(low.links::onTimer);
                high.input(high.links::onTimer);
            }
        }
        throw new AssertionError("no rest: " + this);
    }

    /** Returns whether the connection is open that was dialled as number {@code index}. */
    boolean isOpen(int index) {
        return all.get(index).isOpen();
    }

    long openConnections() {
        return all.stream().filter(Wire::isOpen).count();
    }

    static List<String> whole(long epoch) {
        List<String> frames = new ArrayList<>();
        for (int index = 0; index < FRAMES; index++) {
            frames.add(epoch + "/" + index);
        }
        return frames;
    }

    void refuse(Side side, int connection) {
        side.input(() -> side.links.onDialFailed(connection, DialFailure.REFUSED, "refused"));
    }

    @Override
    public String toString() {
        return "low " + low.events + " " + low.received + ", high " + high.events + " " + high.received;
    }
}
