package dev.tutti.protocols.discovery;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** Addresses that sources list: a shared directory, a database, a name service. */
final class SourceLists {

    /** Time after which an address that a source lists, and at which nobody listens, has no node any more. */
    static final long GONE_NANOS = 10_000_000_000L;

    /** The same for an address that is silent: a partition looks alike, and may be short. */
    static final long UNREACHABLE_NANOS = 30_000_000_000L;

    /** Sources that have not given a list yet. */
    private final TreeSet<String> silent = new TreeSet<>();

    /** Waits for the first lists of these sources. */
    void expect(List<String> sources) {
        silent.addAll(sources);
    }

    /** Returns whether each source that is waited for has given a list. */
    boolean areComplete() {
        return silent.isEmpty();
    }

    /** Takes the list of a source, and returns the addresses that no source lists any more. */
    List<Address> take(String source, TreeSet<String> listed, Collection<Address> known) {
        silent.remove(source);
        List<Address> unlisted = new ArrayList<>();
        for (Address address : known) {
            if (!listed.contains(address.text) && address.sources.remove(source) && address.sources.isEmpty()) {
                unlisted.add(address);
            }
        }
        return unlisted;
    }

    /** Returns whether an address has led to no node of this cluster for some time. */
    static boolean isDead(Address address, long nowNanos) {
        long sinceNanos = nowNanos - address.sinceNanos;
        return address.isIdle() && switch (address.outcome) {
            case NOBODY -> sinceNanos > GONE_NANOS;
            case SILENT, UNRESOLVED, NO_NODE, REFUSED -> sinceNanos > UNREACHABLE_NANOS;
            // The dial is not over, or an operator has to look into it.
            case NONE, UNTRUSTED -> false;
        };
    }
}
