package dev.tutti.campaign.grid;

import dev.tutti.campaign.chaos.network.DatagramProxyNetwork;
import dev.tutti.campaign.chaos.network.Network;
import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Pause;
import dev.tutti.campaign.host.Ports;
import dev.tutti.campaign.host.Shell;
import dev.tutti.campaign.sites.process.Outcome;
import dev.tutti.campaign.sites.process.Settings;
import dev.tutti.campaign.sites.process.SiteProcesses;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Producers and consumers at three sites, half of them at a member of each site, half in a process of clients. Mediators are killed, one
 * after the other, and started again.
 */
final class LoadRun implements AutoCloseable {

    private static final int SITES = LoadPlan.SITES.size();

    private static final long OPEN_SECONDS_MAX = 120;
    private static final long SETTLE_SECONDS_MAX = 60;
    private static final long STEADY_MILLIS = 2_000;

    /** More than a mediator takes for its start and its rehearsal. */
    private static final long REHEARSAL_MILLIS = 8_000;

    /** A lease of 20 seconds, and some for the members to agree. */
    private static final long ENTRIES_SECONDS_MAX = 40;

    /** Time from the last start of a mediator to the end. */
    private static final long QUIET_SECONDS = 7;

    private static final long PROGRESS_SECONDS = 5;
    private static final long POLL_MILLIS = 100;
    private static final int FINDINGS_MAX = 20;

    /** Places of producer and consumer, in the name of a path. */
    private static final Pattern ENDS = Pattern.compile("-(member|client)-to-(member|client)");

    /**
     * Choice of the load.
     *
     * @param warmUp time at the beginning whose times under way are not reported
     * @param calm time after that in which nothing is killed
     * @param starts time after that in which JVMs are started that have no part in the load, as often as mediators are killed later
     * @param time with kills, after all of these
     * @param restartAfter time from the end of a mediator to its start; shorter than that between two kills
     * @param delayMillis of the lines between sites, one way
     * @param mediators of each site
     * @param clients that the producers and consumers of a site's process of clients share
     * @param options for the JVM of each process
     * @param heap of a mediator, as the JVM writes it
     */
    record Choice(
            LoadPlan plan,
            Duration warmUp,
            Duration calm,
            Duration starts,
            Duration time,
            Duration killEvery,
            Duration restartAfter,
            long delayMillis,
            int mediators,
            int clients,
            List<String> options,
            String heap) {}

    private final Choice choice;
    private final LoadPlan plan;
    private final Path directory;
    private final Consumer<String> say;
    private final int perSite;
    private final List<Integer> ports;
    private final DatagramProxyNetwork network;
    private final TreeMap<Integer, LoadChild> members = new TreeMap<>();
    private final TreeMap<Integer, LoadChild> clients = new TreeMap<>();
    private final List<LoadChild> killed = new ArrayList<>();
    private final List<LoadChild> strangers = new ArrayList<>();

    /** A socket without tutti beside them; null before the start. */
    private @Nullable LoadChild socket;

    private final Losses losses;
    private int nextKill;

    /** @param directory of the processes' logs */
    LoadRun(Choice choice, Path directory, Consumer<String> say) {
        this.choice = choice;
        this.plan = choice.plan;
        this.directory = directory;
        this.say = say;
        this.perSite = 1 + choice.mediators;
        this.losses = new Losses(plan);
        // Of nodes, of bridges, of mediators; and of a stranger.
        this.ports = Ports.free(3 * perSite * SITES + 3);
        this.network = new DatagramProxyNetwork(ports.subList(0, perSite * SITES));
        for (int from = 0; from < perSite * SITES; from++) {
            for (int to = 0; to < perSite * SITES; to++) {
                if (from / perSite != to / perSite) {
                    network.delay(new Network.Path(from, to), choice.delayMillis);
                }
            }
        }
    }

    Outcome run() {
        begin();
        publish();
        Map<Integer, Long> published = quiet();
        report(published);
        awaitEntries("at the end", ENTRIES_SECONDS_MAX);
        return outcome(published);
    }

    // ------------------------------------------------------------------ processes

    private Stream<LoadChild> all() {
        return Stream.concat(members.values().stream(), clients.values().stream());
    }

    /** All that tell times. */
    private Stream<LoadChild> timed() {
        return Stream.concat(all(), Stream.ofNullable(socket));
    }

    private boolean isMediator(int slot) {
        return slot % perSite != 0;
    }

    private LoadChild start(String name, String heap, Settings settings) {
        return start(name, heap, settings, Files.exists(cache()) ? List.of("-XX:AOTCache=" + cache(), "-Xlog:aot=off") : List.of());
    }

