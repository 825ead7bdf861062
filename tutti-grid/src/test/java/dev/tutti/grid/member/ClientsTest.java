package dev.tutti.grid.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.member.Clients.Registration;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/** Entries of clients, which outlast their connections and members by a lease, in virtual time. */
class ClientsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final ProducerOptions SENSOR = ProducerOptions.of("sensor", "sensors/#").history(100);

    private static Components<Station> start(Cluster cluster) {
        return cluster.startAll(Station::new);
    }

    private static Registration number(int number) {
        return new Registration("client-1", number, LEASE);
    }

    private static ClientProducer register(Components<Station> stations, int member, int number) {
        return stations.ask(member, station -> station.grid().clients().produce(number(number), SENSOR));
    }

    /** Returns the nodes at which a member has the client's producer. */
    private static List<String> found(Components<Station> stations, int member) {
        return stations.ask(member, station -> station.grid().find(Query.PRODUCERS.on("sensors/#"))).items().stream()
                .map(Entry::node)
                .toList();
    }

    private static Measurement measurement(int sequence) {
        return new Measurement(
                "client-1", sequence, Topic.of("sensors/1"), Map.of(), Instant.EPOCH.plusSeconds(sequence), ClockQuality.UNKNOWN, Body.of(sequence));
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void outlastTheirMemberByTheLease(Cluster cluster) {
        Components<Station> stations = start(cluster);
        register(stations, 2, 1);
        cluster.advance(SECOND);
        assertThat(found(stations, 3)).containsExactly("n2");
        cluster.crash(2);
        cluster.advanceUntil(
                "the member is gone", Duration.ofSeconds(20), () -> stations.on(1).grid().status().get("entries-orphaned") == 1);
        cluster.advance(LEASE.minusSeconds(2));
        assertThat(found(stations, 1)).containsExactly("n2");
        assertThat(found(stations, 3)).containsExactly("n2");
        cluster.advance(Duration.ofSeconds(4));
        assertThat(found(stations, 1)).isEmpty();
        assertThat(found(stations, 3)).isEmpty();
        assertThat(stations.on(1).grid().status()).containsEntry("entries", 2L).containsEntry("entries-orphaned", 0L);
    }

    /** The client died with its member: with the lease and the detection of a mediator by default, its entry is gone within 30 seconds. */
    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void areGoneWithinThirtySecondsOfTheDeathOfClientAndMember(Cluster cluster) {
        Components<Station> stations = start(cluster);
        stations.ask(2, station -> station.grid().clients().produce(new Registration("client-1", 1, Clients.LEASE_DEFAULT), SENSOR));
        cluster.advance(SECOND);
        assertThat(found(stations, 3)).containsExactly("n2");
        cluster.crash(2);
        cluster.advance(Duration.ofSeconds(30));
        assertThat(found(stations, 1)).isEmpty();
        assertThat(found(stations, 3)).isEmpty();
    }

    /** The lease counts from the death of the client, although its member dies when it is nearly over. */
    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void areGoneInTimeWhenTheirMemberDiesDuringTheLease(Cluster cluster) {
        Components<Station> stations = start(cluster);
        ClientProducer producer =
                stations.ask(2, station -> station.grid().clients().produce(new Registration("client-1", 1, Clients.LEASE_DEFAULT), SENSOR));
        cluster.advance(SECOND);
        stations.run(2, station -> producer.disconnect(Duration.ZERO));
        cluster.advance(Duration.ofSeconds(18));
        assertThat(found(stations, 1)).containsExactly("n2");
        cluster.crash(2);
        cluster.advance(Duration.ofSeconds(12));
        assertThat(found(stations, 1)).isEmpty();
        assertThat(found(stations, 3)).isEmpty();
    }

    /** A member that comes during the lease is told that the client is gone, too. */
    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void areGoneInTimeAtMembersThatCameDuringTheLease(Cluster cluster) {
        Components<Station> stations = start(cluster);
        ClientProducer producer =
                stations.ask(2, station -> station.grid().clients().produce(new Registration("client-1", 1, Clients.LEASE_DEFAULT), SENSOR));
        cluster.advance(SECOND).crash(3).advance(Duration.ofSeconds(10));
        stations.run(2, station -> producer.disconnect(Duration.ZERO));
        cluster.advance(Duration.ofSeconds(1)).restart(3).awaitOneView();
        cluster.advanceUntil("it is back", Duration.ofSeconds(10), () -> stations.running().size() == 3);
        assertThat(found(stations, 3)).containsExactly("n2");
        cluster.crash(2).advance(Duration.ofSeconds(22));
        assertThat(found(stations, 1)).isEmpty();
        assertThat(found(stations, 3)).isEmpty();
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void stayWhenTheyRegisterAtAnotherMember(Cluster cluster) {
        Components<Station> stations = start(cluster);
        register(stations, 2, 1);
        cluster.advance(SECOND).crash(2).advance(Duration.ofSeconds(10));
        register(stations, 3, 2);
        for (int second = 0; second < 60; second++) {
            cluster.advance(SECOND);
            assertThat(found(stations, 1)).containsExactly("n3");
        }
        assertThat(found(stations, 3)).containsExactly("n3");
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void areKnownToMembersThatComeDuringTheLease(Cluster cluster) {
        Components<Station> stations = start(cluster);
        register(stations, 3, 1);
        cluster.advance(SECOND).crash(3);
        cluster.restart(3).awaitOneView();
        cluster.advanceUntil("it is back", Duration.ofSeconds(10), () -> stations.running().size() == 3);
        assertThat(stations.ask(3, station -> station.grid().find(Query.PRODUCERS.on("sensors/#"))).items()).hasSize(1);
        cluster.advance(LEASE);
        assertThat(found(stations, 3)).isEmpty();
        assertThat(found(stations, 1)).isEmpty();
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void areLeftToOtherMembersWhenTheirMemberCloses(Cluster cluster) {
        Components<Station> stations = start(cluster);
        register(stations, 2, 1);
        cluster.advance(SECOND);
        stations.run(2, station -> station.grid().close());
        cluster.advance(Duration.ofSeconds(10));
        assertThat(found(stations, 1)).containsExactly("n2");
        assertThat(stations.on(1).grid().status()).containsEntry("entries-orphaned", 1L);
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void areWithdrawnWhenTheLeaseEndsAfterTheirConnection(Cluster cluster) {
        Components<Station> stations = start(cluster);
        ClientProducer producer = register(stations, 2, 1);
        cluster.advance(SECOND);
        stations.run(2, station -> producer.disconnect(Duration.ofSeconds(10)));
        cluster.advance(Duration.ofSeconds(19));
        assertThat(found(stations, 1)).containsExactly("n2");
        cluster.advance(Duration.ofSeconds(2));
        assertThat(found(stations, 1)).isEmpty();
        assertThat(found(stations, 2)).isEmpty();
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void goToAnotherMemberWhileTheFirstOneLives(Cluster cluster) {
        Components<Station> stations = start(cluster);
        ClientProducer before = register(stations, 2, 1);
        register(stations, 3, 2);
        cluster.advance(SECOND);
        stations.run(2, station -> {
            before.disconnect(Duration.ZERO);
            before.close();
        });
        cluster.advance(LEASE.plusSeconds(2));
        for (int member = 1; member <= 3; member++) {
            assertThat(found(stations, member)).containsExactly("n3");
        }
        assertThat(stations.on(2).grid().status()).containsEntry("producers", 1L);
    }

    @ClusterTest(nodes = 2, seeds = 3)
    void areRefusedWithAnOldNumberOrTheIdentityOfAnother(Cluster cluster) {
        Components<Station> stations = start(cluster);
        register(stations, 1, 2);
        cluster.advance(SECOND);
        for (int member = 1; member <= 2; member++) {
            stations.run(member, station -> assertThatIllegalStateException()
                    .isThrownBy(() -> station.grid().clients().produce(number(2), SENSOR))
                    .withMessageContaining("registers with a larger"));
        }
        Entry direct = stations.on(2).producer().entry();
        for (int member = 1; member <= 2; member++) {
            stations.run(member, station -> assertThatIllegalStateException()
                    .isThrownBy(() -> station.grid().clients().produce(new Registration(direct.id(), 9, LEASE), SENSOR))
                    .withMessageContaining("is in use"));
        }
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void consumersGetWhatIsPublishedAfterTheyHaveComeBack(Cluster cluster) {
        Components<Station> stations = start(cluster);
        ClientEntry before = stations.ask(2, station -> station.grid()
                .clients()
                .subscribe(number(1), SubscriptionOptions.of("c", Filter.topic("hosts/n1/#")), station.got()::add));
        cluster.advance(SECOND);
        stations.run(1, Station::publish);
        cluster.advance(SECOND);
        stations.run(2, station -> before.disconnect(Duration.ZERO));
        stations.run(1, Station::publish);
        cluster.advance(SECOND);
        stations.ask(3, station -> station.grid()
                .clients()
                .subscribe(number(2), SubscriptionOptions.of("c", Filter.topic("hosts/n1/#")), station.got()::add));
        cluster.advance(SECOND);
        stations.run(1, Station::publish);
        cluster.advance(SECOND);
        assertThat(stations.on(2).got()).extracting(Measurement::sequence).containsExactly(1L);
        assertThat(stations.on(3).got()).extracting(Measurement::sequence).containsExactly(3L);
    }

    @ClusterTest(nodes = 2, seeds = 3)
    void consumersGetMeasurementsAtOnceAndOnesThatFailAreNoHindranceToOthers(Cluster cluster) {
        Components<Station> stations = start(cluster);
        List<String> threads = new ArrayList<>();
        Filter filter = Filter.topic("hosts/n1/#");
        stations.run(1, station -> {
            station.grid().clients().subscribe(number(1), SubscriptionOptions.of("failing", filter), measurement -> {
                threads.add(Thread.currentThread().getName());
                throw new IllegalStateException("the queue is gone");
            });
            station.subscribe(filter);
        });
        cluster.advance(SECOND);
        stations.run(1, station -> {
            station.publish();
            // Before anything else could run.
            assertThat(threads).containsExactly(Thread.currentThread().getName());
        });
        cluster.advance(SECOND);
        assertThat(stations.on(1).got()).extracting(Measurement::sequence).containsExactly(1L);
        assertThat(stations.on(1).grid().status()).containsEntry("listener-failures", 1L).containsEntry("delivered", 2L);
    }

    @ClusterTest(nodes = 2, seeds = 3)
    void producersKeepTheirNumbersAndLastMeasurements(Cluster cluster) {
        Components<Station> stations = start(cluster);
        stations.run(1, station -> station.subscribe(Filter.topic("sensors/#")));
        ClientProducer first = register(stations, 2, 1);
        cluster.advance(SECOND);
        stations.run(2, station -> {
            assertThat(first.publish(measurement(1))).isTrue();
            assertThat(first.publish(measurement(4))).isTrue();
            first.disconnect(Duration.ZERO);
        });
        ClientProducer second = register(stations, 2, 2);
        stations.run(2, station -> {
            assertThat(second.publish(measurement(4))).isFalse();
            assertThat(second.publish(measurement(5))).isTrue();
        });
        cluster.advance(LEASE.plusSeconds(1));
        assertThat(stations.on(1).got()).extracting(Measurement::sequence).containsExactly(1L, 4L, 5L);
        assertThat(stations.ask(1, station -> station.grid().history(Filter.topic("sensors/1"), Instant.EPOCH, Instant.MAX, SECOND)).items())
                .extracting(Measurement::sequence)
                .containsExactly(1L, 4L, 5L);
        assertThat(second.entry().registration()).isEqualTo(2);
    }
}
