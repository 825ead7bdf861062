package dev.tutti.netty.internal;

import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;

/**
 * How large datagrams may be.
 *
 * @param bytesMax of the largest, without the headers of IP and UDP
 * @param mtu of the interface
 * @param isWhole whether the system is to refuse what does not fit rather than send it in fragments
 */
record DatagramSize(int bytesMax, int mtu, boolean isWhole) {

    /** UDP's own limit with IPv4. */
    static final int LIMIT_BYTES = 65_507;

    /** What every path takes: the least MTU of IPv6 without the headers, and something for tunnels. */
    private static final int BYTES_MIN = 1_200;
    private static final int AUTOMATIC_MAX = 65_000;

    /** IPv6 and UDP, which 48 bytes would do for, and a tunnel on the way: 1,400 of an Ethernet's 1,500. */
    private static final int HEADERS_BYTES = 100;

    /** IPv6 and UDP. */
    private static final int HEADERS_MIN_BYTES = 48;

    /**
     * @throws TransportException if what is set is too small
     */
    static DatagramSize of(Settings settings, int mtu) {
        int wanted = (int) settings.get(TransportSettings.DATAGRAM_SIZE).bytes();
        if (wanted == 0) {
            int automatic = Math.clamp(mtu - HEADERS_BYTES, BYTES_MIN, AUTOMATIC_MAX);
            return new DatagramSize(automatic, mtu, true);
        }
        if (wanted < BYTES_MIN) {
            throw new TransportException(
                    "transport.datagram-size: " + wanted + " B are too few, at least " + BYTES_MIN + " B");
        }
        return new DatagramSize(wanted, mtu, wanted <= mtu - HEADERS_MIN_BYTES);
    }
}
