package dev.tutti.cli.inspection;

import dev.tutti.cli.terminal.CommandException;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Keys;
import dev.tutti.cli.terminal.Table;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.cli.terminal.WrongUsageException;
import dev.tutti.core.Printable;
import dev.tutti.internal.Json;
import dev.tutti.internal.diagnostics.Diagnostics;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory.Entry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tutti view}: asks nodes of this user on this machine for their status. */
@Command(
        name = "view",
        description = "Asks nodes on this machine for their groups, views, links, windows and counters.",
        footer = {
            "",
            "Without a node it lists those that can be asked: yours, started by this command or with diagnostics.enabled.",
            "",
            "Examples:",
            "  tutti view                   the nodes of this machine",
            "  tutti view 7800              one of them, by port, process id, address or name",
            "  tutti view all --watch 1     again every second, until q is pressed",
            "  tutti view all --json        for programs"
        })
public final class ViewCommand implements Callable<Integer> {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Terminal terminal;

    @Parameters(
            arity = "0..*",
            paramLabel = "NODE",
            description = "Port, process id, address or name of a node, or 'all'.")
    private List<String> wanted = List.of();

    @Option(names = "--json", description = "Prints one JSON document.")
    private boolean isJson;

    @Option(
            names = "--watch",
            arity = "0..1",
            fallbackValue = "2",
            paramLabel = "SECONDS",
            description = "Asks again and again; every 2 seconds unless said otherwise.")
    private @Nullable Integer watchSeconds;

    private final DiagnosticsDirectory directory;

    public ViewCommand(Terminal terminal) {
        this.terminal = terminal;
        this.directory = DiagnosticsDirectory.ofUser();
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (watchSeconds == null) {
            return look();
        }
        if (watchSeconds < 1 || watchSeconds > 3_600) {
            throw new WrongUsageException("--watch: " + watchSeconds + " is outside 1 to 3600 seconds");
        }
        try (Keys keys = Keys.of(terminal)) {
            do {
                if (terminal.hasColours()) {
                    terminal.out().print("\u001b[H\u001b[2J");
                }
                look();
            } while (!keys.isQuitWithin(Duration.ofSeconds(watchSeconds)));
        }
        return ExitCodes.DONE;
    }

    private int look() throws IOException {
        List<Answer> answers = new ArrayList<>();
        for (Entry entry : directory.entries()) {
            answers.add(ask(entry));
        }
        if (wanted.isEmpty()) {
            list(answers);
            return ExitCodes.DONE;
        }
        List<Answer> chosen = answers.stream().filter(this::isWanted).toList();
        if (chosen.isEmpty() && watchSeconds == null) {
            throw new CommandException("no node on this machine answers to " + String.join(" or ", wanted)
                    + (answers.isEmpty() ? ", nor any other" : "; there are " + names(answers))
                    + " (a node in another program needs diagnostics.enabled: true)");
        }
        if (isJson) {
            terminal.print(Json.write(chosen.stream().map(Answer::document).toList()));
            return ExitCodes.DONE;
        }
        for (Answer answer : chosen) {
            terminal.print(terminal.bold("node " + answer.name() + "  pid " + answer.entry.pid()));
            printHealth(answer);
            StatusPage.print(answer.withoutHealth(), terminal);
            terminal.print("");
        }
        return ExitCodes.DONE;
    }

    private void list(List<Answer> answers) {
        if (isJson) {
            terminal.print(Json.write(answers.stream().map(Answer::summary).toList()));
            return;
        }
        if (answers.isEmpty()) {
            terminal.print("No node on this machine can be asked. Start one: tutti chat");
            return;
        }
        Table table = new Table("pid", "name", "address", "health", "groups");
        for (Answer answer : answers) {
            Map<String, Object> summary = answer.summary();
            table.add(
                    String.valueOf(summary.get("pid")),
                    String.valueOf(summary.get("name")),
                    String.valueOf(summary.get("address")),
                    answer.healthWords(),
                    String.join(", ", answer.groups()));
        }
        table.print(terminal);
        for (Answer answer : answers) {
            if (!answer.reasons().isEmpty()) {
                terminal.print("");
                terminal.print(terminal.bold("node " + answer.name()));
                printHealth(answer);
            }
        }
    }

