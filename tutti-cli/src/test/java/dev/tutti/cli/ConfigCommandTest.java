package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.config.YamlFile;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Settings.Source;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigCommandTest {

    @TempDir
    private Path directory;

    @Test
    void showsEverySettingWithWhereItComesFrom() throws IOException {
        Path file = write("bind:\n  port: 7801\ngroups: {chat: {window: 4 MiB}}\n");
        Run run = Run.of("config", "show", "--config", file.toString(), "--cluster", "shop");
        assertThat(run.code()).isEqualTo(ExitCodes.DONE);
        assertThat(run.out())
                .containsPattern("bind\\.port +7801 +" + file + ":2\n")
                .containsPattern("cluster +shop +--cluster\n")
                .containsPattern("groups\\.chat\\.window +4 MiB +" + file + ":3\n")
                .containsPattern("group\\.window +1 MiB +default\n");
        for (Setting<?> setting : Node.defaults().node().definitions()) {
            assertThat(run.out()).contains(setting.name());
        }
    }

    @Test
    void showsAsJsonForPrograms() {
        Run run = Run.of("config", "show", "--json", "--set-only", "--preset", "fast");
        assertThat(Json.parse(run.out()).toString())
                .contains("{setting=preset, value=fast, source=builder, place=--preset}")
                .contains("source=preset, place=preset fast}");
    }

    @Test
    void neverShowsTheSecret() throws IOException {
        Path file = write("security: {secret: correct horse battery staple}\n");
        for (String command : List.of("show", "print")) {
            Run run = Run.of("config", command, "--config", file.toString());
            assertThat(run.code()).isEqualTo(ExitCodes.DONE);
            assertThat(run.out()).contains("not shown").doesNotContain("horse");
        }
    }

    @Test
    void printsAFileThatReadsBack() throws IOException {
        Run run = Run.of("config", "print", "--port", "7801", "--seed", "a:1,b:2", "--seed", "c:3", "-D", "group.window=4MiB");
        assertThat(run.out()).contains("port: 7801", "seeds: [a:1, b:2, c:3]", "window: 4 MiB");
        assertThat(Run.of("config", "print", "--config", write(run.out()).toString()).out()).isEqualTo(run.out());
    }

    @Test
    void validatesAFile() throws IOException {
        Path file = write("cluster: shop\ngroup: {window: 4 MiB}\n");
        Run right = Run.of("config", "validate", file.toString());
        assertThat(right).isEqualTo(new Run(ExitCodes.DONE, file + ": right, 2 settings\n", ""));
        write("cluster: shop\ngruop: {window: 4 MiB}\n");
        Run wrong = Run.of("config", "validate", file.toString());
        assertThat(wrong)
                .isEqualTo(new Run(
                        ExitCodes.WRONG, "", "tutti: " + file + ":2: there is no setting 'gruop'; did you mean 'group'?\n"));
    }

    @Test
    void readsAndPrintsEverySettingThereIs() {
        NodeSpec defaults = Node.defaults();
        NodeSpec all = defaults.withNode(everything(defaults.node()))
                .withGroupDefaults(everything(defaults.groupDefaults()))
                .withGroup("chat", everything(defaults.groupDefaults()));
        NodeSpec read = YamlFile.parse("printed", YamlFile.print(all), defaults);
        assertThat(read.node().toString()).isEqualTo(all.node().toString());
        assertThat(read.node().explicit()).hasSameSizeAs(defaults.node().definitions());
        assertThat(read.groupDefaults().explicit()).hasSameSizeAs(defaults.groupDefaults().definitions());
        assertThat(read.groups().get("chat").toString()).isEqualTo(all.groups().get("chat").toString());
    }

    @Test
    void keepsThePageAboutSettingsUpToDate() throws IOException {
        assertThat(Path.of("../docs/settings.md"))
                .as("make it anew: ./tutti config docs > docs/settings.md")
                .hasContent(Run.of("config", "docs").out());
    }

    @Test
    void keepsThePageAboutMetricsUpToDate() throws IOException {
        assertThat(Path.of("../docs/metrics.md"))
                .as("make it anew: ./tutti config docs metrics > docs/metrics.md")
                .hasContent(Run.of("config", "docs", "metrics").out());
        assertThat(Run.of("config", "docs", "nothing").err()).contains("only of settings and metrics");
    }

    private static Settings everything(Settings settings) {
        Settings all = settings;
        for (Setting<?> setting : settings.definitions()) {
            all = all.with(setting.name(), settings.text(setting), Source.FILE, "test");
        }
        return all;
    }

    private Path write(String text) throws IOException {
        return Files.writeString(directory.resolve("tutti.yaml"), text);
    }
}
