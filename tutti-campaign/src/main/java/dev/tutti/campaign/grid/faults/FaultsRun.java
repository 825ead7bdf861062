package dev.tutti.campaign.grid.faults;

import dev.tutti.campaign.chaos.network.DatagramProxyNetwork;
import dev.tutti.campaign.chaos.network.Network;
import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Pause;
import dev.tutti.campaign.host.Ports;
import dev.tutti.campaign.host.Shell;
import dev.tutti.campaign.sites.process.Outcome;
import dev.tutti.campaign.sites.process.ProcessPipe;
import dev.tutti.campaign.sites.process.Settings;
import dev.tutti.campaign.sites.process.SiteProcesses;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.store.JdbcStore;
import dev.tutti.grid.store.StoreException;
import dev.tutti.testing.PostgreSql;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A grid at three sites whose faults the queries have to survive: the database with the stores of one site is killed and comes back, and
 * another site is cut off and comes back. Meanwhile producers begin and end, and a client of each mediator asks for all of them.
 */
public final class FaultsRun implements AutoCloseable {

    static final String DATABASE_USER = "grid";

    /** Site of each mediator. */
    private static final List<String> SITE_OF = List.of("berlin", "berlin", "paris", "tokyo");

    private static final Set<String> SITES = Set.copyOf(SITE_OF);

    /** Site whose stores are in the database, and the one that is cut off. */
    private static final String STORED = "berlin";

    private static final String CUT_OFF = "paris";
    private static final long OPEN_SECONDS_MAX = 120;

    /** Time in which each answer says what is missing: silence is noticed after 4 s. */
    private static final long TOLD_SECONDS_MAX = 20;

    private static final long RECOVERED_SECONDS_MAX = 30;
    private static final int FINDINGS_MAX = 20;

    /**
     * Choice of times.
     *
     * @param outage of the database, and of the site, after all answers say what is missing
     * @param lease of clients, after which their entries end
     * @param delayMillis of the lines between sites, one way
     * @param options for the JVM of each process
     */
    public record Choice(Duration outage, Duration lease, long delayMillis, List<String> options) {

        /** Returns the time after which no answer may have an entry whose producer has ended: the lease, and some to agree on it. */
        Duration stale() {
            return lease.plusSeconds(10);
        }
    }

    private final Choice choice;
    private final Path directory;
    private final Consumer<String> say;
    private final List<Integer> ports = Ports.free(3 * SITE_OF.size() + 1);
    private final DatagramProxyNetwork network;
    private final Ledger ledger;
    private final PostgreSql database;
    private final Map<String, ProcessPipe> processes = new TreeMap<>();
    private final Set<String> open = new ConcurrentSkipListSet<>();
    private final List<String> findings = new CopyOnWriteArrayList<>();
    private final List<Watch> watches = new ArrayList<>();
    private final Map<String, GridClient> clients = new ConcurrentSkipListMap<>();
    private final Map<String, Producer> producers = new TreeMap<>();
    private final Map<String, Object> figures = new LinkedHashMap<>();

    /**
     * @param directory for the files of the database, and logs
     * @param say gets what happens
     * @throws ChaosException if there is no PostgreSQL
     */
    public FaultsRun(Choice choice, Path directory, Consumer<String> say) {
        this.choice = choice;
        this.directory = directory;
        this.say = say;
        this.ledger = new Ledger(choice.stale());
        Path programs = PostgreSql.programs();
        if (programs == null) {
            throw new ChaosException("PostgreSQL is not installed: its initdb, postgres and pg_isready are neither on the PATH nor below"
                    + " /usr/lib/postgresql; on Debian, apt-get install postgresql");
        }
        this.database = new PostgreSql(programs, directory, ports.getLast(), DATABASE_USER);
        this.network = new DatagramProxyNetwork(ports.subList(0, SITE_OF.size()));
        lines(path -> true).forEach(path -> network.delay(path, choice.delayMillis));
    }

    /** Returns the lines between sites that are chosen. */
    private static Set<Network.Path> lines(Predicate<Network.Path> isChosen) {
        return IntStream.range(0, SITE_OF.size() * SITE_OF.size())
                .mapToObj(each -> new Network.Path(each / SITE_OF.size(), each % SITE_OF.size()))
                .filter(path -> !SITE_OF.get(path.from()).equals(SITE_OF.get(path.to())) && isChosen.test(path))
                .collect(Collectors.toSet());
    }

    /** Runs all of it. */
    public Outcome run() {
        begin();
        loseTheDatabase();
        cutOffASite();
        long answers = watches.stream().mapToLong(Watch::answers).sum();
        figures.put("answers", answers);
        figures.put("answers-partial", watches.stream().mapToLong(Watch::partial).sum());
        figures.put("queries-unanswered", watches.stream().mapToLong(Watch::unanswered).sum());
        figures.put("answer-slowest-millis", watches.stream().mapToLong(Watch::slowestMillis).max().orElse(0));
        watches.forEach(watch -> findings.addAll(watch.findings()));
        processes.forEach((name, process) -> {
            if (process.hasEndedByItself()) {
                findings.add(name + " has ended by itself");
            }
        });
        return new Outcome(figures, findings.stream().limit(FINDINGS_MAX).toList());
    }

