package dev.tutti.rendezvous.internal.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.rendezvous.internal.registry.Registry.Listing;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Nodes, watchers and pairs of a server, while time is advanced. */
class RegistryTest {

    private static final long SECOND = 1_000_000_000L;
    private static final Quotas QUOTAS = new Quotas(3, 6, 4, 5, 3, 2);

    private int lastTicket;
    private final Registry registry = new Registry(QUOTAS, 1_000, () -> "ticket" + ++lastTicket);

    private static final class Node implements ListedNode.Control {

        final List<String> lines = new ArrayList<>();

        @Override
        public void connect(String ticket, String from) {
            lines.add(ticket + " " + from);
        }

        @Override
        public void replace() {
            lines.add("replaced");
        }
    }

    private ListedNode enter(String cluster, String address, ListedNode.Control control) throws Refused {
        return registry.enter(cluster, address, "host", true, control);
    }

    private List<String> addresses(String cluster) {
        return registry.list(cluster, 100).nodes().stream().map(ListedNode::address).toList();
    }

    private Map<String, Long> numbers() {
        Map<String, Long> numbers = new TreeMap<>();
        registry.gauges(numbers);
        return numbers;
    }

    private static void refuses(int status, String reason, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(Refused.class, refused -> {
            assertThat(refused.status()).isEqualTo(status);
            assertThat(refused.reason()).contains(reason);
        });
    }

    @Test
    void listsNodesOfOneClusterOldestFirst() throws Refused {
        enter("a", "n1", new Node());
        ListedNode second = enter("a", "n2", new Node());
        enter("a", "n3", new Node());
        enter("b", "n1", new Node());
        assertThat(addresses("a")).containsExactly("n1", "n2", "n3");
        assertThat(registry.list("a", 2).nodes()).extracting(ListedNode::address).containsExactly("n1", "n2");
        registry.leave(second);
        registry.leave(second);
        assertThat(addresses("a")).containsExactly("n1", "n3");
        assertThat(addresses("b")).containsExactly("n1");
        assertThat(addresses("c")).isEmpty();
        assertThat(numbers()).containsEntry("nodes", 3L).containsEntry("clusters", 2L);
    }

    @Test
    void aNodeThatComesAgainReplacesItsEarlierStream() throws Refused {
        Node first = new Node();
        Node second = new Node();
        ListedNode before = enter("a", "n1", first);
        enter("a", "n1", second);
        assertThat(first.lines).containsExactly("replaced");
        // The end of the replaced stream says nothing about the node.
        registry.leave(before);
        assertThat(addresses("a")).containsExactly("n1");
        registry.connect("a", "n1", "x", () -> {}, 0);
        assertThat(second.lines).containsExactly("ticket1 x");
    }

    @Test
    void watchersLearnOfAChangeAtOnceAndOtherwiseAfterAWhile() throws Refused {
        enter("a", "n1", new Node());
        long version = registry.list("a", 100).version();
        List<Listing> told = new ArrayList<>();
        registry.watch("a", 100, version - 1, told::add, 0);
        assertThat(told).hasSize(1);
        registry.watch("a", 100, version, told::add, 0);
        assertThat(told).hasSize(1);
        ListedNode second = enter("a", "n2", new Node());
        assertThat(told).hasSize(2);
        assertThat(told.getLast().nodes()).hasSize(2);
        registry.watch("a", 100, told.getLast().version(), told::add, 0);
        registry.leave(second);
        assertThat(told).hasSize(3);
        assertThat(told.getLast().nodes()).hasSize(1);
        registry.watch("a", 100, told.getLast().version(), told::add, 0);
        registry.onTime(Registry.WATCH_NANOS - 1);
        assertThat(told).hasSize(3);
        registry.onTime(Registry.WATCH_NANOS);
        assertThat(told).hasSize(4);
        assertThat(told.get(3).version()).isEqualTo(told.get(2).version());
        assertThat(numbers()).containsEntry("watchers", 0L);
    }

    @Test
    void aTicketIsGoodOnceInItsClusterAndForFiveSeconds() throws Refused {
        enter("a", "n1", new Node());
        enter("b", "n1", new Node());
        List<String> late = new ArrayList<>();
        Pair pair = registry.connect("a", "n1", "x", () -> late.add("first"), 0);
        refuses(404, "ticket", () -> registry.accept("b", "ticket1"));
        assertThat(registry.accept("a", "ticket1")).isSameAs(pair);
        refuses(404, "ticket", () -> registry.accept("a", "ticket1"));
        registry.connect("a", "n1", "x", () -> late.add("second"), SECOND);
        registry.onTime(SECOND + Registry.TICKET_NANOS - 1);
        assertThat(late).isEmpty();
        registry.onTime(SECOND + Registry.TICKET_NANOS);
        assertThat(late).containsExactly("second");
        refuses(404, "ticket", () -> registry.accept("a", "ticket2"));
        assertThat(numbers()).containsEntry("pairs", 1L);
        assertThat(registry.ticketsExpired()).isEqualTo(1);
        registry.end(pair);
        registry.end(pair);
        assertThat(numbers()).containsEntry("pairs", 0L);
    }

    @Test
    void nodesThatAreNotThereOrWantNoConnectionsAreNotConnected() throws Refused {
        registry.enter("a", "n1", "host", false, new Node());
        refuses(404, "no node of cluster a is here as n2", () -> registry.connect("a", "n2", "x", () -> {}, 0));
        refuses(404, "no node of cluster b", () -> registry.connect("b", "n1", "x", () -> {}, 0));
        refuses(404, "takes no connections", () -> registry.connect("a", "n1", "x", () -> {}, 0));
        assertThat(numbers()).containsEntry("pairs", 0L);
    }

    @Test
    void eachQuotaHolds() throws Refused {
        for (int number = 1; number <= 4; number++) {
            registry.enter("a", "n" + number, "host", true, new Node());
        }
        refuses(429, "cluster a has 4 nodes", () -> registry.enter("a", "n5", "host", true, new Node()));
        // One that is there already may come again.
        registry.enter("a", "n4", "host", true, new Node());
        registry.enter("b", "n1", "host", true, new Node());
        refuses(429, "5 nodes have come from host", () -> registry.enter("b", "n2", "host", true, new Node()));
        registry.enter("c", "n1", "elsewhere", true, new Node());
        refuses(503, "6 nodes", () -> registry.enter("c", "n2", "elsewhere", true, new Node()));
        registry.connect("a", "n1", "x", () -> {}, 0);
        Pair second = registry.connect("a", "n2", "x", () -> {}, 0);
        refuses(429, "cluster a has 2 relayed", () -> registry.connect("a", "n3", "x", () -> {}, 0));
        registry.connect("b", "n1", "x", () -> {}, 0);
        refuses(503, "relays 3", () -> registry.connect("c", "n1", "x", () -> {}, 0));
        registry.end(second);
        registry.connect("c", "n1", "x", () -> {}, 0);
    }

    @Test
    void clustersThatAreEmptyAreForgotten() throws Refused {
        List<ListedNode> nodes = new ArrayList<>();
        for (String cluster : List.of("a", "b", "c")) {
            nodes.add(enter(cluster, "n", new Node()));
        }
        refuses(503, "3 clusters", () -> enter("d", "n", new Node()));
        nodes.forEach(registry::leave);
        enter("d", "n", new Node());
        assertThat(numbers()).containsEntry("clusters", 1L).containsEntry("nodes", 1L);
    }
}
