package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.NodeInspection.GroupPart;
import dev.tutti.NodeInspection.LinkPart;
import dev.tutti.core.metrics.Metric;
import dev.tutti.core.metrics.Metric.Kind;
import dev.tutti.internal.Json;
import dev.tutti.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Inspections and status of nodes, on real sockets of this machine. */
@Timeout(60)
class InspectionTest {

    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void closeAll() {
        nodes.forEach(Node::close);
    }

    private Node start(NodeBuilder builder, String name) {
        if (!nodes.isEmpty()) {
            builder.seeds(nodes.getFirst().address());
        }
        Node node = builder.name(name).start();
        nodes.add(node);
        return node;
    }

    private Node start(String name) {
        return start(Node.tcp(0), name);
    }

    /** Two members of one group that have sent each other a message. */
    private Group pair(String setting, String value) throws InterruptedException {
        Recorder one = new Recorder();
        Recorder two = new Recorder();
        Group first = one.on(nodes.getFirst().group("g").set(setting, value)).join();
        Group second = two.on(nodes.getLast().group("g").set(setting, value)).join();
        one.awaitViewOf(2);
        two.awaitViewOf(2);
        first.send("hello");
        second.send("hi");
        one.awaitMessages(2);
        two.awaitMessages(2);
        return first;
    }

    private static void checkDefined(NodeInspection inspection) {
        TreeSet<String> known = new TreeSet<>();
        Node.metrics().forEach(metric -> known.add(metric.place() + " " + metric.id()));
        TreeSet<String> unknown = new TreeSet<>();
        inspection.parts().forEach(part ->
                part.values().keySet().forEach(name -> unknown.add(Metric.Place.NODE + " " + part.name() + "." + name)));
        inspection.links().forEach(link -> link.parts().forEach(part ->
                part.values().keySet().forEach(name -> unknown.add(Metric.Place.LINK + " " + part.name() + "." + name))));
        for (GroupPart group : inspection.groups()) {
            group.parts().forEach(part ->
                    part.values().keySet().forEach(name -> unknown.add(Metric.Place.GROUP + " " + part.name() + "." + name)));
            group.layers().forEach(part ->
                    part.values().keySet().forEach(name -> unknown.add(Metric.Place.GROUP + " " + part.name() + "." + name)));
            group.members().forEach(member ->
                    member.pair().values().keySet().forEach(name -> unknown.add(Metric.Place.MEMBER + " pair." + name)));
        }
        unknown.removeAll(known);
        assertThat(unknown).as("what is reported and has no definition in NodeMetrics, NettyMetrics or Metrics").isEmpty();
    }

    @Test
    void saysAllOfANodeItsGroupsAndItsLinks() throws InterruptedException {
        Node a = start("a");
        start("b");
        Group group = pair("stack", "fifo");
        NodeInspection inspection = a.inspection();
        assertThat(inspection.id()).isEqualTo(a.id());
        assertThat(inspection.state()).isEqualTo("running");
        assertThat(inspection.uptime()).isPositive();
        assertThat(inspection.processId()).isEqualTo(ProcessHandle.current().pid());
        assertThat(inspection.part("driver").value("bytes.sent")).isPositive();
        assertThat(inspection.part("process").value("heap-used-bytes")).isPositive();
        assertThat(inspection.threads()).isNotEmpty();
        GroupPart part = inspection.groups().getFirst();
        assertThat(part.name()).isEqualTo("g");
        assertThat(part.self()).isEqualTo(group.self());
        assertThat(part.view()).isEqualTo(group.view());
        assertThat(part.isJoined()).isTrue();
        assertThat(part.order()).isEqualTo("fifo");
        assertThat(part.layers()).extracting(NodeInspection.Part::name).containsExactly("membership", "reliability", "packing");
        assertThat(part.part("reliability").settings()).containsEntry("window", "1 MiB").containsKey("ack-delay");
        assertThat(part.part("delivery").value("messages")).isEqualTo(2);
        assertThat(part.members()).extracting(NodeInspection.MemberPart::name).containsExactly("b");
        LinkPart link = inspection.links().getFirst();
        assertThat(link.peer()).isEqualTo(nodes.getLast().id());
        assertThat(link.state()).isEqualTo("open");
        assertThat(link.isSuspected()).isFalse();
        assertThat(link.part("link").value("sent-bytes")).isPositive();
        assertThat(link.local()).startsWith("127.0.0.1:");
        assertThat(link.part("socket").values()).containsKey("unwritten-bytes");
        assertThat(Json.parse(inspection.json())).isInstanceOf(Map.class);
    }

