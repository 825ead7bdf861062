package dev.tutti.fuzz;

import dev.tutti.core.Block;
import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.datagram.DatagramLimits;
import dev.tutti.protocols.datagram.DatagramNode;
import dev.tutti.protocols.datagram.DatagramSecrets;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeMachine;
import dev.tutti.protocols.node.NodeSettings;
import dev.tutti.protocols.packing.Outgoing;
import dev.tutti.protocols.packing.PacketSizes;
import dev.tutti.protocols.packing.Reassembly;
import dev.tutti.protocols.packing.Records;
import dev.tutti.sim.DatagramProcess;
import dev.tutti.sim.MachineFactory;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import dev.tutti.sim.application.MessageReader;
import dev.tutti.sim.application.SimulatedApplication;
import dev.tutti.sim.check.History;
import dev.tutti.sim.check.PropertyChecker;
import dev.tutti.sim.check.Violation;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A few nodes in virtual time with one group, and a {@link Tap} at each. */
final class Lab {

    static final String GROUP = "lab";
    private static final long SUBMISSIONS_BYTES_MAX = 256 * 1024;

    /** A node that is up, and its application. */
    static final class Seat {
        final SimulatedNode node;
        final SimulatedApplication application;
        final Outgoing outgoing;
        final Metered memory;
        final Tap tap;

        private Seat(Lab lab, SimulatedNode node) {
            this.node = node;
            this.tap = (Tap) node.machine();
            this.memory = lab.memories.get(node.name());
            this.outgoing = new Outgoing(node.memory(), SUBMISSIONS_BYTES_MAX, lab.packetSizes);
            this.application = new SimulatedApplication(
                    lab.simulation, node, lab.history, Lab::reader, (now, self, packet) ->
                            tap.machine().onConsumed(now, self, packet));
            node.execute(now -> application.setSelf(
                    tap.machine().join(now, GROUP, lab.groupSettings, application, outgoing)));
        }

        boolean isUp() {
            return node.life() != SimulatedNode.Life.DOWN && !application.isLeft();
        }

        View view() {
            View view = application.view();
            if (view == null) {
                throw new IllegalStateException(node + " has no view");
            }
            return view;
        }

        void send(int count, int length) {
            node.execute(now -> {
                for (int index = 0; index < count; index++) {
                    byte[] message = application.nextMessage(null, length);
                    if (!outgoing.isSmall(length)) {
                        outgoing.offerLarge(null, message, 0, length);
                    } else if (!outgoing.offer(null, message, 0, message.length)) {
                        throw new IllegalStateException("no room for a message");
                    }
                }
                tap.machine().onSubmitted(now, application.self());
            });
        }

        void sendTo(Member receiver, int length) {
            node.execute(now -> {
                byte[] message = application.nextMessage(receiver, length);
                outgoing.offer(receiver, message, 0, message.length);
                tap.machine().onSubmitted(now, application.self());
            });
        }

        /** Returns the counters of the node that are above zero, by name. */
        Map<String, Long> counters() {
            TreeMap<String, Long> counted = new TreeMap<>();
            tap.machine().report(new Counting(counted, ""));
            if (tap.socket() != null) {
                tap.socket().report(new Counting(counted, ""));
            }
            counted.values().removeIf(value -> value == 0);
            return counted;
        }
    }

    /** Memory that counts the bytes that were taken from it. */
    static final class Metered implements Memory {
        private final Memory memory;
        private long acquiredBytes;

        Metered(Memory memory) {
            this.memory = memory;
        }

        @Override
        public Block acquire(int bytes) {
            acquiredBytes += bytes;
            return memory.acquire(bytes);
        }

        @Override
        public void recycle(Block block) {
            memory.recycle(block);
        }

        long acquiredBytes() {
            return acquiredBytes;
        }
    }

    private record Counting(TreeMap<String, Long> counted, String prefix) implements Report {
        @Override
        public void put(String name, long value) {
            counted.merge(prefix + name, value, Long::sum);
        }

        @Override
        public void put(String name, String value) {
            // A text is no counter.
        }

        @Override
        public Report section(String name) {
            return new Counting(counted, prefix + name + ".");
        }
    }

    /** Transport of frames between the nodes. */
    enum Carrier {
        STREAMS,
        DATAGRAMS,
        /** Datagrams, some of them to all nodes at once. */
        MULTICAST,
        /** The same, encrypted. */
        ENCRYPTED
    }

    private static final int DATAGRAM_BYTES_MAX = 1_400;
    private static final List<String> FOUNDERS = List.of("n1", "n2", "n3");

    private final DatagramLimits limits;
    private final PacketSizes packetSizes;
    private final Simulation simulation;
    private final History history = new History();
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<Seat> seats = new ArrayList<>();
    private final Map<String, Metered> memories = new TreeMap<>();
    private Settings groupSettings = Settings.of(GroupSettings.ALL);

