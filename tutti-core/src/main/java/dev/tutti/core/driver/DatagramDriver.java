package dev.tutti.core.driver;

/** A driver with datagrams. */
public non-sealed interface DatagramDriver extends Driver {

    /** Starts the loop with {@code machine}; once. */
    void start(DatagramMachine machine);

    /** Bytes of the largest datagram that may be sent, without the headers of IP and UDP: what the path takes, or what is set. */
    int datagramBytesMax();

    /** Bytes of datagrams that the system keeps until the loop takes them; it drops what comes beyond. */
    int receiveBufferBytes();

    /** Whether datagrams are to carry a checksum: something may change them on their way, or it is set. */
    boolean isSummed();

    /** Whether a datagram can be sent to all nodes at once. */
    boolean isMulticast();
}
