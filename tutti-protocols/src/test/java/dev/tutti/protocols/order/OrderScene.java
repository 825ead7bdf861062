package dev.tutti.protocols.order;

import static dev.tutti.protocols.LayerTest.member;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.Receipt;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.LayerTest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * An order layer per member; the test is reliability: what a member sends it delivers to itself in the same turn, and to
 * the others when the test says so, from each sender in order.
 */
final class OrderScene {

    static final Receipt MULTICAST = () -> false;
    static final Receipt UNICAST = () -> true;

    /** One member. */
    final class Seat {
        final int number;
        final Layer order;
        final LayerTest layer;
        private final List<String> delivered = new ArrayList<>();

        Seat(int number, Layer order) {
            this.number = number;
            this.order = order;
            this.layer = new LayerTest(order);
        }

        void send(String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            layer.sendDown(Packet.create(layer.memory, bytes.length).append(bytes, 0, bytes.length));
            turn();
        }

        /** Ends the turn as a stack does: again as long as that has led to something. */
        void turn() {
            boolean isMoving = true;
            while (isMoving) {
                loop();
                layer.endTurn();
                isMoving = !layer.sent.isEmpty() | !layer.takeRaised(Signal.Ordering.Again.class).isEmpty();
            }
            for (Packet packet : layer.delivered) {
                byte[] bytes = new byte[packet.length()];
                packet.bytes().get(packet.offset(), bytes);
                delivered.add(new String(bytes, StandardCharsets.UTF_8));
                layer.consume(packet);
            }
            layer.delivered.clear();
        }

        private void loop() {
            for (Packet packet : layer.takeSent()) {
                for (Seat other : seats) {
                    if (other != this && isOpen) {
                        channel(number, other.number).add(bytes(packet));
                    }
                }
                layer.receive(member(number), packet.withReceipt(MULTICAST));
            }
        }

        /** Returns the messages delivered since the last call. */
        List<String> delivered() {
            List<String> taken = List.copyOf(delivered);
            delivered.clear();
            return taken;
        }

        int controls() {
            return Math.toIntExact(layer.numbers().getOrDefault("order.control-sent", 0L));
        }
    }

    final List<Seat> seats = new ArrayList<>();
    private final TreeMap<Integer, ArrayDeque<byte[]>> channels = new TreeMap<>();
    private boolean isOpen = true;
    private int views = 1;

    OrderScene(int count, Function<Member, Layer> order) {
        for (int number = 1; number <= count; number++) {
            seats.add(new Seat(number, order.apply(member(number))));
        }
        install();
    }

    Seat seat(int number) {
        return seats.get(number - 1);
    }

    private ArrayDeque<byte[]> channel(int from, int to) {
        return channels.computeIfAbsent(from * 1000 + to, key -> new ArrayDeque<>());
    }

    private static byte[] bytes(Packet packet) {
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(packet.offset(), bytes);
        return bytes;
    }

    /** One packet from one member to another. */
    void pass(int from, int to) {
        take(from, to);
        seat(to).turn();
    }

    /** The same, without the end of the turn. */
    void take(int from, int to) {
        receive(to, from, channel(from, to).remove());
    }

    void receive(int to, int from, byte[] bytes) {
        Seat seat = seat(to);
        Packet packet = Packet.create(seat.layer.memory, bytes.length).append(bytes, 0, bytes.length);
        seat.layer.receive(member(from), packet.withReceipt(MULTICAST));
    }

    int waiting(int from, int to) {
        return channel(from, to).size();
    }

    /** All packets to all members, until nothing is under way. */
    void passAll() {
        boolean isMoving = true;
        while (isMoving) {
            isMoving = false;
            for (Seat from : seats) {
                for (Seat to : seats) {
                    while (waiting(from.number, to.number) > 0) {
                        pass(from.number, to.number);
                        isMoving = true;
                    }
                }
            }
        }
    }

    void freeze() {
        for (Seat seat : seats) {
            seat.layer.signalUp(new Signal.ViewChange.Freeze(new ViewId(views + 1, 1, member(1))));
            seat.turn();
        }
    }

    /** A view of the same members. The test has brought what the cut names. */
    void install() {
        views++;
        channels.clear();
        View view = new View(
                new ViewId(views, 1, member(1)), seats.stream().map(seat -> member(seat.number)).toList(), List.of());
        for (Seat seat : seats) {
            seat.layer.signalUp(new Signal.ViewChange.Installed(view, 1, true));
            seat.turn();
        }
    }
}
