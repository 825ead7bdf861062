package dev.tutti.bench.systems;

import dev.tutti.bench.BenchException;
import java.util.List;

/** Addresses of the members' machines or network namespaces; the loopback address if all members are on this machine. */
public final class Addresses {

    /** System property of members: the addresses of all by rank, separated by commas. */
    private static final String PROPERTY = "bench.hosts";

    private static final String LOOPBACK = "127.0.0.1";

    private Addresses() {}

    /**
     * Returns the option for the JVMs of members.
     *
     * @param addresses of the members by rank; if there are fewer, members take turns
     */
    public static String option(List<String> addresses) {
        return "-D" + PROPERTY + "=" + String.join(",", addresses);
    }

    /** Returns whether members are in namespaces or on several machines. */
    static boolean areGiven() {
        return System.getProperty(PROPERTY) != null;
    }

    /** @throws BenchException if members are elsewhere, for a system that is measured on loopback only */
    static void requireNone(String system) {
        if (areGiven()) {
            throw new BenchException(system + " is measured on the loopback address only, without --hosts and cards");
        }
    }

    /** Returns the address that a member binds and others dial. */
    static String of(int rank) {
        String all = System.getProperty(PROPERTY);
        if (all == null) {
            return LOOPBACK;
        }
        String[] addresses = all.split(",");
        return addresses[rank % addresses.length];
    }
}
