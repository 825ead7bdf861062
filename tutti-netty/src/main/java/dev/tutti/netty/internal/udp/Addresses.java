package dev.tutti.netty.internal.udp;

import dev.tutti.core.driver.Endpoint;
import dev.tutti.netty.internal.address.Interfaces;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns addresses of sockets into endpoints, remembering a bounded number. Used on the loop only. */
final class Addresses {

    static final int REMEMBERED_MAX = 4_096;

    private static final long MAPPED = 0xFFFF_0000_0000L;

    private final Map<InetSocketAddress, Endpoint> remembered = new HashMap<>();
    private @Nullable InetSocketAddress last;
    private @Nullable Endpoint lastEndpoint;

    Endpoint endpoint(InetSocketAddress address) {
        Endpoint found = lastEndpoint;
        if (address == last && found != null) {
            return found;
        }
        found = remembered.get(address);
        if (found == null) {
            if (remembered.size() >= REMEMBERED_MAX) {
                remembered.clear();
            }
            found = of(address.getAddress(), address.getPort());
            remembered.put(address, found);
        }
        last = address;
        lastEndpoint = found;
        return found;
    }

    static Endpoint of(InetAddress address, int port) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return address instanceof Inet4Address
                ? new Endpoint(0, MAPPED | Integer.toUnsignedLong(bytes.getInt()), port)
                : new Endpoint(bytes.getLong(), bytes.getLong(), port);
    }

    static boolean isIpv4(Endpoint endpoint) {
        return endpoint.high() == 0 && endpoint.low() >>> 32 == 0xFFFF;
    }

    /** @param scope index of the interface for link-local addresses */
    static InetSocketAddress of(Endpoint endpoint, int scope) {
        try {
            if (isIpv4(endpoint)) {
                byte[] bytes = ByteBuffer.allocate(4).putInt((int) endpoint.low()).array();
                return new InetSocketAddress(InetAddress.getByAddress(bytes), endpoint.port());
            }
            byte[] bytes = ByteBuffer.allocate(16)
                    .putLong(endpoint.high())
                    .putLong(endpoint.low())
                    .array();
            return new InetSocketAddress(Interfaces.scoped(InetAddress.getByAddress(bytes), scope), endpoint.port());
        } catch (UnknownHostException e) {
            throw new AssertionError("4 or 16 bytes are an address", e);
        }
    }
}