    private LoadChild start(String name, String heap, Settings settings, List<String> furtherOptions) {
        List<String> options = new ArrayList<>(choice.options);
        options.add("-Xmx" + heap);
        options.addAll(furtherOptions);
        return new LoadChild(
                name, Shell.java(List.of(), options, LoadProcess.class.getName(), settings.arguments()), directory.resolve(name + ".log"));
    }

    private Path cache() {
        return directory.resolve("load.aot");
    }

    /**
     * Lets a mediator do its work once by itself, in a JVM that keeps what it has loaded and linked (JEP 514). The others begin with that, as
     * {@code ./tutti mediator} begins with what the launcher has kept of a rehearsal.
     */
    private void keepClasses() {
        LoadChild first = start("rehearsal", choice.heap, stranger(), List.of("-XX:AOTCacheOutput=" + cache(), "-Xlog:aot=off"));
        try {
            Pause.millis(REHEARSAL_MILLIS);
            if (!first.end(Duration.ofSeconds(OPEN_SECONDS_MAX))) {
                throw new ChaosException("a mediator could not be rehearsed: " + first.findings() + "; see the logs in " + directory);
            }
        } finally {
            first.kill();
        }
        say.accept("a mediator was rehearsed: processes begin with the classes that it has loaded");
    }

    /** Starts a member, or a mediator, which is one too. */
    private void startMember(int slot) {
        int slots = perSite * SITES;
        int site = slot / perSite;
        String name = LoadPlan.SITES.get(site) + "-" + (isMediator(slot) ? "mediator" + slot % perSite : "member");
        Settings settings = plan.addTo(new Settings())
                .put("role", isMediator(slot) ? "mediator" : "member")
                .put("id", slot)
                .put("site", LoadPlan.SITES.get(site))
                .put("port", ports.get(slots + slot))
                .put("seeds", IntStream.range(site * perSite, (site + 1) * perSite)
                        .mapToObj(each -> "127.0.0.1:" + ports.get(slots + each))
                        .collect(Collectors.joining(",")))
                .put("bridge-port", ports.get(slot))
                .put("bridge-address", network.address(slot))
                .put("bridge-seeds", IntStream.range(0, slots).mapToObj(network::address).collect(Collectors.joining(",")))
                .put("client-port", clientPort(slot));
        members.put(slot, start(name, isMediator(slot) ? choice.heap : "256m", settings));
    }

    private int clientPort(int slot) {
        return ports.get(2 * perSite * SITES + slot);
    }

    private void startClients(int site) {
        String name = LoadPlan.SITES.get(site) + "-clients";
        Settings settings = plan.addTo(new Settings())
                .put("role", "clients")
                .put("site", LoadPlan.SITES.get(site))
                .put("clients", choice.clients)
                .put("mediators", IntStream.range(site * perSite + 1, (site + 1) * perSite)
                        .mapToObj(slot -> "http://127.0.0.1:" + clientPort(slot))
                        .collect(Collectors.joining(",")));
        clients.put(site, start(name, "256m", settings));
    }

    /**
     * Starts a JVM that does all that a mediator does while it starts, as the only member of a grid of its own: times under way that are
     * longer meanwhile are due to the processors that it takes. The former one is ended.
     */
    private void startStranger() {
        if (!strangers.isEmpty()) {
            strangers.getLast().kill();
        }
        strangers.add(start("stranger", choice.heap, stranger()));
        say.accept("started a JVM that has no part in the load");
    }

    private Settings stranger() {
        int first = 3 * perSite * SITES;
        return plan.addTo(new Settings())
                .put("role", "stranger")
                .put("id", 0)
                .put("site", "elsewhere")
                .put("port", ports.get(first))
                .put("seeds", "127.0.0.1:" + ports.get(first))
                .put("bridge-port", ports.get(first + 1))
                .put("bridge-address", "127.0.0.1:" + ports.get(first + 1))
                .put("bridge-seeds", "127.0.0.1:" + ports.get(first + 1))
                .put("client-port", ports.get(first + 2));
    }

