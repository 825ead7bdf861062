package dev.tutti.grid;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options of a server that others connect to over HTTP, such as a mediator or a bridge. One that listens on another address than
 * loopback needs TLS, and tokens or authorities of certificates, unless it is insecure.
 *
 * @param address address to listen on
 * @param port port to listen on; 0 for any free one
 * @param certificate PEM file of the certificate chain; null without TLS
 * @param key PEM file of its private key; null without TLS
 * @param authority PEM file of authorities, whose clients need no token; null for none
 * @param tokens file with lines {@code NAME TOKEN}, or {@code * TOKEN}; null for none. The name is that of the grid for a
 *     mediator, and {@code bridges} for bridges
 * @param names names by which clients call the host, besides its addresses and {@code localhost}; they matter without tokens
 * @param isInsecure whether everybody may use it who reaches it
 */
public record ServerOptions(
        InetAddress address,
        int port,
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable Path authority,
        @Nullable Path tokens,
        List<String> names,
        boolean isInsecure) {

    private static final int PORT_MAX = 65_535;

    public ServerOptions {
        names = List.copyOf(names);
        if (port < 0 || port > PORT_MAX) {
            throw new IllegalArgumentException("a port is 0 to " + PORT_MAX + ", not " + port);
        }
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("a certificate and its key belong together");
        }
    }

    /** Returns options for a server on loopback. */
    public static ServerOptions port(int number) {
        return new ServerOptions(InetAddress.getLoopbackAddress(), number, null, null, null, null, List.of(), false);
    }

    /** Returns these options with another port. */
    public ServerOptions withPort(int number) {
        return new ServerOptions(address, number, certificate, key, authority, tokens, names, isInsecure);
    }

    /** Returns these options with another address. */
    public ServerOptions bind(InetAddress own) {
        return new ServerOptions(own, port, certificate, key, authority, tokens, names, isInsecure);
    }

    /** Returns these options with PEM files of a certificate chain and its private key. They are read again after a change. */
    public ServerOptions tls(Path chain, Path privateKey) {
        return new ServerOptions(address, port, chain, privateKey, authority, tokens, names, isInsecure);
    }

    /** Returns these options with a PEM file of authorities: clients with a certificate of one of them need no token. */
    public ServerOptions authority(Path authorities) {
        return new ServerOptions(address, port, certificate, key, authorities, tokens, names, isInsecure);
    }

    /** Returns these options with a file of tokens. Its owner alone may read it. It is read again after a change. */
    public ServerOptions tokens(Path file) {
        return new ServerOptions(address, port, certificate, key, authority, file, names, isInsecure);
    }

    /** Returns these options with names of the host. */
    public ServerOptions names(String... hosts) {
        return new ServerOptions(address, port, certificate, key, authority, tokens, List.of(hosts), isInsecure);
    }

    /** Returns these options for a server that everybody may use who reaches it, also without TLS. */
    public ServerOptions insecure() {
        return new ServerOptions(address, port, certificate, key, authority, tokens, names, true);
    }
}
