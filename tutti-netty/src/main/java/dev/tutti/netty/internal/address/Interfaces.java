package dev.tutti.netty.internal.address;

import dev.tutti.core.driver.TransportException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
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
                throw new TransportException("bind.address: no interface has " + plain(address));
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

    /** Returns the address without its interface. */
    public static String plain(InetAddress address) {
        String text = address.getHostAddress();
        int percent = text.indexOf('%');
        return percent < 0 ? text : text.substring(0, percent);
    }
}
