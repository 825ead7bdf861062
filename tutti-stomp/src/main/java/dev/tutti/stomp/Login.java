package dev.tutti.stomp;

import dev.tutti.core.Printable;
import java.net.SocketAddress;
import java.security.cert.Certificate;
import java.util.List;

/**
 * Credentials and origin of a client that wants to connect.
 *
 * @param login from CONNECT; empty if it has none
 * @param passcode from CONNECT; empty if it has none
 * @param host the virtual host from CONNECT; empty if it has none
 * @param address of the client
 * @param certificates the client's chain, its own first; empty unless {@code stomp.tls-authority} is set
 */
public record Login(String login, String passcode, String host, SocketAddress address, List<Certificate> certificates) {

    public Login {
        certificates = List.copyOf(certificates);
    }

    /** Returns a text for logs, without the passcode. */
    @Override
    public String toString() {
        return "'" + Printable.escape(login) + "' from " + address;
    }
}
