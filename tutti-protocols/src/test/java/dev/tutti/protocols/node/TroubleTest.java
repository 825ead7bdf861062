package dev.tutti.protocols.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.NodeId;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Settings.Source;
import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.TestNetwork.Node;
import dev.tutti.protocols.node.Trouble.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Troubles that keep a node from meeting others are reported while they last, with the next step. */
class TroubleTest {

    private final TestNetwork network = new TestNetwork();

    private static Trouble only(Node node) {
        assertThat(node.machine.troubles()).hasSize(1);
        return node.machine.troubles().getFirst();
    }

    private static Settings inCluster(Settings settings, String name) {
        return settings.with("cluster", name, Source.BUILDER, "test");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "shop-1 (h:1, CN=shop-1) may not come in: its certificate is 'x' | correct admission.rule",
        "the other node refuses: it gives no details (admission) | the log of the other node",
        "shop-1 (h:1) runs a version without admission | when all nodes run a version",
    })
    void refusalsByRulesNameTheRule(String detail, String advice) {
        assertThat(Trouble.refusing("10.0.0.1", detail, true).advice()).contains(advice);
    }

    @Test
    void nodeWhoseSeedsAllRefuseIsAloneUntilOneOfThemIsThere() {
        Node a = network.node("a", 1, "host:1-6").start();
        network.run(5 * TestNetwork.SECOND);
        Trouble alone = only(a);
        assertThat(alone.kind()).isEqualTo(Kind.ALONE);
        assertThat(alone.text())
                .contains("alone", "no seed answers", "nobody listens at 5 addresses", "host:2, host:3, host:4, host:5 and 1 more")
                .contains("listens at host:1");
        assertThat(alone.advice()).contains("start the other nodes", "discovery.seeds");
        network.node("b", 2, "host:1").start();
        network.run(5 * TestNetwork.SECOND);
        assertThat(a.machine.troubles()).isEmpty();
    }

    @Test
    void nodeWithoutSeedsIsInNoTrouble() {
        Node a = network.node("a", 1).start();
        Node onlyItself = network.node("b", 2, "host:2").start();
        network.run(60 * TestNetwork.SECOND);
        assertThat(a.machine.troubles()).isEmpty();
        assertThat(onlyItself.machine.troubles()).isEmpty();
    }

    @Test
    void seedsOfTheOtherAddressFamilyAreNamedAsSuch() {
        Node a = network.node(new NodeId(7, "a", "127.0.0.1:7800"), s -> s, false, "[::1]:7800-7801").start();
        network.run(5 * TestNetwork.SECOND);
        Trouble alone = only(a);
        assertThat(alone.text()).contains("[::1]:7800, [::1]:7801 (IPv6)", "listens at 127.0.0.1:7800 (IPv4)");
        assertThat(alone.advice()).startsWith("all seeds are IPv6 and this node is bound to IPv4");
    }

    @Test
    void seedsThatAreSilentAndNamesWithoutAnAddressAreToldApart() {
        network.unresolved.add("nowhere:1");
        Node a = network.node("a", 1, "host:2", "nowhere:1").start();
        Node b = network.node("b", 2).start();
        network.block(a, b);
        network.run(5 * TestNetwork.SECOND);
        assertThat(only(a).text()).contains("no answer at host:2", "no address for the name at nowhere:1");
        assertThat(only(a).advice()).contains("firewall", "correct the name");
    }

    @Test
    void twoClustersTellEachOtherApartAtBothEnds() {
        Node a = network.node("a", 1, s -> inCluster(s, "east"), "host:2").start();
        Node b = network.node("b", 2, s -> inCluster(s, "west")).start();
        network.run(20 * TestNetwork.SECOND);
        assertThat(only(a).kind()).isEqualTo(Kind.ALONE);
        assertThat(only(a).text()).contains("a refusal at host:2", "of cluster 'east'", "of 'west'");
        assertThat(only(a).advice()).contains("set cluster to the same name");
        assertThat(only(b).kind()).isEqualTo(Kind.REFUSING);
        assertThat(only(b).text()).contains("refuses connections from host", "of cluster 'east'");
        a.kill();
        network.run(60 * TestNetwork.SECOND);
        assertThat(b.machine.troubles()).isEmpty();
    }

    @Test
    void addressThatRefusesIsToldThoughOthersAreMet() {
        Node a = network.node("a", 1, "host:2", "host:3", "host:4").start();
        network.node("b", 2).start();
        network.node("c", 3, s -> inCluster(s, "west")).start();
        network.run(5 * TestNetwork.SECOND);
        // Nobody is at host:4, which is no trouble for a node that has met another one.
        assertThat(only(a).kind()).isEqualTo(Kind.REFUSED);
        assertThat(only(a).subject()).isEqualTo("host:3");
        assertThat(only(a).text()).contains("no session with host:3", "of 'west'");
    }

    @Test
    void seedThatIsNoNodeIsNamed() {
        Node a = network.node("a", 1, "host:2").start();
        Node web = network.node("b", 2).start();
        // Whatever it says is not what nodes say.
        network.spoil = bytes -> "HTTP/1.1 400 Bad Request".getBytes();
        network.run(5 * TestNetwork.SECOND);
        assertThat(only(a).text()).contains("an answer that is no node's at host:2", "looks like an HTTP request");
        assertThat(only(a).advice()).contains("correct the port in discovery.seeds");
        assertThat(web.machine.troubles()).as("a stranger that has come once").isEmpty();
        network.run(10 * TestNetwork.SECOND);
        assertThat(only(web).kind()).isEqualTo(Kind.REFUSING);
    }

    @Test
    void connectionsWithoutTrustAreToldWhileTheyGoOn() {
        Node a = network.node("a", 1).start();
        String reason = "it does not trust the certificate of this node";
        a.input(() -> a.machine.onRejected(network.now, "10.0.0.7:5000", reason));
        assertThat(only(a).text()).isEqualTo("this node refuses connections from 10.0.0.7: " + reason);
        assertThat(only(a).advice()).contains("security.secret", "tls.authority");
        assertThat(a.log()).contains("connection with 10.0.0.7:5000 refused: " + reason);
        network.run(Refused.OVER_NANOS + TestNetwork.SECOND);
        assertThat(a.machine.troubles()).isEmpty();
        a.input(() -> a.machine.onRejected(network.now, "10.0.0.7:5001", "no TLS handshake in time"));
        assertThat(only(a).advice()).contains("overloaded").doesNotContain("secret");
    }

    @Test
    void groupsThatAreSetUpDifferentlyAreToldAtBothEndsUntilOneHasLeft() {
        Node a = network.node("a", 1, "host:2").start();
        Node b = network.node("b", 2).start();
        a.join("g");
        TestNetwork.TestGroup other =
                b.join("g", Settings.of(GroupSettings.ALL).with(GroupSettings.WINDOW, Size.mebibytes(8)));
        network.run(5 * TestNetwork.SECOND);
        assertThat(only(a).kind()).isEqualTo(Kind.MISMATCH);
        assertThat(only(a).group()).isEqualTo("g");
        assertThat(only(a).text()).contains("group g does not meet b (host:2)", "window is 1 MiB here and 8 MiB at b");
        assertThat(only(b).text()).contains("window is 8 MiB here and 1 MiB at a");
        other.leave();
        network.run(5 * TestNetwork.SECOND);
        assertThat(a.machine.troubles()).isEmpty();
    }

    @Test
    void refusalsOfManyHostsAreBounded() {
        Node a = network.node("a", 1).start();
        for (int host = 0; host < 1_000; host++) {
            String remote = "10.0." + host + ".1:1";
            a.input(() -> a.machine.onRejected(network.now, remote, "no trust"));
            a.input(() -> a.machine.onRejected(network.now, remote, "no trust"));
        }
        assertThat(a.machine.troubles()).hasSize(16);
    }
}
