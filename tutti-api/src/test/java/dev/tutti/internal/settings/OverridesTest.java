package dev.tutti.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Settings.Source;
import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.GroupSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class OverridesTest {

    private static final NodeSpec BASE = ApiSettings.defaults();
    private static final Map<String, String> NONE = Map.of();

    @Test
    void takesPropertiesOfNodeGroupsAndOneGroup() {
        NodeSpec spec = Overrides.apply(
                BASE,
                Map.of(
                        "tutti.bind.port", "7801",
                        "tutti.group.window", "4 MiB",
                        "tutti.groups.chat.room.window", "8 MiB",
                        "java.version", "25"),
                NONE);
        assertThat(spec.node().get(TransportSettings.BIND_PORT)).isEqualTo(7801);
        assertThat(spec.group("other").get(GroupSettings.WINDOW)).isEqualTo(Size.mebibytes(4));
        assertThat(spec.group("chat.room").get(GroupSettings.WINDOW)).isEqualTo(Size.mebibytes(8));
        assertThat(spec.node().explicit().get("bind.port"))
                .isEqualTo(new Settings.Value("7801", Source.SYSTEM_PROPERTY, "system property tutti.bind.port"));
    }

    @Test
    void takesVariablesOfNodeAndGroups() {
        NodeSpec spec = Overrides.apply(
                BASE,
                NONE,
                Map.of("TUTTI_BIND_PORT_RANGE", "10", "TUTTI_GROUP_ACK_DELAY", "5 ms", "PATH", "/bin"));
        assertThat(spec.node().get(TransportSettings.BIND_PORT_RANGE)).isEqualTo(10);
        assertThat(spec.group("any").get(GroupSettings.ACK_DELAY)).isEqualTo(Duration.ofMillis(5));
        assertThat(spec.node().explicit().get("bind.port-range").place())
                .isEqualTo("environment variable TUTTI_BIND_PORT_RANGE");
    }

    @Test
    void leavesTheLaunchersAndTheTestsNamesAlone() {
        NodeSpec spec = Overrides.apply(
                BASE, Map.of("tutti.test.seed", "1", "tutti.spring.enabled", "false"),
                Map.of("TUTTI_JAVA_HOME", "/jdk", "TUTTI_OPTS", "-Xmx1g", "TUTTI_SPRING_ENABLED", "false"));
        assertThat(spec).isEqualTo(BASE);
    }

    @Test
    void putsBuilderBeforePropertyBeforeVariableBeforeFileBeforePreset() {
        List<UnaryOperator<NodeSpec>> steps = List.of(
                spec -> Preset.apply(spec.withNode(spec.node().with("preset", "wan", Source.FILE, "f:1"))),
                spec -> spec.withGroupDefaults(spec.groupDefaults().with("window", "1 MiB", Source.FILE, "f:2")),
                spec -> Overrides.apply(spec, NONE, Map.of("TUTTI_GROUP_WINDOW", "3 MiB")),
                spec -> Overrides.apply(spec, Map.of("tutti.group.window", "4 MiB"), NONE),
                spec -> spec.withGroupDefaults(spec.groupDefaults().with(GroupSettings.WINDOW, Size.mebibytes(5))));
        List<Source> sources =
                List.of(Source.PRESET, Source.FILE, Source.ENVIRONMENT, Source.SYSTEM_PROPERTY, Source.BUILDER);
        for (int count = 1; count <= steps.size(); count++) {
            // The last of the steps wins, in whatever order they are taken.
            for (int rotation = 0; rotation < count; rotation++) {
                List<UnaryOperator<NodeSpec>> taken = new ArrayList<>(steps.subList(0, count));
                Collections.rotate(taken, rotation);
                NodeSpec spec = BASE;
                for (UnaryOperator<NodeSpec> step : taken) {
                    spec = step.apply(spec);
                }
                assertThat(spec.group("x").source(GroupSettings.WINDOW)).isEqualTo(sources.get(count - 1));
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "tutti.bind.prot | 1 | system property tutti.bind.prot: there is no setting 'bind.prot'; did you mean 'bind.port'?",
        "tutti.window | 1 MiB | system property tutti.window: there is no setting 'window'; did you mean 'group.window'?",
        "tutti.group.windwo | 1 MiB | system property tutti.group.windwo: there is no setting 'windwo'; did you mean 'window'?",
        "tutti.groups.window | 1 MiB | system property tutti.groups.window: write tutti.groups.<name>.<setting>",
        "tutti.groups.a.b.windwo | 1 MiB | system property tutti.groups.a.b.windwo: there is no setting 'windwo'; did you",
        "tutti.bind.port | high | system property tutti.bind.port: bind.port: 'high' is not a whole number",
        "tutti.group.window | 5 | system property tutti.group.window: window: '5' has no unit; write a size such as 64 KiB",
    })
    void saysWhatIsWrongWithAProperty(String name, String value, String message) {
        assertThatThrownBy(() -> Overrides.apply(BASE, Map.of(name, value), NONE))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "TUTTI_BIND_PROT | 1 | environment variable TUTTI_BIND_PROT: there is no such setting; did you mean 'TUTTI_BIND_PORT'?",
        "TUTTI_GROUPS_CHAT_WINDOW | 1 MiB | environment variable TUTTI_GROUPS_CHAT_WINDOW: there is no such setting; did you"
                + " mean 'TUTTI_GROUP_WINDOW'?",
        "TUTTI_GROUP_WINDOW | x | environment variable TUTTI_GROUP_WINDOW: window: 'x' is not a size such as 64 KiB or 1 MiB",
    })
    void saysWhatIsWrongWithAVariable(String name, String value, String message) {
        assertThatThrownBy(() -> Overrides.apply(BASE, NONE, Map.of(name, value)))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith(message);
    }

    static Stream<Setting<?>> everySetting() {
        return Stream.concat(ApiSettings.NODE.stream(), GroupSettings.ALL.stream());
    }

    @ParameterizedTest
    @MethodSource("everySetting")
    void reachesEverySettingByPropertyAndVariable(Setting<?> setting) {
        boolean ofNode = BASE.node().has(setting.name());
        String name = ofNode ? setting.name() : "group." + setting.name();
        String text = (ofNode ? BASE.node() : BASE.groupDefaults()).text(setting);
        Map<String, String> properties = Map.of("tutti." + name, text);
        if (setting.isSecret()) {
            assertThatThrownBy(() -> Overrides.apply(BASE, properties, NONE))
                    .isInstanceOf(SettingException.class)
                    .hasMessageContaining(BASE.node().has(name + "-file") ? name + "-file" : "a configuration file");
        } else {
            assertThat(source(Overrides.apply(BASE, properties, NONE), setting)).isEqualTo(Source.SYSTEM_PROPERTY);
        }
        assertThat(source(Overrides.apply(BASE, NONE, Map.of(Overrides.variable(name), text)), setting))
                .isEqualTo(Source.ENVIRONMENT);
    }

    @ParameterizedTest
    @MethodSource("everySetting")
    void describesEverySettingInASentence(Setting<?> setting) {
        assertThat(setting.description()).matches("(?s)[A-Za-z].*\\.");
        assertThat(setting.name()).matches("[a-z]+(-[a-z]+)*(\\.[a-z]+(-[a-z]+)*)*");
    }

    @Test
    void keepsNamesOfSettingsFromContainingEachOther() {
        List<String> names = everySetting().map(Setting::name).toList();
        assertThat(names).doesNotHaveDuplicates();
        Map<String, String> contained = new LinkedHashMap<>();
        for (String name : names) {
            for (String other : names) {
                if (other.startsWith(name + ".")) {
                    contained.put(name, other);
                }
            }
        }
        assertThat(contained).as("a value and a map under one key of a file").isEmpty();
        assertThat(names).noneMatch(name -> name.startsWith("group.") || name.startsWith("groups."));
    }

    @ParameterizedTest
    @CsvSource({"fast", "wan"})
    void changesSomethingByEveryPreset(String preset) {
        NodeSpec spec = Preset.apply(BASE.withNode(BASE.node().with("preset", preset, Source.BUILDER, "builder")));
        assertThat(spec.groupDefaults().explicit()).isNotEmpty();
        assertThat(spec.node().explicit()).containsKeys("detection.heartbeat", "detection.timeout");
        spec.groupDefaults().explicit().forEach((name, value) -> {
            assertThat(value.source()).isEqualTo(Source.PRESET);
            assertThat(value.place()).isEqualTo("preset " + preset);
        });
        assertThat(Preset.apply(BASE)).isEqualTo(BASE);
    }

    private static Source source(NodeSpec spec, Setting<?> setting) {
        return spec.node().has(setting.name()) ? spec.node().source(setting) : spec.groupDefaults().source(setting);
    }
}
