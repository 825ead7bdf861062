package dev.tutti.campaign.sites.cut;

import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Pause;
import dev.tutti.campaign.sites.process.Journal;
import dev.tutti.campaign.sites.process.Life;
import dev.tutti.campaign.sites.process.Outcome;
import dev.tutti.campaign.sites.process.Range;
import dev.tutti.campaign.sites.process.SiteChild;
import dev.tutti.campaign.sites.process.SiteProcesses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Sites of processes that send to each other while one of them is cut off from the others. All keep their messages in files, and bring
 * them over when the cut heals. All processes of the site that is cut off may be killed and replaced meanwhile.
 */
public final class CutRun implements AutoCloseable {

    private static final String CUT_OFF = "rome";

    /** Ratio of the time until everything has arrived to the time that the line needs, at most. */
    private static final double RATIO_MAX = 2;

    /** Load before the cut. */
    private static final long BEFORE_SECONDS = 5;

    private static final long PROGRESS_SECONDS = 10;

    /** Time until all have arrived, in times that the line needs, and at least. */
    private static final double SETTLE_RATIO_MAX = 10;
    private static final long SETTLE_SECONDS_MIN = 120;

    private static final long POLL_MILLIS = 50;

    /** Longest time that the cut lasts beyond what was asked for, until all sites have said that they keep messages. */
    private static final long KEPT_SECONDS_MAX = 60;

    /** Time until another report after nothing was lacking any more: duplicates would come then. */
    private static final long QUIET_MILLIS = 2_000;

    /** Bytes of a message with its record, on disk. */
    private static final long KEPT_BYTES = SiteProcesses.MESSAGE_BYTES + 256;

    /** Times of the messages of the cut that the bound of retention holds. */
    private static final int ROOM = 2;

    private static final long RETAIN_BYTES_MIN = 64 << 20;
    private static final int MEGABIT_BYTES = 1_000_000 / 8;

    private final Settings settings;
    private final Path directory;
    private final Consumer<String> say;
    private final SiteProcesses processes;

    /** Last number on disk of each sender that was killed. */
    private final Map<Integer, Long> onDisk = new HashMap<>();

    /** Messages that the sites keep, by name, when the cut ends. */
    private final TreeMap<String, Long> kept = new TreeMap<>();

    private int sitesUpAtCutOff;
    private int killed;

    /**
     * Choice of the load and the cut.
     *
     * @param rate messages per second and site
     * @param isRestarted whether all processes of the site that is cut off are killed in the middle
     * @param megabits bandwidth of each line, in millions of bits per second; 0 for what the proxy carries
     * @param options for the JVM of each process
     */
    public record Settings(int rate, Duration cut, boolean isRestarted, int megabits, List<String> options) {

        /** Returns the messages that a site sends during the cut. */
        long messages() {
            return rate * cut.toSeconds();
        }

        long retainBytes() {
            return Math.max(RETAIN_BYTES_MIN, ROOM * messages() * KEPT_BYTES);
        }

        /** Returns the bytes that all processes need on disk. */
        long diskBytes() {
            return SiteProcesses.slots() * messages() * KEPT_BYTES;
        }
    }

    /**
     * @param directory of the processes' logs and files
     * @throws ChaosException if its disk has too little room
     */
    public CutRun(Settings settings, Path directory, Consumer<String> say) {
        this.settings = settings;
        this.directory = directory;
        this.say = say;
        checkRoom();
        this.processes = new SiteProcesses(settings.rate(), settings.options(), directory);
    }

