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
import java.util.TreeSet;

/**
 * Marks of private addresses. Machines behind different routers may have the same private address; where nodes of several such networks
 * meet, each adds a mark to its own: a hash of its hardware addresses, its host name and its port, which a restart does not change.
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
        return literal == null || !isPrivate(literal) ? address : place.marked(of(place.port())).toString();
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

    private static String of(int port) {
        try {
            TreeSet<String> parts = new TreeSet<>();
            NetworkInterface.networkInterfaces().forEach(each -> {
                try {
                    byte[] hardware = each.getHardwareAddress();
                    if (hardware != null) {
                        parts.add(HexFormat.of().formatHex(hardware));
                    }
                } catch (SocketException e) {
                    // An interface that has just gone is none of the machine's.
                    parts.remove("");
                }
            });
            String text = parts + " " + InetAddress.getLocalHost().getHostName() + " " + port;
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, BYTES);
        } catch (SocketException | UnknownHostException | GeneralSecurityException e) {
            throw new IllegalStateException("the names of this machine can't be read: " + e.getMessage() + "; set bind.advertise", e);
        }
    }
}