    private void begin() {
        keepClasses();
        for (int step = 0; step < perSite; step++) {
            for (int site = 0; site < SITES; site++) {
                startMember(site * perSite + step);
            }
            await("members have not joined", () -> members.values().stream().allMatch(child -> child.hasTold("open")));
        }
        socket = start("bare-socket", "32m", plan.addTo(new Settings()).put("role", "socket").put("site", "elsewhere"));
        say.accept(members.size() + " members are open, " + SITES * choice.mediators + " of them mediators");
        for (int site = 0; site < SITES; site++) {
            startClients(site);
        }
        await("clients have not opened", () -> clients.values().stream().allMatch(child -> child.hasTold("open")));
        if (!awaitEntries("before the load", OPEN_SECONDS_MAX)) {
            throw new ChaosException("the registry is not complete: " + losses.findings() + "; see the logs in " + directory);
        }
        await("members don't know all consumers", () -> members.values().stream().allMatch(child -> child.hasTold("wanted")));
        say.accept("all members know " + plan.producers() + " producers and " + plan.consumers() + " consumers");
    }

    private void await(String failure, BooleanSupplier condition) {
        boolean isSo = SiteProcesses.waitFor(OPEN_SECONDS_MAX, () -> {
            List<String> findings = all().flatMap(child -> child.findings().stream()).toList();
            if (!findings.isEmpty()) {
                throw new ChaosException(failure + ": " + findings + "; see the logs in " + directory);
            }
            return condition.getAsBoolean();
        });
        if (!isSo) {
            throw new ChaosException(failure + " within " + OPEN_SECONDS_MAX + " s; see the logs in " + directory);
        }
    }

    // ------------------------------------------------------------------ load

    private void publish() {
        all().forEach(child -> child.say("publish", "published"));
        long begin = System.nanoTime();
        long calmNanos = begin + choice.warmUp.toNanos();
        long startsNanos = calmNanos + choice.calm.toNanos();
        long killsNanos = startsNanos + choice.starts.toNanos();
        long nextStartNanos = startsNanos;
        long end = killsNanos + choice.time.toNanos();
        long killUntil = end - choice.restartAfter.toNanos() - TimeUnit.SECONDS.toNanos(QUIET_SECONDS);
        long nextKillNanos = killsNanos;
        long restartNanos = 0;
        // A mediator that was killed and has not been started yet; negative if there is none.
        int downSlot = -1;
        long nextProgress = begin;
        Phase phase = Phase.WARM_UP;
        while (System.nanoTime() < end) {
            long now = System.nanoTime();
            Phase present = now < calmNanos
                    ? Phase.WARM_UP
                    : now < startsNanos ? Phase.CALM : now < killsNanos ? Phase.STARTS : Phase.KILLS;
            if (present != phase) {
                phase = present;
                begin(phase);
            }
            if (now >= nextStartNanos && now < killsNanos) {
                nextStartNanos += choice.killEvery.toNanos();
                startStranger();
            }
            if (now >= nextKillNanos && now < killUntil && choice.mediators > 0) {
                nextKillNanos += choice.killEvery.toNanos();
                restartNanos = now + choice.restartAfter.toNanos();
                downSlot = killMediator();
            }
            if (downSlot >= 0 && now >= restartNanos) {
                startMember(downSlot);
                downSlot = -1;
            }
            if (now >= nextProgress) {
                nextProgress += TimeUnit.SECONDS.toNanos(PROGRESS_SECONDS);
                progress(TimeUnit.NANOSECONDS.toSeconds(now - begin));
            }
            Pause.millis(POLL_MILLIS);
        }
    }

    private void begin(Phase phase) {
        say.accept("begins " + phase.text());
        timed().forEach(child -> child.tell("phase " + phase.text()));
    }

    private void progress(long seconds) {
        say.accept(seconds + " s: published " + all().mapToLong(LoadChild::published).sum() + ", arrived "
                + all().mapToLong(LoadChild::arrived).sum() + ", most memory of a mediator " + (mediatorKib() >> 10) + " MiB");
    }

    private long mediatorKib() {
        return Stream.concat(members.entrySet().stream().filter(each -> isMediator(each.getKey())).map(Map.Entry::getValue), killed.stream())
                .mapToLong(LoadChild::residentKib)
                .max()
                .orElse(0);
    }

    /** Kills mediators by turns, those of the sites one after the other, and returns the slot of this one. */
    private int killMediator() {
        int site = nextKill % SITES;
        int slot = site * perSite + 1 + nextKill / SITES % choice.mediators;
        nextKill++;
        LoadChild child = Objects.requireNonNull(members.get(slot), "a mediator was not started");
        long begin = System.currentTimeMillis();
        child.kill();
        losses.onKill(site, begin, System.currentTimeMillis());
        killed.add(child);
        say.accept("killed " + child.name());
        return slot;
    }

