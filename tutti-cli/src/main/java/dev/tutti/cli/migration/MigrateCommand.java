package dev.tutti.cli.migration;

import dev.tutti.cli.migration.Finding.Outcome;
import dev.tutti.cli.node.NodeOptions;
import dev.tutti.cli.terminal.CommandException;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Table;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.config.YamlFile;
import dev.tutti.core.settings.SettingException;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tutti migrate}: translates a stack file of JGroups into settings. */
@Command(
        name = "migrate",
        description = "Translates a stack file of JGroups 5 into a YAML file, and says what becomes of each attribute.",
        footer = {
            "",
            "Nothing is written if the stack means something that settings can't say.",
            "",
            "Examples:",
            "  tutti migrate tcp.xml -o tutti.yaml    then: tutti node --config tutti.yaml",
            "  tutti migrate tcp.xml > tutti.yaml     the report is on the terminal",
            "  tutti migrate tcp.xml --json           one document, for programs",
            "  tutti migrate tcp.xml -D 'jgroups.tcpping.initial_hosts=10.0.0.1[7800]'"
        })
public final class MigrateCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Parameters(paramLabel = "FILE", description = "Stack file of JGroups; files that it includes lie beside it.")
    @SuppressWarnings("NullAway.Init") // set before the command is called
    private Path file;

    @Option(names = {"-o", "--output"}, paramLabel = "YAML", description = "File to write, which must not exist; else the output.")
    private @Nullable Path output;

    @Option(names = "--json", description = "Prints one JSON document.")
    private boolean isJson;

    @Option(
            names = "-D",
            paramLabel = "NAME=VALUE",
            description = "Property for placeholders of the file. Others have their defaults: no variable of this process is read.")
    private Map<String, String> properties = new LinkedHashMap<>();

    public MigrateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Element root = new StackFile(new Placeholders(properties)).read(file);
        Translation translation = Translation.of(root, NodeOptions.defaults());
        List<Finding> refusals = translation.refusals();
        String yaml = refusals.isEmpty() ? checked(translation) : "";
        if (output != null && !yaml.isEmpty()) {
            write(output, yaml);
        }
        if (isJson) {
            terminal.print(Json.write(document(translation, yaml)));
        } else {
            report(translation, yaml);
        }
        refusals.forEach(each -> terminal.err().println("tutti: " + line(each)));
        terminal.err().flush();
        return refusals.isEmpty() ? ExitCodes.DONE : ExitCodes.FAILED;
    }

    /** Returns the file's text, which reads back as the settings that it was made from. */
    private String checked(Translation translation) {
        String yaml = AnnotatedYaml.print(String.valueOf(file.getFileName()), translation);
        var read = YamlFile.parse("translation of " + file, yaml, NodeOptions.defaults());
        if (!YamlFile.print(read).equals(YamlFile.print(translation.spec()))) {
            throw new IllegalStateException("the translation of " + file + " does not read back as it was written");
        }
        return yaml;
    }

    private static void write(Path output, String yaml) {
        try {
            Files.writeString(output, yaml, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (FileAlreadyExistsException e) {
            throw new SettingException("-o: " + output + " is there already; remove it, or name another file", e);
        } catch (IOException e) {
            throw new CommandException("-o: " + output + " can't be written: " + e.getMessage(), e);
        }
    }

    private void report(Translation translation, String yaml) {
        // A file that is the output goes through pipes; what people read does not.
        boolean isPiped = output == null && !yaml.isEmpty();
        Terminal target = isPiped ? new Terminal(terminal.in(), terminal.err(), terminal.err(), terminal.hasColours()) : terminal;
        if (isPiped) {
            terminal.out().print(yaml);
            terminal.out().flush();
        }
        Table table = new Table("place", "protocol", "attribute", "outcome", "setting or reason");
        Map<Outcome, Integer> counts = new LinkedHashMap<>();
        for (Finding finding : translation.findings()) {
            counts.merge(finding.outcome(), 1, Integer::sum);
            String setting = finding.setting().isEmpty() ? "" : value(translation, finding);
            String gap = setting.isEmpty() || finding.explanation().isEmpty() ? "" : ": ";
            table.add(
                    finding.place().toString(),
                    finding.protocol(),
                    finding.attribute().isEmpty() ? "" : finding.attribute() + "=" + finding.value(),
                    finding.outcome().toString(),
                    setting + gap + finding.explanation());
        }
        table.print(target);
        List<String> sums = new ArrayList<>();
        counts.forEach((outcome, count) -> sums.add(count + " " + outcome));
        target.print(String.join(", ", sums) + (output == null || yaml.isEmpty() ? "" : "; written to " + output));
        translation.tasks().forEach(task -> target.print("Before it starts: " + task));
    }

    private static String value(Translation translation, Finding finding) {
        String setting = finding.setting();
        boolean isOfGroups = setting.startsWith("group.");
        var settings = isOfGroups ? translation.spec().groupDefaults() : translation.spec().node();
        var value = settings.explicit().get(isOfGroups ? setting.substring("group.".length()) : setting);
        return value == null ? setting : setting + ": " + value.text();
    }

    private Map<String, Object> document(Translation translation, String yaml) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (Finding finding : translation.findings()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("file", finding.place().file());
            row.put("line", finding.place().line());
            row.put("protocol", finding.protocol());
            row.put("attribute", finding.attribute());
            row.put("value", finding.value());
            row.put("outcome", finding.outcome().toString());
            row.put("setting", finding.setting());
            row.put("explanation", finding.explanation());
            rows.add(row);
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("file", file.toString());
        document.put("written", output == null || yaml.isEmpty() ? "" : output.toString());
        document.put("yaml", yaml);
        document.put("tasks", translation.tasks());
        document.put("findings", rows);
        return document;
    }

    private static String line(Finding refusal) {
        String what = refusal.attribute().isEmpty() ? "<" + refusal.protocol() + ">" : refusal.protocol() + " " + refusal.attribute();
        return refusal.place() + ": " + what + " " + refusal.explanation();
    }
}
