package dev.tutti.campaign.chaos.network;

import dev.tutti.campaign.host.Priority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Loopback with a proxy for datagrams before each process, for machines without root: it loses, repeats, reorders,
 * delays and corrupts them, and limits the bandwidth of lines.
 *
 * <p>The proxy of one process passes datagrams from the port of another on through the proxy of that one, so that each
 * process sees the addresses that all advertise.
 */
public final class DatagramProxyNetwork implements Network {

    private static final int DATAGRAM_BYTES_MAX = 65_507;
    private static final int BUFFER_BYTES = 4 << 20;
    private static final long DELAY_MILLIS_MAX = 80;
    private static final int DELAYED_MAX = 1 << 16;
    private static final double REPEATED = 0.1;
    private static final double CORRUPTED = 0.05;

    private final List<Integer> ports;
    private final List<DatagramChannel> sockets = new ArrayList<>();
    private final List<Integer> proxyPorts = new ArrayList<>();
    private final DelayQueue<Late> later = new DelayQueue<>();
    private final Thread lateSender = Thread.ofPlatform().daemon().name("delayed datagrams").unstarted(this::sendLate);
    private final AtomicLong overflowed = new AtomicLong();

    // Guarded by the monitor of rules.
    private final Object rules = new Object();
    private final SplittableRandom random = new SplittableRandom();
    private final double[][] losses;
    private final long[][] delaysMillis;
    private final Map<Path, LimitedLine> lines = new HashMap<>();
    private long lastLate;
    private final boolean[] isSlow;
    private final long[][] corruptUntilNanos;

    /** @param ports ports to which the processes are bound */
    public DatagramProxyNetwork(List<Integer> ports) {
        this.ports = ports;
        int count = ports.size();
        losses = new double[count][count];
        delaysMillis = new long[count][count];
        isSlow = new boolean[count];
        corruptUntilNanos = new long[count][count];
        for (long[] row : corruptUntilNanos) {
            Arrays.fill(row, Long.MIN_VALUE);
        }
        try {
            for (int process = 0; process < count; process++) {
                DatagramChannel socket = DatagramChannel.open();
                sockets.add(socket);
                socket.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                proxyPorts.add(((InetSocketAddress) socket.getLocalAddress()).getPort());
            }
        } catch (IOException e) {
            close();
            throw new UncheckedIOException("no port for the proxy", e);
        }
        lateSender.start();
        for (int process = 0; process < count; process++) {
            int to = process;
            Thread.ofPlatform().daemon().name("proxy of " + ProxyNetwork.name(to)).start(() -> relay(to));
        }
    }

    @Override
    public String description() {
        return "a proxy in user space";
    }

    @Override
    public Set<NetworkFault> faults() {
        return EnumSet.of(
                NetworkFault.CUT, NetworkFault.ISOLATE, NetworkFault.ONE_WAY, NetworkFault.BRIDGE, NetworkFault.FLAP, NetworkFault.LOSS, NetworkFault.SLOW, NetworkFault.CORRUPT,
                NetworkFault.STORM);
    }

    @Override
    public List<String> prefix(int process) {
        return List.of();
    }

    @Override
    public Map<String, String> settings(int process) {
        return Map.of(
                "bind.address", "127.0.0.1",
                "bind.port", Integer.toString(ports.get(process)),
                "bind.advertise", address(process),
                "transport.checksum", "on");
    }

    @Override
    public String address(int process) {
        return "127.0.0.1:" + proxyPorts.get(process);
    }

    // ------------------------------------------------------------------ datagrams

    private void relay(int to) {
        Priority.raise();
        DatagramChannel socket = sockets.get(to);
        ByteBuffer buffer = ByteBuffer.allocateDirect(DATAGRAM_BYTES_MAX);
        while (socket.isOpen()) {
            try {
                buffer.clear();
                InetSocketAddress source = (InetSocketAddress) socket.receive(buffer);
                int from = source == null ? -1 : ports.indexOf(source.getPort());
                if (from >= 0 && from != to) {
                    carry(buffer.flip(), from, to);
                }
            } catch (IOException e) {
                // The channel was closed, or the process has gone, and may be back for the next datagram.
                continue;
            }
        }
    }

