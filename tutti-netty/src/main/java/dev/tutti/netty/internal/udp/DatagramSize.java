package dev.tutti.netty.internal.udp;

import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;

/**
 * Largest size of datagrams.
 *
 * @param bytesMax bytes of the largest datagram, without the headers of IP and UDP
 * @param mtu MTU of the interface
 * @param isWhole whether the system has to refuse datagrams that do not fit rather than fragment them
 */
record DatagramSize(int bytesMax, int mtu, boolean isWhole) {

    /** UDP's own limit with IPv4. */
    static final int LIMIT_BYTES = 65_507;

    /** Size that fits every path: the least MTU of IPv6 without the headers, and a reserve for tunnels. */
    private static final int BYTES_MIN = 1_200;
    private static final int AUTOMATIC_MAX = 65_000;

    /** Room for IPv6 and UDP, which take 48 bytes, and a tunnel on the path: leaves 1,400 of an Ethernet's 1,500. */
    private static final int HEADERS_BYTES = 100;

    /** Headers of IPv6 and UDP. */
    private static final int HEADERS_MIN_BYTES = 48;

    /** @throws TransportException if the setting is too small */
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