    /** Prints whether the node is ready, and a line for each of its problems with the next step below. */
    private void printHealth(Answer answer) {
        if (StatusPage.map(answer.status.get("health")).isEmpty()) {
            return;
        }
        terminal.print("  " + answer.healthWords());
        for (String reason : answer.reasons()) {
            String[] parts = reason.split("; next step: ", 2);
            terminal.print("  " + terminal.bold("! ") + Printable.escape(parts[0]));
            if (parts.length > 1) {
                terminal.print("    -> " + Printable.escape(parts[1]));
            }
        }
    }

    private boolean isWanted(Answer answer) {
        for (String each : wanted) {
            boolean isMeant = each.equals("all")
                    || each.equals(Long.toString(answer.entry.pid()))
                    || each.equals(Integer.toString(answer.entry.port()))
                    || each.equals(answer.name())
                    || each.equals(answer.address());
            if (isMeant) {
                return true;
            }
        }
        return false;
    }

    private static String names(List<Answer> answers) {
        return String.join(", ", answers.stream().map(Answer::name).toList());
    }

    private static Answer ask(Entry entry) {
        try {
            Object parsed = Json.parse(Diagnostics.ask(entry.socket(), "status", TIMEOUT));
            return new Answer(entry, StatusPage.map(parsed));
        } catch (IOException | IllegalArgumentException e) {
            return new Answer(entry, Map.of("error", String.valueOf(e.getMessage())));
        }
    }

    /** Status of a node, as it answered. */
    private record Answer(Entry entry, Map<?, ?> status) {

        String name() {
            Object name = StatusPage.map(status.get("node")).get("name");
            return name == null ? ":" + entry.port() : Printable.escape(name.toString());
        }

        String address() {
            Object address = StatusPage.map(status.get("node")).get("address");
            return address == null ? ":" + entry.port() : Printable.escape(address.toString());
        }

        List<String> reasons() {
            return StatusPage.map(status.get("health")).get("reasons") instanceof List<?> reasons
                    ? reasons.stream().map(String::valueOf).toList()
                    : List.of();
        }

        String healthWords() {
            Map<?, ?> health = StatusPage.map(status.get("health"));
            if (health.isEmpty()) {
                return "?";
            }
            String state = !Boolean.TRUE.equals(health.get("alive"))
                    ? "does not answer"
                    : Boolean.TRUE.equals(health.get("ready")) ? "ready" : "not ready";
            int count = health.get("problems") instanceof List<?> problems ? problems.size() : 0;
            return state + (count == 0 ? "" : count == 1 ? ", 1 problem" : ", " + count + " problems");
        }

        Map<String, Object> withoutHealth() {
            Map<String, Object> rest = new LinkedHashMap<>();
            status.forEach((key, value) -> rest.put(String.valueOf(key), value == null ? "" : value));
            rest.remove("health");
            return rest;
        }

        List<String> groups() {
            // Besides the groups, the section holds counters of all of them.
            return StatusPage.map(status.get("groups")).entrySet().stream()
                    .filter(entry -> entry.getValue() instanceof Map)
                    .map(entry -> entry.getKey().toString())
                    .toList();
        }

        Map<String, Object> summary() {
            Map<String, Object> summary = new LinkedHashMap<>();
            summary.put("pid", entry.pid());
            summary.put("name", name());
            summary.put("address", address());
            summary.put("health", StatusPage.map(status.get("health")));
            summary.put("groups", groups());
            return summary;
        }

        Map<String, Object> document() {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("pid", entry.pid());
            status.forEach((key, value) -> document.put(String.valueOf(key), value == null ? "" : value));
            return document;
        }
    }
}
