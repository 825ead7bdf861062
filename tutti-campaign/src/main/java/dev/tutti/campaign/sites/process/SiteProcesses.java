package dev.tutti.campaign.sites.process;

import dev.tutti.campaign.chaos.network.DatagramProxyNetwork;
import dev.tutti.campaign.chaos.network.Network;
import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Pause;
import dev.tutti.campaign.host.Ports;
import dev.tutti.campaign.host.Shell;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Sites of three processes each, with lines of 80 ms round trip between them that lose one datagram of a hundred. Each process has a
 * slot, with its ports; one that was killed is replaced by a new one in its slot.
 */
public final class SiteProcesses implements AutoCloseable {

    /** Names of the sites. */
    public static final List<String> SITES = List.of("berlin", "paris", "rome");

    /** Number of slots at each site. */
    public static final int PER_SITE = 3;

    /** Bytes of a message. */
    public static final int MESSAGE_BYTES = 1_024;

    /** Longest time until all have joined, or see each other. */
    private static final long JOIN_SECONDS_MAX = 60;

    private static final long ONE_WAY_MILLIS = 40;
    private static final double LOSS = 0.01;
    private static final long POLL_MILLIS = 100;

    private final int rate;
    private final List<String> options;
    private final Path directory;
    private final List<Integer> ports = Ports.free(2 * slots());
    private final DatagramProxyNetwork network = new DatagramProxyNetwork(bridgePorts());
    private final List<SiteChild> running = new ArrayList<>();
    private final List<SiteChild> all = new ArrayList<>();

    /**
     * @param rate of messages per second and site
     * @param options for the JVM of each process
     * @param directory of the processes' logs
     */
    public SiteProcesses(int rate, List<String> options, Path directory) {
        this.rate = rate;
        this.options = options;
        this.directory = directory;
        for (String site : SITES) {
            between(site, true).forEach(path -> network.delay(path, ONE_WAY_MILLIS));
        }
        heal();
    }

    public static int slots() {
        return SITES.size() * PER_SITE;
    }

    /** Returns the ports of the bridges, by slot. */
    public List<Integer> bridgePorts() {
        return ports.subList(0, slots());
    }

    public DatagramProxyNetwork network() {
        return network;
    }

    /** Returns the directory of the processes' logs. */
    public Path directory() {
        return directory;
    }

    // ------------------------------------------------------------------ lines

    private static String siteOf(int slot) {
        return SITES.get(slot / PER_SITE);
    }

    /** Returns the paths from one site to another. */
    public static Set<Network.Path> line(String from, String to) {
        Set<Network.Path> paths = new HashSet<>();
        for (int one = 0; one < slots(); one++) {
            for (int other = 0; other < slots(); other++) {
                if (siteOf(one).equals(from) && siteOf(other).equals(to)) {
                    paths.add(new Network.Path(one, other));
                }
            }
        }
        return paths;
    }

    /** Returns the paths from a site to the others, and perhaps those back. */
    private static Set<Network.Path> between(String site, boolean isOneWay) {
        Set<Network.Path> paths = new HashSet<>();
        for (String other : SITES) {
            if (!other.equals(site)) {
                paths.addAll(line(site, other));
                paths.addAll(isOneWay ? Set.of() : line(other, site));
            }
        }
        return paths;
    }

    /** Loses everything between a site and the others. */
    public void cutOff(String site) {
        lose(between(site, false), 1);
    }

    /** Ends cuts: one datagram of a hundred is lost between sites, as before. */
    public void heal() {
        SITES.forEach(site -> lose(between(site, true), LOSS));
    }

    private void lose(Set<Network.Path> paths, double loss) {
        Map<Network.Path, Double> losses = new HashMap<>();
        paths.forEach(path -> losses.put(path, loss));
        network.lose(losses);
    }

    // ------------------------------------------------------------------ processes

    /**
     * Starts a process in a slot, instead of one that was killed or for the first time; the slots come in their order then.
     *
     * @param more settings of {@link SitesProcess} besides those of the slot
     */
    public SiteChild start(int slot, Map<String, String> more) {
        int id = all.size();
        String site = siteOf(slot);
        int first = slots() + slot / PER_SITE * PER_SITE;
        String seeds = IntStream.range(first, first + PER_SITE)
                .mapToObj(at -> "127.0.0.1:" + ports.get(at))
                .collect(Collectors.joining(","));
        Settings settings = new Settings()
                .put("id", id)
                .put("site", site)
                .put("others", SITES.stream().filter(each -> !each.equals(site)).collect(Collectors.joining(",")))
                .put("port", ports.get(slots() + slot))
                .put("seeds", seeds)
                .put("bridge-port", ports.get(slot))
                .put("bridge-address", network.address(slot))
                .put("bridge-seeds", IntStream.range(0, slots()).mapToObj(network::address).collect(Collectors.joining(",")))
                .put("bridge-ports", bridgePorts().stream().map(String::valueOf).collect(Collectors.joining(",")))
                .put("message-bytes", MESSAGE_BYTES)
                .put("interval-nanos", TimeUnit.SECONDS.toNanos(PER_SITE) / rate)
                .putAll(more);
        SiteChild child = new SiteChild(
                id,
                site,
                Shell.java(List.of(), options, SitesProcess.class.getName(), settings.arguments()),
                directory.resolve("process-" + id + ".log"));
        all.add(child);
        if (slot < running.size()) {
            running.set(slot, child);
        } else {
            running.add(child);
        }
        return child;
    }

    /** Returns the processes that run, by slot. */
    public List<SiteChild> running() {
        return running;
    }

    /** Returns the processes that run at a site. */
    public List<SiteChild> at(String site) {
        return running.stream().filter(child -> child.site().equals(site)).toList();
    }

    /** Returns all processes, in the order of their starts. */
    public List<SiteChild> all() {
        return all;
    }

    /** Returns what all processes have said last. */
    public List<Life> lives() {
        return all.stream().map(SiteChild::life).toList();
    }

    /** Sends a command to all that run. */
    public void say(String command) {
        running.forEach(child -> child.say(command));
    }

    /** Returns the violations that processes have told, or show. */
    public List<String> findings() {
        return all.stream().flatMap(child -> child.findings().stream()).toList();
    }

    // ------------------------------------------------------------------ waiting

    /** @throws ChaosException if one has not joined for long */
    public void awaitJoined() {
        await("a process has not joined", JOIN_SECONDS_MAX, () -> running.stream().allMatch(SiteChild::isJoined));
    }

    /** @throws ChaosException if one does not see all sites for long */
    public void awaitConnected() {
        await("a site is not connected", JOIN_SECONDS_MAX, () -> running.stream().allMatch(child -> child.sitesUp() == SITES.size()));
    }

    /** @throws ChaosException if the time passes */
    public void await(String failure, long seconds, BooleanSupplier condition) {
        if (!waitFor(seconds, condition)) {
            throw new ChaosException(failure + " within " + seconds + " s, see the logs in " + directory);
        }
    }

    /** Waits for a condition; returns false if the time passes. */
    public static boolean waitFor(long seconds, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            Pause.millis(POLL_MILLIS);
        }
        return true;
    }

    /** Waits until a time of {@link System#nanoTime}. */
    public static void pauseUntil(long nanos) {
        Pause.millis(Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos - System.nanoTime())));
    }

    @Override
    public void close() {
        running.forEach(SiteChild::beginKill);
        running.forEach(SiteChild::kill);
        network.close();
    }
}
