package dev.tutti.netty.internal.udp;

import dev.tutti.address.HostPort;
import dev.tutti.address.Resolver;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.address.Binding;
import dev.tutti.netty.internal.address.Interfaces;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/**
 * The multicast group of a node.
 *
 * @param group its address and port
 * @param via interface through which it is sent to and received
 * @param timeToLive number of routers that may forward it, plus one
 */
record Multicast(InetSocketAddress group, NetworkInterface via, int timeToLive) {

    /**
     * @return null if none is set
     * @throws TransportException if the setting is no group, or can't be reached from the bound address
     */
    static @Nullable Multicast of(Settings settings, Binding binding) {
        String text = settings.get(TransportSettings.MULTICAST_ADDRESS).strip();
        if (text.isEmpty()) {
            return null;
        }
        InetSocketAddress group = group(text);
        InetAddress bound = binding.address();
        if (group.getAddress() instanceof Inet4Address != bound instanceof Inet4Address) {
            throw wrong(text, "bind.address is " + HostPort.hostOf(bound)
                    + "; set a group and a bind.address of the same version of IP");
        }
        NetworkInterface via = Interfaces.of(through(settings, binding));
        try {
            check(text, via.getName(), via.isLoopback(), via.supportsMulticast());
        } catch (SocketException e) {
            throw wrong(text, "can't read about the interface " + via.getName() + ": " + e.getMessage());
        }
        InetAddress scoped = Interfaces.scoped(group.getAddress(), via.getIndex());
        return new Multicast(
                new InetSocketAddress(scoped, group.getPort()), via, settings.get(TransportSettings.MULTICAST_TTL));
    }

    /** Returns an address of the interface. */
    private static InetAddress through(Settings settings, Binding binding) {
        String wanted = settings.get(TransportSettings.MULTICAST_INTERFACE);
        if (!wanted.isBlank()) {
            try {
                return binding.choice().listen(wanted);
            } catch (IllegalArgumentException e) {
                throw new TransportException("transport.multicast.interface: " + e.getMessage(), e);
            }
        }
        InetAddress bound = binding.address();
        return bound.isAnyLocalAddress() ? binding.choice().advertise(bound) : bound;
    }

    /** @throws TransportException if {@code text} is no multicast address with a port */
    static InetSocketAddress group(String text) {
        HostPort wanted;
        try {
            wanted = HostPort.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TransportException("transport.multicast.address: " + e.getMessage(), e);
        }
        InetAddress address = Resolver.literal(wanted.host());
        if (address == null) {
            throw wrong(text, "it is no IP address; write 239.192.78.1:7801 or [ff12::7801]:7801");
        }
        if (!address.isMulticastAddress()) {
            throw wrong(text, "it is no multicast address; those are 224.0.0.0 to 239.255.255.255, of which 239.192.0.0"
                    + " and above are free for use within an organisation, and ff00::/8");
        }
        if (wanted.port() < 1) {
            throw wrong(text, "it has no port; write 239.192.78.1:7801");
        }
        return new InetSocketAddress(address, wanted.port());
    }

    /** Checks that the interface has multicast. On Linux, loopback carries multicasts although it does not say so. */
    static void check(String text, String name, boolean isLoopback, boolean supportsMulticast) {
        if (!isLoopback && !supportsMulticast) {
            throw wrong(text, "the interface " + name + " has no multicast; choose another bind.address, switch it on"
                    + " (ip link set " + name + " multicast on), or leave transport.multicast.address empty");
        }
    }

    private static TransportException wrong(String text, String reason) {
        return new TransportException("transport.multicast.address: " + text + ": " + reason);
    }

    @Override
    public String toString() {
        return new HostPort(HostPort.hostOf(group.getAddress()), group.getPort()) + " on " + via.getName() + ", TTL "
                + timeToLive;
    }
}
