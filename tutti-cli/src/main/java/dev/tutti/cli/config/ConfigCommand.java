package dev.tutti.cli.config;

import dev.tutti.Node;
import dev.tutti.cli.node.NodeOptions;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Table;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.cli.terminal.WrongUsageException;
import dev.tutti.config.YamlFile;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Json;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tutti config}: lists settings, their values and the sources of these. */
@Command(
        name = "config",
        description = "Shows, checks and explains settings.",
        synopsisSubcommandLabel = "(show | validate | print | docs)",
        footer = {
            "",
            "Examples:",
            "  tutti config show --config tutti.yaml   every setting, and where it comes from",
            "  tutti config validate tutti.yaml        exit code 2 if something is wrong",
            "  tutti config print --port 7801 > tutti.yaml",
            "  tutti config docs > docs/settings.md",
            "  tutti config docs metrics > docs/metrics.md"
        })
public final class ConfigCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before the command is called
    private CommandSpec spec;

    public ConfigCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(terminal.out());
        return ExitCodes.DONE;
    }

    @Command(description = "Prints every setting with its value and where that comes from; secrets are not shown.")
    int show(
            @Mixin NodeOptions options,
            @Option(names = "--json", description = "Prints one JSON document.") boolean isJson,
            @Option(names = "--set-only", description = "Leaves out what has its default.") boolean isSetOnly) {
        NodeSpec spec = options.builder().spec();
        List<Map<String, Object>> rows = new ArrayList<>();
        collect("", spec.node(), isSetOnly, rows);
        collect("group.", spec.groupDefaults(), isSetOnly, rows);
        spec.groups().forEach((name, settings) -> collect("groups." + name + ".", settings, true, rows));
        if (isJson) {
            terminal.print(Json.write(rows));
        } else {
            Table table = new Table("setting", "value", "from");
            for (Map<String, Object> row : rows) {
                table.add(
                        String.valueOf(row.get("setting")),
                        String.valueOf(row.get("value")),
                        String.valueOf(row.get("place")));
            }
            table.print(terminal);
        }
        return ExitCodes.DONE;
    }

    @Command(description = "Checks a file.")
    int validate(@Parameters(paramLabel = "FILE", description = "YAML file with settings.") Path file) {
        NodeSpec spec = YamlFile.read(file, NodeOptions.defaults());
        int count = spec.node().explicit().size() + spec.groupDefaults().explicit().size();
        for (Settings settings : spec.groups().values()) {
            count += settings.explicit().size();
        }
        terminal.print(file + ": right, " + count + (count == 1 ? " setting" : " settings"));
        return ExitCodes.DONE;
    }

    @Command(description = "Prints what is set as a YAML file, but for secrets.")
    int print(@Mixin NodeOptions options) {
        NodeSpec spec = options.builder().spec();
        terminal.out().print(YamlFile.print(spec.withNode(withoutSecrets(spec.node()))));
        for (Setting<?> setting : spec.node().definitions()) {
            if (setting.isSecret() && !spec.node().text(setting).isEmpty()) {
                terminal.out().println("# " + setting + " is set, and not shown");
            }
        }
        terminal.out().flush();
        return ExitCodes.DONE;
    }

    @Command(description = "Prints a description of every setting, or of every number that is counted, as Markdown.")
    int docs(
            @Parameters(
                            arity = "0..1",
                            defaultValue = "settings",
                            paramLabel = "WHAT",
                            description = "settings (default) or metrics.")
                    String what) {
        terminal.out().print(switch (what) {
            case "settings" -> SettingsPage.markdown(Node.defaults());
            case "metrics" -> MetricsPage.markdown(Node.metrics());
            default -> throw new WrongUsageException("there is no documentation of '" + what + "', only of settings and metrics");
        });
        terminal.out().flush();
        return ExitCodes.DONE;
    }

    private static Settings withoutSecrets(Settings settings) {
        Settings fewer = Settings.of(settings.definitions());
        for (Setting<?> setting : settings.definitions()) {
            Settings.Value value = settings.explicit().get(setting.name());
            if (value != null && !setting.isSecret()) {
                fewer = fewer.with(setting.name(), value.text(), value.source(), value.place());
            }
        }
        return fewer;
    }

    private static void collect(
            String prefix, Settings settings, boolean isSetOnly, List<Map<String, Object>> rows) {
        for (Setting<?> setting : settings.definitions()) {
            Settings.Value value = settings.explicit().get(setting.name());
            if (value == null && isSetOnly) {
                continue;
            }
            String text = settings.text(setting);
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("setting", prefix + setting.name());
            row.put("value", setting.isSecret() && !text.isEmpty() ? "(not shown)" : text);
            row.put("source", settings.source(setting).name().toLowerCase(Locale.ROOT).replace('_', '-'));
            row.put("place", value == null ? "default" : value.place());
            rows.add(row);
        }
    }
}
