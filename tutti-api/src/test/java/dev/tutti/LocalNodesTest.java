package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.DriverProvider;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes of one process, on the transport {@code local} and on one of the application. */
@Timeout(60)
class LocalNodesTest {

    private static final int NODES = 5;

    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void close() {
        nodes.forEach(Node::close);
    }

    private Node start(NodeBuilder builder) {
        Node node = builder.start();
        nodes.add(node);
        return node;
    }

    @Test
    void nodesOfOneClusterMeetWithoutSeedsAndGetAllMessages() throws Exception {
        CountDownLatch received = new CountDownLatch(NODES * NODES * 100);
        List<CompletableFuture<Group>> joins = new ArrayList<>();
        CountDownLatch whole = new CountDownLatch(NODES);
        for (int number = 1; number <= NODES; number++) {
            Node node = start(Node.local().cluster("meet").name("n" + number));
            joins.add(node.group("all")
                    .onView(view -> {
                        if (view.members().size() == NODES) {
                            whole.countDown();
                        }
                    })
                    .onMessage(message -> received.countDown())
                    .joinAsync());
        }
        assertThat(whole.await(10, TimeUnit.SECONDS)).isTrue();
        for (CompletableFuture<Group> join : joins) {
            Group group = join.get(10, TimeUnit.SECONDS);
            for (int number = 0; number < 100; number++) {
                group.send("message " + number);
            }
        }
        assertThat(received.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void clustersOfOneProcessAreApart() {
        Node first = start(Node.local().cluster("one"));
        start(Node.local().cluster("two"));
        assertThat(first.group("all").join().view().members()).hasSize(1);
    }

    @Test
    void aNodeBesideAnotherIsInAClusterOfItsOwnAndIsClosedByItself() {
        Node first = start(Node.local().cluster("one"));
        Node beside = first.startBeside(Node.local().cluster("two"));
        nodes.add(beside);
        Group group = beside.group("all").join();
        assertThat(first.group("all").join().view().members()).hasSize(1);
        first.close();
        group.send("still there");
        assertThat(beside.health().isReady()).isTrue();
    }

    @Test
    void primaryGroupsKeepTheirRecordsInMemory() {
        Node node = start(Node.local().cluster("primary").name("n1").set("records.directory", "memory"));
        Group group = node.group("all").set("partition", "primary").set("founders", "n1").join();
        assertThat(group.view().members()).hasSize(1);
    }

    @Test
    void aPortIsTakenOnce() {
        start(Node.local().set("bind.port", "7800"));
        assertThatThrownBy(() -> start(Node.local().set("bind.port", "7800")))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("local:7800 is in use");
        assertThat(start(Node.local().set("bind.port", "7800").set("bind.port-range", "3")).address()).isEqualTo("local:7801");
    }

    @Test
    void aTransportThatIsNotThereIsNamedWithThoseThatAre() {
        assertThatThrownBy(() -> start(Node.tcp(0).transport("pigeons")))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("transport.protocol: there is no transport 'pigeons'")
                .hasMessageContaining("local, tcp, udp");
        assertThatThrownBy(() -> Node.tcp(0).transport("no word"))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("transport.protocol");
    }

    @Test
    void namesOfTransportsHaveNoCase() {
        assertThat(start(Node.tcp(0).set("transport.protocol", "LOCAL")).address()).startsWith("local:");
    }

    /** A transport of an application: that of others under another name. */
    private static final class Renamed implements DriverProvider {

        @Override
        public List<Setting<?>> settings() {
            return List.of(Setting.count("transport.renamed.wings", 2, 0, 4, "Wings."));
        }

        @Override
        public String transport() {
            return "renamed";
        }

        @Override
        public Driver open(Settings settings) {
            return ServiceLoader.load(DriverProvider.class).stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(provider -> provider.transport().equals("local"))
                    .findFirst()
                    .orElseThrow()
                    .open(settings);
        }
    }

    @Test
    void anApplicationsOwnTransportIsGivenToTheBuilder() {
        Node first = start(Node.tcp(0).transport(new Renamed()).cluster("own"));
        Node second = start(Node.tcp(0).transport(new Renamed()).set("transport.renamed.wings", "4").cluster("own").seeds(first.address()));
        Group group = first.group("all").join();
        assertThat(second.group("all").join().view().members()).hasSize(2);
        assertThat(group.view().members()).hasSizeBetween(1, 2);
        assertThat(second.spec().node().get(TransportSettings.PROTOCOL)).isEqualTo("renamed");
    }
}
