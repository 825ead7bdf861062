package dev.tutti.campaign.sites.cut;

import dev.tutti.campaign.chaos.network.DatagramProxyNetwork;
import dev.tutti.campaign.sites.process.BareLine;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Measurement of what the proxy carries at most, with bare sockets in this JVM, before the processes are started. */
final class RawLine {

    private static final long SECONDS = 3;
    private static final int DATAGRAM_BYTES = 60_000;

    private RawLine() {}

    /** Returns the bytes per second from one process to another; ports are those of the bridges. */
    static double bytesPerSecond(DatagramProxyNetwork network, List<Integer> ports, int from, int to) {
        try (BareLine receiver = new BareLine(ports.get(to), address(network, from), (length, sent) -> {});
                BareLine sender = new BareLine(ports.get(from), address(network, to), (length, sent) -> {})) {
            long begin = System.nanoTime();
            long end = begin + TimeUnit.SECONDS.toNanos(SECONDS);
            while (System.nanoTime() < end) {
                sender.send(DATAGRAM_BYTES);
            }
            return receiver.received() / ((System.nanoTime() - begin) / 1e9);
        }
    }

    private static InetSocketAddress address(DatagramProxyNetwork network, int process) {
        String[] parts = network.address(process).split(":");
        return new InetSocketAddress(parts[0], Integer.parseInt(parts[1]));
    }
}
