package dev.tutti.grid.mediator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import dev.tutti.Node;
import dev.tutti.grid.Answer;
import dev.tutti.grid.Body;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.Subscription;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.member.GridMember;
import dev.tutti.testing.Await;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of mediators over real sockets. */
@Order(4)
class MediatorTest {

    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();

    /** Listener that remembers what it was told. */
    private static final class Inbox implements MeasurementListener {

        private final Queue<Measurement> measurements = new ConcurrentLinkedQueue<>();
        private final Queue<Gap> gaps = new ConcurrentLinkedQueue<>();

        @Override
        public void onMeasurement(Measurement measurement) {
            measurements.add(measurement);
        }

        @Override
        public void onGap(Gap gap) {
            gaps.add(gap);
        }

        List<Long> sequences() {
            return measurements.stream().map(Measurement::sequence).toList();
        }
    }

    private <T extends AutoCloseable> T opened(T each) {
        open.add(each);
        return each;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private GridMember member() {
        String[] seeds = nodes.isEmpty() ? new String[0] : new String[] {nodes.getFirst().address().toString()};
        Node node = opened(Node.tcp(0).name("n" + (nodes.size() + 1)).seeds(seeds).start());
        nodes.add(node);
        return opened(GridMember.on(node).timeout(Duration.ofSeconds(30)).join());
    }

    private Mediator mediator(GridMember member) {
        return opened(Mediator.on(member).port(0).open());
    }

    private GridClient client(Mediator... mediators) {
        URI[] urls = new URI[mediators.length];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = mediators[i].url();
        }
        return opened(GridClient.of(urls).inOrder().open());
    }

    private static List<Entry> found(Grid grid, String topic) {
        return grid.find(Query.ALL.on(topic).within(DEADLINE)).items();
    }

    @Test
    void measurementsGoFromClientsToMembersAndBack() {
        GridMember member = member();
        Mediator mediator = mediator(member);
        Inbox atMember = new Inbox();
        member.subscribe(SubscriptionOptions.of("m", Filter.topic("sensors/#")), atMember);
        Inbox atClient = new Inbox();
        client(mediator).subscribe(SubscriptionOptions.of("c", Filter.topic("sensors/*/heat").where("value > 2")), atClient);
        Producer producer = client(mediator).produce(ProducerOptions.of("sensor", "sensors/#"));
        Await.until("both are registered", () -> found(member, "sensors/1/heat").size() == 3);
        for (int value = 1; value <= 5; value++) {
            producer.publish("sensors/1/heat", Body.of(value, "Cel"));
        }
        Await.until("all have come", () -> atMember.measurements.size() == 5 && atClient.measurements.size() == 3);
        assertThat(atMember.sequences()).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(atClient.sequences()).containsExactly(3L, 4L, 5L);
        assertThat(atClient.measurements).allMatch(each -> each.body() instanceof Body.Number number && number.unit().equals("Cel"));
        producer.close();
        Await.until("it is withdrawn", () -> found(member, "sensors/1/heat").size() == 2);
    }

    @Test
    void questionsOfClientsAreAnswered() {
        GridMember member = member();
        Mediator mediator = mediator(member);
        GridClient client = client(mediator);
        Producer producer = client.produce(ProducerOptions.of("sensor", "sensors/#").history(10).with("room", "1"));
        producer.publish("sensors/1", Body.of(1));
        producer.publish("sensors/1", Body.of(2));
        Await.until("it is published", () -> mediator.numbers().get("client-published") == 2);
        Answer<Entry> entries = client.find(Query.PRODUCERS.with("room", "1").within(DEADLINE));
        assertThat(entries.missing()).isEmpty();
        assertThat(entries.items()).extracting(Entry::name, Entry::node).containsExactly(tuple("sensor", "n1"));
        assertThat(client.latest(Filter.topic("sensors/1"), DEADLINE).items()).extracting(Measurement::sequence).containsExactly(2L);
        assertThat(client.history(Filter.ALL, Instant.EPOCH, Instant.MAX, DEADLINE).items())
                .extracting(Measurement::sequence)
                .containsExactly(1L, 2L);
    }

