package dev.tutti.core.driver;

/**
 * Source or destination of datagrams: an IP address and a port. Ordered and hashed by value, so that a machine may keep
 * maps of them.
 *
 * @param high the first eight bytes of the IPv6 address; 0 for IPv4
 * @param low the last eight bytes; for IPv4 the mapped form, {@code 0xFFFF} and the four bytes
 * @param port 1 to 65,535
 */
public record Endpoint(long high, long low, int port) implements Comparable<Endpoint> {

    @Override
    public int compareTo(Endpoint other) {
        int order = Long.compareUnsigned(high, other.high);
        if (order == 0) {
            order = Long.compareUnsigned(low, other.low);
        }
        return order == 0 ? Integer.compare(port, other.port) : order;
    }
}
