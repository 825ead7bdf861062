package dev.tutti.netty.internal.arrival;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue that is fair among hosts: {@link #next} serves hosts in turn, and when the queue is full the host with
 * the most entries loses its oldest one. Used on the loop only.
 */
public final class HostQueue<T> {

    private static final int IPV6_PREFIX_BYTES = 8;

    private final int max;

    /** Entries in order of arrival, hosts in the order in which they are served. No host is without entries. */
    private final LinkedHashMap<String, LinkedHashSet<T>> byHost = new LinkedHashMap<>();

    private int size;

    public HostQueue(int max) {
        this.max = max;
    }

    /** Returns the key under which connections of an address count: the address, or the first 64 bits of IPv6. */
    public static String host(InetAddress address) {
        return address instanceof Inet6Address
                ? HexFormat.of().formatHex(Arrays.copyOf(address.getAddress(), IPV6_PREFIX_BYTES))
                : address.getHostAddress();
    }

    int size() {
        return size;
    }

    /**
     * Adds an entry that is not in the queue.
     *
     * @return the entry that had to make room; null if there was room
     */
    public @Nullable T add(String host, T entry) {
        T evicted = size < max ? null : evict(host);
        byHost.computeIfAbsent(host, _ -> new LinkedHashSet<>()).addLast(entry);
        size++;
        return evicted;
    }

    /** Removes the oldest entry of the host that has most, preferring the newcomer's host if it has as many. */
    private T evict(String newcomer) {
        LinkedHashSet<T> own = byHost.get(newcomer);
        String largest = newcomer;
        int most = own == null ? 0 : own.size();
        for (Map.Entry<String, LinkedHashSet<T>> each : byHost.entrySet()) {
            if (each.getValue().size() > most) {
                largest = each.getKey();
                most = each.getValue().size();
            }
        }
        LinkedHashSet<T> entries = byHost.get(largest);
        if (entries == null) {
            throw new IllegalStateException("a full queue of " + size + " entries has none");
        }
        T oldest = entries.getFirst();
        remove(largest, oldest);
        return oldest;
    }

    /** Removes an entry; returns whether it was there. */
    public boolean remove(String host, T entry) {
        LinkedHashSet<T> entries = byHost.get(host);
        if (entries == null || !entries.remove(entry)) {
            return false;
        }
        if (entries.isEmpty()) {
            byHost.remove(host);
        }
        size--;
        return true;
    }

    /**
     * Takes the newest entry of the host whose turn it is; null if there is none. Under a flood, the other ends of a
     * host's older entries have waited so long that they have given up, or soon will.
     */
    public @Nullable T next() {
        Map.Entry<String, LinkedHashSet<T>> first = byHost.pollFirstEntry();
        if (first == null) {
            return null;
        }
        LinkedHashSet<T> entries = first.getValue();
        T newest = entries.removeLast();
        size--;
        if (!entries.isEmpty()) {
            byHost.putLast(first.getKey(), entries);
        }
        return newest;
    }
}
