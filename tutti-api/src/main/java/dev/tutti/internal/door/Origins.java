package dev.tutti.internal.door;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The places that connections come from, as budgets and delays count them. */
public final class Origins {

    private Origins() {}

    /** Bytes of an IPv6 address that a host can't choose: one host has a network of 64 bits to itself. */
    private static final int NETWORK_BYTES = 8;

    /** Returns the address without its port, of IPv6 the network alone; of what is no IP address, one text for all. */
    public static String of(@Nullable SocketAddress remote) {
        InetAddress address = remote instanceof InetSocketAddress socket ? socket.getAddress() : null;
        return switch (address) {
            case null -> "unknown";
            case Inet6Address six when !six.isLoopbackAddress() ->
                HexFormat.of().formatHex(six.getAddress(), 0, NETWORK_BYTES) + "/64";
            default -> address.getHostAddress();
        };
    }
}
