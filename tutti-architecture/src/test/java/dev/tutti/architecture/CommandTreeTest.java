package dev.tutti.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.bench.commands.Bench;
import dev.tutti.bench.commands.Perf;
import dev.tutti.campaign.Campaign;
import dev.tutti.demo.Demo;
import dev.tutti.study.Study;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The command line's list of the commands that only a checkout has is the same as these commands, and as the launcher. */
class CommandTreeTest {

    private static final Path LIST = Path.of("../tutti-cli/src/main/resources/dev/tutti/cli/checkout-commands.txt");
    private static final Path LAUNCHER = Path.of("../tutti");
    private static final Pattern LABEL = Pattern.compile("^    ([a-z][a-z |]*)\\)", Pattern.MULTILINE);

    /** What the launcher does itself. */
    private static final Set<String> OWN = Set.of("build", "test", "docs", "release", "jdk");

    /** Commands that the command line has itself, too. */
    private static final Set<String> SHARED = Set.of("grid", "help");

    private static final Set<String> EVERYWHERE = Set.of("-h", "--help", "-V", "--version");
    private static final int DESCRIPTION_MAX = 100;

    /** Most values that are listed: of more, as those of systems to measure, a person gets no overview. */
    private static final int VALUES_MAX = 10;

    @Test
    void theListHasEachCommandOptionAndValue() throws Exception {
        Map<String, String> descriptions = new LinkedHashMap<>();
        List<String> listed = new ArrayList<>();
        List<String> kept = new ArrayList<>();
        for (String line : Files.readAllLines(LIST)) {
            String[] columns = line.split(" *\\| ?", -1);
            if (line.startsWith("#") || columns.length < 4 || OWN.contains(columns[0])) {
                kept.add(line);
                continue;
            }
            assertThat(columns[1]).as("description of " + columns[0]).isNotBlank().hasSizeLessThanOrEqualTo(DESCRIPTION_MAX);
            descriptions.put(columns[0], columns[1]);
            listed.add(line);
        }
        List<String> real = new ArrayList<>();
        for (Map.Entry<String, CommandLine> each : commands().entrySet()) {
            CommandSpec spec = each.getValue().getCommandSpec();
            String description = descriptions.getOrDefault(each.getKey(), firstSentence(spec));
            String words = each.getKey().startsWith("grid ") ? "" : words(spec);
            real.add((each.getKey() + " | " + description + " | " + options(spec) + " | " + words).stripTrailing());
        }
        Path right = Path.of("target/checkout-commands.txt");
        List<String> all = new ArrayList<>(kept);
        all.addAll(real);
        Files.write(right, all);
        assertThat(listed).as("tutti-architecture/" + right + " has the list as it should be").isEqualTo(real);
    }

    @Test
    void theListHasEachCommandOfTheLauncher() throws IOException {
        String launcher = Files.readString(LAUNCHER);
        Set<String> labels = new TreeSet<>();
        Matcher matcher = LABEL.matcher(launcher.substring(launcher.lastIndexOf("\nfind_jdk\n")));
        while (matcher.find()) {
            labels.addAll(List.of(matcher.group(1).split(" \\| ")));
        }
        labels.removeAll(SHARED);
        Set<String> listed = new TreeSet<>();
        for (String line : Files.readAllLines(LIST)) {
            if (line.contains("|") && !line.startsWith("#")) {
                listed.add(line.split("[ |]", 2)[0]);
            }
        }
        listed.removeAll(SHARED);
        assertThat(listed).isEqualTo(labels);
        assertThat(labels).containsAll(OWN).contains("sim", "bench", "chaos");
    }

    @Test
    void wrongOptionsAreAnsweredInALineWithAHint() throws ReflectiveOperationException {
        Map<String, CommandLine> lines = Map.of(
                "tutti bench", made(Bench.class, "commandLine"),
                "tutti perf mcast", made(Perf.class, "commandLine"),
                "tutti study", made(Study.class, "line"),
                "tutti sim", made(Campaign.class, "line"));
        lines.forEach((name, line) -> {
            StringWriter err = new StringWriter();
            line.setErr(new PrintWriter(err));
            List<String> words = new ArrayList<>(List.of(name.split(" ")));
            words.removeAll(List.of("tutti", "bench", "perf", "study"));
            words.add("--unheard-of");
            assertThat(line.execute(words.toArray(String[]::new))).as(name).isEqualTo(2);
            assertThat(err.toString()).startsWith("tutti: Unknown option: '--unheard-of' (see '" + name + " --help')\n").doesNotContain("Usage");
        });
    }

    /** Returns the commands by their paths, each before those below it. */
    private static Map<String, CommandLine> commands() throws ReflectiveOperationException {
        Map<String, CommandLine> all = new LinkedHashMap<>();
        put("demo", new CommandLine(new Demo()), all);
        put("bench", made(Bench.class, "commandLine"), all);
        put("perf", made(Perf.class, "commandLine"), all);
        put("study", made(Study.class, "line"), all);
        made(Campaign.class, "line").getSubcommands().forEach((name, command) -> {
            if (name.equals("grid")) {
                // The command line has a command of this name, and the launcher tells them apart by the next word.
                for (String word : words(command.getCommandSpec()).split(",")) {
                    all.put(name + " " + word, command);
                }
            } else if (!name.equals("help")) {
                put(name, command, all);
            }
        });
        return all;
    }

    private static void put(String path, CommandLine command, Map<String, CommandLine> all) {
        if (command.getCommandSpec().usageMessage().hidden()) {
            return;
        }
        all.put(path, command);
        command.getSubcommands().forEach((name, each) -> {
            if (!name.equals("help")) {
                put(path + " " + name, each, all);
            }
        });
    }

    private static CommandLine made(Class<?> type, String method) throws ReflectiveOperationException {
        Method factory = type.getDeclaredMethod(method);
        factory.setAccessible(true);
        return (CommandLine) factory.invoke(null);
    }

    private static String firstSentence(CommandSpec spec) {
        String text = String.join(" ", spec.usageMessage().description()).replace("%%", "%");
        return text.replaceFirst("(?s)[.:] .*", ".").replaceFirst(":$", ".").strip();
    }

    private static String options(CommandSpec spec) {
        return spec.options().stream()
                .filter(option -> !option.hidden() && !EVERYWHERE.contains(option.longestName()))
                .map(CommandTreeTest::option)
                .collect(Collectors.joining(" "));
    }

    private static String option(OptionSpec option) {
        return option.longestName() + (option.arity().max() == 0 ? "" : "=" + values(option));
    }

    /** Returns the values of the first parameter, unless it is for free, or has other values for other commands. */
    private static String words(CommandSpec spec) {
        return spec.positionalParameters().isEmpty() ? "" : values(spec.positionalParameters().getFirst());
    }

    private static String values(ArgSpec argument) {
        List<String> values = new ArrayList<>();
        if (argument.completionCandidates() != null) {
            argument.completionCandidates().forEach(each -> values.add(each.toLowerCase(Locale.ROOT)));
        }
        return values.size() <= VALUES_MAX ? String.join(",", values) : "";
    }
}
