package dev.tutti.netty.internal.relay;

import dev.tutti.address.HostPort;
import java.net.URI;
import java.util.Locale;

/**
 * A rendezvous server, and the way in which it is spoken to.
 *
 * @param isTls the connection with the server is encrypted
 * @param isWebSocket bytes are payloads of WebSocket messages; otherwise they follow the answer to an HTTP upgrade
 */
record RelayServer(HostPort address, boolean isTls, boolean isWebSocket) {

    static RelayServer of(URI uri) {
        String host = uri.getHost();
        String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
        return new RelayServer(
                new HostPort(bare, uri.getPort()), scheme.equals("tls") || scheme.equals("wss"), scheme.startsWith("ws"));
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
