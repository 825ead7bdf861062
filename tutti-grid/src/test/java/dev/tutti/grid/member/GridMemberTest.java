package dev.tutti.grid.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.tutti.Node;
import dev.tutti.grid.Answer;
import dev.tutti.grid.Body;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.Subscription;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.WhenFull;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import dev.tutti.testkit.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;

/** Members of the grid in virtual time: one site of three processes, or two sites of three, 20 ms apart. */
@Order(1)
class GridMemberTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final List<Integer> FIFTY = IntStream.rangeClosed(1, 50).boxed().toList();

    private static Components<Station> start(Cluster cluster) {
        return cluster.startAll(Station::new);
    }

    private static Components<Station> deploySites(Cluster cluster) {
        cluster.site("berlin", 1, 2, 3).site("paris", 4, 5, 6).latencyBetweenSites(Duration.ofMillis(20), Duration.ofMillis(2));
        String[] seeds = cluster.addresses(1);
        return cluster.deploy(node -> new Station(
                node, cluster.siteOf(cluster.numberOf(node)), () -> Node.of(Node.defaults()).cluster("bridge").seeds(seeds)));
    }

    private static Components<Station> startSites(Cluster cluster) {
        Components<Station> stations = deploySites(cluster);
        cluster.start(1, 2, 3, 4, 5, 6);
        cluster.advanceUntil("all are there", Duration.ofSeconds(20), () -> stations.running().size() == cluster.size()
                && stations.running().stream().allMatch(station -> entries(station) == cluster.size() / 2 && station.sitesUp() == 2));
        return stations;
    }

    /** As a careless user does. */
    @ClusterTest(nodes = 6, seeds = 3)
    void whatWasPublishedBeforeACloseComesToOtherSites(Cluster cluster) {
        Components<Station> stations = startSites(cluster);
        stations.run(4, station -> station.subscribe(Filter.topic("hosts/n1/#")));
        stations.run(2, station -> station.subscribe(Filter.topic("hosts/n1/#")));
        cluster.advance(Duration.ofSeconds(2));
        stations.run(1, station -> {
            IntStream.range(0, 50).forEach(i -> station.publish());
            station.grid().close();
        });
        cluster.advance(Duration.ofSeconds(5));
        assertThat(stations.on(4).byProducer().values()).containsOnly(FIFTY);
        assertThat(stations.on(2).byProducer().values()).containsOnly(FIFTY);
    }

    @ClusterTest(nodes = 3, seeds = 2)
    void countersDoNotFallWhenConsumersAndMembersAreGone(Cluster cluster) {
        Components<Station> stations = start(cluster);
        stations.run(1, station -> station.subscribe(Filter.ALL));
        stations.run(2, station -> station.subscribe(Filter.ALL));
        cluster.advance(SECOND);
        publish(stations, 1, 10);
        cluster.advance(SECOND);
        assertThat(stations.on(1).grid().status()).containsEntry("sent", 10L).containsEntry("delivered", 10L);
        stations.run(1, station -> station.subscription().close());
        cluster.stop(2).advance(Duration.ofSeconds(10));
        assertThat(stations.on(1).grid().status()).containsEntry("sent", 10L).containsEntry("delivered", 10L).containsEntry("consumers", 0L);
    }

    private static long entries(Station station) {
        return station.grid().status().get("entries");
    }

    private static void publish(Components<Station> stations, int number, int times) {
        stations.run(number, station -> IntStream.range(0, times).forEach(i -> station.publish()));
    }

    private static boolean isWanted(Components<Station> stations, int number) {
        Station station = stations.on(number);
        return station.producer().isWanted(Topic.of("hosts/" + station.node().name() + "/load"));
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void consumersGetWhatTheirFiltersChooseInOrder(Cluster cluster) {
        Components<Station> stations = start(cluster);
        stations.run(1, station -> station.subscribe(Filter.topic("hosts/*/load")));
        stations.run(2, station -> station.subscribe(Filter.topic("hosts/n3/#").with("parity", "even")));
        stations.run(3, station -> station.subscribe(Filter.ALL.where("value > 48 AND parity = 'odd'")));
        cluster.advance(SECOND);
        for (int number = 1; number <= 3; number++) {
            publish(stations, number, 50);
        }
        cluster.advance(SECOND);
        assertThat(stations.on(1).byProducer().values()).hasSize(3).containsOnly(FIFTY);
        assertThat(stations.on(2).byProducer().values())
                .containsExactly(FIFTY.stream().filter(value -> value % 2 == 0).toList());
        assertThat(stations.on(3).byProducer().values()).hasSize(3).containsOnly(List.of(49));
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void aMeasurementIsAsItWasPublished(Cluster cluster) {
        Components<Station> stations = start(cluster);
        stations.run(1, station -> station.subscribe(Filter.ALL));
        cluster.advance(SECOND);
        Instant time = Instant.parse("2026-11-28T10:15:30.123456789Z");
        Body body = new Body.Values(Map.of("a", Body.of("text"), "b", Body.of(2.5, "ms")));
        stations.run(2, station -> station.producer().publish(Topic.of("hosts/n2/x"), Map.of("k", "v"), time, body));
        cluster.advance(SECOND);
        Measurement got = stations.on(1).got().getFirst();
        assertThat(got.body()).isEqualTo(body);
        assertThat(got.tags()).isEqualTo(Map.of("k", "v"));
        assertThat(got.time()).isEqualTo(Instant.parse("2026-11-28T10:15:30.123456Z"));
        assertThat(got.producer()).isEqualTo(stations.on(2).producer().entry().id());
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void nothingIsSentThatNobodyWants(Cluster cluster) {
        Components<Station> stations = start(cluster);
        stations.run(1, station -> station.subscribe(Filter.topic("hosts/n3/#")));
        cluster.advance(SECOND);
        assertThat(isWanted(stations, 2)).isFalse();
        assertThat(isWanted(stations, 3)).isTrue();
        publish(stations, 2, 10);
        cluster.advance(SECOND);
        assertThat(stations.on(2).grid().status()).containsEntry("sent", 0L).containsEntry("published", 10L);
        stations.run(1, station -> station.subscription().close());
        cluster.advance(SECOND);
        assertThat(isWanted(stations, 3)).isFalse();
    }

    @ClusterTest(nodes = 4, seeds = 5)
    @Tag("seeds")
    void entriesOfACrashedMemberAreGoneAndANewMemberHasAllOthers(Cluster cluster) {
        Components<Station> stations = start(cluster);
        stations.run(4, station -> station.subscribe(Filter.ALL));
        cluster.advance(SECOND);
        assertThat(entries(stations.on(1))).isEqualTo(5);
        cluster.crash(4);
        cluster.advanceUntil("entries are gone", Duration.ofSeconds(30), () -> entries(stations.on(1)) == 3 && entries(stations.on(3)) == 3);
        publish(stations, 1, 10);
        cluster.restart(4).awaitOneView();
        cluster.advanceUntil("it is back", Duration.ofSeconds(10), () -> stations.running().size() == 4);
        // It has waited for the entries of the others, and so has all of them when join returns.
        assertThat(entries(stations.on(4))).isGreaterThanOrEqualTo(4);
        Answer<Entry> found = stations.ask(4, station -> station.grid().find(Query.PRODUCERS));
        assertThat(found.missing()).isEmpty();
        assertThat(found.items()).extracting(Entry::node).contains("n1", "n2", "n3");
    }

    @ClusterTest(nodes = 6, seeds = 3)
    void measurementsReachConsumersAtOtherSitesOnce(Cluster cluster) {
        Components<Station> stations = startSites(cluster);
        stations.run(4, station -> station.subscribe(Filter.topic("hosts/n1/#"), Filter.topic("hosts/n2/load")));
        stations.run(5, station -> station.subscribe(Filter.topic("hosts/#").with("parity", "odd")));
        cluster.advance(Duration.ofSeconds(2));
        for (int number = 1; number <= 3; number++) {
            publish(stations, number, 50);
        }
        cluster.advance(Duration.ofSeconds(2));
        assertThat(stations.on(4).byProducer().values()).hasSize(2).containsOnly(FIFTY);
        assertThat(stations.on(5).byProducer().values())
                .hasSize(3)
                .containsOnly(FIFTY.stream().filter(value -> value % 2 != 0).toList());
        assertThat(stations.on(6).got()).isEmpty();
    }

    @ClusterTest(nodes = 6, seeds = 3)
    void queriesReachAllSitesAndSayWhatIsMissing(Cluster cluster) {
        Components<Station> stations = startSites(cluster);
        for (int number = 1; number <= 6; number++) {
            publish(stations, number, 3);
        }
        Answer<Entry> entries = stations.ask(1, station -> station.grid().find(Query.PRODUCERS));
        assertThat(entries.missing()).isEmpty();
        assertThat(entries.items()).extracting(entry -> entry.site() + " " + entry.node()).containsExactly(
                "berlin n1", "berlin n2", "berlin n3", "paris n4", "paris n5", "paris n6");
        assertThat(stations.ask(1, station -> station.grid().find(Query.PRODUCERS.at("paris").on("hosts/n5/#"))).items())
                .extracting(Entry::node)
                .containsExactly("n5");

        Answer<Measurement> latest = stations.ask(2, station -> station.grid().latest(Filter.topic("hosts/*/load"), SECOND));
        assertThat(latest.missing()).isEmpty();
        assertThat(latest.items()).hasSize(6).allMatch(each -> each.sequence() == 3);

        Answer<Measurement> history = stations.ask(
                5, station -> station.grid().history(Filter.topic("hosts/n1/#").where("value < 3"), Instant.EPOCH, Instant.MAX, SECOND));
        assertThat(history.items()).extracting(Measurement::sequence).containsExactly(1L, 2L);

        cluster.partition(1, 2, 3);
        Answer<Entry> half = stations.ask(1, station -> station.grid().find(Query.PRODUCERS.within(Duration.ofSeconds(2))));
        assertThat(half.items()).extracting(Entry::node).containsExactly("n1", "n2", "n3");
        assertThat(half.missing()).hasSize(1).first().asString().startsWith("site paris: ");
        cluster.heal();
        cluster.advance(Duration.ofSeconds(30));
        assertThat(stations.ask(1, station -> station.grid().find(Query.PRODUCERS)).items()).hasSize(6);
    }

    @ClusterTest(nodes = 6, seeds = 3)
    void measurementsOfASiteThatWasCutOffComeLater(Cluster cluster) {
        Components<Station> stations = startSites(cluster);
        stations.run(4, station -> station.subscribe(Filter.topic("hosts/n1/#")));
        cluster.advance(Duration.ofSeconds(2));
        publish(stations, 1, 25);
        cluster.partition(1, 2, 3).advance(Duration.ofSeconds(20));
        publish(stations, 1, 25);
        cluster.advance(Duration.ofSeconds(20)).heal();
        cluster.advanceUntil("all have come", Duration.ofSeconds(60), () -> stations.on(4).got().size() == 50);
        assertThat(stations.on(4).byProducer().values()).containsExactly(FIFTY);
        assertThat(stations.on(4).gaps()).isEmpty();
    }

    /** A listener that is too slow loses the oldest measurements, and is told how many, before the ones that follow. */
    @ClusterTest(nodes = 2, seeds = 3)
    void aConsumerThatIsTooSlowIsToldOfTheGap(Cluster cluster) {
        Components<Station> stations = start(cluster);
        List<String> told = new ArrayList<>();
        long[] count = new long[1];
        stations.run(1, station -> station.grid().subscribe(
                SubscriptionOptions.of("slow", Filter.ALL).queue(SubscriptionOptions.QUEUE_MIN, WhenFull.DROP_OLDEST),
                new dev.tutti.grid.MeasurementListener() {
                    @Override
                    public void onMeasurement(Measurement measurement) {
                        count[0]++;
                        told.add("m" + measurement.sequence());
                    }

                    @Override
                    public void onGap(Gap gap) {
                        count[0] += gap.count();
                        told.add("gap");
                    }
                }));
        cluster.advance(SECOND);
        byte[] large = new byte[1 << 20];
        stations.run(1, station -> {
            for (int i = 0; i < 40; i++) {
                station.producer().publish("hosts/n1/large", Body.of(large));
            }
        });
        cluster.advance(Duration.ofSeconds(5));
        assertThat(count[0]).isEqualTo(40);
        assertThat(told).contains("gap");
        assertThat(told.getLast()).isEqualTo("m40");
    }

    /** More is published than may wait for a member that is paused: its consumer is told of the gap, and gets the rest. */
    @ClusterTest(nodes = 2, seeds = 3)
    void aMemberThatIsTooSlowIsToldOfTheGap(Cluster cluster) {
        Components<Station> stations = cluster.startAll(node -> new Station(node, null, GridMember.on(node).queue(8L << 20)));
        stations.run(1, station -> station.subscribe(Filter.ALL));
        cluster.advance(SECOND);
        byte[] large = new byte[1 << 20];
        cluster.pause(1);
        stations.run(2, station -> {
            for (int i = 0; i < 40; i++) {
                station.producer().publish("hosts/n2/large", Body.of(large));
            }
        });
        assertThat(stations.on(2).grid().status().get("unsent-waiting-bytes")).isLessThanOrEqualTo(8L << 20);
        cluster.advance(Duration.ofMillis(500)).resume(1);
        for (int i = 0; i < 40; i++) {
            publish(stations, 2, 1);
            cluster.advance(Duration.ofMillis(1));
        }
        cluster.advance(Duration.ofSeconds(10));
        Station slow = stations.on(1);
        long missing = slow.gaps().stream().mapToLong(Gap::count).sum();
        assertThat(missing).isPositive().isEqualTo(stations.on(2).grid().status().get("unsent"));
        assertThat(slow.got().size() + missing).isEqualTo(80);
        assertThat(slow.got()).extracting(Measurement::sequence).isSorted();
        assertThat(slow.gaps()).allMatch(gap -> gap.producer().equals(stations.on(2).producer().entry().id()));
        assertThat(slow.got().getLast().sequence()).isEqualTo(80);
    }

    @ClusterTest(nodes = 6, seeds = 3)
    void aSiteWhoseConsumersAreGoneIsSentNothing(Cluster cluster) {
        Components<Station> stations = startSites(cluster);
        stations.run(4, station -> station.subscribe(Filter.topic("hosts/n1/#")));
        stations.run(5, station -> station.subscribe(Filter.topic("hosts/n2/#")));
        cluster.advance(Duration.ofSeconds(2));
        assertThat(isWanted(stations, 1)).isTrue();
        assertThat(isWanted(stations, 2)).isTrue();
        stations.run(5, station -> station.subscription().close());
        cluster.crash(4).advance(Duration.ofSeconds(30));
        assertThat(isWanted(stations, 1)).isFalse();
        assertThat(isWanted(stations, 2)).isFalse();
    }

    @ClusterTest(nodes = 6, seeds = 3)
    void aSiteWhoseConsumersComeBackAfterTheirFiltersWereForgottenIsToldOfAGap(Cluster cluster) {
        Components<Station> stations = startSites(cluster);
        stations.run(4, station -> station.subscribe(Filter.topic("hosts/n1/#")));
        cluster.advance(Duration.ofSeconds(2)).crash(4);
        for (int i = 0; i < 400 && isWanted(stations, 1); i++) {
            cluster.advance(Duration.ofMillis(100));
        }
        assertThat(isWanted(stations, 1)).isFalse();
        stations.run(5, station -> station.subscribe(Filter.topic("hosts/n1/#")));
        cluster.advance(Duration.ofSeconds(2));
        assertThat(isWanted(stations, 1)).isTrue();
        assertThat(stations.on(5).gaps()).extracting(Gap::reason).anyMatch(reason -> reason.contains("changed their member"));
        stations.run(6, station -> station.subscribe(Filter.topic("hosts/n1/#")));
        cluster.advance(Duration.ofSeconds(2));
        assertThat(stations.on(6).gaps()).isEmpty();
    }

    @ClusterTest(nodes = 6, seeds = 3)
    void aSiteThatStartsLaterIsToldWhatOthersWant(Cluster cluster) {
        Components<Station> stations = deploySites(cluster);
        cluster.start(4, 5, 6).advance(Duration.ofSeconds(10));
        stations.run(4, station -> station.subscribe(Filter.topic("hosts/n1/#")));
        cluster.advance(Duration.ofSeconds(10)).start(1, 2, 3).advance(Duration.ofSeconds(20));
        assertThat(isWanted(stations, 1)).isTrue();
        assertThat(isWanted(stations, 2)).isFalse();
    }

    @ClusterTest(nodes = 3, seeds = 10)
    @Tag("seeds")
    void orderAndCountsHoldWhileMembersCrashAndStop(Cluster cluster) {
        Components<Station> stations = cluster.startAll(node -> {
            Station station = new Station(node);
            station.subscribe(Filter.ALL);
            return station;
        });
        stations.keep(Duration.ofMillis(20), Station::publish);
        cluster.randomFaults(Duration.ofSeconds(10), Fault.CRASH, Fault.STOP, Fault.SLOWNESS);
        cluster.quiet().awaitRest();
        for (Station station : stations.running()) {
            assertThat(station.gaps()).isEmpty();
            station.byProducer().values().forEach(values -> {
                int first = values.getFirst();
                assertThat(values).isEqualTo(IntStream.range(first, first + values.size()).boxed().toList());
            });
        }
    }

    @ClusterTest(nodes = 2, seeds = 3)
    void theListenerMayCloseItsSubscription(Cluster cluster) {
        Components<Station> stations = start(cluster);
        boolean[] hasReturned = new boolean[1];
        stations.run(1, station -> station.subscribe(
                measurement -> {
                    station.got().add(measurement);
                    station.subscription().close();
                    hasReturned[0] = true;
                },
                Filter.ALL));
        cluster.advance(SECOND);
        publish(stations, 2, 10);
        cluster.advance(SECOND);
        assertThat(stations.on(1).got()).hasSize(1);
        assertThat(hasReturned[0]).isTrue();
        assertThat(entries(stations.on(2))).isEqualTo(2);
    }

    @ClusterTest(nodes = 2, seeds = 3)
    void exceptionsOfAListenerDoNotEndItsSubscription(Cluster cluster) {
        cluster.expectCallbackFailures(failure -> failure instanceof IllegalArgumentException);
        Components<Station> stations = start(cluster);
        stations.run(1, station -> station.subscribe(
                measurement -> {
                    station.got().add(measurement);
                    throw new IllegalArgumentException("as the test wants it");
                },
                Filter.ALL));
        cluster.advance(SECOND);
        publish(stations, 2, 10);
        cluster.advance(SECOND);
        assertThat(stations.on(1).got()).hasSize(10);
    }

    /** While a store is broken, others are asked; afterwards it has what has changed meanwhile. */
    @ClusterTest(nodes = 2, seeds = 3)
    void aStoreThatThrowsIsWrittenAgain(Cluster cluster) {
        BrokenStore store = new BrokenStore();
        Components<Station> stations = cluster.startAll(node -> new Station(
                node, null, node.name().equals("n1") ? GridMember.on(node).store(store) : GridMember.on(node)));
        cluster.advance(SECOND);
        assertThat(store.find(Query.ALL)).hasSize(2);
        store.setBroken(true);
        Answer<Entry> elsewhere = stations.ask(1, station -> station.grid().find(Query.ALL));
        assertThat(elsewhere.items()).hasSize(2);
        assertThat(elsewhere.missing()).isEmpty();
        stations.run(2, station -> station.subscribe(Filter.ALL));
        cluster.advance(Duration.ofSeconds(5));
        Answer<Entry> found = stations.ask(1, station -> station.grid().find(Query.ALL));
        assertThat(found.items()).hasSize(3);
        cluster.crash(2).advance(Duration.ofSeconds(30));
        Answer<Entry> none = stations.ask(1, station -> station.grid().find(Query.ALL));
        assertThat(none.items()).isEmpty();
        assertThat(none.missing()).hasSize(1).first().asString().startsWith("the store of n1: ");
        store.setBroken(false);
        cluster.advance(Duration.ofSeconds(20));
        assertThat(store.find(Query.ALL)).hasSize(1);
        assertThat(stations.on(1).grid().status().get("store-failures")).isPositive();
    }

    /** The store is written by a thread of its own, and queries ask the store. */
    @ClusterTest(nodes = 1, seeds = 2)
    void whoOpensAProducerFindsItAtOnce(Cluster cluster) {
        Components<Station> stations =
                cluster.startAll(node -> new Station(node, null, GridMember.on(node).store(new SlowStore(node.threads()))));
        cluster.advance(SECOND);
        List<String> names = stations.ask(1, station -> {
            Producer own = station.grid().produce(ProducerOptions.of("second", "a/#"));
            List<String> found = station.grid().find(Query.PRODUCERS).items().stream().map(Entry::name).sorted().toList();
            own.close();
            return List.of(found.toString(), station.grid().find(Query.PRODUCERS).items().stream().map(Entry::name).toList().toString());
        });
        assertThat(names).containsExactly("[p, second]", "[p]");
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void wrongUseIsRefused(Cluster cluster) {
        Components<Station> stations = start(cluster);
        stations.run(1, station -> {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> station.producer().publish("hosts/n2/load", Body.of(1)))
                    .withMessageContaining("is not among those of producer p, [hosts/n1/#]");
            assertThatIllegalArgumentException().isThrownBy(() -> station.subscribe(Filter.ALL.where("value >")));
            assertThatIllegalArgumentException().isThrownBy(() -> ProducerOptions.of("x", "a/#/b"));
            assertThatIllegalArgumentException().isThrownBy(() -> station.producer().load(1.5));
            station.subscribe(Filter.ALL);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> station.producer().publish("hosts/n1/x", Body.of(new byte[Body.BYTES_MAX + 1])))
                    .withMessageContaining("a body has at most");
            Subscription subscription = station.grid().subscribe(SubscriptionOptions.of("x", Filter.ALL), measurement -> {});
            station.grid().close();
            assertThatIllegalStateException().isThrownBy(station::publish).withMessageContaining("is closed");
            assertThatIllegalStateException().isThrownBy(() -> station.subscribe(Filter.ALL)).withMessageContaining("is closed");
            subscription.close();
            assertThat(station.got()).isEmpty();
        });
    }
}