    @Test
    void clientsGoToAnotherMediatorAndKeepTheirEntries() {
        GridMember one = member();
        GridMember two = member();
        Mediator first = mediator(one);
        Mediator second = mediator(two);
        GridClient client = client(first, second);
        Inbox atClient = new Inbox();
        Subscription subscription = client.subscribe(SubscriptionOptions.of("c", Filter.topic("hosts/#")), atClient);
        Producer producer = client.produce(ProducerOptions.of("sensor", "sensors/#"));
        Inbox atMember = new Inbox();
        two.subscribe(SubscriptionOptions.of("m", Filter.topic("sensors/#")), atMember);
        Producer host = two.produce(ProducerOptions.of("host", "hosts/#"));
        String id = producer.entry().id();
        Await.until("the entries are there", () -> found(two, "sensors/1").stream().anyMatch(each -> each.id().equals(id))
                && host.isWanted(Topic.of("hosts/1")));
        producer.publish("sensors/1", Body.of(1));
        host.publish("hosts/1", Body.of(1));
        Await.until("the first measurements have come", () -> atMember.measurements.size() == 1 && atClient.measurements.size() == 1);

        first.close();
        producer.publish("sensors/1", Body.of(2));
        Await.until("it is at the second mediator", () -> found(one, "sensors/1").stream()
                .anyMatch(each -> each.id().equals(id) && each.node().equals("n2") && each.registration() == 2));
        assertThat(found(two, "sensors/1")).filteredOn(each -> each.id().equals(id)).hasSize(1);
        producer.publish("sensors/1", Body.of(3));
        Await.until("the last measurement has come", () -> atMember.sequences().contains(3L));
        Await.until("the consumer is back", () -> {
            host.publish("hosts/1", Body.of(2));
            return atClient.measurements.size() > 1;
        });
        assertThat(atClient.gaps).hasSize(1).allMatch(gap -> gap.count() == 0 && gap.reason().contains("mediator"));
        assertThat(client.status()).containsEntry("connections", 2L);
        subscription.close();
    }

    @Test
    void clientsWithTheSameAddressesShareTheMediators() {
        GridMember member = member();
        Mediator first = mediator(member);
        Mediator second = mediator(member);
        for (int number = 0; number < 24; number++) {
            opened(GridClient.of(first.url(), second.url()).open());
        }
        Await.until("all are connected", () -> first.numbers().get("clients") + second.numbers().get("clients") == 24);
        // All 24 are at one of them once in eight million runs.
        assertThat(first.numbers().get("clients")).isBetween(1L, 23L);
    }

    private static boolean hasConnections(Mediator mediator, long clients, long spares) {
        Map<String, Long> numbers = mediator.numbers();
        return numbers.get("clients") == clients && numbers.get("client-spares") == spares;
    }

    @Test
    void aSpareConnectionTakesOverAndIsReplaced() {
        GridMember one = member();
        GridMember two = member();
        Mediator first = mediator(one);
        Mediator second = mediator(two);
        GridClient client = client(first, second);
        Producer producer = client.produce(ProducerOptions.of("sensor", "sensors/#"));
        Inbox atMember = new Inbox();
        two.subscribe(SubscriptionOptions.of("m", Filter.topic("sensors/#")), atMember);
        Await.until("it has a spare connection", () -> client.status().get("spare-connections") == 1);
        // A connection is open before the mediator has told the name of its node.
        Await.until("it knows the first node", () -> client.node().equals("n1"));
        // A client knows of a connection before its mediator counts it.
        Await.until("it is a client of the first mediator", () -> hasConnections(first, 1, 0));
        Await.until("it is a spare client of the second", () -> hasConnections(second, 0, 1));
        int port = first.port();
        first.close();
        producer.publish("sensors/1", Body.of(1));
        Await.until("it has come", () -> atMember.sequences().contains(1L));
        Await.until("it knows the second node", () -> client.node().equals("n2"));
        assertThat(hasConnections(second, 1, 0)).isTrue();
        assertThat(client.status()).containsEntry("spare-connections", 0L);
        Mediator again = opened(Mediator.on(one).port(port).open());
        Await.until("it has another spare connection", () -> client.status().get("spare-connections") == 1);
        second.close();
        producer.publish("sensors/1", Body.of(2));
        Await.until("that takes over, too", () -> atMember.sequences().contains(2L));
        Await.until("it knows the first node again", () -> client.node().equals("n1"));
        client.close();
        Await.until("nothing is left", () -> hasConnections(again, 0, 0));
    }

    @Test
    void entriesOfABrokenConnectionGoWithTheirLease() {
        GridMember member = member();
        Mediator mediator = opened(Mediator.on(member).port(0).lease(Duration.ofSeconds(2)).open());
        GridClient client = client(mediator);
        client.produce(ProducerOptions.of("sensor", "sensors/#"));
        Await.until("it is registered", () -> found(member, "sensors/1").size() == 1);
        mediator.close();
        assertThat(found(member, "sensors/1")).hasSize(1);
        Await.until("the lease has ended", () -> found(member, "sensors/1").isEmpty());
    }

