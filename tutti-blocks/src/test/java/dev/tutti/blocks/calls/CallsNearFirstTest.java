package dev.tutti.blocks.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.blocks.presence.Attributes;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Calls that ask near members first, in a simulated cluster. */
class CallsNearFirstTest {

    /** Zone and rack of each node. */
    private static final Map<String, List<String>> PLACES = Map.of(
            "n1", List.of("a", "1"), "n2", List.of("b", "2"), "n3", List.of("b", "3"), "n4", List.of("a", "1"), "n5", List.of("a", "4"));

    private static final class Server {
        final Attributes attributes;
        final Peer peer;

        Server(Node node) {
            attributes = Attributes.join(node.group("attributes"));
            List<String> place = PLACES.get(node.name());
            if (place != null) {
                attributes.put("zone", place.getFirst());
                attributes.put("rack", place.getLast());
            }
            peer = new Peer(node);
        }

        Calls calls() {
            return peer.calls;
        }
    }

    private static Components<Server> start(Cluster cluster) {
        Components<Server> servers = cluster.startAll(Server::new);
        cluster.awaitRest();
        return servers;
    }

    private static CallToMany oneAfterTheOther(Server server) {
        return server.calls().toOthers().waitFor(Wait.FIRST).atOnce(1);
    }

    /** Returns the members in the order in which a call asks them. */
    private static List<String> asked(Components<Server> servers, int number, UnaryOperator<CallToMany> options) {
        Outcomes<String> outcomes = servers.ask(number, server -> options.apply(oneAfterTheOther(server)).call(Peer.ECHO, "x"));
        return outcomes.byMember().keySet().stream().map(Member::name).toList();
    }

    @ClusterTest(nodes = 6, seeds = 3)
    void membersOfTheOwnZoneAreAskedFirst(Cluster cluster) {
        Components<Server> servers = start(cluster);
        List<String> order = servers.on(1).calls().view().members().stream().map(Member::name).toList();
        for (int number = 1; number <= 5; number++) {
            Server server = servers.on(number);
            Outcomes<String> outcomes = servers.ask(
                    number, each -> oneAfterTheOther(each).nearFirst(each.attributes, "zone").call(Peer.ECHO, "x"));
            String zone = server.attributes.own().get("zone");
            List<Member> members = List.copyOf(outcomes.byMember().keySet());
            List<Boolean> isNear = members.stream().map(member -> zone.equals(server.attributes.of(member).get("zone"))).toList();
            assertThat(isNear).hasSize(5).isEqualTo(zone.equals("a") ? List.of(true, true, false, false, false) : List.of(true, false, false, false, false));
            assertThat(outcomes.values()).as("one has answered, and no other was asked").containsExactly(members.getFirst().name() + " x");
            // Around the view: callers do not all ask the oldest member of their zone.
            int own = order.indexOf("n" + number);
            List<Integer> distances = members.subList(0, zone.equals("a") ? 2 : 1).stream()
                    .map(member -> (order.indexOf(member.name()) - own + order.size()) % order.size()).toList();
            assertThat(distances).isSorted();
        }
    }

    @ClusterTest(nodes = 6, seeds = 1)
    void nearerNamesComeBeforeOthersAndChosenMembersKeepTheirOrder(Cluster cluster) {
        Components<Server> servers = start(cluster);
        Server first = servers.on(1);
        assertThat(asked(servers, 1, call -> call.nearFirst(first.attributes, "rack", "zone"))).startsWith("n4", "n5");
        List<Member> chosen = List.of(servers.on(3).peer.self(), servers.on(5).peer.self(), servers.on(2).peer.self(), servers.on(4).peer.self());
        Outcomes<String> outcomes = servers.ask(1, server -> server.calls().to(chosen).atOnce(1).waitFor(Wait.FIRST)
                .nearFirst(server.attributes, "zone").call(Peer.ECHO, "x"));
        assertThat(outcomes.byMember().keySet().stream().map(Member::name)).containsExactly("n5", "n4", "n3", "n2");
        assertThat(outcomes.values()).containsExactly("n5 x");
    }

    @ClusterTest(nodes = 6, seeds = 1)
    void othersAnswerWhenNoNearMemberDoesAndANodeWithoutTheAttributeHasNone(Cluster cluster) {
        Components<Server> servers = start(cluster);
        Server second = servers.on(2);
        cluster.crash(3);
        Outcomes<String> outcomes = servers.ask(2, server -> oneAfterTheOther(server).nearFirst(server.attributes, "zone").call(Peer.ECHO, "x"));
        assertThat(outcomes.values()).hasSize(1);
        cluster.awaitRest();
        assertThat(asked(servers, 6, call -> call.nearFirst(servers.on(6).attributes, "zone"))).hasSize(4);
        Outcomes<String> all = servers.ask(2, server -> server.calls().toAll().nearFirst(second.attributes, "zone").call(Peer.ECHO, "x"));
        assertThat(all.byMember().keySet()).as("all are asked at once, in the order of the view").containsExactlyElementsOf(second.calls().view().members());
        assertThat(all.values()).hasSize(5);
    }
}
