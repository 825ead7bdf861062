package dev.tutti.blocks.presence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.core.Member;
import dev.tutti.core.settings.SettingException;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** Stories of attributes. */
class AttributesTest {

    /** A node that is in the group of attributes, and in another one. */
    private static final class Server {
        final Attributes attributes;
        final Group work;

        Server(Node node) {
            attributes = Attributes.join(node.group("attributes"));
            attributes.put("zone", node.name().equals("n3") ? "b" : "a");
            work = node.group("work").join();
        }
    }

    private static Components<Server> start(Cluster cluster) {
        Components<Server> servers = cluster.configure(node -> node.set("attributes", "rack=r12, version=4.2=beta")).startAll(Server::new);
        cluster.awaitRest();
        return servers;
    }

    @ClusterTest(nodes = 3, seeds = 3)
    void membersOfAnyGroupHaveThoseOfTheirNode(Cluster cluster) {
        Components<Server> servers = start(cluster);
        List<Member> members = servers.on(1).work.view().members();
        for (Server server : servers.running()) {
            for (Member member : members) {
                assertThat(server.attributes.of(member))
                        .isEqualTo(Map.of("rack", "r12", "version", "4.2=beta", "zone", member.name().equals("n3") ? "b" : "a"));
            }
            Member third = servers.on(3).work.self();
            assertThat(server.attributes.with(server.work.view(), "zone", "b")).containsExactly(third);
            assertThat(server.attributes.by(server.work.view(), "zone"))
                    .isEqualTo(Map.of("a", members.stream().filter(member -> !member.equals(third)).toList(), "b", List.of(third)));
            assertThat(server.attributes.by(server.work.view(), "colour")).isEmpty();
        }
        assertThat(servers.on(1).attributes.own()).containsEntry("zone", "a").hasSize(3);
    }

    @ClusterTest(nodes = 3, seeds = 3)
    void changesReachAllAndThoseOfANodeThatIsGoneAreNotKnown(Cluster cluster) {
        Components<Server> servers = start(cluster);
        servers.run(1, server -> {
            server.attributes.put("zone", "c");
            server.attributes.remove("rack");
        });
        cluster.awaitRest();
        Member first = servers.on(1).work.self();
        assertThat(servers.on(2).attributes.of(first)).isEqualTo(Map.of("version", "4.2=beta", "zone", "c"));
        cluster.crash(1);
        cluster.awaitRest();
        assertThat(servers.on(2).attributes.of(first)).isEmpty();
        assertThat(servers.on(3).attributes.by(servers.on(3).work.view(), "zone")).containsOnlyKeys("a", "b");
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void inspectionsHaveThemUntilTheGroupIsLeft(Cluster cluster) {
        Components<Server> servers = start(cluster);
        servers.run(2, server -> {
            server.attributes.remove("version");
            assertThat(server.work.node().inspection().part("attributes").texts()).containsEntry("rack", "r12");
        });
        cluster.awaitRest();
        servers.run(2, server -> {
            assertThat(server.work.node().inspection().part("attributes").texts()).isEqualTo(Map.of("rack", "r12", "zone", "a"));
            server.attributes.close();
            assertThat(server.work.node().inspection().parts()).noneMatch(part -> part.name().equals("attributes"));
        });
    }

    @ClusterTest(nodes = 3, seeds = 1)
    void membersThatShareAnAttributeComeFirst(Cluster cluster) {
        Components<Server> servers = start(cluster);
        List<Member> members = List.of(servers.on(3).work.self(), servers.on(2).work.self(), servers.on(1).work.self());
        assertThat(servers.on(1).attributes.nearFirst(members, "zone").stream().map(Member::name)).containsExactly("n2", "n1", "n3");
        assertThat(servers.on(3).attributes.nearFirst(members, "zone", "rack")).isEqualTo(members);
        assertThat(servers.on(1).attributes.nearFirst(members, "colour")).isEqualTo(members);
        assertThat(servers.on(1).attributes.nearFirst(members)).isEqualTo(members);
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void theyAreBounded(Cluster cluster) {
        Components<Server> servers = start(cluster);
        servers.run(1, server -> {
            Attributes attributes = server.attributes;
            assertThatIllegalArgumentException().isThrownBy(() -> attributes.put("Zone", "a")).withMessageContaining("'Zone' is no name of an attribute");
            assertThatIllegalArgumentException().isThrownBy(() -> attributes.put("zone", "x".repeat(257))).withMessageContaining("257 characters, at most 256");
            for (int index = 0; index < 29; index++) {
                attributes.put("a" + index, "");
            }
            assertThatIllegalStateException().isThrownBy(() -> attributes.put("more", "")).withMessageContaining("32");
        });
    }

    @Test
    void settingsThatAreNoAttributesAreRefused() {
        Assertions.assertThatThrownBy(() -> Node.tcp(0).set("attributes", "zone"))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("'zone' is no attribute, which is name=value");
        String many = IntStream.range(0, 33).mapToObj(index -> "a" + index + "=1").collect(Collectors.joining(","));
        try (Cluster cluster = Cluster.of(1, 1).configure(node -> node.set("attributes", many))) {
            Components<Node> nodes = cluster.startAll(node -> node);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Attributes.join(nodes.on(1).group("attributes")))
                    .withMessage("setting attributes has 33 attributes, at most 32");
        }
        try (Cluster cluster = Cluster.of(1, 1).configure(node -> node.set("attributes", "a=1,a=2"))) {
            Components<Node> nodes = cluster.startAll(node -> node);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Attributes.join(nodes.on(1).group("attributes")))
                    .withMessage("setting attributes has two values of a");
        }
    }
}
