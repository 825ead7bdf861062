package dev.tutti.discovery.beacon;

import dev.tutti.core.discovery.NodeEntry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.channels.DatagramChannel;

/** Address at which all nodes of a network hear a datagram. */
interface Medium {

    /** Opens a channel that hears what is sent to {@link #address}, through the interface of a node's address. */
    DatagramChannel open(NodeEntry self) throws IOException;

    InetSocketAddress address();

    /** Returns the medium in words: {@code multicast group /239.192.78.2:7810}. */
    @Override
    String toString();

    /**
     * Returns the interface that has a node's address.
     *
     * @param address {@code host:port}
     */
    static NetworkInterface interfaceOf(String address) throws IOException {
        String host = address.substring(0, address.lastIndexOf(':')).replaceAll("^\\[|]$", "");
        NetworkInterface via = NetworkInterface.getByInetAddress(InetAddress.getByName(host));
        if (via == null) {
            throw new IOException("no network interface has the node's address " + host);
        }
        return via;
    }

    /**
     * Returns the address with its port of a text.
     *
     * @throws IllegalArgumentException if the text is none
     */
    static InetSocketAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon).replaceAll("^\\[|]$", "");
        int port = Integer.parseInt(text.substring(colon + 1));
        if (port == 0) {
            throw new IllegalArgumentException("port 0");
        }
        return new InetSocketAddress(InetAddress.ofLiteral(host), port);
    }
}
