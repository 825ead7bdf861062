package dev.tutti.local.internal;

import dev.tutti.core.driver.TransportException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The nodes of this process that can be dialled, by port. From any thread. */
public final class LocalNetwork {

    /** The only network: nodes meet if they are in one process and one cluster. */
    public static final LocalNetwork OF_PROCESS = new LocalNetwork();

    private static final String HOST = "local:";
    private static final int PORT_MAX = 65_535;

    /** First port for nodes that take any, as for ephemeral ports of IP. */
    private static final int ANY_MIN = 49_152;

    /** @param driver null until it can be dialled */
    private record Entry(@Nullable LocalDriver driver, String cluster) {}

    private final ConcurrentSkipListMap<Integer, Entry> byPort = new ConcurrentSkipListMap<>();
    private final AtomicInteger next = new AtomicInteger();

    private LocalNetwork() {}

    /**
     * Takes a port for a node, which can be dialled there from {@link #listen} on.
     *
     * @param first first port to try; 0 for any free one
     * @param last last port to try
     * @throws TransportException if all are in use
     */
    int bind(String cluster, int first, int last) {
        Entry entry = new Entry(null, cluster);
        if (first == 0) {
            for (int attempt = 0; attempt <= PORT_MAX - ANY_MIN; attempt++) {
                int port = ANY_MIN + Math.floorMod(next.getAndIncrement(), PORT_MAX - ANY_MIN + 1);
                if (byPort.putIfAbsent(port, entry) == null) {
                    return port;
                }
            }
            throw new TransportException("bind.port: no port of " + HOST + ANY_MIN + " to " + PORT_MAX + " is free; close nodes");
        }
        for (int port = first; port <= last; port++) {
            if (byPort.putIfAbsent(port, entry) == null) {
                return port;
            }
        }
        throw new TransportException("bind.port: " + HOST + first + (last > first ? " to " + last + " are" : " is")
                + " in use by nodes of this process; set another bind.port, 0 for any free one, or a larger bind.port-range");
    }

    /** Lets others dial a driver that is complete, on the port that it has taken. */
    void listen(int port, LocalDriver driver) {
        byPort.computeIfPresent(port, (key, entry) -> new Entry(driver, entry.cluster()));
    }

    void unbind(int port, LocalDriver driver) {
        byPort.computeIfPresent(port, (key, entry) -> entry.driver() == driver ? null : entry);
    }

    static String address(int port) {
        return HOST + port;
    }

    /** Returns whether the text can be the address of a node. */
    static boolean isAddress(String text) {
        return text.startsWith(HOST) && text.substring(HOST.length()).matches("[1-9][0-9]{0,4}");
    }

    @Nullable LocalDriver find(String address) {
        Entry entry = isAddress(address) ? byPort.get(Integer.parseInt(address.substring(HOST.length()))) : null;
        return entry == null ? null : entry.driver();
    }

    /** Returns the addresses of all nodes of a cluster. */
    public List<String> addresses(String cluster) {
        List<String> addresses = new ArrayList<>();
        byPort.forEach((port, entry) -> {
            if (entry.driver() != null && entry.cluster().equals(cluster)) {
                addresses.add(address(port));
            }
        });
        return addresses;
    }
}
