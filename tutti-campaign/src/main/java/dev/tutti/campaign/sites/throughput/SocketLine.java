package dev.tutti.campaign.sites.throughput;

import dev.tutti.campaign.sites.process.BareLine;
import dev.tutti.campaign.sites.process.Settings;
import java.net.InetSocketAddress;

/** Line of bare sockets. */
final class SocketLine implements Line {

    private final int messageBytes;
    private final int datagramBytes;
    private final BareLine line;

    /**
     * @param settings {@code bridge-port}, {@code peer}, which is the port of the other end's proxy, {@code message-bytes} and
     *     {@code datagram-bytes}
     */
    SocketLine(Settings settings, Meter meter) {
        this.messageBytes = (int) settings.number("message-bytes");
        this.datagramBytes = (int) settings.number("datagram-bytes");
        this.line = new BareLine(
                (int) settings.number("bridge-port"),
                new InetSocketAddress("127.0.0.1", (int) settings.number("peer")),
                (bytes, sentNanos) -> meter.add(bytes, System.nanoTime() - sentNanos));
    }

    @Override
    public void send() {
        line.send(datagramBytes);
    }

    @Override
    public void sendOne() {
        line.send(messageBytes);
    }

    @Override
    public long sent() {
        return 0;
    }

    @Override
    public long arrived() {
        return 0;
    }

    @Override
    public boolean isConnected() {
        return true;
    }
}
