package dev.tutti.bench.systems;

import dev.tutti.bench.BenchException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Relay on the loopback address through which the members of a process reach each other. */
public final class Relay {

    /** System property of members: the relay's ports, separated by commas. */
    private static final String PORTS = "bench.relay";

    private Relay() {}

    /**
     * Returns the option for the JVMs of members.
     *
     * @param ports one for all members, or one that leads to each of them, by rank
     */
    public static String option(List<Integer> ports) {
        return "-D" + PORTS + "=" + ports.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** Returns whether this process has a relay. */
    static boolean isUsed() {
        return System.getProperty(PORTS) != null;
    }

    /** Returns the port that leads to a member. */
    static int port(int rank) {
        String ports = System.getProperty(PORTS);
        if (ports == null) {
            throw new BenchException("there is no relay; 'tutti perf relay --mode nodes' starts one");
        }
        List<Integer> all = Arrays.stream(ports.split(",")).map(Integer::valueOf).toList();
        return all.get(all.size() == 1 ? 0 : rank);
    }

    static InetSocketAddress address(int rank) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port(rank));
    }
}
