package dev.tutti.testkit;

import dev.tutti.NodeBuilder;
import dev.tutti.sim.Network;
import dev.tutti.sim.Path;
import dev.tutti.sim.SimulatedNode;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Division of the processes among sites, and the links between sites. */
final class SiteMap {

    private final int size;
    private final TreeMap<String, TreeSet<Integer>> numbersBySite = new TreeMap<>();
    private final Network network;
    private final List<SimulatedProcess> processes;
    private Path link = Path.LOCAL;

    /** @param processes all processes; they may be added later */
    SiteMap(int size, Network network, List<SimulatedProcess> processes) {
        this.size = size;
        this.network = network;
        this.processes = processes;
    }

    void add(String site, int... numbers) {
        if (processes.stream().anyMatch(process -> process.run() > 0)) {
            throw new IllegalStateException("site " + site + " is declared after a start: declare all sites before");
        }
        if (site.isBlank() || numbersBySite.containsKey(site)) {
            throw new IllegalArgumentException(
                    "a site '" + site + "' besides " + names() + ": each needs a name of its own, which isn't blank");
        }
        if (numbers.length == 0) {
            throw new IllegalArgumentException("site " + site + " has no processes, it needs at least one");
        }
        TreeSet<Integer> chosen = new TreeSet<>();
        for (int number : numbers) {
            if (number < 1 || number > size) {
                throw new IllegalArgumentException(
                        "site " + site + " with n" + number + ": there are only n1 to n" + size);
            }
            if (!of(number).isEmpty()) {
                throw new IllegalArgumentException(
                        "site " + site + " with n" + number + ", which is at site " + of(number) + " already");
            }
            chosen.add(number);
        }
        numbersBySite.put(site, chosen);
    }

    /** Returns the names of the sites, in their order. */
    List<String> names() {
        return List.copyOf(numbersBySite.keySet());
    }

    /** Returns the site of a process; empty if it is at none. */
    String of(int number) {
        for (var site : numbersBySite.entrySet()) {
            if (site.getValue().contains(number)) {
                return site.getKey();
            }
        }
        return "";
    }

    /** Returns the processes of a site, in the order of their numbers. */
    int[] at(String site) {
        TreeSet<Integer> numbers = numbersBySite.get(site);
        if (numbers == null) {
            throw new IllegalArgumentException("there is no site " + site + ", only " + names());
        }
        return numbers.stream().mapToInt(number -> number).toArray();
    }

    /** Returns the processes at the site of a process, with it; those at no site are together. */
    int[] fellows(int number) {
        String site = of(number);
        return IntStream.rangeClosed(1, size).filter(other -> of(other).equals(site)).toArray();
    }

    /** Lets a node know its cluster, and the processes of its site as seeds. */
    NodeBuilder setUp(int number, NodeBuilder builder) {
        NodeBuilder seeded = builder.seeds(addresses(0, fellows(number)));
        return of(number).isEmpty() ? seeded : seeded.cluster(of(number));
    }

    /** Returns the addresses of the nodes at one place of some processes; place 0 is that of the first nodes. */
    static String[] addresses(int place, int... numbers) {
        if (place < 0 || place > ProcessNode.BESIDE_MAX) {
            throw new IllegalArgumentException("place " + place + " in a process, 0 to " + ProcessNode.BESIDE_MAX);
        }
        return Arrays.stream(numbers).mapToObj(number -> ProcessNode.address("n" + number, place)).toArray(String[]::new);
    }

    // ------------------------------------------------------------------ links

    void setLatency(Duration latency, Duration jitter) {
        setLink(link.withLatency(latency, jitter));
    }

    void setBandwidth(long bytesPerSecond) {
        setLink(link.withCapacity(bytesPerSecond));
    }

    /** Gives a link the buffers that fill it, within the bounds up to which kernels let the windows of TCP grow. */
    private void setLink(Path changed) {
        if (numbersBySite.size() < 2) {
            throw new IllegalStateException("a link between sites, of which there are " + names() + ": declare two or more first");
        }
        double roundTripSeconds = 2 * changed.latency().toNanos() / 1e9;
        double filling = Math.clamp(changed.bytesPerSecond() * roundTripSeconds, Path.LOCAL.bufferBytes(), BUFFER_BYTES_MAX);
        link = changed.withBuffer((int) filling);
        for (int from = 1; from <= size; from++) {
            for (int to = 1; to <= size; to++) {
                if (!of(from).equals(of(to))) {
                    network.setPath(simulated(from), simulated(to), link);
                }
            }
        }
    }

    private SimulatedNode simulated(int number) {
        return processes.get(number - 1).simulated();
    }

    private static final int BUFFER_BYTES_MAX = 4 * 1024 * 1024;
}
