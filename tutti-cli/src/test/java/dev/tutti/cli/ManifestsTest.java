package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cli.node.NodeOptions;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.config.YamlFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Manifests for Kubernetes start the command line with options, variables and settings that there are. */
class ManifestsTest {

    private static final Path MANIFESTS = Path.of("../deploy/manifests");

    /** Variables of launchers, which are no settings. */
    private static final Set<String> OF_LAUNCHERS = Set.of("TUTTI_OPTS");

    @TempDir
    private Path directory;

    private record Manifest(String name, Map<?, ?> container, List<String> files) {

        List<String> arguments() {
            return container.get("args") instanceof List<?> list ? list.stream().map(String::valueOf).toList() : List.of();
        }

        List<String> variables() {
            return ((List<?>) container.get("env")).stream().map(each -> String.valueOf(((Map<?, ?>) each).get("name"))).toList();
        }
    }

    private static List<Manifest> manifests() throws IOException {
        List<Path> paths;
        try (Stream<Path> files = Files.list(MANIFESTS)) {
            paths = files.sorted().toList();
        }
        List<Manifest> manifests = new ArrayList<>();
        for (Path path : paths) {
            Map<?, ?> container = Map.of();
            List<String> files = new ArrayList<>();
            for (Object document : new Load(LoadSettings.builder().build()).loadAllFromString(Files.readString(path))) {
                if (document instanceof Map<?, ?> object && Set.of("StatefulSet", "Deployment").contains(object.get("kind"))) {
                    Map<?, ?> pod = map(map(map(object.get("spec")).get("template")).get("spec"));
                    container = map(((List<?>) pod.get("containers")).getFirst());
                } else if (document instanceof Map<?, ?> object && object.get("kind").equals("ConfigMap")) {
                    files.add((String) map(object.get("data")).get("tutti.yaml"));
                }
            }
            manifests.add(new Manifest(path.getFileName().toString(), container, files));
        }
        assertThat(manifests).hasSizeGreaterThan(5).allMatch(each -> !each.container().isEmpty());
        return manifests;
    }

    private static Map<?, ?> map(Object value) {
        return (Map<?, ?>) value;
    }

    @Test
    void argumentsAreThoseOfCommands() throws IOException {
        int commands = 0;
        for (Manifest manifest : manifests()) {
            if (String.valueOf(manifest.container().get("image")).startsWith("tutti:")) {
                PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
                Terminal terminal = new Terminal(InputStream.nullInputStream(), nowhere, nowhere, false);
                // Throws for an option or a command that is not there.
                var parsed = Tutti.commandLine(terminal).parseArgs(manifest.arguments().toArray(String[]::new));
                assertThat(parsed.subcommand()).as(manifest.name()).isNotNull();
                commands++;
            }
        }
        assertThat(commands).isGreaterThan(4);
    }

    @Test
    void variablesAreThoseOfSettings() throws IOException {
        NodeSpec defaults = NodeOptions.defaults();
        Set<String> known = defaults.node().definitions().stream()
                .map(setting -> "TUTTI_" + setting.name().toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_'))
                .collect(Collectors.toSet());
        for (Manifest manifest : manifests()) {
            assertThat(manifest.variables().stream().filter(name -> name.startsWith("TUTTI_") && !OF_LAUNCHERS.contains(name)))
                    .as(manifest.name())
                    .allMatch(known::contains);
        }
    }

    @Test
    void filesHaveSettingsThatThereAre() throws IOException {
        int files = 0;
        for (Manifest manifest : manifests()) {
            for (String text : manifest.files()) {
                // Throws, with the line, for a name or a value that is wrong.
                YamlFile.read(Files.writeString(directory.resolve("tutti.yaml"), text), NodeOptions.defaults());
                files++;
            }
        }
        assertThat(files).isPositive();
    }
}
