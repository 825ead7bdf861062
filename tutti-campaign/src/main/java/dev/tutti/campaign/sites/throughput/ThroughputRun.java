package dev.tutti.campaign.sites.throughput;

import static java.util.Objects.requireNonNull;

import dev.tutti.campaign.chaos.network.DatagramProxyNetwork;
import dev.tutti.campaign.chaos.network.Network;
import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Pause;
import dev.tutti.campaign.host.Ports;
import dev.tutti.campaign.host.Shell;
import dev.tutti.campaign.sites.process.Outcome;
import dev.tutti.campaign.sites.process.Settings;
import dev.tutti.campaign.sites.process.SiteProcesses;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Two sites of one process each over a line of 80 ms round trip: what one sends to the other as fast as it can, and the latency of few
 * messages. Bare sockets do the same over the same line, one after the other.
 */
public final class ThroughputRun implements AutoCloseable {

    private static final List<String> SITES = List.of("berlin", "paris");
    private static final int MESSAGE_BYTES = 1_024;
    private static final long ONE_WAY_MILLIS = 40;

    /** Bytes of the largest datagram, as lines of the internet carry them. */
    private static final int DATAGRAM_BYTES = 1_400;

    private static final double RATIO_MIN = 0.85;
    private static final long LATENCY_MILLIS_MAX = ONE_WAY_MILLIS + 5;
    private static final int STEADY_RATE = 1_000;
    private static final long STEADY_SECONDS = 10;

    /** Time that JIT and flow control have before a measurement. */
    private static final long WARM_UP_SECONDS = 5;

    private static final long PROGRESS_SECONDS = 5;
    private static final long CONNECT_SECONDS_MAX = 60;
    private static final long SETTLE_SECONDS_MAX = 120;
    private static final int MEGABIT_BYTES = 1_000_000 / 8;

    private final Choice choice;
    private final Path directory;
    private final Consumer<String> say;
    private final List<Integer> ports = Ports.free(2 * SITES.size());
    private final DatagramProxyNetwork network = new DatagramProxyNetwork(ports.subList(0, SITES.size()));
    private final List<LineChild> running = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();

    /**
     * Choice of the line and the time.
     *
     * @param time of each measurement of the rate
     * @param megabits bandwidth of the line, in millions of bits per second; 0 for what the proxy carries
     * @param options for the JVM of each process
     */
    public record Choice(Duration time, int megabits, List<String> options) {}

    /** Rate of one kind of line, with much to send; and the times under way, with little. */
    private record Measured(double bytesPerSecond, long medianNanos, long p99Nanos) {}

    /** @param directory of the processes' logs */
    public ThroughputRun(Choice choice, Path directory, Consumer<String> say) {
        this.choice = choice;
        this.directory = directory;
        this.say = say;
        for (int from = 0; from < SITES.size(); from++) {
            Network.Path path = new Network.Path(from, 1 - from);
            network.delay(path, ONE_WAY_MILLIS);
            if (choice.megabits() > 0) {
                network.limit(Set.of(path), (long) choice.megabits() * MEGABIT_BYTES);
            }
        }
    }

    public Outcome run() {
        Measured sockets = measure("sockets");
        long overflowedBefore = network.overflowed();
        Measured sites = measure("sites");
        double ratio = sites.bytesPerSecond() / sockets.bytesPerSecond();
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("seconds", choice.time().toSeconds());
        figures.put("line-mbit", choice.megabits() == 0 ? "unlimited" : choice.megabits());
        put(figures, "sites", sites);
        put(figures, "sockets", sockets);
        figures.put("ratio", Math.round(ratio * 1_000) / 1_000.0);
        figures.put("ratio-required-min", RATIO_MIN);
        figures.put("millis-required-max", LATENCY_MILLIS_MAX);
        figures.put("sites-overflowed", network.overflowed() - overflowedBefore);
        figures.put("sockets-overflowed", overflowedBefore);
        return new Outcome(figures, findings);
    }

    private static void put(Map<String, Object> figures, String name, Measured measured) {
        figures.put(name + "-messages-per-second", Math.round(measured.bytesPerSecond() / MESSAGE_BYTES));
        figures.put(name + "-mbit", Math.round(measured.bytesPerSecond() / MEGABIT_BYTES * 10) / 10.0);
        figures.put(name + "-p50-millis", millis(measured.medianNanos()));
        figures.put(name + "-p99-millis", millis(measured.p99Nanos()));
    }