    /** Ends publishing, and waits until nothing arrives any more. */
    private Map<Integer, Long> quiet() {
        List<LoadChild> publishing = all().filter(child -> child.publishedBy().isEmpty()).toList();
        publishing.forEach(child -> child.say("quiet", "published"));
        await("producers have not stopped", () -> publishing.stream().allMatch(child -> child.hasTold("published")));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SETTLE_SECONDS_MAX);
        long before = -1;
        for (long now = arrived(); now != before && System.nanoTime() < end; now = arrived()) {
            before = now;
            Pause.millis(STEADY_MILLIS);
        }
        Map<Integer, Long> published = new TreeMap<>();
        publishing.forEach(child -> published.putAll(child.publishedBy()));
        return published;
    }

    private long arrived() {
        return all().mapToLong(LoadChild::arrived).sum();
    }

    private void report(Map<Integer, Long> published) {
        String text = published.entrySet().stream().map(each -> each.getKey() + ":" + each.getValue()).collect(Collectors.joining(" "));
        timed().forEach(child -> child.say("report " + text, "audience"));
        await("consumers have not reported", () -> timed().allMatch(child -> child.hasTold("audience")));
    }

    // ------------------------------------------------------------------ registry

    private boolean awaitEntries(String when, long seconds) {
        List<String> expected = Stream.concat(
                        IntStream.range(0, plan.producers()).mapToObj(producer -> "p" + producer),
                        IntStream.range(0, plan.consumers()).mapToObj(consumer -> "c" + consumer))
                .sorted()
                .toList();
        Predicate<LoadChild> isRight = child -> child.entries().size() == expected.size() + 1
                && child.entries().getFirst().equals("0")
                && child.entries().stream().skip(1).sorted().toList().equals(expected);
        List<LoadChild> asked = all().toList();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (true) {
            asked.forEach(child -> child.say("entries", "entries"));
            await("no answer to queries", () -> asked.stream().allMatch(child -> child.hasTold("entries")));
            if (asked.stream().allMatch(isRight)) {
                return true;
            }
            if (System.nanoTime() > end) {
                asked.stream().filter(isRight.negate()).forEach(child -> losses.find(child.name() + " finds "
                        + Math.max(0, child.entries().size() - 1) + " entries " + when + ", with "
                        + (child.entries().isEmpty() ? "no answer" : child.entries().getFirst() + " parts missing") + ", and there are "
                        + expected.size()));
                return false;
            }
            Pause.millis(STEADY_MILLIS);
        }
    }

    // ------------------------------------------------------------------ figures

    private Outcome outcome(Map<Integer, Long> published) {
        all().forEach(child -> losses.addAll(child.losses()));
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("seconds", choice.warmUp.plus(choice.calm).plus(choice.starts).plus(choice.time).toSeconds());
        figures.put("seconds-warm-up", choice.warmUp.toSeconds());
        figures.put("seconds-calm", choice.calm.toSeconds());
        figures.put("seconds-starts", choice.starts.toSeconds());
        figures.put("producers", plan.producers());
        figures.put("consumers", plan.consumers());
        figures.put("link-millis", choice.delayMillis);
        figures.put("mediators-killed", killed.size());
        figures.put("published", published.values().stream().mapToLong(Long::longValue).sum());
        losses.addTo(figures, published, arrived());
        figures.put("gaps-told", all().mapToLong(LoadChild::gaps).sum());
        Map<String, Times> times = new TreeMap<>();
        timed().forEach(child -> child.times().forEach((path, text) -> {
            times.computeIfAbsent(path, _ -> new Times()).addAll(text);
            if (path.endsWith("-site")) {
                times.computeIfAbsent(ENDS.matcher(path).replaceFirst("-all"), _ -> new Times()).addAll(text);
            }
        }));
        times.forEach((path, each) -> {
            figures.put(path + "-count", each.count());
            figures.put(path + "-p50-millis", each.millis(0.5));
            figures.put(path + "-p99-millis", each.millis(0.99));
        });
        figures.put("mediator-resident-mib", mediatorKib() >> 10);
        figures.put("mediator-resident-mib-required-max", 256);
        List<String> findings = new ArrayList<>(losses.findings());
        Stream.of(timed(), killed.stream(), strangers.stream()).flatMap(each -> each).forEach(child -> findings.addAll(child.findings()));
        if (arrived() == 0) {
            findings.add("nothing has arrived, so that nothing was tried");
        }
        return new Outcome(figures, findings.stream().limit(FINDINGS_MAX).toList());
    }

    @Override
    public void close() {
        Stream.concat(timed(), strangers.stream()).forEach(LoadChild::kill);
        network.close();
    }
}
