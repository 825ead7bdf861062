package dev.tutti.tomcat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.tomcat.diagnostics.EarlyPorts;
import dev.tutti.tomcat.diagnostics.Reports;
import dev.tutti.tomcat.replication.InMemoryCluster;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.catalina.connector.Connector;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;

/** Reports of the ports of a node's Tomcat that are open while it starts. */
class EarlyPortsTest {

    @TempDir
    Path directory;

    private TomcatNode start(Consumer<TomcatNode> settings) {
        TuttiManager manager = TomcatNode.patientManager(InMemoryCluster.threaded().source("a"));
        return new TomcatNode("a", directory, manager, Map.of(), settings);
    }

    /** Adds a connector to that of a {@link TomcatNode}, which opens its port late. */
    private static void addConnector(TomcatNode node, @Nullable String bindOnInit) {
        Connector second = new Connector();
        second.setPort(0);
        second.setProperty("address", "127.0.0.1");
        if (bindOnInit != null) {
            second.setProperty("bindOnInit", bindOnInit);
        }
        node.tomcat.getService().addConnector(second);
    }

    private static List<String> warnings(TomcatNode node) {
        List<String> warnings = new ArrayList<>();
        Logger log = (Logger) Proxy.newProxyInstance(
                Logger.class.getClassLoader(), new Class<?>[] {Logger.class}, (self, method, arguments) -> {
                    warnings.add(method.getName() + " " + arguments[0]);
                    return 0;
                });
        Reports reports = new Reports(log);
        EarlyPorts.report(node.context, reports);
        EarlyPorts.report(node.context, reports);
        return warnings;
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"true", "TRUE"})
    void portThatIsOpenDuringTheStartIsNamedWithTheAttributeThatIsRight(@Nullable String bindOnInit) {
        try (TomcatNode node = start(one -> addConnector(one, bindOnInit))) {
            int port = node.tomcat.getService().findConnectors()[1].getLocalPort();
            String advice = "port " + port + ": set bindOnInit=\"false\"";
            assertThat(node.manager.status().get("reports")).isEqualTo(Map.of(advice, 1L));
            assertThat(node.manager.getStatusText()).contains(advice);
            assertThat(warnings(node)).singleElement().asString().startsWith("warn ").contains("the connector on " + advice);
        }
    }

    @Test
    void portsThatOpenWhenApplicationsServeAreRight() {
        try (TomcatNode node = start(one -> addConnector(one, "false"))) {
            assertThat(node.manager.status().get("reports")).isEqualTo(Map.of());
        }
    }
}