    private void carry(ByteBuffer datagram, int from, int to) throws IOException {
        boolean isRepeated;
        Late late = null;
        synchronized (rules) {
            if (random.nextDouble() < losses[from][to]) {
                return;
            }
            boolean isBad = isSlow[from] || isSlow[to];
            isRepeated = isBad && random.nextDouble() < REPEATED;
            // Each datagram has a delay of its own, so that they overtake each other.
            long delayMillis = delaysMillis[from][to] + (isBad ? random.nextLong(DELAY_MILLIS_MAX) : 0);
            long now = System.nanoTime();
            boolean isWrong = now < corruptUntilNanos[from][to] && random.nextDouble() < CORRUPTED;
            if (isWrong && datagram.hasRemaining()) {
                int at = random.nextInt(datagram.remaining());
                datagram.put(at, (byte) (datagram.get(at) ^ 1 << random.nextInt(Byte.SIZE)));
            }
            LimitedLine line = lines.get(new Path(from, to));
            long lineNanos = line == null ? 0 : line.take(now, datagram.remaining());
            if (lineNanos < 0 || later.size() >= DELAYED_MAX) {
                overflowed.incrementAndGet();
                return;
            }
            long nanos = lineNanos + TimeUnit.MILLISECONDS.toNanos(delayMillis);
            if (nanos > 0) {
                ByteBuffer copy = ByteBuffer.allocate(datagram.remaining()).put(datagram.duplicate()).flip();
                late = new Late(copy, from, to, now + nanos, ++lastLate);
            }
        }
        if (isRepeated) {
            send(datagram.duplicate(), from, to);
        }
        if (late == null) {
            send(datagram, from, to);
        } else {
            later.add(late);
        }
    }

    private void send(ByteBuffer datagram, int from, int to) throws IOException {
        sockets.get(from).send(datagram, new InetSocketAddress(InetAddress.getLoopbackAddress(), ports.get(to)));
    }

    /** Datagram that waits; those of one time are in the order of their numbers. */
    private record Late(ByteBuffer datagram, int from, int to, long dueNanos, long number) implements Delayed {

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(dueNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            Late late = (Late) other;
            return dueNanos == late.dueNanos ? Long.compare(number, late.number) : Long.signum(dueNanos - late.dueNanos);
        }
    }

    private void sendLate() {
        Priority.raise();
        while (true) {
            try {
                Late late = later.take();
                send(late.datagram(), late.from(), late.to());
            } catch (IOException e) {
                // Closed, or no process there, as in relay.
                continue;
            } catch (InterruptedException e) {
                // The run has ended, and datagrams may be lost.
                return;
            }
        }
    }

    // ------------------------------------------------------------------ faults

    @Override
    public void lose(Map<Path, Double> changed) {
        synchronized (rules) {
            changed.forEach((path, loss) -> losses[path.from()][path.to()] = loss);
        }
    }

    /**
     * Delays datagrams from one process to another, from now on; {@link #heal} leaves that as it is. Datagrams with the same delay
     * keep their order. At most 65,536 datagrams wait in the proxy; more are lost, and counted.
     *
     * @param millis 0 for none
     */
    public void delay(Path path, long millis) {
        synchronized (rules) {
            delaysMillis[path.from()][path.to()] = millis;
        }
    }

    /**
     * Limits the bandwidth of a line that paths share, from now on; {@link #heal} leaves that as it is. A datagram that finds more in
     * the queue than the line passes on in 100 ms, and more than 256 KiB, is lost, and counted.
     *
     * @param bytesPerSecond of datagrams, without the headers of UDP and IP
     */
    public void limit(Set<Path> paths, long bytesPerSecond) {
        LimitedLine line = new LimitedLine(bytesPerSecond);
        synchronized (rules) {
            paths.forEach(path -> lines.put(path, line));
        }
    }

    /** Returns the number of datagrams that were lost because too many waited for their delay or their line. */
    public long overflowed() {
        return overflowed.get();
    }

    @Override
    public void reset(int one, int other) {
        throw new UnsupportedOperationException("there is nothing to reset with datagrams");
    }

    @Override
    public void halfOpen(int one, int other) {
        throw new UnsupportedOperationException("there is nothing to end with datagrams");
    }

    @Override
    public void slow(int process, boolean slow) {
        synchronized (rules) {
            isSlow[process] = slow;
        }
    }

    /** Flips bits in one datagram of twenty, for a second. */
    @Override
    public void corrupt(int from, int to) {
        synchronized (rules) {
            corruptUntilNanos[from][to] = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        }
    }

    @Override
    public void heal() {
        synchronized (rules) {
            for (int process = 0; process < ports.size(); process++) {
                Arrays.fill(losses[process], 0);
                Arrays.fill(corruptUntilNanos[process], Long.MIN_VALUE);
            }
            Arrays.fill(isSlow, false);
        }
    }

    @Override
    public void close() {
        lateSender.interrupt();
        for (DatagramChannel socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException("a socket can't be closed", e);
            }
        }
    }
}
