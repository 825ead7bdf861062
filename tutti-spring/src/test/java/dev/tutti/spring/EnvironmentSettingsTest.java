package dev.tutti.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.config.PlacedValue;
import dev.tutti.config.YamlFile;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.SettingException;
import dev.tutti.protocols.node.NodeSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;

class EnvironmentSettingsTest {

    private final StandardEnvironment environment = new StandardEnvironment();

    private void yaml(String text) throws IOException {
        ByteArrayResource file = new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8), "application.yaml");
        new YamlPropertySourceLoader().load("application", file).forEach(environment.getPropertySources()::addLast);
    }

    private NodeSpec spec() {
        return YamlFile.of(EnvironmentSettings.read(environment), Node.defaults());
    }

    private static String text(NodeSpec spec, String name) {
        return spec.node().explicit().get(name).text();
    }

    @Test
    void namesAreThoseOfTheNodesOwnFile() throws IOException {
        String own = """
                cluster: shop
                bind: {address: LOOPBACK, port: 7801}
                discovery: {seeds: ["10.0.0.1:7800", "10.0.0.2:7800-7810"]}
                detection.heartbeat: 500 ms
                group: {window: 4 MiB}
                groups:
                  chat: {window: 2 MiB, total.by: rotation}
                  quiet: {}
                  "[a.b]": {stack: causal}
                """;
        yaml("tutti:\n" + own.indent(2));
        assertThat(YamlFile.print(spec())).isEqualTo(YamlFile.print(YamlFile.parse("own", own.replace("[a.b]", "a.b"), Node.defaults())));
    }

    @Test
    void laterSourcesYieldAndListsAreReplacedWhole() throws IOException {
        environment.getPropertySources().addFirst(new MapPropertySource(
                "commandLine", Map.of("tutti.cluster", "${name:given}", "tutti.discovery.seeds[0]", "h:1")));
        yaml("tutti: {cluster: filed, name: n, discovery: {seeds: [\"i:1\", \"j:1\"]}}");
        NodeSpec spec = spec();
        assertThat(text(spec, "cluster")).isEqualTo("given");
        assertThat(text(spec, "name")).isEqualTo("n");
        assertThat(spec.node().get(NodeSettings.SEEDS)).containsExactly("h:1");
    }

    @Test
    void settingsOfSpringAndOfTheProcessAreLeftToOthers() throws IOException {
        environment.getPropertySources().replace(
                StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME,
                new MapPropertySource(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME, Map.of("tutti.cluster", "x")));
        yaml("tutti: {spring: {groups: [chat]}}");
        assertThat(EnvironmentSettings.read(environment)).isEmpty();
    }

    @Test
    void errorsNameThePlaceAndTheNearestSetting() throws IOException {
        yaml("tutti:\n  clustr: shop\n");
        assertThatThrownBy(this::spec)
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("application.yaml")
                .hasMessageContaining("2:11")
                .hasMessageContaining("cluster");
    }

    @Test
    void namesAreSplitAtDotsAndBrackets() {
        assertThat(EnvironmentSettings.path("groups.chat.window")).isEqualTo(List.of("groups", "chat", "window"));
        assertThat(EnvironmentSettings.path("groups[a.b].window")).isEqualTo(List.of("groups", "a.b", "window"));
        assertThat(EnvironmentSettings.path("discovery.seeds[12]")).isEqualTo(List.of("discovery", "seeds", "[12]"));
        assertThat(EnvironmentSettings.path("groups.[a.b].window")).isEqualTo(List.of("groups", "a.b", "window"));
        assertThat(EnvironmentSettings.path("odd[")).isEqualTo(List.of("odd", "["));
    }

    @Test
    void aValueAndPartsOfOneNameAreRefused() {
        assertThatThrownBy(() -> YamlFile.of(
                        List.of(
                                new PlacedValue(List.of("bind"), "x", "a:1"),
                                new PlacedValue(List.of("bind", "port"), "1", "a:2")),
                        Node.defaults()))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("a:1: bind");
    }
}
