package dev.tutti.internal.door;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Origins of connections, as budgets and delays count them. */
public final class Origins {

    private Origins() {}

    /** Bytes of an IPv6 address that a host can't choose: each host has a network of 64 bits to itself. */
    private static final int NETWORK_BYTES = 8;

    /**
     * Returns the address without its port; for IPv6 only the network; for anything but IP addresses one common text.
     */
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