    @Test
    void definesEveryNumberOfConnectionsAndOrders() throws InterruptedException {
        start("a");
        start("b");
        for (String stack : List.of("fifo", "causal", "total", "unreliable")) {
            Group group = pair("stack", stack);
            checkDefined(nodes.getFirst().inspection());
            nodes.forEach(node -> node.groups().forEach(Group::close));
            assertThat(group.node().groups()).isEmpty();
        }
    }

    @Test
    void definesEveryNumberOfDatagrams() throws InterruptedException {
        start(Node.udp(0), "a");
        start(Node.udp(0), "b");
        pair("stack", "total");
        NodeInspection inspection = nodes.getFirst().inspection();
        checkDefined(inspection);
        assertThat(inspection.links().getFirst().part("path").value("sent-datagrams")).isPositive();
        assertThat(inspection.links().getFirst().roundTripMicros()).isPositive();
    }

    @Test
    void definitionsAreUniqueAndSayWhatTheyCount() {
        assertThat(Node.metrics()).extracting(Metric::id).doesNotHaveDuplicates();
        assertThat(Node.metrics()).allSatisfy(metric -> {
            assertThat(metric.description()).endsWith(".").hasSizeGreaterThan(10);
            assertThat(metric.name()).matches("[a-z0-9.-]+|[a-z_]+");
            if (metric.name().endsWith("-bytes")) {
                assertThat(metric.unit()).isEqualTo(Metric.Unit.BYTES);
            }
            if (metric.name().endsWith("-nanos")) {
                assertThat(metric.unit()).isEqualTo(Metric.Unit.NANOSECONDS);
            }
        });
        assertThat(Node.metrics()).anySatisfy(metric -> assertThat(metric.kind()).isEqualTo(Kind.GAUGE));
    }

    @Test
    void samplesHaveLabelsAndCountersOnlyGrow() throws InterruptedException {
        Node a = start("a");
        start("b");
        Group group = pair("stack", "fifo");
        NodeInspection before = a.inspection();
        group.send("again");
        NodeInspection after = a.inspection();
        assertThat(after.nanoTime()).isGreaterThan(before.nanoTime());
        for (NodeInspection.Sample sample : before.samples()) {
            assertThat(sample.labels().keySet()).containsExactlyInAnyOrderElementsOf(sample.metric().place().labels());
            if (sample.metric().kind() == Kind.COUNTER) {
                NodeInspection.Sample later = after.samples().stream()
                        .filter(other -> other.metric().equals(sample.metric()) && other.labels().equals(sample.labels()))
                        .findFirst()
                        .orElseThrow();
                assertThat(later.value()).as(sample.toString()).isGreaterThanOrEqualTo(sample.value());
            }
        }
    }

    @Test
    void keepsSecretsToItself() {
        String canary = "q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0GjKx6Pu4EaSc";
        Node node = start(Node.tcp(0).secret(canary), "a");
        assertThat(node.inspection().settings()).doesNotContainKey("security.secret");
        assertThat(node.inspection().json()).doesNotContain(canary);
        assertThat(node.spec().toString()).contains("security.secret: (not shown)").doesNotContain(canary);
        assertThat(node.spec().node().explicit().toString()).contains("security.secret=").doesNotContain(canary);
    }

    @Test
    void sameNamesAreToldApart() throws InterruptedException {
        Node first = start("twin");
        start("twin");
        start("twin");
        CountDownLatch three = new CountDownLatch(1);
        first.group("g").onView(view -> {
            if (view.size() == 3) {
                three.countDown();
            }
        }).join();
        nodes.get(1).group("g").join();
        nodes.get(2).group("g").join();
        assertThat(three.await(20, TimeUnit.SECONDS)).isTrue();
        NodeInspection inspection = first.inspection();
        assertThat(inspection.links()).extracting(link -> link.peer().address())
                .containsExactlyInAnyOrder(nodes.get(1).address(), nodes.get(2).address());
        assertThat(inspection.groups().getFirst().members()).extracting(NodeInspection.MemberPart::address)
                .containsExactlyInAnyOrder(nodes.get(1).address(), nodes.get(2).address());
    }

