package dev.tutti.campaign.chaos.network;

import dev.tutti.campaign.host.Pause;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Loopback with a proxy before each process, for machines without root. Others dial the proxy, which identifies them by
 * their HELLO, and delays, cuts, resets, half-opens, slows or corrupts their connections.
 *
 * <p>Bytes on a path that is cut are kept and go on when it is healed, as TCP would send them again. Connections that
 * begin meanwhile are accepted, and receive nothing.
 */
public final class ProxyNetwork implements Network {

    private static final int CHUNK_BYTES = 16 * 1024;
    private static final long SLOW_MILLIS = 40;
    private static final int NOBODY = -1;
    private static final int BACKLOG = 64;
    private static final String NAME = "p";

    private final List<Integer> ports;
    private final List<@Nullable ServerSocketChannel> listeners = new ArrayList<>();
    private final List<Integer> dialledPorts = new ArrayList<>();
    private final Set<Pair> pairs = ConcurrentHashMap.newKeySet();

    // The following fields are guarded by the monitor of rules, which is notified of every change.
    private final Object rules = new Object();
    private final boolean[][] isCut;
    private final boolean[] isSlow;
    private final boolean[][] isToCorrupt;
    private boolean isClosed;

    /** @param ports ports on which the processes listen */
    public ProxyNetwork(List<Integer> ports) {
        this.ports = ports;
        int count = ports.size();
        isCut = new boolean[count][count];
        isSlow = new boolean[count];
        isToCorrupt = new boolean[count][count];
        try {
            for (int process = 0; process < count; process++) {
                listeners.add(null);
                ServerSocketChannel listener = listen(process, 0);
                dialledPorts.add(((InetSocketAddress) listener.getLocalAddress()).getPort());
            }
        } catch (IOException e) {
            close();
            throw new UncheckedIOException("no port for the proxy", e);
        }
    }

