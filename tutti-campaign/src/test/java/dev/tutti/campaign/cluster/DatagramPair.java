package dev.tutti.campaign.cluster;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.Credentials;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.datagram.DatagramLimits;
import dev.tutti.protocols.datagram.DatagramNode;
import dev.tutti.protocols.datagram.DatagramSecrets;
import dev.tutti.protocols.datagram.HostedMachine;
import dev.tutti.protocols.datagram.Multicast;
import dev.tutti.sim.DatagramNetwork;
import dev.tutti.sim.DatagramPath;
import dev.tutti.sim.DatagramProcess;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/** Two nodes on datagrams, the first of which dials the second and sends frames that can be checked. */
final class DatagramPair {

    /** A machine that writes numbered frames and checks those that come. */
    static final class Talker implements HostedMachine {

        private final Memory memory;
        final List<String> events = new ArrayList<>();
        private final List<Runnable> pending = new ArrayList<>();
        private Effects effects = new NoEffects();
        private long now;
        private int numbers;
        int connection;
        boolean isConnected;
        long sent;
        long expected;
        long receivedBytes;
        long receivedNanos;

        Talker(Memory memory) {
            this.memory = memory;
        }

        void dial(String address) {
            int number = ++numbers;
            connection = number;
            pending.add(() -> effects.dial(number, address));
        }

        void write(int length) {
            Packet frame = Packet.create(memory, length);
            long number = sent++;
            frame.appendLong(number);
            // Longer than its number and its sum; else there is nothing between them.
            while (frame.length() < length - 11) {
                frame.appendLong((number * 31 + frame.length()) * 0x9E3779B97F4A7C15L);
            }
            while (frame.length() < length - 4) {
                frame.appendByte((int) (number * 31 + frame.length()));
            }
            frame.appendInt(sum(frame, frame.length()));
            int to = connection;
            pending.add(() -> effects.write(to, frame));
        }

        void close() {
            int which = connection;
            pending.add(() -> effects.close(which, "done"));
        }

        private static int sum(Packet frame, int length) {
            CRC32C sum = new CRC32C();
            sum.update(frame.bytes().slice(frame.offset(), length));
            return (int) sum.getValue();
        }

        @Override
        public long nowNanos() {
            return now;
        }

        @Override
        public void useMulticast(Multicast multicast) {
            throw new IllegalStateException("this machine does not multicast");
        }

        @Override
        public boolean onMulticast(long nowNanos, Packet frame) {
            frame.release();
            return true;
        }

        @Override
        public void onStranger(long nowNanos, String address) {}

        @Override
        public void onStart(long nowNanos) {
            now = nowNanos;
        }

        @Override
        public int onAccepted(long nowNanos, String remote) {
            now = nowNanos;
            connection = ++numbers;
            isConnected = true;
            events.add("accepted");
            return connection;
        }

        @Override
        public void onConnected(long nowNanos, int number) {
            now = nowNanos;
            isConnected = true;
            events.add("connected");
        }

        @Override
        public void onDialFailed(long nowNanos, int number, DialFailure failure, String detail) {
            now = nowNanos;
            events.add("failed " + failure + (failure == DialFailure.UNTRUSTED ? ": " + detail : ""));
        }

        @Override
        public void onRejected(long nowNanos, String remote, String detail) {
            now = nowNanos;
            events.add("rejected: " + detail);
        }

        @Override
        public void onCredentials(long nowNanos, int number, Credentials credentials) {
            now = nowNanos;
            events.add("is " + credentials.subject());
        }

        @Override
        public void onFrame(long nowNanos, int number, Packet frame) {
            now = nowNanos;
            if (frame.peekLong(0) != expected) {
                throw new IllegalStateException("frame " + frame.peekLong(0) + " instead of " + expected);
            }
            int body = frame.length() - 4;
            if (frame.peekInt(body) != sum(frame, body)) {
                throw new IllegalStateException("frame " + expected + " of " + frame.length() + " bytes is damaged");
            }
            expected++;
            receivedBytes += frame.length();
            receivedNanos = nowNanos;
            frame.release();
        }

        @Override
        public void onDisconnected(long nowNanos, int number, boolean isOrderly, String detail) {
            now = nowNanos;
            isConnected = false;
            events.add((isOrderly ? "closed " : "broken ") + detail);
        }

