package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;

/**
 * Limits of a {@link DatagramNode}.
 *
 * @param datagramBytesMax the largest datagram, without the headers of IP and UDP
 * @param receiveBufferBytes size of the socket's receive buffer, from which the loop reads
 * @param isMulticast whether the driver reaches all nodes with one datagram
 * @param isSummed whether datagrams that are not encrypted carry a checksum, the same at all nodes
 * @param isSecure whether connections are authenticated and encrypted, the same at all nodes
 * @param connectNanos time-out of a dial, and half of the time for which nothing may be acknowledged
 * @param connectionsMax connections at a time; further ones are not opened
 * @param windowBytes bytes that one connection may receive out of order
 * @param sendBytesMax bytes that may wait on one connection; it is closed beyond
 */
public record DatagramLimits(
        int datagramBytesMax,
        int receiveBufferBytes,
        boolean isMulticast,
        boolean isSummed,
        boolean isSecure,
        long connectNanos,
        int connectionsMax,
        long windowBytes,
        long sendBytesMax) {

    /** Smallest datagram that every path takes (IPv6, and most of IPv4). */
    public static final int DATAGRAM_BYTES_MIN = 1_200;

    /** Headers of datagrams, connections, groups and their layers, and of a short acknowledgement. */
    private static final int OVERHEAD_BYTES = 192;

    /** Bytes that encryption adds. */
    private static final int SECURE_BYTES = 32;

    /** Datagrams of a multicast sender that the receive buffer has to hold. */
    private static final int BUFFER_DATAGRAMS = 16;

    public DatagramLimits {
        if (datagramBytesMax < DATAGRAM_BYTES_MIN || Packet.DATAGRAM_MAX < datagramBytesMax) {
            throw new IllegalArgumentException("datagrams of " + datagramBytesMax + " bytes: " + DATAGRAM_BYTES_MIN
                    + " to " + Packet.DATAGRAM_MAX);
        }
    }

    /**
     * @param settings with {@link TransportSettings}
     */
    public static DatagramLimits of(
            Settings settings, int datagramBytesMax, int receiveBufferBytes, boolean isMulticast) {
        return new DatagramLimits(
                Math.min(datagramBytesMax, Packet.DATAGRAM_MAX),
                receiveBufferBytes,
                isMulticast,
                true,
                false,
                settings.get(TransportSettings.CONNECT_TIMEOUT).toNanos(),
                settings.get(TransportSettings.CONNECTIONS_MAX),
                settings.get(TransportSettings.DATAGRAM_WINDOW).bytes(),
                settings.get(TransportSettings.WRITE_BUFFER_MAX).bytes());
    }

    /** Returns the same limits without checksums, for networks that never alter a datagram. */
    public DatagramLimits withoutChecksums() {
        return new DatagramLimits(
                datagramBytesMax, receiveBufferBytes, isMulticast, false, isSecure, connectNanos, connectionsMax,
                windowBytes, sendBytesMax);
    }

    /** Returns the same limits for connections that are authenticated and encrypted. */
    public DatagramLimits secured() {
        return new DatagramLimits(
                datagramBytesMax, receiveBufferBytes, isMulticast, true, true, connectNanos, connectionsMax, windowBytes,
                sendBytesMax);
    }

    /** Returns the payload of a packet that fills a datagram, of which several fit into the receive buffer. */
    public int payloadBytesMax() {
        int datagramBytes = isMulticast
                ? Math.min(datagramBytesMax, Math.max(DATAGRAM_BYTES_MIN, receiveBufferBytes / BUFFER_DATAGRAMS))
                : datagramBytesMax;
        return datagramBytes - OVERHEAD_BYTES - (isSecure ? SECURE_BYTES : 0);
    }
}
