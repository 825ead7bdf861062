package dev.tutti.cli;

import dev.tutti.cli.terminal.CommandException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Commands that a checkout of the sources has besides: the launcher runs them itself, or from modules that this one does not depend on.
 * They are in help and completion, with the names of their options, and say where they run if this command line is asked to run them.
 * {@code checkout-commands.txt} lists them; a test of all modules compares it with the commands themselves.
 */
final class CheckoutCommands {

    private static final String LIST = "checkout-commands.txt";
    private static final Pattern COLUMNS = Pattern.compile(" *\\| ?");
    private static final String HEADING = "%nIn a checkout of the sources (./tutti):%n";

    /**
     * A line of the list.
     *
     * @param path names from the first command on
     * @param description one line
     * @param options names, with {@code =} if they take a value, and the values if there are few
     * @param words values of the parameter; none if there is no parameter of few values
     */
    private record Line(List<String> path, String description, List<String> options, List<String> words) {

        static Line parse(String line) {
            String[] columns = COLUMNS.split(line, -1);
            return new Line(List.of(columns[0].split(" ")), columns[1], split(columns[2], " "), split(columns[3], ","));
        }

        private static List<String> split(String text, String separator) {
            return text.isBlank() ? List.of() : List.of(text.strip().split(separator));
        }
    }

    private CheckoutCommands() {}

    /**
     * Adds them, and a part of the help in which they are.
     *
     * @param names first names of those that are added; empty for all
     */
    static void addTo(CommandLine tutti, List<String> names) {
        List<String> first = new ArrayList<>();
        for (Line line : lines()) {
            if (!names.isEmpty() && !names.contains(line.path.getFirst())) {
                continue;
            }
            String name = line.path.getLast();
            CommandLine parent = tutti;
            for (String each : line.path.subList(0, line.path.size() - 1)) {
                parent = Objects.requireNonNull(parent.getSubcommands().get(each), () -> each + " comes after its commands in " + LIST);
            }
            parent.addSubcommand(name, command(line));
            if (line.path.size() == 1) {
                first.add(name);
            }
        }
        tutti.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help -> list(help, first));
    }

    private static String list(Help help, List<String> ofCheckouts) {
        Map<String, Help> own = new LinkedHashMap<>(help.subcommands());
        own.keySet().removeAll(ofCheckouts);
        Map<String, Help> others = new LinkedHashMap<>(help.subcommands());
        others.keySet().retainAll(ofCheckouts);
        return help.commandList(own) + String.format(HEADING) + help.commandList(others);
    }

    private static CommandLine command(Line line) {
        String name = "tutti " + String.join(" ", line.path);
        Callable<Integer> action = () -> {
            throw new CommandException("'" + name + "' is not part of this installation; in a checkout of the sources run ./" + name);
        };
        CommandSpec spec = CommandSpec.wrapWithoutInspection(action);
        spec.usageMessage()
                .description(line.description)
                .footer("", "It runs in a checkout of the sources, where its help has more.", "", "Examples:", "  ./" + name + " --help");
        spec.parser().unmatchedArgumentsAllowed(true);
        for (String each : line.options) {
            int end = each.indexOf('=');
            OptionSpec.Builder option = OptionSpec.builder(end < 0 ? each : each.substring(0, end));
            if (end < 0) {
                option.type(boolean.class);
            } else {
                option.type(String.class).paramLabel("VALUE");
                if (end + 1 < each.length()) {
                    option.completionCandidates(List.of(each.substring(end + 1).split(",")));
                }
            }
            spec.addOption(option.build());
        }
        if (!line.words.isEmpty()) {
            spec.addPositional(PositionalParamSpec.builder()
                    .arity("0..1")
                    .type(String.class)
                    .paramLabel("WHAT")
                    .description("One of " + String.join(", ", line.words) + ".")
                    .completionCandidates(line.words)
                    .build());
        }
        return new CommandLine(spec);
    }

    private static List<Line> lines() {
        try (InputStream in = Objects.requireNonNull(CheckoutCommands.class.getResourceAsStream(LIST), LIST);
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return reader.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).map(Line::parse).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
