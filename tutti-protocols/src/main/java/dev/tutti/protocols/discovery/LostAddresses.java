package dev.tutti.protocols.discovery;

import dev.tutti.protocols.discovery.Discovery.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Addresses that are no seeds and have had no session for long: the few that are most likely to lead to the other side of a
 * partition.
 */
final class LostAddresses {

    /** Number of addresses kept. */
    static final int ADDRESSES_MAX = 8;

    /** The least likely to lead to the other side of a partition comes first. */
    private static final Comparator<Address> LIKELY = Comparator.<Address, Boolean>comparing(
                    address -> address.outcome != Outcome.NOBODY)
            .thenComparingInt(address -> address.worth)
            .thenComparingLong(address -> address.lot)
            .thenComparingLong(address -> address.number);

    private final List<Address> addresses = new ArrayList<>();

    boolean contains(Address address) {
        return addresses.contains(address);
    }

    void remove(Address address) {
        addresses.remove(address);
    }

    /** Adds an address; returns the one that is beyond the limit and to be forgotten, which may be the same; or null. */
    @Nullable Address add(Address address) {
        addresses.add(address);
        return addresses.size() > ADDRESSES_MAX ? Collections.min(addresses, LIKELY) : null;
    }
}
