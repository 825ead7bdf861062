package dev.tutti.protocols.discovery;

import dev.tutti.core.settings.SettingException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/** Reads seeds: {@code host:port}, {@code host:port-port}, {@code [::1]:port}. */
public final class Seeds {

    private Seeds() {}

    /** Number of ports that one seed may stand for. */
    static final int PORTS_MAX = 1_000;

    /** Number of addresses that all seeds may stand for, repetitions included. */
    public static final int ADDRESSES_MAX = 10_000;

    /**
     * Returns all addresses, without repetition, in the order of the list.
     *
     * @throws SettingException if a seed is malformed; the message names it and the expected form
     */
    public static List<String> addresses(List<String> seeds) {
        LinkedHashSet<String> addresses = new LinkedHashSet<>();
        // Repetitions count: each of them is expanded again.
        int count = 0;
        for (String seed : seeds) {
            count += addRange(seed, ADDRESSES_MAX - count, addresses);
        }
        return new ArrayList<>(addresses);
    }

    /** Adds the addresses of a seed, and returns their number. */
    private static int addRange(String seed, int countMax, LinkedHashSet<String> addresses) {
        int colon = seed.lastIndexOf(':');
        if (colon <= 0 || seed.indexOf(':') != colon && !seed.substring(0, colon).endsWith("]")) {
            throw wrong(seed, "it has no port");
        }
        String host = seed.substring(0, colon);
        String ports = seed.substring(colon + 1);
        int dash = ports.indexOf('-');
        int first = port(seed, dash < 0 ? ports : ports.substring(0, dash));
        int last = dash < 0 ? first : port(seed, ports.substring(dash + 1));
        if (last < first) {
            throw wrong(seed, "its range of ports is empty");
        }
        if (last - first >= PORTS_MAX) {
            throw wrong(seed, "it has " + (last - first + 1) + " ports, at most " + PORTS_MAX);
        }
        if (last - first >= countMax) {
            throw wrong(seed, "with it there are more than " + ADDRESSES_MAX + " addresses");
        }
        for (int port = first; port <= last; port++) {
            String address = host + ":" + port;
            // Nodes of one process that have the same seeds share one string.
            addresses.add(address.equals(seed) ? seed : address);
        }
        return last - first + 1;
    }

    private static int port(String seed, String text) {
        int port;
        try {
            port = Integer.parseInt(text.strip());
        } catch (NumberFormatException e) {
            throw wrong(seed, "'" + text + "' is no port");
        }
        if (port < 1 || port > 65_535) {
            throw wrong(seed, "the port is outside 1 to 65535");
        }
        return port;
    }

    private static SettingException wrong(String seed, String what) {
        return new SettingException("discovery.seeds: '" + seed + "': " + what
                + "; write host:7800, or host:7800-7805 for a range of ports, and [::1]:7800 for IPv6");
    }
}