        @Override
        public void onTimer(long nowNanos) {
            now = nowNanos;
        }

        @Override
        public long nextDeadline() {
            return Long.MAX_VALUE;
        }

        @Override
        public void drain(Effects driver) {
            effects = driver;
            List<Runnable> due = List.copyOf(pending);
            pending.clear();
            due.forEach(Runnable::run);
        }
    }

    private static final class NoEffects implements Effects {
        @Override
        public void dial(int connection, String address) {}

        @Override
        public void write(int connection, Packet frame) {}

        @Override
        public void close(int connection, String reason) {}
    }

    final Simulation simulation;
    final SimulatedNode first;
    final SimulatedNode second;

    DatagramPair(long seed, int datagramBytesMax) {
        this(seed, datagramBytesMax, datagramBytesMax, false);
    }

    /** Returns a pair that authenticates itself and encrypts. */
    static DatagramPair secure(long seed) {
        return new DatagramPair(seed, 1_400, 1_400, true);
    }

    DatagramPair(long seed, int firstBytesMax, int secondBytesMax) {
        this(seed, firstBytesMax, secondBytesMax, false);
    }

    private DatagramPair(long seed, int firstBytesMax, int secondBytesMax, boolean isSecure) {
        this.simulation = new Simulation(seed);
        this.first = simulation.addOnDatagrams(
                "a", "a:7800", (self, machineSeed, memory) -> process(memory, machineSeed, firstBytesMax, isSecure));
        this.second = simulation.addOnDatagrams(
                "b", "b:7800", (self, machineSeed, memory) -> process(memory, machineSeed, secondBytesMax, isSecure));
        first.withMemory(1L << 30);
        second.withMemory(1L << 30);
    }

    private DatagramProcess process(Memory memory, long seed, int datagramBytesMax, boolean isSecure) {
        Talker talker = new Talker(memory);
        DatagramNode node = new DatagramNode(
                talker,
                new DatagramLimits(
                        datagramBytesMax,
                        simulation.datagrams().receiveBufferBytes(),
                        false,
                        true,
                        isSecure,
                        2_000_000_000L,
                        64,
                        8 * 1024 * 1024,
                        150_000_000),
                DatagramSecrets.ofSeed(seed),
                memory);
        return new DatagramProcess(node, talker, node::isQuiet);
    }

    static Talker talker(SimulatedNode node) {
        return (Talker) node.machine();
    }

    static DatagramNode socket(SimulatedNode node) {
        return (DatagramNode) node.process().socket();
    }

    DatagramPair start() {
        first.start();
        second.start();
        return this;
    }

    DatagramPair connect() {
        first.execute(now -> talker(first).dial("b:7800"));
        simulation.advanceUntil(() -> talker(first).isConnected && talker(second).isConnected, Duration.ofSeconds(2));
        return this;
    }

    DatagramPair send(SimulatedNode from, int count, int length) {
        from.execute(now -> {
            talker(from).now = Math.max(talker(from).now, now);
            for (int index = 0; index < count; index++) {
                talker(from).write(length);
            }
        });
        return this;
    }

    /** Sends frames, and returns the time until the last has arrived. */
    Duration transfer(int count, int length, Duration limit) {
        long from = simulation.nowNanos();
        long goal = talker(second).expected + count;
        send(first, count, length);
        if (!simulation.advanceUntil(() -> talker(second).expected == goal, limit)) {
            throw simulation.failure("only " + talker(second).expected + " of " + goal + " frames within " + limit + " "
                    + counters(first));
        }
        return Duration.ofNanos(simulation.nowNanos() - from);
    }

    /** Returns the counters of the node on datagrams and of its connections, those of the connections added up. */
    static TreeMap<String, Long> counters(SimulatedNode node) {
        TreeMap<String, Long> counters = new TreeMap<>();
        socket(node).report(new Report() {
            @Override
            public void put(String name, long value) {
                counters.merge(name, value, Long::sum);
            }

            @Override
            public void put(String name, String value) {
                // Nothing to add up.
            }

            @Override
            public Report section(String name) {
                return this;
            }
        });
        return counters;
    }
}
