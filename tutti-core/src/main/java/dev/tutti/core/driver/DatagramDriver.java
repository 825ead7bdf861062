package dev.tutti.core.driver;

/** A driver with datagrams. */
public non-sealed interface DatagramDriver extends Driver {

    /** Starts the loop with {@code machine}; once. */
    void start(DatagramMachine machine);

    /** Returns the bytes of the largest datagram, without the headers of IP and UDP: the path's limit, or a setting. */
    int datagramBytesMax();

    /** Returns the bytes of datagrams that the system keeps until the loop takes them; it drops further ones. */
    int receiveBufferBytes();

    /** Returns whether datagrams carry a checksum, because they may be altered in transit, or because it is set. */
    boolean isSummed();

    /** Returns whether connections are authenticated and encrypted: the driver has certificates. */
    default boolean isSecure() {
        return false;
    }

    /** Returns whether a datagram can be sent to all nodes at once. */
    boolean isMulticast();
}
