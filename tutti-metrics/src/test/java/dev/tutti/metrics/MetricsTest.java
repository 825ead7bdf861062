package dev.tutti.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Event;
import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.Subscription;
import dev.tutti.core.metrics.Metric;
import dev.tutti.sites.Sites;
import dev.tutti.testing.Await;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.Notification;
import javax.management.ObjectName;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes of this machine, as each kind of monitoring shows them. */
@Timeout(60)
class MetricsTest {

    private static final Pattern LINE =
            Pattern.compile("tutti_[a-z0-9_]+\\{node=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*} -?[0-9]+");

    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void closeNodes() {
        nodes.forEach(Node::close);
    }

    private Node start(String name) {
        String[] seeds = nodes.stream().limit(1).map(Node::address).toArray(String[]::new);
        nodes.add(Node.tcp(0).name(name).seeds(seeds).start());
        return nodes.getLast();
    }

    /** Two members of a group that see each other. */
    private Group join() throws InterruptedException {
        CountDownLatch met = new CountDownLatch(1);
        Group first = nodes.getFirst().group("chat").onView(view -> {
            if (view.size() == 2) {
                met.countDown();
            }
        }).join();
        nodes.getLast().group("chat").join();
        assertThat(met.await(20, TimeUnit.SECONDS)).isTrue();
        return first;
    }

    // ------------------------------------------------------------------ names

    @Test
    void namesStayDifferentInEveryNotation() {
        for (List<String> names : List.of(
                Node.metrics().stream().map(TuttiMetrics::name).toList(),
                Node.metrics().stream().map(PrometheusText::name).toList())) {
            assertThat(names).doesNotHaveDuplicates();
        }
        for (Metric.Place place : Metric.Place.values()) {
            assertThat(Node.metrics().stream().filter(metric -> metric.place() == place).map(Jmx::attribute).toList())
                    .doesNotHaveDuplicates()
                    .allMatch(name -> name.matches("[A-Z][A-Za-z0-9]+"));
        }
    }

    // ------------------------------------------------------------------ Micrometer