    // ------------------------------------------------------------------ begin

    private void begin() {
        say.accept("starts " + database.product() + " for the stores of " + STORED);
        figures.put("database", database.product());
        figures.put("stale-after-seconds-max", choice.stale().toSeconds());
        database.start();
        for (int slot = 0; slot < SITE_OF.size(); slot++) {
            startMediator(slot);
            if (slot == 0) {
                awaitOpen();
            }
        }
        awaitOpen();
        for (int slot = 0; slot < SITE_OF.size(); slot++) {
            String site = SITE_OF.get(slot);
            watches.add(new Watch("client of " + mediator(slot), uri(slot), ledger, FaultsRun::nodes));
            if (!clients.containsKey(site)) {
                clients.put(site, GridClient.of(uri(slot)).name("producers").open());
                produce(site, "stays");
                produce(site, "ends");
                startProducer(site, slot);
            }
        }
        awaitOpen();
        watches.forEach(Watch::start);
        awaitAll("before the faults", OPEN_SECONDS_MAX, System.nanoTime());
        say.accept(watches.size() + " clients find " + ledger.present(SITES).size() + " producers at " + SITES.size() + " sites");
    }

    private static String mediator(int slot) {
        return SITE_OF.get(slot) + "-mediator" + slot;
    }

    private static List<String> nodes(String site) {
        return IntStream.range(0, SITE_OF.size()).filter(slot -> SITE_OF.get(slot).equals(site)).mapToObj(slot -> "n" + slot).toList();
    }

    private URI uri(int slot) {
        return URI.create("http://127.0.0.1:" + ports.get(2 * SITE_OF.size() + slot));
    }

    private void startMediator(int slot) {
        int slots = SITE_OF.size();
        String site = SITE_OF.get(slot);
        start(mediator(slot), new Settings()
                .put("role", "mediator")
                .put("id", slot)
                .put("site", site)
                .put("port", ports.get(slots + slot))
                .put("seeds", IntStream.range(0, slots)
                        .filter(other -> SITE_OF.get(other).equals(site))
                        .mapToObj(other -> "127.0.0.1:" + ports.get(slots + other))
                        .collect(Collectors.joining(",")))
                .put("bridge-port", ports.get(slot))
                .put("bridge-address", network.address(slot))
                .put("bridge-seeds", IntStream.range(0, slots).mapToObj(network::address).collect(Collectors.joining(",")))
                .put("client-port", ports.get(2 * slots + slot))
                .put("lease", choice.lease.toSeconds())
                .put("database", site.equals(STORED) ? database.url() : ""));
    }

    /** Starts a producer in a process of its own, which is killed later. */
    private void startProducer(String site, int slot) {
        String producer = site + "-killed";
        ledger.add(producer, site, System.nanoTime());
        start(producer, new Settings().put("role", "producer").put("producer", producer).put("mediator", uri(slot)));
    }

    private void start(String name, Settings settings) {
        List<String> options = new ArrayList<>(choice.options);
        options.add("-Xmx128m");
        processes.put(name, new ProcessPipe(
                Shell.java(List.of(), options, FaultsProcess.class.getName(), settings.arguments()),
                directory.resolve(name + ".log"),
                text -> {
                    if (text.equals("open")) {
                        open.add(name);
                    } else {
                        findings.add(name + ": " + text);
                    }
                },
                trouble -> findings.add(name + ": " + trouble)));
    }

    private void awaitOpen() {
        require("processes have not opened", OPEN_SECONDS_MAX, () -> {
            if (!findings.isEmpty()) {
                throw new ChaosException("a process did not open: " + findings + "; see the logs in " + directory);
            }
            return open.containsAll(processes.keySet());
        });
    }

    private void require(String failure, long seconds, BooleanSupplier condition) {
        if (!SiteProcesses.waitFor(seconds, condition)) {
            throw new ChaosException(failure + " within " + seconds + " s; see the logs in " + directory);
        }
    }

    // ------------------------------------------------------------------ producers

    private void produce(String site, String what) {
        String producer = site + "-" + what;
        ledger.add(producer, site, System.nanoTime());
        producers.put(producer, client(site).produce(ProducerOptions.of(producer, "faults/#")));
    }

    private GridClient client(String site) {
        return Objects.requireNonNull(clients.get(site), site);
    }