    @Test
    void eventsSayWhyAMemberIsGone() throws InterruptedException {
        Node a = start("a");
        Node b = start("b");
        LinkedBlockingQueue<Event> heard = new LinkedBlockingQueue<>();
        a.onEvent(heard::add);
        pair("stack", "fifo");
        long before = a.events(0).last();
        b.close();
        Event departure = await(heard, event -> event.kind() == Event.Kind.DEPARTURE);
        assertThat(departure.text()).isEqualTo("b@" + b.address() + " is not in the view any more");
        Event view = await(heard, event -> event.kind() == Event.Kind.VIEW);
        assertThat(view.cause()).startsWith("b@" + b.address() + " is gone: ");
        assertThat(view.details().get("members")).isEqualTo(List.of("a"));
        assertThat(a.events(0).list()).extracting(Event::kind)
                .contains(Event.Kind.STARTED, Event.Kind.LINK_OPENED, Event.Kind.VIEW, Event.Kind.JOINED);
        Events page = a.events(before);
        assertThat(page.missed()).isZero();
        assertThat(page.list()).allMatch(event -> event.number() > before).isNotEmpty();
        assertThat(page.last()).isEqualTo(page.list().getLast().number());
        // The end of the link may come after the view.
        assertThat(a.events(page.last()).list()).allMatch(event -> event.number() > page.last());
    }

    private static Event await(LinkedBlockingQueue<Event> heard, Predicate<Event> isMeant) throws InterruptedException {
        Event event = heard.poll(20, TimeUnit.SECONDS);
        while (event != null && !isMeant.test(event)) {
            event = heard.poll(20, TimeUnit.SECONDS);
        }
        assertThat(event).as("an event").isNotNull();
        return event;
    }

    @Test
    void slowListenersAndSendsThatWaitAreTold() throws InterruptedException {
        Node a = start("a");
        LinkedBlockingQueue<Event> heard = new LinkedBlockingQueue<>();
        a.onEvent(heard::add);
        CountDownLatch open = new CountDownLatch(1);
        Group group = a.group("g").set("window", "128 KiB").onMessage(message -> {
            try {
                open.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }).join();
        Thread sender = Thread.ofVirtual().start(() -> {
            for (int index = 0; index < 1_000; index++) {
                group.send(new byte[1_000]);
            }
        });
        // The sender is stuck when the window is closed: before that it may wait for the loop, for a moment.
        Await.until("the sender waits", () -> {
            GroupPart part = a.inspection().groups().getFirst();
            return part.part("submission").value("blocked-threads") > 0 && !part.windowClosedBy().isEmpty();
        });
        GroupPart stuck = a.inspection().groups().getFirst();
        assertThat(stuck.waitsFor()).isNotEmpty();
        assertThat(stuck.windowClosedBy()).isEqualTo("a");
        assertThat(a.health().isReady()).isTrue();
        assertThat(a.health().reasons()).anySatisfy(reason -> assertThat(reason).contains("sends to group g wait"));
        long since = System.nanoTime();
        Await.until("the sender has waited for long enough to be told", () -> System.nanoTime() - since > 110_000_000);
        open.countDown();
        sender.join();
        assertThat(await(heard, event -> event.kind() == Event.Kind.SLOW_LISTENER).text()).contains("ms for a packet of a@" + a.address());
        assertThat(a.events(0).list()).extracting(Event::kind).contains(Event.Kind.SEND_WAITED);
        GroupPart free = a.inspection().groups().getFirst();
        assertThat(free.part("submission").value("send-waits")).isPositive();
        assertThat(free.part("submission").value("send-wait-nanos")).isGreaterThan(100_000_000);
        assertThat(free.part("delivery").value("slow-packets")).isPositive();
    }

    @Test
    void healthOfAClosedNodeSaysSo() {
        Node node = start("a");
        assertThat(node.health().isAlive()).isTrue();
        assertThat(node.health().isReady()).isTrue();
        node.close();
        assertThat(node.health().isAlive()).isFalse();
        assertThat(node.health().reasons()).containsExactly("node a is closed");
        assertThatThrownBy(node::inspection).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void answersQuestionsOfOthersOnce() {
        Node node = start("a");
        node.answer("colour", argument -> Map.of("colour", "red"));
        assertThatThrownBy(() -> node.answer("colour", argument -> Map.of())).hasMessageContaining("answers 'colour' already");
        assertThatThrownBy(() -> node.answer("status", argument -> Map.of())).hasMessageContaining("already");
        assertThatThrownBy(() -> node.answer("two words", argument -> Map.of())).isInstanceOf(IllegalArgumentException.class);
    }
}
