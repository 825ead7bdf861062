package dev.tutti.campaign.sites.kills;

import dev.tutti.campaign.chaos.network.DatagramProxyNetwork;
import dev.tutti.campaign.chaos.network.Network;
import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Pause;
import dev.tutti.campaign.host.Ports;
import dev.tutti.campaign.host.Shell;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Sites of processes that send to each other while the first master of one site after the other is killed and replaced. */
final class KillsRun implements AutoCloseable {

    private static final List<String> SITES = List.of("berlin", "paris", "rome");
    private static final int PER_SITE = 3;
    private static final long ONE_WAY_MILLIS = 40;
    private static final double LOSS = 0.01;
    private static final int MESSAGE_BYTES = 1_024;
    private static final long JOIN_SECONDS_MAX = 60;
    private static final long SETTLE_SECONDS_MAX = 120;
    private static final long POLL_MILLIS = 100;

    /** Time until another report after nothing was lacking any more: duplicates would come then. */
    private static final long QUIET_MILLIS = 2_000;

    private final Settings settings;
    private final Path directory;
    private final Consumer<String> say;
    private final List<Integer> ports = Ports.free(2 * SITES.size() * PER_SITE);
    private final DatagramProxyNetwork network = new DatagramProxyNetwork(ports.subList(0, SITES.size() * PER_SITE));

    /** Processes that run, by slot. */
    private final List<SiteChild> running = new ArrayList<>();
    private final List<SiteChild> all = new ArrayList<>();
    private int kills;

    /** Choice of the load and the kills; {@code rate} is in messages per second and site. */
    record Settings(int rate, Duration killEvery, Duration time, List<String> options) {}

    /** @param directory of the processes' logs */
    KillsRun(Settings settings, Path directory, Consumer<String> say) {
        this.settings = settings;
        this.directory = directory;
        this.say = say;
        Map<Network.Path, Double> losses = new HashMap<>();
        for (int from = 0; from < slots(); from++) {
            for (int to = 0; to < slots(); to++) {
                if (from / PER_SITE != to / PER_SITE) {
                    Network.Path path = new Network.Path(from, to);
                    losses.put(path, LOSS);
                    network.delay(path, ONE_WAY_MILLIS);
                }
            }
        }
        network.lose(losses);
    }

    /** Result of the run: figures by name, and violations, each a sentence. */
    record Result(Map<String, Object> figures, List<String> findings) {}

    Result run() {
        for (int slot = 0; slot < slots(); slot++) {
            running.add(start(slot));
        }
        await("a process has not joined", JOIN_SECONDS_MAX, () -> running.stream().allMatch(SiteChild::isJoined));
        await("a site is not connected", JOIN_SECONDS_MAX, () -> running.stream().allMatch(child -> child.sitesUp() == SITES.size()));
        say.accept(slots() + " processes have joined, logs in " + directory);
        running.forEach(child -> child.say("send"));
        long begin = System.nanoTime();
        long end = begin + settings.time().toNanos();
        for (long at = begin + settings.killEvery().toNanos(); at < end; at += settings.killEvery().toNanos()) {
            pauseUntil(at);
            killFirst(SITES.get(kills % SITES.size()));
        }
        pauseUntil(end);
        await("a process has not joined", JOIN_SECONDS_MAX, () -> running.stream().allMatch(SiteChild::isJoined));
        running.forEach(child -> child.say("quiet"));
        long quiet = System.nanoTime();
        List<String> lost = settle();
        double settledSeconds = (System.nanoTime() - quiet) / 1e9;
        List<String> findings = new ArrayList<>(lost.stream().map(text -> "lost: " + text).toList());
        all.forEach(child -> findings.addAll(child.findings()));
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("seconds", settings.time().toSeconds());
        figures.put("kills", kills);
        figures.put("accepted", all.stream().mapToLong(child -> child.life().accepted()).sum());
        figures.put("refused", all.stream().mapToLong(SiteChild::refused).sum());
        figures.put("delivered", all.stream()
                .flatMap(child -> child.life().delivered().values().stream())
                .mapToLong(range -> range.last() - range.first() + 1)
                .sum());
        figures.put("lost", lost.size());
        figures.put("settled-seconds", Math.round(settledSeconds * 10) / 10.0);
        figures.put("proxy-overflowed", network.overflowed());
        long before = median(all.stream().limit(slots()).flatMap(child -> child.heaps().stream().limit(1)).toList());
        long after = median(running.stream().flatMap(child -> child.heaps().reversed().stream().limit(1)).toList());
        figures.put("heap-bytes-begin", before);
        figures.put("heap-bytes-end", after);
        if (kills == 0) {
            findings.add("no master was killed, so that nothing was tried");
        }
        if (!KillsCheck.isFlat(before, after)) {
            findings.add("used heap has grown from " + before + " to " + after + " bytes");
        }
        return new Result(figures, findings);
    }

