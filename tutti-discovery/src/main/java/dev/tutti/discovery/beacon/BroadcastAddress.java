package dev.tutti.discovery.beacon;

import dev.tutti.core.discovery.NodeEntry;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The address of all hosts of an IPv4 network.
 *
 * @param address broadcast address of the network and a port
 */
record BroadcastAddress(InetSocketAddress address) implements Medium {

    /** All hosts of the network that the default route goes through. */
    private static final String EVERYWHERE = "255.255.255.255";

    static BroadcastAddress of(String text) {
        try {
            InetSocketAddress address = Medium.parse(text);
            if (address.getAddress() instanceof Inet4Address && !address.getAddress().isMulticastAddress()) {
                return new BroadcastAddress(address);
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(wrong(text), e);
        }
        throw new IllegalArgumentException(wrong(text));
    }

    private static String wrong(String text) {
        return "'" + text + "' is no IPv4 broadcast address with a port; write 10.0.0.255:7810 or 255.255.255.255:7810";
    }

    @Override
    public DatagramChannel open(NodeEntry self) throws IOException {
        check(Medium.interfaceOf(self.address()));
        DatagramChannel opened = DatagramChannel.open(StandardProtocolFamily.INET);
        try {
            return opened.setOption(StandardSocketOptions.SO_REUSEADDR, true)
                    .setOption(StandardSocketOptions.SO_BROADCAST, true)
                    .bind(new InetSocketAddress(address.getPort()));
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw new IOException("UDP port " + address.getPort() + " can't be bound for " + this + ": " + e.getMessage(), e);
        }
    }

    /** An address that is none of all hosts would reach one host at most, without an error. */
    private void check(NetworkInterface via) throws IOException {
        InetAddress wanted = address.getAddress();
        if (wanted.getHostAddress().equals(EVERYWHERE) || via.isLoopback() && wanted.isLoopbackAddress()) {
            return;
        }
        String there = via.getInterfaceAddresses().stream()
                .map(InterfaceAddress::getBroadcast)
                .filter(Objects::nonNull)
                .map(InetAddress::getHostAddress)
                .collect(Collectors.joining(", "));
        if (!there.contains(wanted.getHostAddress())) {
            throw new IOException(wanted.getHostAddress() + " is no broadcast address of " + via.getName() + ", the interface of the node; "
                    + (there.isEmpty() ? "it has none" : "it has " + there));
        }
    }

    @Override
    public String toString() {
        return "broadcast address " + address;
    }
}
