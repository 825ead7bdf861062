package dev.tutti.netty.internal.udp;

import dev.tutti.address.HostPort;
import dev.tutti.address.Resolver;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.DatagramEffects;
import dev.tutti.core.driver.DatagramMachine;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.loop.Io;
import java.io.File;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A measurement, started by hand: datagrams from one process to one other by unicast, or to several by multicast, with
 * a window that the slowest receiver acknowledges, so that none is lost. It reports the CPU time of the sender and of
 * one receiver, per KiB that is sent.
 *
 * <p>Arguments: io kind, receivers (0 for unicast to one), bytes of a datagram, mebibytes to send, {@code plain} to do
 * without GSO and GRO. The receivers are child processes with {@code receive} as first argument.
 */
final class DatagramThroughput {

    private static final int WINDOW_BYTES = 1 << 20;

    private DatagramThroughput() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments[0].equals("receive")) {
            receive(arguments);
            return;
        }
        Io io = Io.valueOf(arguments[0]);
        int receivers = Integer.parseInt(arguments[1]);
        int bytes = Integer.parseInt(arguments[2]);
        long total = Long.parseLong(arguments[3]) << 20;
        boolean isPlain = arguments.length > 4 && arguments[4].equals("plain");
        String group = receivers == 0 ? "" : "239.192.77." + (1 + bytes % 250) + ":17801";
        Settings settings = settings(io, group, isPlain);
        try (NettyDatagramDriver driver = NettyDatagramDriver.open(settings)) {
            Sender sender = new Sender(driver, Math.max(1, receivers), bytes, total / bytes, receivers > 0);
            driver.start(sender);
            List<Process> children = new ArrayList<>();
            for (int index = 0; index < Math.max(1, receivers); index++) {
                children.add(child(io, group, driver.address(), isPlain));
            }
            sender.done.await();
            double kib = total / 1024.0;
            System.out.println(String.format(
                    Locale.ROOT,
                    "%-9s %-11s %5d B%s: %6.0f MB/s; CPU per KiB: sender %5.3f us, receiver %5.3f us; "
                            + "datagrams per call: out %.1f, in %.1f; lost %d",
                    io,
                    receivers == 0 ? "unicast" : "multicast " + receivers,
                    bytes,
                    isPlain ? " plain" : "      ",
                    total / 1e6 / (sender.nanos / 1e9),
                    sender.cpuNanos / 1e3 / kib,
                    sender.receiverCpuNanos / 1e3 / kib / Math.max(1, receivers),
                    (double) driver.counters().get("datagrams.sent") / driver.counters().get("batches.sent"),
                    sender.receivedPerCall / Math.max(1, receivers),
                    sender.lost));
            for (Process each : children) {
                each.destroy();
            }
        }
    }

    private static Settings settings(Io io, String group, boolean isPlain) {
        return DatagramProbe.settings(io)
                .with(TransportSettings.MULTICAST_ADDRESS, group)
                .with(TransportSettings.DATAGRAM_OFFLOAD, !isPlain);
    }

    private static Process child(Io io, String group, String address, boolean isPlain) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-Xmx128m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                DatagramThroughput.class.getName(),
                "receive",
                io.name(),
                address));
        command.add(group.isEmpty() ? "none" : group);
        command.add(isPlain ? "plain" : "offload");
        return new ProcessBuilder(command).inheritIO().start();
    }

    private static void receive(String[] arguments) throws InterruptedException {
        Io io = Io.valueOf(arguments[1]);
        HostPort to = HostPort.parse(arguments[2]);
        String group = arguments[3].equals("none") ? "" : arguments[3];
        NettyDatagramDriver driver = NettyDatagramDriver.open(settings(io, group, arguments[4].equals("plain")));
        driver.start(new Receiver(driver, Addresses.of(Resolver.literal(to.host()), to.port())));
        ProcessHandle.current().parent().ifPresent(parent -> parent.onExit().join());
        driver.close();
    }

    private static long cpuNanos() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
    }

    /** State common to the sender and the receiver. */
    private abstract static class Peer implements DatagramMachine {

        final NettyDatagramDriver driver;
        final ArrayDeque<Consumer<DatagramEffects>> wanted = new ArrayDeque<>();
        long deadlineNanos = Long.MAX_VALUE;

        Peer(NettyDatagramDriver driver) {
            this.driver = driver;
        }

        @Override
        public void onResolved(long nowNanos, String address, @Nullable Endpoint endpoint) {
            // Nothing is looked up.
        }

        @Override
        public long nextDeadline() {
            return deadlineNanos;
        }
    }

    /** Says hello until it hears data; acknowledges at the end of each turn: index, CPU so far, calls, received. */
    private static final class Receiver extends Peer {

        private final Endpoint sender;
        private long next;
        private long lost;
        private boolean isHeard;
        private boolean isNews;

        // Read every 50 ms, because reading costs.
        private long cpu;
        private long received;
        private long calls = 1;

        Receiver(NettyDatagramDriver driver, Endpoint sender) {
            super(driver);
            this.sender = sender;
        }

        @Override
        public void onStart(long nowNanos) {
            deadlineNanos = nowNanos;
        }

        @Override
        public void onDatagram(long nowNanos, Endpoint from, Packet datagram) {
            long index = datagram.takeLong();
            datagram.release();
            lost += Math.max(0, index - next);
            next = Math.max(next, index + 1);
            isHeard = true;
            isNews = true;
        }

        @Override
        public void onTimer(long nowNanos) {
            isNews = true;
            cpu = cpuNanos();
            received = driver.counters().get("datagrams.received");
            calls = Math.max(1, driver.counters().get("batches.received"));
            deadlineNanos = nowNanos + (isHeard ? 50_000_000 : 100_000_000);
        }

        @Override
        public void drain(DatagramEffects effects) {
            if (isNews) {
                isNews = false;
                effects.send(sender, Packet.create(driver.memory(), 40)
                        .appendLong(next)
                        .appendLong(cpu)
                        .appendLong(lost)
                        .appendLong(received)
                        .appendLong(calls));
            }
        }
    }

    /** Sends what fits in the window after the slowest receiver, a tenth of it first to warm up. */
    private static final class Sender extends Peer {

        final CountDownLatch done = new CountDownLatch(1);
        private final int receivers;
        private final int bytes;
        private final long count;
        private final long warmUp;
        private final boolean isMulticast;
        private final TreeMap<Endpoint, long[]> reached = new TreeMap<>();
        private long sent;
        private long begunNanos;
        private long begunCpuNanos;
        private long begunReceiverCpuNanos;
        private boolean isMeasuring;
        long nanos;
        long cpuNanos;
        long receiverCpuNanos;
        double receivedPerCall;
        long lost;

        Sender(NettyDatagramDriver driver, int receivers, int bytes, long count, boolean isMulticast) {
            super(driver);
            this.receivers = receivers;
            this.bytes = bytes;
            this.warmUp = count / 2;
            this.count = count + warmUp;
            this.isMulticast = isMulticast;
        }

        @Override
        public void onStart(long nowNanos) {
            // Waits for the receivers.
        }

        @Override
        public void onDatagram(long nowNanos, Endpoint from, Packet datagram) {
            long[] report = new long[5];
            for (int index = 0; index < report.length; index++) {
                report[index] = datagram.takeLong();
            }
            datagram.release();
            reached.put(from, report);
        }

        @Override
        public void onTimer(long nowNanos) {
            // None is armed.
        }

        @Override
        public void drain(DatagramEffects effects) {
            if (reached.size() < receivers) {
                return;
            }
            long slowest = reached.values().stream().mapToLong(report -> report[0]).min().orElseThrow();
            if (!isMeasuring && slowest >= warmUp) {
                isMeasuring = true;
                begunNanos = System.nanoTime();
                begunCpuNanos = DatagramThroughput.cpuNanos();
                begunReceiverCpuNanos = sum(1);
            }
            if (slowest >= count && done.getCount() > 0) {
                nanos = System.nanoTime() - begunNanos;
                cpuNanos = DatagramThroughput.cpuNanos() - begunCpuNanos;
                receiverCpuNanos = sum(1) - begunReceiverCpuNanos;
                receivedPerCall = reached.values().stream().mapToDouble(report -> (double) report[3] / report[4]).sum();
                lost = sum(2);
                done.countDown();
                return;
            }
            while (sent < count && (sent - slowest) * bytes < WINDOW_BYTES) {
                Packet datagram = Packet.create(driver.memory(), bytes).appendLong(sent);
                for (int filled = Long.BYTES; filled + Long.BYTES <= bytes; filled += Long.BYTES) {
                    datagram.appendLong(filled);
                }
                sent++;
                if (isMulticast) {
                    effects.multicast(datagram);
                } else {
                    effects.send(reached.firstKey(), datagram);
                }
            }
        }

        private long sum(int field) {
            return reached.values().stream().mapToLong(report -> report[field]).sum();
        }
    }
}
