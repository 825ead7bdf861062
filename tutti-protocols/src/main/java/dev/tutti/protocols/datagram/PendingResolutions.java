package dev.tutti.protocols.datagram;

import dev.tutti.core.driver.DatagramEffects;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Dialled connections that wait for the endpoint of their address: the driver is asked once for each address. */
final class PendingResolutions {

    private final LinkedHashMap<String, List<DatagramConnection>> waiting = new LinkedHashMap<>();
    private final List<String> unasked = new ArrayList<>();

    void add(DatagramConnection connection) {
        List<DatagramConnection> others = waiting.get(connection.address);
        if (others == null) {
            others = new ArrayList<>(1);
            waiting.put(connection.address, others);
            unasked.add(connection.address);
        }
        others.add(connection);
    }

    /** Returns the connections that wait for an address, which do so no longer. */
    List<DatagramConnection> take(String address) {
        @Nullable List<DatagramConnection> found = waiting.remove(address);
        return found == null ? List.of() : found;
    }

    void drain(DatagramEffects effects) {
        for (String address : unasked) {
            effects.resolve(address);
        }
        unasked.clear();
    }
}
