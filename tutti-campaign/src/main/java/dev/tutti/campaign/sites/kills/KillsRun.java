package dev.tutti.campaign.sites.kills;

import dev.tutti.campaign.host.Pause;
import dev.tutti.campaign.sites.process.Outcome;
import dev.tutti.campaign.sites.process.SiteChild;
import dev.tutti.campaign.sites.process.SiteProcesses;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/** Sites of processes that send to each other while the first master of one site after the other is killed and replaced. */
public final class KillsRun implements AutoCloseable {

    private static final long SETTLE_SECONDS_MAX = 120;

    /** Time until another report after nothing was lacking any more: duplicates would come then. */
    private static final long QUIET_MILLIS = 2_000;

    private final Settings settings;
    private final Consumer<String> say;
    private final SiteProcesses processes;
    private int kills;

    /** Choice of the system, the load and the kills; {@code rate} is in messages per second and site. */
    public record Settings(String system, int rate, Duration killEvery, Duration time, List<String> options) {

        private Map<String, String> ofProcess() {
            return Map.of("system", system);
        }
    }

    /** @param directory of the processes' logs */
    public KillsRun(Settings settings, Path directory, Consumer<String> say) {
        this.settings = settings;
        this.say = say;
        this.processes = new SiteProcesses(settings.rate(), settings.options(), directory);
    }

    public Outcome run() {
        for (int slot = 0; slot < SiteProcesses.slots(); slot++) {
            processes.start(slot, settings.ofProcess());
        }
        processes.awaitJoined();
        processes.awaitConnected();
        say.accept(SiteProcesses.slots() + " processes have joined, logs in " + processes.directory());
        processes.say("send");
        long begin = System.nanoTime();
        long end = begin + settings.time().toNanos();
        for (long at = begin + settings.killEvery().toNanos(); at < end; at += settings.killEvery().toNanos()) {
            SiteProcesses.pauseUntil(at);
            killFirst(SiteProcesses.SITES.get(kills % SiteProcesses.SITES.size()));
        }
        SiteProcesses.pauseUntil(end);
        processes.awaitJoined();
        processes.say("quiet");
        long quiet = System.nanoTime();
        List<String> lost = settle();
        double settledSeconds = (System.nanoTime() - quiet) / 1e9;
        List<String> findings = new ArrayList<>(lost.stream().map(text -> "lost: " + text).toList());
        findings.addAll(processes.findings());
        List<SiteChild> all = processes.all();
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("seconds", settings.time().toSeconds());
        figures.put("kills", kills);
        figures.put("accepted", all.stream().mapToLong(child -> child.life().accepted()).sum());
        figures.put("refused", all.stream().mapToLong(SiteChild::refused).sum());
        figures.put("delivered", processes.lives().stream()
                .flatMap(life -> life.delivered().values().stream())
                .mapToLong(range -> range.last() - range.first() + 1)
                .sum());
        figures.put("lost", lost.size());
        figures.put("lost-deliveries",
                KillsCheck.lackingAtEnd(processes.lives()) + all.stream().mapToLong(SiteChild::missing).sum());
        figures.put("late-deliveries", all.stream().mapToLong(SiteChild::late).sum());
        figures.put("duplicate-deliveries", all.stream().mapToLong(SiteChild::duplicates).sum());
        figures.put("settled-seconds", Math.round(settledSeconds * 10) / 10.0);
        figures.put("proxy-overflowed", processes.network().overflowed());
        long before = median(all.stream().limit(SiteProcesses.slots()).flatMap(child -> child.heaps().stream().limit(1)).toList());
        long after = median(processes.running().stream().flatMap(child -> child.heaps().reversed().stream().limit(1)).toList());
        figures.put("heap-bytes-begin", before);
        figures.put("heap-bytes-end", after);
        if (kills == 0) {
            findings.add("no master was killed, so that nothing was tried");
        }
        if (!KillsCheck.isFlat(before, after)) {
            findings.add("used heap has grown from " + before + " to " + after + " bytes");
        }
        return new Outcome(figures, findings);
    }

    private void killFirst(String site) {
        for (int slot = 0; slot < SiteProcesses.slots(); slot++) {
            SiteChild child = processes.running().get(slot);
            if (child.site().equals(site) && child.isFirst()) {
                // Two deaths at once may lose what only those two have.
                boolean isWhole = processes.at(site).stream().allMatch(SiteChild::isJoined);
                if (isWhole) {
                    child.kill();
                    kills++;
                    processes.start(slot, settings.ofProcess()).say("send");
                    say.accept("kill " + kills + ": " + child + ", its site keeps " + child.retained() + " messages for others");
                    return;
                }
            }
        }
        say.accept("no kill: " + site + " has no first master, or somebody there has not joined yet");
    }

    /** Waits until nobody lacks anything, and returns what is lacking at the end. */
    private List<String> settle() {
        SiteProcesses.waitFor(SETTLE_SECONDS_MAX, () -> lost().isEmpty());
        Pause.millis(QUIET_MILLIS);
        return lost();
    }

    private List<String> lost() {
        return KillsCheck.lost(processes.lives());
    }

    /** Returns the median; 0 of none. */
    private static long median(List<Long> values) {
        long[] sorted = LongStream.of(values.stream().mapToLong(Long::longValue).toArray()).sorted().toArray();
        return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
    }

    @Override
    public void close() {
        processes.close();
    }
}