    private static double millis(long nanos) {
        return Math.round(nanos / 10_000.0) / 100.0;
    }

    private Measured measure(String kind) {
        for (int site = 0; site < SITES.size(); site++) {
            running.add(start(kind, site));
        }
        LineChild sender = running.getFirst();
        LineChild receiver = running.getLast();
        await(kind + " are not connected", CONNECT_SECONDS_MAX, () -> running.stream().allMatch(LineChild::isConnected));
        sender.say("flood");
        Meter.Reading fast = read(kind, receiver, choice.time());
        quiet(kind, sender, receiver);
        say.accept(kind + " carry " + Math.round(fast.bytesPerSecond() / MESSAGE_BYTES) + " messages/s");
        sender.say("steady " + STEADY_RATE);
        Meter.Reading steady = read(kind, receiver, Duration.ofSeconds(STEADY_SECONDS));
        quiet(kind, sender, receiver);
        say.accept(kind + " take " + millis(steady.medianNanos()) + " ms, 99 of 100 at most " + millis(steady.p99Nanos()) + " ms");
        running.forEach(child -> findings.addAll(child.findings()));
        if (fast.messages() == 0 || steady.messages() == 0) {
            findings.add(kind + " have carried nothing, so that nothing was measured");
        }
        running.forEach(LineChild::kill);
        running.clear();
        return new Measured(fast.bytesPerSecond(), steady.medianNanos(), steady.p99Nanos());
    }

    private LineChild start(String kind, int site) {
        Settings settings = new Settings()
                .put("kind", kind)
                .put("id", site)
                .put("site", SITES.get(site))
                .put("other", SITES.get(1 - site))
                .put("port", ports.get(SITES.size() + site))
                .put("seeds", "127.0.0.1:" + ports.get(SITES.size() + site))
                .put("bridge-port", ports.get(site))
                .put("bridge-address", network.address(site))
                .put("bridge-seeds", network.address(0) + "," + network.address(1))
                .put("peer", network.address(1 - site).split(":")[1])
                .put("message-bytes", MESSAGE_BYTES)
                .put("datagram-bytes", DATAGRAM_BYTES);
        return new LineChild(
                kind + " at " + SITES.get(site),
                Shell.java(List.of(), choice.options(), LineProcess.class.getName(), settings.arguments()),
                directory.resolve(kind + "-" + SITES.get(site) + ".log"));
    }

    private Meter.Reading read(String kind, LineChild receiver, Duration time) {
        long begin = System.nanoTime() + TimeUnit.SECONDS.toNanos(WARM_UP_SECONDS);
        SiteProcesses.pauseUntil(begin);
        receiver.say("begin");
        long end = begin + time.toNanos();
        long step = TimeUnit.SECONDS.toNanos(PROGRESS_SECONDS);
        for (long at = begin + step; at < end; at += step) {
            SiteProcesses.pauseUntil(at);
            receiver.askReading();
            await("a process has no figures", CONNECT_SECONDS_MAX, () -> receiver.reading() != null);
            say.accept(kind + " have carried " + requireNonNull(receiver.reading()).messages() + " since "
                    + TimeUnit.NANOSECONDS.toSeconds(at - begin) + " s");
        }
        SiteProcesses.pauseUntil(end);
        receiver.askReading();
        await("a process has no figures", CONNECT_SECONDS_MAX, () -> receiver.reading() != null);
        return requireNonNull(receiver.reading());
    }

    /** Ends sending, and waits until everything has arrived. */
    private void quiet(String kind, LineChild sender, LineChild receiver) {
        sender.say("quiet");
        boolean isSettled = SiteProcesses.waitFor(SETTLE_SECONDS_MAX, () -> sender.isQuiet() && receiver.arrived() == sender.sent());
        if (!isSettled) {
            findings.add(kind + " have carried " + receiver.arrived() + " of " + sender.sent() + " messages, " + SETTLE_SECONDS_MAX
                    + " s after the end of traffic");
        }
        // What bare sockets have under way is not known.
        Pause.millis(2 * ONE_WAY_MILLIS);
    }

    private void await(String failure, long seconds, BooleanSupplier condition) {
        if (!SiteProcesses.waitFor(seconds, condition)) {
            throw new ChaosException(failure + " within " + seconds + " s, see the logs in " + directory);
        }
    }

    @Override
    public void close() {
        running.forEach(LineChild::kill);
        network.close();
    }
}