    Lab(int size, long seed) {
        this(size, seed, Carrier.STREAMS);
    }

    /** Creates a lab whose group has a primary partition, and nodes with records. */
    static Lab primary(int size, long seed) {
        Lab lab = new Lab(size, seed);
        lab.groupSettings = lab.groupSettings
                .with(GroupSettings.PARTITION, GroupSettings.Partition.PRIMARY)
                .with(GroupSettings.FOUNDERS, FOUNDERS);
        return lab;
    }

    Lab(int size, long seed, Carrier carrier) {
        simulation = new Simulation(seed);
        DatagramLimits clear = DatagramLimits.of(
                Settings.of(TransportSettings.ALL),
                DATAGRAM_BYTES_MAX,
                simulation.datagrams().receiveBufferBytes(),
                carrier == Carrier.MULTICAST || carrier == Carrier.ENCRYPTED);
        limits = carrier == Carrier.ENCRYPTED ? clear.secured() : clear;
        packetSizes = carrier == Carrier.STREAMS ? PacketSizes.STREAM : PacketSizes.ofDatagrams(limits.payloadBytesMax());
        List<String> addresses = new ArrayList<>();
        for (int number = 1; number <= size; number++) {
            addresses.add("n" + number + ":7800");
        }
        Settings settings = Settings.of(NodeSettings.ALL)
                .with(TransportSettings.RECORDS_DIRECTORY, "simulated")
                .with(NodeSettings.SEEDS, addresses);
        for (int number = 1; number <= size; number++) {
            String name = "n" + number;
            int index = number - 1;
            MachineFactory factory = (self, machineSeed, memory) -> {
                Metered metered = new Metered(memory);
                memories.put(name, metered);
                NodeMachine machine = new NodeMachine(
                        self, settings.with(TransportSettings.NAME, name), machineSeed, metered, event -> {});
                if (groupSettings.get(GroupSettings.PARTITION) == GroupSettings.Partition.PRIMARY) {
                    machine.useStore(nodes.get(index).store());
                }
                return new Tap(machine);
            };
            nodes.add(carrier == Carrier.STREAMS
                    ? simulation.add(name, name + ":7800", factory)
                    : simulation.addOnDatagrams(name, name + ":7800", (self, machineSeed, memory) ->
                            onDatagrams((Tap) factory.create(self, machineSeed, memory), machineSeed, memories.get(name))));
        }
    }

    private DatagramProcess onDatagrams(Tap tap, long seed, Memory memory) {
        DatagramNode socket = new DatagramNode(tap, limits, DatagramSecrets.ofSeed(seed), memory);
        tap.setSocket(socket);
        return new DatagramProcess(socket, tap, socket::isQuiet);
    }

    Simulation simulation() {
        return simulation;
    }

    Seat start(int number) {
        SimulatedNode node = nodes.get(number - 1);
        node.start();
        Seat seat = new Seat(this, node);
        seats.add(seat);
        return seat;
    }

    /** Starts all nodes, and waits until they are in one view. */
    Lab started() {
        for (int number = 1; number <= nodes.size(); number++) {
            start(number);
        }
        until("one view of all", this::isOneView);
        return this;
    }

    Seat seat(int number) {
        return seats.get(number - 1);
    }

    List<Seat> up() {
        return seats.stream().filter(Seat::isUp).toList();
    }

    boolean isOneView() {
        List<Seat> up = up();
        return up.stream().allMatch(seat -> seat.application.view() != null
                && seat.view().equals(up.getFirst().view())
                && seat.view().size() == up.size());
    }

    Lab advanceMillis(long millis) {
        simulation.advance(Duration.ofMillis(millis));
        return this;
    }

    void until(String what, BooleanSupplier condition) {
        for (int millis = 0; !condition.getAsBoolean(); millis++) {
            if (millis > 30_000) {
                throw simulation.failure("not within 30 s: " + what);
            }
            advanceMillis(1);
        }
    }

    /** Returns the promises that were broken so far. */
    List<Violation> violations() {
        return PropertyChecker.violations(history);
    }

    /** Returns the promises that were broken, after all faults have ended. */
    List<Violation> violationsAtRest() {
        return PropertyChecker.violationsAtRest(
                history, seats.stream().filter(Seat::isUp).map(seat -> seat.application.self()).toList());
    }

    private static MessageReader reader() {
        Reassembly reassembly = new Reassembly();
        return (Packet packet, Consumer<byte[]> messages) -> Records.read(packet, new Records.Visitor() {
            @Override
            public void onMessage(ByteBuffer bytes, int offset, int length) {
                byte[] message = new byte[length];
                bytes.get(offset, message);
                messages.accept(message);
            }

            @Override
            public void onPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
                ByteBuffer message = reassembly.add(bytes, offset, length, piece);
                if (message != null) {
                    messages.accept(message.array());
                }
            }
        });
    }
}