    private static int slots() {
        return SITES.size() * PER_SITE;
    }

    private SiteChild start(int slot) {
        int id = all.size();
        String site = SITES.get(slot / PER_SITE);
        int first = slots() + slot / PER_SITE * PER_SITE;
        String seeds = IntStream.range(first, first + PER_SITE)
                .mapToObj(at -> "127.0.0.1:" + ports.get(at))
                .collect(Collectors.joining(","));
        String others = SITES.stream().filter(each -> !each.equals(site)).collect(Collectors.joining(","));
        String bridges = IntStream.range(0, slots()).mapToObj(network::address).collect(Collectors.joining(","));
        long intervalNanos = TimeUnit.SECONDS.toNanos(PER_SITE) / settings.rate();
        SiteChild child = new SiteChild(
                id,
                site,
                Shell.java(List.of(), settings.options(), SitesProcess.class.getName(), List.of(
                        Integer.toString(id), site, others, Integer.toString(ports.get(slots() + slot)), seeds,
                        Integer.toString(ports.get(slot)), network.address(slot), bridges, Integer.toString(MESSAGE_BYTES),
                        Long.toString(intervalNanos))),
                directory.resolve("process-" + id + ".log"));
        all.add(child);
        return child;
    }

    private void killFirst(String site) {
        for (int slot = 0; slot < slots(); slot++) {
            SiteChild child = running.get(slot);
            if (child.site().equals(site) && child.isFirst()) {
                // Two deaths at once may lose what only those two have.
                boolean isWhole = running.stream().filter(one -> one.site().equals(site)).allMatch(SiteChild::isJoined);
                if (isWhole) {
                    child.kill();
                    kills++;
                    SiteChild next = start(slot);
                    running.set(slot, next);
                    next.say("send");
                    say.accept("kill " + kills + ": " + child + ", its site keeps " + child.retained() + " messages for others");
                    return;
                }
            }
        }
        say.accept("no kill: " + site + " has no first master, or somebody there has not joined yet");
    }

    /** Waits until nobody lacks anything, and returns what is lacking at the end. */
    private List<String> settle() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SETTLE_SECONDS_MAX);
        List<String> lost = lost();
        while (!lost.isEmpty() && System.nanoTime() < end) {
            Pause.millis(POLL_MILLIS);
            lost = lost();
        }
        Pause.millis(QUIET_MILLIS);
        return lost();
    }

    private List<String> lost() {
        return KillsCheck.lost(all.stream().map(SiteChild::life).toList());
    }

    private void await(String failure, long seconds, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new ChaosException(failure + " within " + seconds + " s, see the logs in " + directory);
            }
            Pause.millis(POLL_MILLIS);
        }
    }

    private static void pauseUntil(long nanos) {
        Pause.millis(Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos - System.nanoTime())));
    }

    /** Returns the median; 0 of none. */
    private static long median(List<Long> values) {
        long[] sorted = LongStream.of(values.stream().mapToLong(Long::longValue).toArray()).sorted().toArray();
        return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
    }

    @Override
    public void close() {
        running.forEach(SiteChild::kill);
        network.close();
    }
}