    private ServerSocketChannel listen(int process, int port) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        listeners.set(process, listener);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
        Thread.ofVirtual().name("proxy of " + name(process)).start(() -> accept(listener, process));
        return listener;
    }

    /** Stops listening for a process that is killed, so that dials are refused, as without a proxy. */
    @Override
    public void onKill(int process) {
        try {
            ServerSocketChannel listener = listeners.set(process, null);
            if (listener != null) {
                listener.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a listener can't be closed", e);
        }
    }

    @Override
    public void onStart(int process) {
        if (listeners.get(process) == null) {
            try {
                listen(process, dialledPorts.get(process));
            } catch (IOException e) {
                throw new UncheckedIOException("the proxy can't listen on " + address(process) + " again", e);
            }
        }
    }

    /** Returns the name that the process's node must have, so that the proxy knows it. */
    public static String name(int process) {
        return NAME + process;
    }

    private int process(@Nullable String name) {
        for (int process = 0; process < ports.size(); process++) {
            if (name(process).equals(name)) {
                return process;
            }
        }
        return NOBODY;
    }

    @Override
    public String description() {
        return "a proxy in user space";
    }

    @Override
    public Set<NetworkFault> faults() {
        return EnumSet.of(
                NetworkFault.CUT, NetworkFault.ISOLATE, NetworkFault.ONE_WAY, NetworkFault.BRIDGE, NetworkFault.FLAP, NetworkFault.RESET, NetworkFault.HALF_OPEN, NetworkFault.SLOW,
                NetworkFault.CORRUPT, NetworkFault.STORM);
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
        return "127.0.0.1:" + dialledPorts.get(process);
    }

    // ------------------------------------------------------------------ connections

    /** A connection in two halves. */
    private final class Pair {
        final SocketChannel dialler;
        final SocketChannel target;
        final int from;
        final int to;

        /** Process that is not told that the other half has ended. */
        volatile int unaware = NOBODY;

        Pair(SocketChannel dialler, SocketChannel target, int from, int to) {
            this.dialler = dialler;
            this.target = target;
            this.from = from;
            this.to = to;
        }

        boolean isBetween(int one, int other) {
            return from == one && to == other || from == other && to == one;
        }

        SocketChannel end(int process) {
            return process == from ? dialler : target;
        }

        void close() {
            pairs.remove(this);
            closeQuietly(dialler);
            closeQuietly(target);
        }

        void reset() {
            linger(dialler);
            linger(target);
            close();
        }
    }

    /** Makes the channel reset the connection when it is closed. */
    private static void linger(SocketChannel channel) {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException e) {
            // The connection has ended by itself meanwhile.
            closeQuietly(channel);
        }
    }

    private static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("a socket can't be closed", e);
        }
    }

    private void accept(ServerSocketChannel listener, int to) {
        while (listener.isOpen()) {
            try {
                SocketChannel dialler = listener.accept();
                Thread.ofVirtual().start(() -> meet(dialler, to));
            } catch (IOException e) {
                // The channel was closed, or the dialler has gone already.
                continue;
            }
        }
    }

    private void meet(SocketChannel dialler, int to) {
        ByteBuffer begin = ByteBuffer.allocate(HelloReader.BYTES_MAX);
        int from = NOBODY;
        try {
            dialler.setOption(StandardSocketOptions.TCP_NODELAY, true);
            while (from == NOBODY && begin.hasRemaining() && dialler.read(begin) >= 0) {
                from = process(HelloReader.name(begin.duplicate().flip()));
            }
            begin.flip();
            if (from == NOBODY || !awaitOpen(from, to)) {
                closeQuietly(dialler);
                return;
            }
        } catch (IOException e) {
            closeQuietly(dialler);
            return;
        }
        join(dialler, begin, from, to);
    }

    private void join(SocketChannel dialler, ByteBuffer begin, int from, int to) {
        try {
            SocketChannel target =
                    SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), ports.get(to)));
            target.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Pair pair = new Pair(dialler, target, from, to);
            pairs.add(pair);
            Thread.ofVirtual().start(() -> pump(pair, to, from, ByteBuffer.allocate(0)));
            pump(pair, from, to, begin);
        } catch (IOException e) {
            // No process listens. The dialler learns of it once its path is open.
            awaitOpen(to, from);
            closeQuietly(dialler);
        }
    }

    /** Relays bytes from one to the other until either has ended, then tells the other once the path is open. */
    private void pump(Pair pair, int from, int to, ByteBuffer first) {
        SocketChannel in = pair.end(from);
        SocketChannel out = pair.end(to);
        int told = to;
        ByteBuffer buffer = ByteBuffer.allocate(CHUNK_BYTES);
        try {
            ByteBuffer chunk = first;
            while (chunk.hasRemaining() || in.read(buffer) >= 0) {
                chunk = chunk.hasRemaining() ? chunk : buffer.flip();
                if (!awaitOpen(from, to)) {
                    break;
                }
                told = from;
                write(pair, from, to, chunk, out);
                told = to;
                buffer.clear();
                chunk = ByteBuffer.allocate(0);
            }
        } catch (IOException e) {
            // One of them has ended, as the loop expects.
            buffer.clear();
        }
        boolean isTold = awaitOpen(told == to ? from : to, told);
        if (pair.unaware != told || !isTold) {
            pair.close();
        }
    }

    private void write(Pair pair, int from, int to, ByteBuffer chunk, SocketChannel out) throws IOException {
        if (pair.unaware == from) {
            return;
        }
        boolean isWrong;
        boolean isDelayed;
        synchronized (rules) {
            isWrong = isToCorrupt[from][to];
            isToCorrupt[from][to] = false;
            isDelayed = isSlow[from] || isSlow[to];
        }
        if (isDelayed) {
            Pause.millis(SLOW_MILLIS);
        }
        if (isWrong) {
            int at = chunk.position() + chunk.remaining() / 2;
            chunk.put(at, (byte) (chunk.get(at) ^ 0x10));
        }
        while (chunk.hasRemaining()) {
            out.write(chunk);
        }
    }

    /** Waits while the path is cut; returns false if the proxy has ended. */
    private boolean awaitOpen(int from, int to) {
        synchronized (rules) {
            while (isCut[from][to] && !isClosed) {
                try {
                    rules.wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
            return !isClosed;
        }
    }

    // ------------------------------------------------------------------ faults

    @Override
    public void lose(Map<Path, Double> losses) {
        synchronized (rules) {
            losses.forEach((path, loss) -> isCut[path.from()][path.to()] = loss == 1);
            rules.notifyAll();
        }
    }

    @Override
    public void reset(int one, int other) {
        pairs.stream().filter(pair -> pair.isBetween(one, other)).forEach(Pair::reset);
    }

    @Override
    public void halfOpen(int one, int other) {
        pairs.stream().filter(pair -> pair.isBetween(one, other)).forEach(pair -> {
            pair.unaware = other;
            closeQuietly(pair.end(one));
        });
    }

    @Override
    public void slow(int process, boolean slow) {
        synchronized (rules) {
            isSlow[process] = slow;
        }
    }

    @Override
    public void corrupt(int from, int to) {
        synchronized (rules) {
            isToCorrupt[from][to] = true;
        }
    }

    @Override
    public void heal() {
        synchronized (rules) {
            for (int process = 0; process < ports.size(); process++) {
                Arrays.fill(isCut[process], false);
                Arrays.fill(isToCorrupt[process], false);
            }
            Arrays.fill(isSlow, false);
            rules.notifyAll();
        }
    }

    @Override
    public void close() {
        synchronized (rules) {
            isClosed = true;
            rules.notifyAll();
        }
        for (int process = 0; process < listeners.size(); process++) {
            onKill(process);
        }
        List.copyOf(pairs).forEach(Pair::close);
    }
}
