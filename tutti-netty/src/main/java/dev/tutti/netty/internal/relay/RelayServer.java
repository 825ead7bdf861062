package dev.tutti.netty.internal.relay;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.RendezvousSettings;
import dev.tutti.core.settings.SettingException;
import java.util.List;
import java.util.Locale;

/**
 * A rendezvous server, and the way in which it is spoken to.
 *
 * @param isTls the connection with the server is encrypted
 * @param isWebSocket bytes are payloads of WebSocket messages; otherwise they follow the answer to an HTTP upgrade
 */
record RelayServer(HostPort address, boolean isTls, boolean isWebSocket) {

    /**
     * Reads the servers of a node.
     *
     * @throws SettingException if one is malformed, or there are too many
     */
    static List<RelayServer> of(List<String> texts) {
        if (texts.size() > RendezvousSettings.SERVERS_MAX) {
            throw new SettingException(RendezvousSettings.SERVERS.name() + ": there are " + texts.size() + ", and at most "
                    + RendezvousSettings.SERVERS_MAX + " are possible");
        }
        return texts.stream().map(RelayServer::of).toList();
    }

    private static RelayServer of(String text) {
        int end = text.indexOf("://");
        String scheme = end < 0 ? "" : text.substring(0, end).toLowerCase(Locale.ROOT);
        String rest = end < 0 ? "" : text.substring(end + "://".length());
        String place = rest.endsWith("/") ? rest.substring(0, rest.length() - 1) : rest;
        if (!List.of("tcp", "tls", "ws", "wss").contains(scheme)) {
            throw wrong(text);
        }
        try {
            HostPort address = HostPort.parse(place);
            if (address.port() > 0 && address.host().chars().allMatch(c -> '!' <= c && c <= '~' && c != '/' && c != '@')) {
                return new RelayServer(address, scheme.equals("tls") || scheme.equals("wss"), scheme.startsWith("ws"));
            }
        } catch (IllegalArgumentException e) {
            throw wrong(text);
        }
        throw wrong(text);
    }

    private static SettingException wrong(String text) {
        return new SettingException(RendezvousSettings.SERVERS.name() + ": '" + text
                + "' is no server; write tcp://, tls://, ws:// or wss:// and host:port, wss://meet.example.com:443 for example");
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
