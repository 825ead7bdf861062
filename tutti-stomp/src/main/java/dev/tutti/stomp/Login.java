package dev.tutti.stomp;

import dev.tutti.core.Printable;
import java.net.SocketAddress;
import java.security.cert.Certificate;
import java.util.List;

/**
 * Who wants to connect.
 *
 * @param login as CONNECT says it; empty if it does not
 * @param passcode as CONNECT says it; empty if it does not
 * @param host the virtual host that CONNECT names; empty if it does not
 * @param address where the client is
 * @param certificates the client's chain, its own first; empty unless {@code stomp.tls-authority} is set
 */
public record Login(String login, String passcode, String host, SocketAddress address, List<Certificate> certificates) {

    public Login {
        certificates = List.copyOf(certificates);
    }

    /** Without the passcode, and as a log may have it. */
    @Override
    public String toString() {
        return "'" + Printable.escape(login) + "' from " + address;
    }
}