    private void checkRoom() {
        try {
            long room = Files.getFileStore(directory).getUsableSpace();
            if (room < settings.diskBytes()) {
                throw new ChaosException("the processes keep up to " + (settings.diskBytes() >> 20) + " MiB in " + directory + ", and "
                        + (room >> 20) + " MiB are free; set TUTTI_OPTS=-Djava.io.tmpdir=DIRECTORY, or less with --cut or --rate");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("no free space is known of " + directory, e);
        }
    }

    public Outcome run() {
        double lineBytesPerSecond = limit();
        for (int slot = 0; slot < SiteProcesses.slots(); slot++) {
            start(slot);
        }
        processes.awaitJoined();
        processes.awaitConnected();
        say.accept(SiteProcesses.slots() + " processes have joined, logs in " + directory);
        processes.say("send");
        SiteProcesses.pauseUntil(System.nanoTime() + TimeUnit.SECONDS.toNanos(BEFORE_SECONDS));
        cut();
        long healed = System.nanoTime();
        double linkSeconds = linkSeconds(lineBytesPerSecond);
        say.accept("the cut has healed, sites keep " + kept + " messages; the line needs " + oneDecimal(linkSeconds) + " s");
        boolean isSettled = settle(Math.max(SETTLE_SECONDS_MIN, (long) (SETTLE_RATIO_MAX * linkSeconds)), healed);
        double settledSeconds = (System.nanoTime() - healed) / 1e9;
        say.accept(isSettled ? "everything has arrived" : "not everything has arrived");
        Pause.millis(QUIET_MILLIS);
        return outcome(lineBytesPerSecond, linkSeconds, settledSeconds);
    }

    /** Limits the lines, or measures what they carry; returns bytes per second. */
    private double limit() {
        if (settings.megabits() == 0) {
            int last = SiteProcesses.slots() - 1;
            double raw = RawLine.bytesPerSecond(processes.network(), processes.bridgePorts(), 0, last);
            say.accept("the proxy carries " + Math.round(raw / MEGABIT_BYTES) + " Mbit/s");
            return raw;
        }
        long bytesPerSecond = (long) settings.megabits() * MEGABIT_BYTES;
        for (String from : SiteProcesses.SITES) {
            for (String to : SiteProcesses.SITES) {
                if (!from.equals(to)) {
                    processes.network().limit(SiteProcesses.line(from, to), bytesPerSecond);
                }
            }
        }
        return bytesPerSecond;
    }

    private SiteChild start(int slot) {
        int id = processes.all().size();
        return processes.start(slot, Map.of(
                "journal", journal(id).toString(),
                "spill", directory.resolve("kept-" + slot).toString(),
                "retain-bytes", Long.toString(settings.retainBytes())));
    }

    private Path journal(int id) {
        return directory.resolve("journal-" + id);
    }

    // ------------------------------------------------------------------ the cut

    private void cut() {
        processes.cutOff(CUT_OFF);
        long begin = System.nanoTime();
        say.accept(CUT_OFF + " is cut off for " + settings.cut().toSeconds() + " s");
        long end = begin + settings.cut().toNanos();
        if (settings.isRestarted()) {
            pass(begin, begin + settings.cut().toNanos() / 2);
            restart();
        }
        pass(begin, end);
        processes.awaitJoined();
        // What was started again on a machine that is slow has kept nothing yet, and the cut would show nothing of it.
        processes.await("a site keeps no messages while it is cut off", KEPT_SECONDS_MAX, () -> SiteProcesses.SITES.stream()
                .allMatch(site -> keptAt(site) > 0));
        sitesUpAtCutOff = processes.at(CUT_OFF).stream().mapToInt(SiteChild::sitesUp).max().orElse(0);
        SiteProcesses.SITES.forEach(site -> kept.put(site, keptAt(site)));
        processes.say("quiet");
        processes.heal();
    }

    /** Waits, and tells the progress. */
    private void pass(long begin, long end) {
        long step = TimeUnit.SECONDS.toNanos(PROGRESS_SECONDS);
        for (long at = System.nanoTime() + step; at < end; at += step) {
            SiteProcesses.pauseUntil(at);
            TreeMap<String, Long> now = new TreeMap<>();
            SiteProcesses.SITES.forEach(site -> now.put(site, keptAt(site)));
            say.accept("cut since " + TimeUnit.NANOSECONDS.toSeconds(at - begin) + " s, sites keep " + now + " messages");
        }
        SiteProcesses.pauseUntil(end);
    }

    private long keptAt(String site) {
        return processes.at(site).stream().mapToLong(SiteChild::retained).max().orElse(0);
    }

    private void restart() {
        List<SiteChild> site = processes.at(CUT_OFF);
        site.forEach(SiteChild::beginKill);
        site.forEach(SiteChild::kill);
        killed = site.size();
        List<Life> lives = lives();
        for (Life life : lives) {
            if (!life.isAlive()) {
                onDisk.put(life.id(), CutCheck.onDisk(lives, life));
            }
        }
        say.accept("all processes at " + CUT_OFF + " are killed; of what they have sent is on disk, by process: " + onDisk);
        List<SiteChild> started = new ArrayList<>();
        for (int slot = 0; slot < SiteProcesses.slots(); slot++) {
            if (site.contains(processes.running().get(slot))) {
                started.add(start(slot));
            }
        }
        // A message is not due at processes outside of its sender's view. They are in one view when only one is the first of its own.
        processes.await("the processes at " + CUT_OFF + " do not see each other", KEPT_SECONDS_MAX, () -> started.stream()
                .allMatch(child -> child.sitesUp() > 0)
                && started.stream().filter(SiteChild::isFirst).count() == 1);
        started.forEach(child -> child.say("send"));
    }

    /** Returns the time that the lines need for what is kept. */
    private double linkSeconds(double bytesPerSecond) {
        // Lines are beside each other; without a limit, all share the proxy, and what the site keeps goes to two others.
        long messages = settings.megabits() == 0
                ? kept.values().stream().mapToLong(Long::longValue).sum() + kept.getOrDefault(CUT_OFF, 0L)
                : kept.values().stream().mapToLong(Long::longValue).max().orElse(0);
        return messages * SiteProcesses.MESSAGE_BYTES / bytesPerSecond;
    }

    // ------------------------------------------------------------------ after the cut

    /** Waits until nobody lacks anything; returns false if that takes too long. */
    private boolean settle(long seconds, long begin) {
        long end = begin + TimeUnit.SECONDS.toNanos(seconds);
        long tell = begin + TimeUnit.SECONDS.toNanos(PROGRESS_SECONDS);
        while (!isSettled()) {
            long now = System.nanoTime();
            if (now > end) {
                return false;
            }
            if (now > tell) {
                tell += TimeUnit.SECONDS.toNanos(PROGRESS_SECONDS);
                List<String> lost = lost();
                say.accept("healed since " + TimeUnit.NANOSECONDS.toSeconds(now - begin) + " s, "
                        + (lost.isEmpty() ? "nothing is lacking" : lost.size() + " are lacking something, as " + lost.getFirst()));
            }
            Pause.millis(POLL_MILLIS);
        }
        return true;
    }

    private boolean isSettled() {
        return processes.running().stream().allMatch(SiteChild::isQuiet) && lost().isEmpty();
    }

    private List<String> lost() {
        return CutCheck.lost(lives(), onDisk);
    }

    /** Returns what the processes have said last; of those that were killed, what they had reached. */
    private List<Life> lives() {
        return processes.lives().stream().map(this::exact).toList();
    }

    private Life exact(Life life) {
        if (life.isAlive()) {
            return life;
        }
        Journal.Told told = Journal.read(journal(life.id()));
        Map<Integer, Range> delivered = new HashMap<>(life.delivered());
        told.delivered().forEach((sender, last) -> {
            Range said = life.delivered().get(sender);
            delivered.put(sender, new Range(said == null ? last : said.first(), last));
        });
        return new Life(life.id(), life.site(), false, told.accepted(), delivered);
    }

    private Outcome outcome(double lineBytesPerSecond, double linkSeconds, double settledSeconds) {
        List<Life> lives = lives();
        List<String> lost = CutCheck.lost(lives, onDisk);
        List<String> findings = new ArrayList<>(lost.stream().map(text -> "lost: " + text).toList());
        findings.addAll(processes.findings());
        if (kept.values().stream().anyMatch(messages -> messages == 0)) {
            findings.add("a site has kept no messages when the cut ended: " + kept + ", so that nothing was tried");
        }
        if (sitesUpAtCutOff > 1) {
            findings.add(CUT_OFF + " was connected to " + (sitesUpAtCutOff - 1) + " other sites at the end of the cut");
        }
        List<Life> dead = lives.stream().filter(life -> !life.isAlive()).toList();
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("cut-seconds", settings.cut().toSeconds());
        figures.put("killed", killed);
        figures.put("accepted", lives.stream().mapToLong(Life::accepted).sum());
        figures.put("refused", processes.all().stream().mapToLong(SiteChild::refused).sum());
        figures.put("delivered", lives.stream()
                .flatMap(life -> life.delivered().values().stream())
                .mapToLong(range -> range.last() - range.first() + 1)
                .sum());
        kept.forEach((site, messages) -> figures.put("kept-" + site, messages));
        figures.put("lost", lost.size());
        figures.put("accepted-missing", dead.stream().mapToLong(life -> CutCheck.missing(lives, life)).sum());
        figures.put("line-mbit", oneDecimal(lineBytesPerSecond / MEGABIT_BYTES));
        figures.put("link-seconds", oneDecimal(linkSeconds));
        figures.put("settled-seconds", oneDecimal(settledSeconds));
        double ratio = linkSeconds == 0 ? 0 : settledSeconds / linkSeconds;
        figures.put("ratio", Math.round(ratio * 100) / 100.0);
        figures.put("ratio-required-max", RATIO_MAX);
        figures.put("proxy-overflowed", processes.network().overflowed());
        figures.put("heap-bytes-max", processes.all().stream()
                .flatMap(child -> child.heaps().stream())
                .mapToLong(Long::longValue)
                .max()
                .orElse(0));
        return new Outcome(figures, findings);
    }

    private static double oneDecimal(double value) {
        return Math.round(value * 10) / 10.0;
    }

    @Override
    public void close() {
        processes.close();
    }
}
