package dev.tutti.address;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Host and port to dial.
 *
 * @param host name or literal address, IPv6 without brackets
 * @param port -1 if none was given
 */
public record HostPort(String host, int port) {

    /** Most characters of an address: a name of the DNS, a port, and blanks. */
    private static final int TEXT_MAX = 300;

    /** Ends the mark of a host. */
    private static final char MARK_END = '~';

    /**
     * Returns the mark of a host that others may have, too, as private addresses: {@code a7x3k2qd} of
     * {@code a7x3k2qd~192.168.1.2}; empty if it has none.
     */
    public String mark() {
        return host.substring(0, Math.max(0, host.indexOf(MARK_END)));
    }

    /** Returns the host without its mark. */
    public String machine() {
        return host.substring(host.indexOf(MARK_END) + 1);
    }

    /** Returns the same address with a mark. */
    public HostPort marked(String mark) {
        return new HostPort(mark + MARK_END + machine(), port);
    }

    /** Returns the text of an address, without the interface that an IPv6 address may name: others have interfaces of their own. */
    public static String hostOf(InetAddress address) {
        String text = address.getHostAddress();
        int percent = text.indexOf('%');
        return percent < 0 ? text : text.substring(0, percent);
    }

    /**
     * Reads {@code host}, {@code host:port}, {@code [v6]} and {@code [v6]:port}; a bare IPv6 address is a host.
     *
     * @throws IllegalArgumentException if it is none of these; the message says what would be right
     */
    public static HostPort parse(String text) {
        if (text.length() > TEXT_MAX) {
            throw new IllegalArgumentException("an address of " + text.length() + " characters, at most " + TEXT_MAX);
        }
        String trimmed = text.strip();
        if (trimmed.startsWith("[")) {
            int end = trimmed.indexOf(']');
            if (end < 0) {
                throw wrong(text);
            }
            String rest = trimmed.substring(end + 1);
            if (!rest.isEmpty() && !rest.startsWith(":")) {
                throw wrong(text);
            }
            return of(text, trimmed.substring(1, end), rest.isEmpty() ? null : rest.substring(1));
        }
        int colon = trimmed.indexOf(':');
        if (colon < 0 || trimmed.indexOf(':', colon + 1) >= 0) {
            return of(text, trimmed, null);
        }
        return of(text, trimmed.substring(0, colon), trimmed.substring(colon + 1));
    }

    private static HostPort of(String text, String host, @Nullable String port) {
        if (host.isBlank()) {
            throw wrong(text);
        }
        if (port == null) {
            return new HostPort(host, -1);
        }
        if (port.isEmpty() || port.length() > 5 || !port.chars().allMatch(c -> '0' <= c && c <= '9')) {
            throw wrong(text);
        }
        int number = Integer.parseInt(port);
        if (number > 65_535) {
            throw wrong(text);
        }
        return new HostPort(host, number);
    }

    private static IllegalArgumentException wrong(String text) {
        return new IllegalArgumentException("'" + text + "' is no address; write host:port, 10.0.0.1:7800 or [::1]:7800");
    }

    @Override
    public String toString() {
        String shown = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return port < 0 ? shown : shown + ":" + port;
    }
}
