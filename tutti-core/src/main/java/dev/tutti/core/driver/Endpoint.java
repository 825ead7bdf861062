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

    /** Returns it as {@code host:port}. */
    public String address() {
        if (high == 0 && low >>> 32 == 0xffff) {
            return (low >> 24 & 0xff) + "." + (low >> 16 & 0xff) + "." + (low >> 8 & 0xff) + "." + (low & 0xff) + ":" + port;
        }
        StringBuilder text = new StringBuilder("[");
        for (int group = 0; group < 8; group++) {
            long half = group < 4 ? high : low;
            text.append(group == 0 ? "" : ":").append(Long.toHexString(half >>> (48 - 16 * (group & 3)) & 0xffff));
        }
        return text.append("]:").append(port).toString();
    }

    @Override
    public int compareTo(Endpoint other) {
        int order = Long.compareUnsigned(high, other.high);
        if (order == 0) {
            order = Long.compareUnsigned(low, other.low);
        }
        return order == 0 ? Integer.compare(port, other.port) : order;
    }

    /** Returns {@link #address}. */
    @Override
    public String toString() {
        return address();
    }
}
