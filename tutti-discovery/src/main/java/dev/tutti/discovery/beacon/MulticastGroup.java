package dev.tutti.discovery.beacon;

import dev.tutti.core.discovery.NodeEntry;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;

/**
 * An IP multicast group.
 *
 * @param address address and port of the group
 * @param timeToLive routers that a datagram may pass, and one
 */
record MulticastGroup(InetSocketAddress address, int timeToLive) implements Medium {

    static MulticastGroup of(String text, int timeToLive) {
        try {
            InetSocketAddress address = Medium.parse(text);
            if (address.getAddress().isMulticastAddress()) {
                return new MulticastGroup(address, timeToLive);
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(wrong(text), e);
        }
        throw new IllegalArgumentException(wrong(text));
    }

    private static String wrong(String text) {
        return "'" + text + "' is no multicast group with a port; write 239.192.78.2:7810 or [ff12::7810]:7810";
    }

    @Override
    public DatagramChannel open(NodeEntry self) throws IOException {
        boolean isFour = address.getAddress() instanceof Inet4Address;
        NetworkInterface via = Medium.interfaceOf(self.address());
        DatagramChannel opened =
                DatagramChannel.open(isFour ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
        try {
            opened.setOption(StandardSocketOptions.SO_REUSEADDR, true)
                    .setOption(StandardSocketOptions.IP_MULTICAST_IF, via)
                    .setOption(StandardSocketOptions.IP_MULTICAST_TTL, timeToLive)
                    .setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true)
                    .bind(new InetSocketAddress(address.getPort()));
            opened.join(address.getAddress(), via);
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw new IOException(this + " can't be joined through " + via.getName() + ": " + e.getMessage(), e);
        }
    }

    @Override
    public String toString() {
        return "multicast group " + address;
    }
}
