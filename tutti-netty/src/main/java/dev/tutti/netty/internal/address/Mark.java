package dev.tutti.netty.internal.address;

import dev.tutti.address.HostPort;
import dev.tutti.address.Resolver;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * Marks of private addresses. Machines behind different routers may have the same private address; where nodes of several such networks
 * meet, each adds a mark to its own: a hash of the hardware address of its interface, as far as there is one, of its host name and its
 * port. A restart changes none of them.
 */
public final class Mark {

    private static final int BYTES = 5;
    private static final int SHARED_FIRST = 100;
    private static final int SHARED_MASK = 0xc0;
    private static final int SHARED_SECOND = 64;
    private static final int UNIQUE_LOCAL_MASK = 0xfe;
    private static final int UNIQUE_LOCAL = 0xfc;

    private Mark() {}

    /** Returns the address with a mark if it is a private one, otherwise as it is. */
    public static String add(String address) {
        HostPort place = HostPort.parse(address);
        InetAddress literal = Resolver.literal(place.host());
        return literal == null || !isPrivate(literal) ? address : place.marked(of(literal, place.port())).toString();
    }

    /** Returns whether other networks may have the address, too: RFC 1918, 3927, 4193, 4291 and 6598. */
    static boolean isPrivate(InetAddress address) {
        byte[] bytes = address.getAddress();
        boolean isOfProvider = bytes[0] == SHARED_FIRST && (bytes[1] & SHARED_MASK) == SHARED_SECOND;
        boolean isUniqueLocal = address instanceof Inet6Address && (bytes[0] & UNIQUE_LOCAL_MASK) == UNIQUE_LOCAL;
        return address.isSiteLocalAddress()
                || address.isLoopbackAddress()
                || address.isLinkLocalAddress()
                || !(address instanceof Inet6Address) && isOfProvider
                || isUniqueLocal;
    }

    private static String of(InetAddress address, int port) {
        String text = hardwareOf(address) + " " + hostName() + " " + port;
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Returns the hardware address of the interface with an address; empty if it has none, as loopback. */
    private static String hardwareOf(InetAddress address) {
        try {
            NetworkInterface found = NetworkInterface.getByInetAddress(address);
            byte[] hardware = found == null ? null : found.getHardwareAddress();
            return hardware == null ? "" : HexFormat.of().formatHex(hardware);
        } catch (SocketException e) {
            // The interface has just gone; the host name and the port are left.
            return "";
        }
    }

    /** Returns the machine's name. Containers often have one that no name service knows. */
    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return System.getenv().getOrDefault("HOSTNAME", "");
        }
    }
}