    /** At a site: one producer ends, the process of another is killed, and a third one begins. */
    private void change(String site) {
        String ends = site + "-ends";
        String killed = site + "-killed";
        ledger.end(ends, System.nanoTime());
        Objects.requireNonNull(producers.get(ends), ends).close();
        ledger.end(killed, System.nanoTime());
        Objects.requireNonNull(processes.get(killed), killed).kill();
        produce(site, "begins");
        say.accept("at " + site + " one producer ends, the process of another is killed, and a third one begins");
    }

    // ------------------------------------------------------------------ faults

    private void loseTheDatabase() {
        long killed = System.nanoTime();
        database.kill();
        say.accept("killed PostgreSQL");
        change(STORED);
        awaitPart("the database was killed", "store", killed, watch -> Set.of(STORED));
        Pause.millis(choice.outage.toMillis());
        long started = System.nanoTime();
        database.start();
        say.accept("PostgreSQL is back");
        figures.put("store-back-complete-after-millis", awaitAll("after the database was back", RECOVERED_SECONDS_MAX, started));
        TreeSet<String> expected = ledger.present(Set.of(STORED));
        for (String node : nodes(STORED)) {
            if (!SiteProcesses.waitFor(RECOVERED_SECONDS_MAX, () -> expected.equals(stored(node)))) {
                findings.add("the store of " + node + " in the database has " + stored(node) + " and not " + expected);
            }
        }
    }

    /** Returns the producers in the database of a member, which answers without its grid; null if it does not. */
    private @Nullable TreeSet<String> stored(String node) {
        try (JdbcStore store = FaultsProcess.store(database.url(), node)) {
            return store.find(Query.PRODUCERS).stream().map(Entry::name).collect(Collectors.toCollection(TreeSet::new));
        } catch (StoreException e) {
            return null;
        }
    }

    private void cutOffASite() {
        Set<Network.Path> line = lines(path -> SITE_OF.get(path.from()).equals(CUT_OFF) || SITE_OF.get(path.to()).equals(CUT_OFF));
        long cut = System.nanoTime();
        Map<Network.Path, Double> all = new HashMap<>();
        line.forEach(path -> all.put(path, 1.0));
        network.lose(all);
        say.accept("cut off " + CUT_OFF);
        change(CUT_OFF);
        Set<String> others = new TreeSet<>(SITES);
        others.remove(CUT_OFF);
        awaitPart("a site was cut off", "site", cut, watch -> watch.name().contains(CUT_OFF) ? others : Set.of(CUT_OFF));
        Pause.millis(choice.outage.toMillis());
        long healed = System.nanoTime();
        network.heal();
        say.accept(CUT_OFF + " is back");
        figures.put("site-back-complete-after-millis", awaitAll("after the site was back", RECOVERED_SECONDS_MAX, healed));
    }

    /** Waits until each client is told that something of the lost sites is missing, and gets the producers of the others. */
    private void awaitPart(String when, String what, long since, LostAt lostAt) {
        boolean isTold = SiteProcesses.waitFor(TOLD_SECONDS_MAX, () -> watches.stream().allMatch(watch -> isPart(watch, since, lostAt.of(watch))));
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
        if (isTold) {
            figures.put(what + "-lost-told-after-millis", millis);
            say.accept("each client gets what is there, and is told what is missing");
        } else {
            watches.stream().filter(watch -> !isPart(watch, since, lostAt.of(watch))).forEach(watch -> findings.add(watch.name() + ": "
                    + TOLD_SECONDS_MAX + " s after " + when + " it gets " + watch.last()));
        }
    }

    /** Sites that are lost to a client. */
    private interface LostAt {
        Set<String> of(Watch watch);
    }

    private boolean isPart(Watch watch, long since, Set<String> lost) {
        Watch.Seen seen = watch.last();
        Collection<String> there = new TreeSet<>(SITES);
        there.removeAll(lost);
        return seen.askedNanos() > since
                && lost.stream().allMatch(site -> watch.saysMissing(seen, site))
                && seen.found().containsAll(ledger.present(there));
    }

    /** Waits until each client gets exactly what there is, and nothing is missing. Returns the milliseconds since {@code since}. */
    private long awaitAll(String when, long seconds, long since) {
        TreeSet<String> expected = ledger.present(SITES);
        Predicate<Watch> isRight = watch -> watch.last().askedNanos() > since
                && watch.last().missing().isEmpty()
                && watch.last().found().equals(expected);
        boolean isSo = SiteProcesses.waitFor(seconds, () -> watches.stream().allMatch(isRight));
        if (!isSo) {
            watches.stream().filter(isRight.negate()).forEach(watch -> findings.add(
                    watch.name() + ": " + seconds + " s " + when + " it gets " + watch.last() + " and not " + expected));
        }
        say.accept(isSo ? "all clients get exactly what there is" : "not all clients get what there is");
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
    }

    @Override
    public void close() {
        watches.forEach(Watch::close);
        clients.values().forEach(GridClient::close);
        processes.values().forEach(ProcessPipe::kill);
        network.close();
        database.close();
    }
}