    @Test
    void micrometerHasWhatIsThereAndDropsWhatGoes() throws Exception {
        Node a = start("a");
        start("b");
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (TuttiMetrics metrics = new TuttiMetrics(a)) {
            metrics.bindTo(registry);
            assertThat(registry.get("tutti.process.heap.used.bytes").tag("node", "a").gauge().value()).isPositive();
            join();
            Await.until("the gauge of members", () -> registry.find("tutti.group.members").tags("group", "chat").gauge() != null);
            Await.until("two members", () -> registry.get("tutti.group.members").tags("group", "chat").gauge().value() == 2);
            Await.until("the gauge of b's backlog", () -> registry.find("tutti.pair.backlog.bytes").tags("group", "chat", "member", "b").gauge() != null);
            Await.until("the counter of the link to b", () -> registry.find("tutti.link.sent.bytes").tags("peer", "b").functionCounter() != null);
            assertThat(registry.get("tutti.link.sent.bytes").tags("peer", "b").functionCounter().count()).isPositive();
            assertThat(registry.getMeters()).extracting(Meter::getId).extracting(Meter.Id::getDescription).doesNotContainNull();
            nodes.getLast().close();
            Await.until("no gauge of a backlog", () -> registry.find("tutti.pair.backlog.bytes").gauge() == null);
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void micrometerOfAClosedNodeHasNoNumbers() {
        Node a = start("a");
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (TuttiMetrics metrics = new TuttiMetrics(a)) {
            metrics.bindTo(registry);
            a.close();
            Await.until("no gauge of a closed node", () -> Double.isNaN(registry.get("tutti.process.threads").gauge().value()));
            assertThat(registry.get("tutti.process.threads").gauge().value()).isNaN();
        }
    }

    // ------------------------------------------------------------------ JMX

    @Test
    void beansShowNodeGroupsAndLinks() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        Node a = start("a\"*,=");
        start("b");
        LinkedBlockingQueue<Notification> told = new LinkedBlockingQueue<>();
        ObjectName all = new ObjectName("dev.tutti:*");
        try (Jmx jmx = Jmx.register(a)) {
            assertThat(jmx).isNotNull();
            ObjectName node = new ObjectName("dev.tutti:type=Node,name=" + ObjectName.quote(a.name()));
            server.addNotificationListener(node, (notification, handback) -> told.add(notification), null, null);
            join();
            Await.until("three beans", () -> server.queryNames(all, null).size() == 3);
            ObjectName group = new ObjectName("dev.tutti:type=Group,node=" + ObjectName.quote(a.name()) + ",name=\"chat\"");
            ObjectName link = new ObjectName("dev.tutti:type=Link,node=" + ObjectName.quote(a.name()) + ",peer=\"b\"");
            Await.until("two members", () -> attribute(server, group, "GroupMembers").equals(2L));
            assertThat((String[]) server.getAttribute(group, "Members")).containsExactlyInAnyOrder(
                            a.name() + "@" + a.address(), "b@" + nodes.getLast().address());
            assertThat(server.getAttribute(group, "Order")).isEqualTo("fifo");
            assertThat((Long) server.getAttribute(link, "LinkSentBytes")).isPositive();
            assertThat(server.getAttribute(link, "Address")).isEqualTo(nodes.getLast().address());
            assertThat(server.getAttribute(node, "Ready")).isEqualTo(true);
            assertThat((String) server.getAttribute(node, "Document")).startsWith("{\"time\":");
            assertThat(server.getAttributes(node, new String[] {"DriverTurns", "Nothing"})).hasSize(1);
            for (ObjectName bean : server.queryNames(all, null)) {
                for (MBeanAttributeInfo info : server.getMBeanInfo(bean).getAttributes()) {
                    assertThat(info.getDescription()).isNotBlank();
                    assertThat(info.isWritable()).isFalse();
                }
            }
            assertThatThrownBy(() -> server.getAttribute(node, "Nothing")).isInstanceOf(AttributeNotFoundException.class);
            assertThatThrownBy(() -> Jmx.register(a)).isInstanceOf(IllegalStateException.class).hasMessageContaining("registered already");
            Await.until("a notification of the view", () -> told.stream().anyMatch(notification -> "view".equals(notification.getUserData())));
            nodes.getLast().close();
            Await.until("two beans", () -> server.queryNames(all, null).size() == 2);
        }
        assertThat(server.queryNames(all, null)).isEmpty();
    }

    /** A component's parts are beans, with its numbers and texts. */
    @Test
    void sitesAreBeans() throws Exception {
        Node a = start("a");
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try (Sites sites = Sites.on(a).site("berlin").bridge(() -> Node.tcp(0).cluster("bridge")).open();
                Jmx jmx = Jmx.register(a)) {
            assertThat(jmx).isNotNull();
            sites.group("orders").expect("paris").join();
            String node = "dev.tutti:type=Component,node=" + ObjectName.quote(a.name());
            ObjectName link = new ObjectName(node + ",part=\"site-link\",group=\"orders\",site=\"paris\"");
            Await.until("the bean of a link", () -> server.isRegistered(link));
            assertThat(server.getAttribute(link, "SiteLinkLagMessages")).isEqualTo(0L);
            assertThat(server.getAttribute(new ObjectName(node + ",part=\"site-group\",group=\"orders\""), "KeptIn")).isEqualTo("memory");
            assertThat(server.getAttribute(new ObjectName(node + ",part=\"sites\""), "Site")).isEqualTo("berlin");
        }
    }

    /** A component's parts come and go without an event. */
    @Test
    void aPartThatNoEventTellsIsABeanOnceTheNodeIsRead() throws Exception {
        Node a = start("a");
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        NodeInspection.Part part = new NodeInspection.Part("site-group", Map.of(), Map.of("retained", 7L), Map.of("kept-in", "nowhere"));
        NodeInspection.ComponentPart silent = new NodeInspection.ComponentPart(Map.of("group", "orders"), part);
        ObjectName node = new ObjectName("dev.tutti:type=Node,name=" + ObjectName.quote(a.name()));
        ObjectName bean = new ObjectName("dev.tutti:type=Component,node=" + ObjectName.quote(a.name()) + ",part=\"site-group\",group=\"orders\"");
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (Jmx jmx = Jmx.register(a);
                TuttiMetrics metrics = new TuttiMetrics(a)) {
            assertThat(jmx).isNotNull();
            metrics.bindTo(registry);
            attribute(server, node, "DriverTurns");
            registry.get("tutti.driver.turns").functionCounter().count();
            Subscription component = a.components().add("silent", () -> List.of(silent));
            Await.until("the bean", () -> !attribute(server, node, "DriverTurns").equals("") && server.isRegistered(bean));
            Await.until("the meters", () -> registry.get("tutti.driver.turns").functionCounter().count() > 0
                    && registry.find("tutti.site.group.retained").tags("group", "orders").gauge() != null);
            component.close();
            Await.until("no bean", () -> !attribute(server, node, "DriverTurns").equals("") && !server.isRegistered(bean));
        }
    }

    private static Object attribute(MBeanServer server, ObjectName name, String attribute) {
        try {
            Object value = server.getAttribute(name, attribute);
            return value == null ? "" : value;
        } catch (javax.management.JMException e) {
            throw new IllegalStateException(e);
        }
    }

    // ------------------------------------------------------------------ flight recorder

    @Test
    void flightRecorderHasViewsAndWhyMembersWent(@TempDir Path directory) throws Exception {
        Node a = start("a");
        Node b = start("b");
        LinkedBlockingQueue<Event> heard = new LinkedBlockingQueue<>();
        List<RecordedEvent> recorded;
        try (Recording recording = new Recording();
                FlightEvents events = FlightEvents.start(a)) {
            assertThat(events).isNotNull();
            recording.enable("dev.tutti.Number").withPeriod(java.time.Duration.ofMillis(20));
            recording.start();
            a.onEvent(heard::add);
            join();
            b.close();
            boolean isGone = false;
            boolean isClosed = false;
            // A member that leaves closes its link before or after the others have the view.
            while (!isGone || !isClosed) {
                Event event = heard.poll(20, TimeUnit.SECONDS);
                assertThat(event).isNotNull();
                isGone |= event.kind() == Event.Kind.VIEW && event.cause().startsWith("b@");
                isClosed |= event.kind() == Event.Kind.LINK_CLOSED;
            }
            recording.stop();
            Path file = directory.resolve("tutti.jfr");
            recording.dump(file);
            recorded = RecordingFile.readAllEvents(file);
        }
        assertThat(texts(recorded, "dev.tutti.ViewChange", "text")).anyMatch(text -> text.contains("with 2 of"));
        assertThat(texts(recorded, "dev.tutti.Departure", "about")).containsExactly("b");
        assertThat(texts(recorded, "dev.tutti.Departure", "cause")).allMatch(cause -> !cause.isEmpty());
        assertThat(texts(recorded, "dev.tutti.Link", "kind")).contains("link-closed");
        assertThat(texts(recorded, "dev.tutti.Number", "metric")).contains("driver.turns", "process.cpu-nanos");
    }

    private static List<String> texts(List<RecordedEvent> events, String type, String field) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals(type))
                .map(event -> event.getString(field))
                .toList();
    }

    // ------------------------------------------------------------------ HTTP

    private static HttpResponse<String> get(HealthServer server, String path) throws IOException, InterruptedException {
        return send(server, path, "GET");
    }

    private static HttpResponse<String> send(HealthServer server, String path, String method)
            throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + server.port() + path))
                    .method(method, HttpRequest.BodyPublishers.noBody())
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void healthIsServedWhileTheNodeLivesAndAfterwards() throws Exception {
        Node a = start("a");
        try (HealthServer server = HealthServer.start(a, 0)) {
            assertThat(get(server, "/health/live").statusCode()).isEqualTo(200);
            assertThat(get(server, "/health/ready").statusCode()).isEqualTo(200);
            assertThat(get(server, "/health").body()).startsWith("{\"alive\":true,\"ready\":true,\"reasons\":[");
            assertThat(get(server, "/").statusCode()).isEqualTo(404);
            assertThat(send(server, "/health", "POST").statusCode()).isEqualTo(405);
            assertThat(send(server, "/health", "HEAD").body()).isEmpty();
            a.close();
            long closed = System.nanoTime();
            Await.until("readings are old", () -> System.nanoTime() - closed > Readings.AGE_MILLIS * 1_000_000);
            HttpResponse<String> dead = get(server, "/health/live");
            assertThat(dead.statusCode()).isEqualTo(503);
            assertThat(dead.body()).contains("\"alive\":false", "node a is closed");
            assertThat(get(server, "/metrics").statusCode()).isEqualTo(503);
        }
    }

    private static long backlogBytes(Node node) {
        return node.inspection().groups().getFirst().members().getFirst().pair().value("backlog-bytes");
    }

    @Test
    void prometheusReadsEveryNumberOnce() throws Exception {
        start("a \"quoted\\");
        start("b");
        join().send("hello");
        Await.until("no backlog", () -> backlogBytes(nodes.getFirst()) == 0);
        try (HealthServer server = HealthServer.start(nodes.getFirst(), 0)) {
            HttpResponse<String> response = get(server, "/metrics");
            assertThat(response.headers().firstValue("Content-Type")).contains(PrometheusText.CONTENT_TYPE);
            assertThat(response.body()).endsWith("\n").contains("node=\"a \\\"quoted\\\\\"");
            String plain = response.body().replace("a \\\"quoted\\\\", "a");
            Set<String> seen = new HashSet<>();
            for (String line : plain.lines().filter(each -> !each.startsWith("#")).toList()) {
                assertThat(line).matches(LINE);
                assertThat(seen.add(line.substring(0, line.indexOf('}')))).as("once: " + line).isTrue();
            }
            assertThat(plain).contains(
                    "tutti_ready{node=\"a\"} 1\n", "# TYPE tutti_link_sent_bytes_total counter\n",
                    "tutti_group_members{node=\"a\",group=\"chat\"} 2\n",
                    "tutti_pair_backlog_bytes{node=\"a\",group=\"chat\",member=\"b\"} 0\n");
        }
    }

    @Test
    void theDashboardAsksForNumbersThatThereAre() throws IOException {
        String dashboard = Files.readString(Path.of("../docs/operating/grafana-dashboard.json"));
        Set<String> known = new HashSet<>(Node.metrics().stream().map(PrometheusText::name).toList());
        known.add("tutti_ready");
        Set<String> used = new HashSet<>();
        Pattern.compile("tutti_[a-z0-9_]+").matcher(dashboard).results().forEach(match -> used.add(match.group()));
        assertThat(used).hasSizeGreaterThan(15).isSubsetOf(known);
        assertThat(dev.tutti.internal.Json.parse(dashboard)).isInstanceOf(java.util.Map.class);
        assertThat(Stream.of("\"datasource\"", "\"panels\"", "\"templating\"")).allMatch(dashboard::contains);
    }
}
