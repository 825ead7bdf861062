package dev.tutti.netty.internal.address;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.TransportException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/** Information on the machine's network interfaces. */
public final class Interfaces {

    private Interfaces() {}

    /** @throws TransportException if no interface has {@code address} */
    public static NetworkInterface of(InetAddress address) {
        try {
            NetworkInterface found = NetworkInterface.getByInetAddress(address);
            if (found == null && address.isLoopbackAddress()) {
                // All of 127.0.0.0/8 exists, though only one address is listed.
                found = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
            }
            if (found == null) {
                throw new TransportException("bind.address: no interface has " + HostPort.hostOf(address));
            }
            return found;
        } catch (SocketException e) {
            throw new TransportException("can't list the network interfaces: " + e.getMessage(), e);
        }
    }

    /**
     * Returns the MTU of the interface of {@code address}; for a wildcard, the smallest of all interfaces, without
     * loopback if there are others. 1,500 if it is not known.
     */
    public static int mtu(InetAddress address) {
        try {
            if (!address.isAnyLocalAddress()) {
                return orUsual(of(address).getMTU());
            }
            int smallest = Integer.MAX_VALUE;
            for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (each.isUp() && !each.isLoopback() && each.getInetAddresses().hasMoreElements()) {
                    smallest = Math.min(smallest, orUsual(each.getMTU()));
                }
            }
            return smallest == Integer.MAX_VALUE ? mtu(InetAddress.getLoopbackAddress()) : smallest;
        } catch (SocketException e) {
            return 1_500;
        }
    }

    private static int orUsual(int mtu) {
        return mtu <= 0 ? 1_500 : mtu;
    }

    /** Returns the source addresses of datagrams from a socket that is bound to {@code address}. */
    public static Set<InetAddress> own(InetAddress address) {
        if (!address.isAnyLocalAddress()) {
            return Set.of(address);
        }
        try {
            Set<InetAddress> all = new HashSet<>();
            for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                all.addAll(Collections.list(each.getInetAddresses()));
            }
            return all;
        } catch (SocketException e) {
            throw new TransportException("can't list the network interfaces: " + e.getMessage(), e);
        }
    }

    /** Returns the index of the interface of {@code address}, which its link-local addresses need; 0 for a wildcard. */
    public static int scope(InetAddress address) {
        return address.isAnyLocalAddress() ? 0 : of(address).getIndex();
    }

    /**
     * Returns the address with its interface, if it needs one and has none.
     *
     * @param scope index of the interface for link-local addresses; 0 if there is none
     */
    public static InetAddress scoped(InetAddress address, int scope) {
        boolean isLinkLocal = address.isLinkLocalAddress() || address.isMCLinkLocal() || address.isMCNodeLocal();
        if (!(address instanceof Inet6Address six) || !isLinkLocal || six.getScopeId() > 0 || scope <= 0) {
            return address;
        }
        try {
            return Inet6Address.getByAddress(null, address.getAddress(), scope);
        } catch (UnknownHostException e) {
            throw new AssertionError("16 bytes are an address", e);
        }
    }
}
