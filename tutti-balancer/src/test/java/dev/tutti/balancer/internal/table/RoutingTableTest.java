package dev.tutti.balancer.internal.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.announce.message.Announcement;
import dev.tutti.announce.message.ContextState;
import dev.tutti.announce.message.Load;
import dev.tutti.announce.message.WebContext;
import dev.tutti.balancer.internal.table.Choice.Cause;
import dev.tutti.balancer.internal.table.Choice.Chosen;
import dev.tutti.balancer.internal.table.Choice.Reason;
import dev.tutti.balancer.internal.table.Choice.Unserved;
import dev.tutti.balancer.internal.table.WebNode.Origin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RoutingTableTest {

    private final Counts counts = new Counts();

    @Test
    void keepsASessionAtItsNode() {
        RoutingTable table = table(node("a", "/shop"), node("b", "/shop"));
        for (String route : List.of("a", "b")) {
            assertThat(table.choose(session("/shop/cart", route), counts, Set.of()))
                    .isInstanceOfSatisfying(Chosen.class, chosen -> {
                        assertThat(chosen.node().route()).isEqualTo(route);
                        assertThat(chosen.reason()).isEqualTo(Reason.STICKY);
                    });
        }
    }

    @Test
    void finishesAtTheLongestPathAndTheNamedHost() {
        RoutingTable table = table(
                node("root", "/"),
                node("shop", "/shop"),
                node("admin", WebContext.of("/shop/admin")),
                node("named", WebContext.of("/shop").aliases("other.example")));
        assertThat(route(table, request("/"))).isEqualTo("root");
        assertThat(route(table, request("/shopping"))).isEqualTo("root");
        assertThat(route(table, request("/shop"))).isEqualTo("shop");
        assertThat(route(table, request("/shop;jsessionid=1.x"))).isEqualTo("shop");
        assertThat(route(table, request("/shop/admin/x"))).isEqualTo("admin");
        assertThat(route(table, request("//shop//admin/x"))).isEqualTo("admin");
        assertThat(route(table, RequestKey.of("Other.Example:8080", "/shop/a", List.of(), "JSESSIONID"))).isEqualTo("named");
    }

    @Test
    void hasNoNodeForWhatNobodyAnnounced() {
        assertThat(table(node("a", "/shop")).choose(request("/other"), counts, Set.of())).isEqualTo(new Unserved(Cause.NO_CONTEXT));
    }

    @Test
    void movesASessionWithinItsDomainFirst() {
        WebNode gone = in("north", node("a", "/shop"));
        RoutingTable table = new RoutingTable(
                List.of(in("south", node("b", "/shop")), in("north", node("c", "/shop")), in("south", node("d", "/shop"))),
                FormerNodes.NONE.with(gone),
                true);
        counts.sessions.put("c", 1_000L);
        Choice choice = table.choose(session("/shop", "a"), counts, Set.of());
        assertThat(choice).isInstanceOfSatisfying(Chosen.class, chosen -> {
            assertThat(chosen.node().route()).isEqualTo("c");
            assertThat(chosen.reason()).isEqualTo(Reason.FAILED_OVER);
        });
        assertThat(route(table, session("/shop", "unknown"))).isIn("b", "d");
        assertThat(((Chosen) table.choose(session("/shop", "a"), counts, Set.of("c"))).node().route()).isIn("b", "d");
    }

    @Test
    void givesADrainedNodeItsSessionsAndNoOther() {
        RoutingTable table = table(
                node("a", WebContext.of("/shop").in(ContextState.DRAINING)), node("b", WebContext.of("/shop")));
        assertThat(route(table, session("/shop", "a"))).isEqualTo("a");
        for (int i = 0; i < 10; i++) {
            assertThat(route(table, request("/shop"))).isEqualTo("b");
        }
        RoutingTable drained = table(node("a", WebContext.of("/shop").in(ContextState.DRAINING)));
        assertThat(drained.choose(request("/shop"), counts, Set.of())).isEqualTo(new Unserved(Cause.ALL_DRAINING));
    }

    @Test
    void givesAStoppedNodeNothing() {
        RoutingTable table = table(
                node("a", WebContext.of("/shop").in(ContextState.STOPPED)), node("b", WebContext.of("/shop")));
        assertThat(route(table, session("/shop", "a"))).isEqualTo("b");
    }

    @Test
    void keepsVersionsApart() {
        RoutingTable table = new RoutingTable(
                List.of(
                        node("a", WebContext.of("/shop").version("1")),
                        node("b", WebContext.of("/shop").version("1")),
                        node("c", WebContext.of("/shop").version("2"))),
                FormerNodes.NONE.with(node("gone", WebContext.of("/shop").version("1"))),
                true);
        assertThat(route(table, request("/shop"))).isEqualTo("c");
        assertThat(route(table, session("/shop", "a"))).isEqualTo("a");
        assertThat(route(table, session("/shop", "gone"))).isIn("a", "b");
        counts.suspects.add("a");
        assertThat(route(table, session("/shop", "a"))).isEqualTo("b");
    }

    @Test
    void avoidsANodeThatFailsUnlessThereIsNoOther() {
        RoutingTable table = table(node("a", "/shop"), node("b", "/shop"));
        counts.suspects.add("a");
        assertThat(route(table, session("/shop", "a"))).isEqualTo("b");
        counts.suspects.add("b");
        assertThat(route(table, request("/shop"))).isIn("a", "b");
        assertThat(table.choose(request("/shop"), counts, Set.of("a", "b"))).isEqualTo(new Unserved(Cause.ALL_FAILED));
    }

    @Test
    void spreadsSessionsEvenlyAsNodesCome() {
        List<WebNode> nodes = new ArrayList<>();
        for (String route : List.of("a", "b", "c", "d")) {
            nodes.add(node(route, "/shop"));
            RoutingTable table = table(nodes.toArray(WebNode[]::new));
            for (int session = 0; session < 80; session++) {
                String chosen = route(table, request("/shop"));
                counts.sessions.merge(chosen, 1L, Long::sum);
                counts.sent.merge(chosen, 1L, Long::sum);
            }
            long mean = 80;
            assertThat(counts.sessions.values()).hasSize(nodes.size()).allSatisfy(count -> assertThat(count).isBetween(mean - 2, mean + 2));
        }
    }

    @Test
    void doesNotFloodANewNodeWithRequestsAtATime() {
        RoutingTable table = table(node("a", "/shop"), node("b", "/shop"), node("c", "/shop"));
        counts.sessions.put("a", 10_000L);
        counts.sessions.put("b", 10_000L);
        for (int i = 0; i < 300; i++) {
            counts.inFlight.merge(route(table, request("/shop")), 1, Integer::sum);
        }
        assertThat(counts.inFlight.get("c")).isBetween(200, 210);
        assertThat(counts.inFlight.get("a")).isBetween(44, 51);
    }

    @Test
    void givesALoadedNodeFewerSessions() {
        RoutingTable table = table(loaded(0.9, node("a", "/shop")), loaded(0.2, node("b", "/shop")), loaded(0.4, node("c", "/shop")));
        for (int i = 0; i < 220; i++) {
            counts.sessions.merge(route(table, request("/shop")), 1L, Long::sum);
        }
        assertThat(counts.sessions.get("a")).isBetween(15L, 25L);
        assertThat(counts.sessions.get("b")).isBetween(95L, 105L);
    }

    @Test
    void usesAStandbyNodeOnlyWithoutOthers() {
        WebNode standby = new WebNode(node("a", "/shop").content(), Origin.MOD_CLUSTER, true);
        counts.sessions.put("b", 100L);
        assertThat(route(table(standby, node("b", "/shop")), request("/shop"))).isEqualTo("b");
        assertThat(route(table(standby), request("/shop"))).isEqualTo("a");
    }

    @Test
    void ignoresSessionsIfTheyAreFree() {
        RoutingTable table = new RoutingTable(List.of(node("a", "/shop"), node("b", "/shop")), FormerNodes.NONE, false);
        // All nodes have all sessions, or know of nearly all, so their number is no reason for a choice.
        counts.sessions.put("a", 500L);
        counts.sessions.put("b", 501L);
        counts.sent.put("a", 1L);
        assertThat(table.choose(session("/shop", "a"), counts, Set.of())).isInstanceOfSatisfying(Chosen.class, chosen -> {
            assertThat(chosen.node().route()).isEqualTo("b");
            assertThat(chosen.reason()).isEqualTo(Reason.FREE);
        });
    }

    @Test
    void findsRoutesInCookiesAndPaths() {
        assertThat(RequestKey.of("h", "/shop?a=b;jsessionid=1.no", List.of("x=1; JSESSIONID=AB.web1; JSESSIONIDX=2.x", "JSESSIONID=\"3.web2\""), "JSESSIONID")
                        .routes())
                .containsExactly("web1", "web2");
        assertThat(RequestKey.of("h", "/shop;v=1;jsessionid=AB.web3/x", List.of(), "JSESSIONID").routes()).containsExactly("web3");
        assertThat(RequestKey.of("[::1]:80", "/", List.of("JSESSIONID=AB"), "JSESSIONID"))
                .isEqualTo(new RequestKey("[::1]", "/", List.of("")));
    }

    @Test
    void forgetsTheOldestFormerNode() {
        FormerNodes former = FormerNodes.NONE;
        for (int i = 0; i <= FormerNodes.NODES_MAX; i++) {
            former = former.with(node("n" + i, "/shop"));
        }
        assertThat(former.size()).isEqualTo(FormerNodes.NODES_MAX);
        assertThat(former.node("n0")).isNull();
        assertThat(former.node("n1")).isNotNull();
    }

    // ------------------------------------------------------------------ support

    private static final class Counts implements Tallies {
        final Map<String, Integer> inFlight = new HashMap<>();
        final Map<String, Long> sessions = new HashMap<>();
        final Map<String, Long> sent = new HashMap<>();
        final Set<String> suspects = new HashSet<>();

        @Override
        public int inFlight(String route) {
            return inFlight.getOrDefault(route, 0);
        }

        @Override
        public long sessions(WebNode node) {
            return sessions.getOrDefault(node.route(), 0L);
        }

        @Override
        public long sent(String route) {
            return sent.getOrDefault(route, 0L);
        }

        @Override
        public boolean isSuspect(String route) {
            return suspects.contains(route);
        }
    }

    private String route(RoutingTable table, RequestKey request) {
        return ((Chosen) table.choose(request, counts, Set.of())).node().route();
    }

    private static RoutingTable table(WebNode... nodes) {
        return new RoutingTable(List.of(nodes), FormerNodes.NONE, true);
    }

    private static RequestKey request(String target) {
        return RequestKey.of("localhost:8000", target, List.of(), "JSESSIONID");
    }

    private static RequestKey session(String target, String route) {
        return RequestKey.of("localhost", target, List.of("JSESSIONID=0123." + route), "JSESSIONID");
    }

    private static WebNode node(String route, String path) {
        return node(route, WebContext.of(path));
    }

    private static WebNode node(String route, WebContext context) {
        Announcement content = new Announcement(route, "http", "10.0.0.1", 8080, "", List.of(context), Load.none(), 0);
        return new WebNode(content, Origin.GROUP, false);
    }

    private static WebNode in(String domain, WebNode node) {
        Announcement content = node.content();
        return new WebNode(
                new Announcement(content.route(), "http", content.host(), content.port(), domain, content.contexts(), content.load(), 0),
                node.origin(),
                false);
    }

    private static WebNode loaded(double load, WebNode node) {
        return new WebNode(node.content().with(new Load(load, Map.of()), 0), node.origin(), false);
    }
}
