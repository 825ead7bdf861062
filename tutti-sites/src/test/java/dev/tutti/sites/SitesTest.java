package dev.tutti.sites;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.tutti.Node;
import dev.tutti.SendException;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import dev.tutti.testkit.Fault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;

/** Site groups in virtual time: two sites of three processes, 20 ms apart. Each process has a bridge node while it is a master. */
@Order(1)
class SitesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @ClusterTest(nodes = 6, seeds = 2)
    void messagesReachAllMembersOfAllSites(Cluster cluster) {
        Components<Station> stations = start(cluster, settings -> settings);
        for (int number = 1; number <= 6; number++) {
            stations.run(number, Station::send);
            stations.run(number, Station::send);
        }
        cluster.advanceUntil("all have 12", Duration.ofSeconds(10), () -> all(stations, 12));
        for (Station station : stations.running()) {
            assertThat(station.bySender().values()).containsOnly(List.of(1, 2)).hasSize(6);
        }
        cluster.advanceUntil("nothing is kept", SECOND, () -> stations.running().stream().allMatch(SitesTest::keepsNothing));
    }

    /** Messages one millisecond apart go to the other site together, and so do the acknowledgements. */
    @ClusterTest(nodes = 6, seeds = 2)
    void messagesInQuickSuccessionGoTogether(Cluster cluster) {
        Components<Station> stations = start(cluster, settings -> settings.linger(Duration.ofMillis(20)));
        cluster.advance(SECOND);
        long batchesBefore = bridgeMessages(stations, "paris");
        long acknowledgementsBefore = bridgeMessages(stations, "berlin");
        for (int number = 1; number <= 200; number++) {
            stations.run(1, Station::send);
            cluster.advance(Duration.ofMillis(1));
        }
        cluster.advanceUntil("all have 200", SECOND, () -> all(stations, 200));
        cluster.advanceUntil("nothing is kept", SECOND, () -> stations.running().stream().allMatch(SitesTest::keepsNothing));
        assertThat(bridgeMessages(stations, "paris") - batchesBefore).isBetween(5L, 40L);
        assertThat(bridgeMessages(stations, "berlin") - acknowledgementsBefore).isBetween(2L, 10L);
    }

    /** A message after a pause waits for no other one: it takes the time of the line, and that within the sites. */
    @ClusterTest(nodes = 6, seeds = 2)
    void aMessageAfterAPauseDoesNotWait(Cluster cluster) {
        Components<Station> stations = start(cluster, settings -> settings.linger(SECOND));
        cluster.advance(SECOND.multipliedBy(2));
        for (int number = 1; number <= 3; number++) {
            int count = number;
            stations.run(1, Station::send);
            cluster.advanceUntil("it has come", Duration.ofMillis(60), () -> all(stations, count));
            cluster.advance(SECOND);
            assertThat(keepsNothing(stations.on(1))).isTrue();
        }
    }

    /** Returns the number of messages that masters of a site have got from other masters. */
    private static long bridgeMessages(Components<Station> stations, String site) {
        return stations.running().stream()
                .filter(station -> station.sites().site().equals(site))
                .flatMap(station -> station.sites().bridge().inspection().stream())
                .mapToLong(bridge -> bridge.group("sites").orElseThrow().part("delivery").value("messages"))
                .sum();
    }

    /** Masters are killed and come back, and a site is cut off again and again, while everybody sends. */
    @ClusterTest(nodes = 6, seeds = 2)
    void nothingIsLostOrDeliveredTwiceWhileMastersCrashAndSitesAreCutOff(Cluster cluster) {
        Components<Station> stations = start(cluster, settings -> settings);
        stations.keep(Duration.ofMillis(50), Station::send);
        for (int round = 0; round < 2; round++) {
            cluster.randomFaults(Duration.ofSeconds(4), Fault.CRASH, Fault.STOP, Fault.SLOWNESS);
            cluster.partition(1, 2, 3).advance(Duration.ofSeconds(8)).heal();
        }
        cluster.quiet().awaitRest();
        awaitNothingKept(cluster, stations);
        Deliveries.check(stations.running());
    }

    /** A site is divided: each part sends, and the other site gets the messages of both, also those of a part that is gone. */
    @ClusterTest(nodes = 6, seeds = 2)
    void bothPartsOfADividedSiteReachTheOther(Cluster cluster) {
        checkBothParts(cluster, settings -> settings);
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void bothPartsOfADividedSiteReachTheOtherFromDisk(Cluster cluster) throws IOException {
        Path directory = Files.createTempDirectory("tutti-sites");
        try {
            checkBothParts(cluster, settings -> settings.spill(directory.resolve(settings.sites().node().name())));
        } finally {
            delete(directory);
        }
    }

    private static int[] others(int number) {
        return IntStream.rangeClosed(1, 3).filter(other -> other != number).toArray();
    }

    private static void checkBothParts(Cluster cluster, UnaryOperator<SiteGroupBuilder> settings) {
        Components<Station> stations = start(cluster, settings);
        stations.keep(Duration.ofMillis(100), Station::send);
        for (int round = 0; round < 3; round++) {
            int alone = 1 + cluster.random().nextInt(3);
            cluster.partition(new int[] {alone}, others(alone)).advance(Duration.ofSeconds(8)).heal().advance(Duration.ofSeconds(8));
        }
        cluster.quiet().awaitRest();
        awaitNothingKept(cluster, stations);
        Deliveries.check(stations.running(), stations.running().subList(3, 6));
    }

    /** A site is divided, and one part alone gets the first messages of a sender, which are not kept any more. */
    @ClusterTest(nodes = 6, seeds = 6)
    @Tag("seeds")
    void whatOnePartOfADividedSiteHasAcknowledgedReachesTheOther(Cluster cluster) {
        Components<Station> stations = start(cluster, settings -> settings);
        cluster.partition(others(1 + cluster.random().nextInt(3))).advance(Duration.ofSeconds(8));
        stations.run(4, Station::send);
        stations.run(4, Station::send);
        cluster.advance(Duration.ofSeconds(2));
        assertThat(keepsNothing(stations.on(4))).isTrue();
        cluster.heal().advance(Duration.ofSeconds(8));
        stations.run(4, Station::send);
        cluster.advanceUntil("all have 3", Duration.ofSeconds(10), () -> all(stations, 3));
        for (Station station : stations.running()) {
            assertThat(station.bySender().values()).containsExactly(List.of(1, 2, 3));
            assertThat(station.gaps()).isEmpty();
        }
    }

    /** As before, with more messages than one part hands over to the other: what is missing is told. */
    @ClusterTest(nodes = 6, seeds = 6)
    @Tag("seeds")
    void membersAreToldOfMessagesThatOnlyAnotherPartOfTheirSiteHas(Cluster cluster) {
        Components<Station> stations = start(cluster, settings -> settings);
        int[] side = others(1 + cluster.random().nextInt(3));
        cluster.partition(side).advance(Duration.ofSeconds(8));
        byte[] message = new byte[10_000];
        for (int number = 0; number < 100; number++) {
            stations.run(4, station -> station.group().send(message));
        }
        cluster.advance(Duration.ofSeconds(2));
        assertThat(keepsNothing(stations.on(4))).isTrue();
        cluster.heal().advance(Duration.ofSeconds(8));
        stations.run(4, station -> station.group().send(message));
        cluster.advanceUntil("the last has come", Duration.ofSeconds(10), () -> keepsNothing(stations.on(4)));
        cluster.advance(SECOND);
        for (int number : side) {
            Station station = stations.on(number);
            assertThat(station.delivered().size()).isBetween(40, 60);
            assertThat(station.gaps().stream().mapToLong(Gap::count).sum()).isEqualTo(101 - station.delivered().size());
        }
        assertThat(stations.running()).filteredOn(station -> station.delivered().size() == 101).hasSize(4).allMatch(station -> station.gaps().isEmpty());
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void messageReachesTheSitesThatItNames(Cluster cluster) {
        Components<Station> stations = start(cluster, settings -> settings);
        stations.run(1, station -> {
            station.group().send("1".getBytes(UTF_8), Reach.HERE);
            station.group().send("2".getBytes(UTF_8), Reach.of("paris"));
            station.group().send("3".getBytes(UTF_8), Reach.oneAt("paris"));
            station.group().send("4".getBytes(UTF_8), Reach.oneAt("paris"));
            station.group().send("5".getBytes(UTF_8), Reach.of("tokyo"));
            station.group().send("6".getBytes(UTF_8), Reach.of("berlin", "paris"));
        });
        cluster.advanceUntil("all have the last", SECOND, () -> stations.running().stream()
                .allMatch(station -> numbers(station).contains(6)));
        for (Station station : stations.running().subList(0, 3)) {
            assertThat(numbers(station)).containsExactly(1, 6);
        }
        List<Integer> paris = stations.running().subList(3, 6).stream()
                .flatMap(station -> numbers(station).stream())
                .sorted()
                .toList();
        assertThat(paris).containsExactly(2, 2, 2, 3, 4, 6, 6, 6);
        assertThat(stations.running().subList(3, 6)).allMatch(station -> numbers(station).size() < 4);
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void messagesOfATotalSiteComeInOneOrderEverywhere(Cluster cluster) {
        Components<Station> stations = start(cluster, SiteGroupBuilder::total);
        stations.keep(Duration.ofMillis(10), Station::send);
        cluster.randomFaults(Duration.ofSeconds(4), Fault.CRASH);
        cluster.advance(SECOND).quiet().awaitRest();
        awaitNothingKept(cluster, stations);
        Deliveries.check(stations.running());
        for (String site : List.of("berlin", "paris")) {
            List<String> longest = List.of();
            for (Station station : stations.running()) {
                List<String> own = station.delivered().stream().filter(line -> line.startsWith(site)).toList();
                longest = own.size() > longest.size() ? own : longest;
            }
            for (Station station : stations.running()) {
                List<String> own = station.delivered().stream().filter(line -> line.startsWith(site)).toList();
                assertThat(longest.subList(longest.size() - own.size(), longest.size())).isEqualTo(own);
            }
        }
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void sendersWaitForASiteThatIsAwayWhenTheLogIsFull(Cluster cluster) {
        Components<Station> stations = start(cluster, settings -> settings.retain(1 << 16, WhenFull.WAIT).timeout(SECOND));
        cluster.partition(1, 2, 3);
        byte[] large = "1".repeat(20_000).getBytes(UTF_8);
        stations.run(1, station -> {
            for (int i = 0; i < 3; i++) {
                station.group().send(large, Reach.of("paris"));
            }
        });
        cluster.advance(Duration.ofSeconds(10));
        stations.run(2, station -> assertThatThrownBy(() -> station.group().send(large, Reach.of("paris")))
                .isInstanceOf(SendException.class)
                .hasMessageContaining("has waited 1000 ms for sites [paris]"));
        cluster.heal();
        cluster.advanceUntil("paris has them", Duration.ofSeconds(10), () -> stations.running().stream().allMatch(SitesTest::keepsNothing));
        stations.run(2, station -> station.group().send(large, Reach.of("paris")));
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void siteIsToldOfMessagesThatWereDropped(Cluster cluster) {
        Components<Station> stations = start(cluster, settings -> settings.retain(1 << 16, WhenFull.DROP_OLDEST));
        cluster.partition(1, 2, 3).advance(Duration.ofSeconds(10));
        stations.run(1, station -> {
            for (int i = 0; i < 2_000; i++) {
                station.send();
            }
        });
        cluster.advance(SECOND).heal();
        cluster.advanceUntil("paris has the rest", Duration.ofSeconds(20), () -> stations.running().stream().allMatch(SitesTest::keepsNothing));
        for (Station station : stations.running().subList(3, 6)) {
            int first = numbers(station).getFirst();
            assertThat(first).isGreaterThan(1);
            assertThat(numbers(station)).isEqualTo(IntStream.rangeClosed(first, 2_000).boxed().toList());
            assertThat(station.gaps()).extracting(Gap::site, Gap::sender, Gap::count).containsExactly(tuple("berlin", "n1", first - 1L));
        }
    }

    /** All members that were there when the messages were sent are gone before the other site is back. */
    @ClusterTest(nodes = 6, seeds = 2)
    void newcomersKeepWhatOthersHaveKeptBefore(Cluster cluster) {
        Components<Station> stations = start(cluster, settings -> settings);
        cluster.partition(1, 2, 3);
        stations.run(1, Station::send);
        stations.run(2, Station::send);
        cluster.advance(SECOND);
        for (int number = 1; number <= 3; number++) {
            cluster.crash(number).advance(SECOND).restart(number).advance(SECOND);
        }
        cluster.heal();
        cluster.advanceUntil("paris has them", Duration.ofSeconds(20), () -> stations.running().size() == 6
                && stations.running().subList(3, 6).stream().allMatch(station -> station.delivered().size() == 2));
        awaitNothingKept(cluster, stations);
    }

    /** A site is cut off and restarted as a whole; what it had accepted arrives nevertheless, since it is on disk. */
    @ClusterTest(nodes = 6, seeds = 2)
    void messagesOnDiskSurviveTheRestartOfTheirWholeSite(Cluster cluster) throws IOException {
        Path directory = Files.createTempDirectory("tutti-sites");
        try {
            Components<Station> stations = start(cluster, settings -> settings.spill(
                    ofNextRun(directory, settings.sites().node().name())));
            stations.run(1, Station::send);
            cluster.advance(SECOND).partition(1, 2, 3).advance(Duration.ofSeconds(10));
            for (int count = 0; count < 100; count++) {
                stations.run(1 + count % 3, Station::send);
            }
            cluster.advance(SECOND).crash(1, 2, 3).advance(SECOND).restart(1, 2, 3).advance(Duration.ofSeconds(5));
            stations.run(2, Station::send);
            cluster.heal();
            cluster.advanceUntil("paris has them", Duration.ofSeconds(20), () -> stations.running().subList(3, 6).stream()
                    .allMatch(station -> station.delivered().size() == 102));
            for (Station station : stations.running().subList(3, 6)) {
                assertThat(station.bySender().values()).extracting(List::size).containsExactlyInAnyOrder(35, 33, 33, 1);
                assertThat(station.delivered()).doesNotHaveDuplicates();
                station.bySender().values().forEach(numbers -> assertThat(numbers).isEqualTo(
                        IntStream.rangeClosed(1, numbers.size()).boxed().toList()));
            }
            awaitNothingKept(cluster, stations);
        } finally {
            delete(directory);
        }
    }

    /** The member that has everything on disk is alone first, and meets the others, whose disks are lost, in the middle of its log. */
    @ClusterTest(nodes = 6, seeds = 2)
    void messagesOnDiskSurviveAMergeInTheMiddleOfTheLog(Cluster cluster) throws IOException {
        Path directory = Files.createTempDirectory("tutti-sites");
        try {
            AtomicBoolean isRestarted = new AtomicBoolean();
            Components<Station> stations = start(cluster, settings -> {
                String name = settings.sites().node().name();
                boolean isLost = isRestarted.get() && !name.equals("n1");
                return settings.set("window", "128 KiB").spill(isLost ? directory.resolve(name) : ofNextRun(directory, name));
            });
            cluster.partition(1, 2, 3).advance(Duration.ofSeconds(10));
            stations.run(2, station -> IntStream.rangeClosed(1, 60).forEach(number -> station.group().send(large(number))));
            isRestarted.set(true);
            cluster.advance(SECOND).crash(1, 2, 3).slow(1, Duration.ofMillis(300)).partition(new int[] {1}, new int[] {2, 3})
                    .restart(1, 2, 3).advance(Duration.ofSeconds(4));
            cluster.heal(1, 2).heal(2, 1).heal(1, 3).heal(3, 1).advance(Duration.ofSeconds(15));
            cluster.heal();
            cluster.advanceUntil("paris has them", Duration.ofSeconds(20), () -> stations.running().subList(3, 6).stream()
                    .allMatch(station -> station.delivered().size() == 60));
            for (Station station : stations.running().subList(3, 6)) {
                assertThat(numbers(station)).isEqualTo(IntStream.rangeClosed(1, 60).boxed().toList());
            }
            awaitNothingKept(cluster, stations);
        } finally {
            delete(directory);
        }
    }

    /** A member that brings back what its part of the site has sent is cut off from the others again, in the middle. */
    @ClusterTest(nodes = 6, seeds = 6)
    @Tag("seeds")
    void messagesOfAPartThatIsCutOffAgainAreBroughtBackToo(Cluster cluster) {
        Components<Station> stations = start(cluster, settings -> settings.set("window", "128 KiB"));
        cluster.partition(new int[] {1, 2, 3}, new int[] {4, 5, 6}).partition(new int[] {1}, new int[] {2, 3}).advance(Duration.ofSeconds(8));
        stations.run(1, station -> IntStream.rangeClosed(1, 60).forEach(number -> station.group().send(large(number))));
        cluster.slow(1, Duration.ofMillis(200)).slow(2, Duration.ofMillis(200));
        for (int round = 0; round < 2; round++) {
            cluster.heal(1, 2).heal(2, 1).heal(1, 3).heal(3, 1);
            cluster.advanceUntil("they are together", Duration.ofSeconds(20), () -> stations.on(1).group().localView().size() == 3);
            cluster.advance(Duration.ofMillis(cluster.random().nextInt(3_000)));
            cluster.partition(new int[] {1}, new int[] {2, 3}).advance(Duration.ofSeconds(8));
        }
        cluster.slow(1, Duration.ZERO).slow(2, Duration.ZERO).heal();
        cluster.advanceUntil("paris has them", Duration.ofSeconds(30), () -> stations.running().subList(3, 6).stream()
                .allMatch(station -> station.delivered().size() == 60));
        for (Station station : stations.running().subList(3, 6)) {
            assertThat(numbers(station)).isEqualTo(IntStream.rangeClosed(1, 60).boxed().toList());
            assertThat(station.gaps()).isEmpty();
        }
        awaitNothingKept(cluster, stations);
    }

    private static byte[] large(int number) {
        return Arrays.copyOf(String.format("%04d", number).getBytes(UTF_8), 20 << 10);
    }

    @ClusterTest(nodes = 6, seeds = 4)
    @Tag("seeds")
    void whatIsAcceptedSurvivesTheEndOfAllProcessesAtOnce(Cluster cluster) throws IOException {
        Path directory = Files.createTempDirectory("tutti-sites");
        try {
            Components<Station> stations = start(cluster, settings -> settings.total().spill(
                    ofNextRun(directory, settings.sites().node().name())));
            // Slow enough that nobody has delivered the message when it is with the group.
            cluster.partition(1, 2, 3).latency(Duration.ofMillis(20), Duration.ZERO).advance(Duration.ofSeconds(10));
            stations.run(1 + cluster.random().nextInt(3), Station::send);
            // In the moment in which send has returned.
            cluster.crash(1, 2, 3).advance(SECOND).restart(1, 2, 3).advance(Duration.ofSeconds(5)).heal();
            cluster.advanceUntil("paris has it", Duration.ofSeconds(20), () -> stations.running().subList(3, 6).stream()
                    .allMatch(station -> station.delivered().size() == 1));
        } finally {
            delete(directory);
        }
    }

    /** Returns a copy of the last directory of a process: a process that is killed here does not release its lock. */
    private static Path ofNextRun(Path directory, String name) {
        try {
            int run = 1;
            while (Files.exists(directory.resolve(name + "-" + run))) {
                run++;
            }
            Path next = Files.createDirectory(directory.resolve(name + "-" + run));
            Path last = directory.resolve(name + "-" + (run - 1));
            if (Files.exists(last)) {
                try (Stream<Path> files = Files.walk(last)) {
                    for (Path file : files.filter(each -> !each.equals(last)).toList()) {
                        Files.copy(file, next.resolve(last.relativize(file)));
                    }
                }
            }
            return next;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void sitesAreSuspectedAwayAndBackInTheSameListsEverywhere(Cluster cluster) {
        Components<Station> stations = start(cluster, settings -> settings);
        cluster.partition(1, 2, 3).advance(Duration.ofSeconds(15));
        assertThat(state(stations.on(1), "paris")).isEqualTo(Site.State.AWAY);
        assertThat(state(stations.on(6), "berlin")).isEqualTo(Site.State.AWAY);
        assertThat(state(stations.on(6), "paris")).isEqualTo(Site.State.UP);
        cluster.heal();
        cluster.advanceUntil("both are back", Duration.ofSeconds(20), () -> stations.running().stream()
                .allMatch(station -> station.sites().view().up().equals(List.of("berlin", "paris"))));
        cluster.crash(4, 5).advance(Duration.ofSeconds(15));
        assertThat(stations.on(1).sites().view().site("paris").orElseThrow().members()).containsExactly("n6");
        Map<Long, SitesView> lists = new TreeMap<>();
        for (Station station : stations.running().subList(0, 3)) {
            assertThat(station.views()).extracting(SitesView::number).isSorted().doesNotHaveDuplicates();
            station.views().forEach(view -> assertThat(lists.computeIfAbsent(view.number(), key -> view)).isEqualTo(view));
        }
        assertThat(lists.values())
                .extracting(view -> view.site("paris").map(Site::state).orElse(Site.State.AWAY))
                .containsSubsequence(Site.State.UP, Site.State.SUSPECTED, Site.State.AWAY, Site.State.UP);
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void nothingIsKeptForASiteThatIsGivenUp(Cluster cluster) {
        Components<Station> stations = start(cluster, settings -> settings);
        cluster.crash(4, 5, 6).advance(Duration.ofSeconds(10));
        stations.run(1, Station::send);
        cluster.advance(SECOND);
        assertThat(stations.running()).allMatch(station -> station.group().status().get("retained") == 1);
        stations.run(2, station -> station.group().forget("paris"));
        cluster.advance(SECOND);
        assertThat(stations.running()).allMatch(SitesTest::keepsNothing);
        stations.run(1, Station::send);
        cluster.restart(4, 5, 6);
        cluster.advanceUntil("paris is known again", Duration.ofSeconds(20), () -> stations.running().size() == 6
                && stations.running().stream().allMatch(station -> station.group().knownSites().size() == 1));
        stations.run(1, Station::send);
        cluster.advanceUntil("paris has the third", Duration.ofSeconds(10), () -> stations.running().subList(3, 6).stream()
                .allMatch(station -> numbers(station).equals(List.of(3))));
    }

    private static Site.State state(Station station, String site) {
        return station.sites().view().site(site).orElseThrow().state();
    }

    private static List<Integer> numbers(Station station) {
        return station.bySender().values().stream().flatMap(List::stream).toList();
    }

    private static void awaitNothingKept(Cluster cluster, Components<Station> stations) {
        cluster.advanceUntil("nothing is kept", Duration.ofSeconds(20), () -> stations.running().stream().allMatch(SitesTest::keepsNothing));
    }

    private static boolean all(Components<Station> stations, int count) {
        return stations.running().stream().allMatch(station -> station.delivered().size() == count);
    }

    private static boolean keepsNothing(Station station) {
        return station.group().status().get("retained") == 0;
    }

    /** Starts the stations, and waits until each site knows the other. */
    static Components<Station> start(Cluster cluster, UnaryOperator<SiteGroupBuilder> settings) {
        cluster.site("berlin", 1, 2, 3)
                .site("paris", 4, 5, 6)
                .latencyBetweenSites(Duration.ofMillis(20), Duration.ofMillis(2));
        String[] seeds = cluster.addresses(1);
        Components<Station> stations = cluster.startAll(node -> new Station(
                node, cluster.siteOf(cluster.numberOf(node)), () -> Node.of(Node.defaults()).cluster("bridge").seeds(seeds), settings));
        cluster.advanceUntil("sites know each other", Duration.ofSeconds(20), () -> stations.running().size() == cluster.size()
                && stations.running().stream().allMatch(station -> station.group().knownSites().size() == 1
                        && station.sites().view().up().size() == 2));
        return stations;
    }
}