    @Test
    void measurementsWaitUntilThereIsAMediator() {
        GridMember member = member();
        Mediator early = Mediator.on(member).port(0).open();
        int port = early.port();
        early.close();
        GridClient client = opened(GridClient.of(URI.create("http://127.0.0.1:" + port)).buffer(8L << 20).open());
        Producer producer = client.produce(ProducerOptions.of("sensor", "sensors/#"));
        byte[] large = new byte[1 << 20];
        for (int i = 0; i < 20; i++) {
            producer.publish("sensors/1", Body.of(large));
        }
        assertThat(client.status().get("unsent")).isEqualTo(13);
        assertThat(client.find(Query.ALL.within(Duration.ofMillis(1))).missing()).hasSize(1).first().asString().contains("no mediator has answered");
        Inbox inbox = new Inbox();
        member.subscribe(SubscriptionOptions.of("m", Filter.ALL), inbox);
        Inbox far = new Inbox();
        GridMember second = member();
        second.subscribe(SubscriptionOptions.of("far", Filter.topic("sensors/*").where("topic LIKE 'sensors/%'")), far);
        Inbox other = new Inbox();
        member.subscribe(SubscriptionOptions.of("other", Filter.topic("hosts/#")), other);
        Await.until("its consumers are known", () -> found(member, "sensors/1").size() == 2);
        opened(Mediator.on(member).port(port).open());
        Await.until("what has waited comes", () -> inbox.measurements.size() == 7);
        assertThat(inbox.sequences()).containsExactly(14L, 15L, 16L, 17L, 18L, 19L, 20L);
        assertThat(inbox.gaps).singleElement().satisfies(gap -> {
            assertThat(gap.producer()).isEqualTo(producer.entry().id());
            assertThat(gap.count()).isEqualTo(13);
            assertThat(gap.reason()).contains("the producer's client");
        });
        Await.until("consumers elsewhere are told too", () -> far.gaps.size() == 1 && far.sequences().equals(inbox.sequences()));
        assertThat(other.gaps).as("told to a consumer of other topics").isEmpty();
    }

    /** A client that reads nothing loses the oldest, and is told how many when it reads. */
    @Test
    void aClientThatDoesNotReadIsToldOfTheGap() throws Exception {
        GridMember member = member();
        Mediator mediator = mediator(member);
        Inbox other = new Inbox();
        client(mediator).subscribe(SubscriptionOptions.of("other", Filter.ALL), other);
        Producer producer = member.produce(ProducerOptions.of("p", "large"));
        RawClient slow = opened(new RawClient(mediator.url()));
        slow.register(slow.id(1), Entry.Kind.CONSUMER, 1, "#");
        Await.until("both are there", () -> found(member, "large").size() == 3);
        byte[] large = new byte[1 << 20];
        for (int i = 0; i < 40; i++) {
            long count = i + 1L;
            producer.publish("large", Body.of(large));
            Await.until("the other client has it", () -> other.measurements.size() == count);
        }
        // Each client has a thread of its own at the mediator: that of the slow one may be behind, or in the middle of making room.
        Await.until("some are dropped", () -> mediator.numbers().get("client-dropped") > 0);
        Await.until("what waits is within the bound", () -> mediator.numbers().get("client-waiting-bytes") <= 8L << 20);
        slow.reading();
        Await.until("all are told or missing", () -> slow.told() + slow.missing() == 40);
        assertThat(slow.missing()).isEqualTo(mediator.numbers().get("client-dropped"));
        assertThat(other.gaps).isEmpty();
    }

    @Test
    void onlyThoseWithATokenAreLetIn(@TempDir Path directory) throws Exception {
        GridMember member = member();
        Path tokens = directory.resolve("tokens");
        Files.createFile(tokens, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(tokens, "grid 0123456789abcdef\nother fedcba9876543210\n");
        Mediator mediator = opened(Mediator.on(member).port(0).tokens(tokens).open());
        assertThat(status(mediator, "/metrics", "")).isEqualTo(401);
        assertThat(status(mediator, "/metrics", "wrong")).isEqualTo(401);
        assertThat(status(mediator, "/metrics", "fedcba9876543210")).isEqualTo(403);
        assertThat(status(mediator, "/metrics", "0123456789abcdef")).isEqualTo(200);
        assertThat(status(mediator, "/v1/grid", "0123456789abcdef")).isEqualTo(426);
        assertThat(status(mediator, "/health/ready", "")).isEqualTo(200);
        assertThat(status(mediator, "/nothing", "0123456789abcdef")).isEqualTo(404);
        GridClient client = opened(GridClient.of(mediator.url()).token("0123456789abcdef").open());
        Await.until("it is let in", client::isConnected);
        GridClient stranger = opened(GridClient.of(mediator.url()).open());
        assertThat(stranger.find(Query.ALL.within(Duration.ofMillis(500))).missing()).hasSize(1);
        assertThat(stranger.isConnected()).isFalse();
    }

    private static int status(Mediator mediator, String path, String token) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(mediator.url() + path));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString()).statusCode();
        }
    }

    @Test
    void whatIsNotSafeIsRefused() throws Exception {
        GridMember member = member();
        InetAddress any = InetAddress.getByName("0.0.0.0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Mediator.on(member).bind(any).port(0).open())
                .withMessageContaining("everybody could use");
        assertThatIllegalArgumentException().isThrownBy(() -> GridClient.of(URI.create("tcp://host:1")));
        Mediator mediator = mediator(member);
        HttpRequest foreign = HttpRequest.newBuilder(URI.create(mediator.url() + "/metrics")).header("Origin", "http://evil.example").build();
        try (HttpClient http = HttpClient.newHttpClient()) {
            assertThat(http.send(foreign, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(403);
        }
    }
}
