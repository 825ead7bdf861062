package dev.tutti.cli;

import dev.tutti.internal.Diagnostics;
import dev.tutti.internal.DiagnosticsDirectory;
import dev.tutti.internal.DiagnosticsDirectory.Entry;
import dev.tutti.internal.Json;
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

/** {@code tutti view}: asks nodes of this user on this machine. */
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
            "  tutti view all --watch 1     again every second",
            "  tutti view all --json        for programs"
        })
final class ViewCommand implements Callable<Integer> {

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

    ViewCommand(Terminal terminal) {
        this.terminal = terminal;
        this.directory = DiagnosticsDirectory.ofUser();
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (watchSeconds == null) {
            return look();
        }
        if (watchSeconds < 1 || watchSeconds > 3_600) {
            throw new CommandException("--watch: " + watchSeconds + " is outside 1 to 3600 seconds");
        }
        while (true) {
            if (terminal.hasColours()) {
                terminal.out().print("\u001b[H\u001b[2J");
            }
            look();
            Thread.sleep(Duration.ofSeconds(watchSeconds));
        }
    }

    private int look() throws IOException {
        List<Answer> answers = new ArrayList<>();
        for (Entry entry : directory.entries()) {
            answers.add(ask(entry));
        }
        if (wanted.isEmpty()) {
            list(answers);
            return Tutti.DONE;
        }
        List<Answer> chosen = answers.stream().filter(this::isWanted).toList();
        if (chosen.isEmpty() && watchSeconds == null) {
            throw new CommandException("no node on this machine answers to " + String.join(" or ", wanted)
                    + (answers.isEmpty() ? ", nor any other" : "; there are " + names(answers))
                    + " (a node in another program needs diagnostics.enabled: true)");
        }
        if (isJson) {
            terminal.print(Json.write(chosen.stream().map(Answer::document).toList()));
            return Tutti.DONE;
        }
        for (Answer answer : chosen) {
            terminal.print(terminal.bold("node " + answer.name() + "  pid " + answer.entry.pid()));
            StatusPage.print(answer.status, terminal);
            terminal.print("");
        }
        return Tutti.DONE;
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
        Table table = new Table("pid", "name", "address", "groups");
        for (Answer answer : answers) {
            Map<String, Object> summary = answer.summary();
            table.add(
                    String.valueOf(summary.get("pid")),
                    String.valueOf(summary.get("name")),
                    String.valueOf(summary.get("address")),
                    String.join(", ", answer.groups()));
        }
        table.print(terminal);
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

    /** What a node has said about itself. */
    private record Answer(Entry entry, Map<?, ?> status) {

        String name() {
            Object name = StatusPage.map(status.get("node")).get("name");
            return name == null ? ":" + entry.port() : Terminal.harmless(name.toString());
        }

        String address() {
            Object address = StatusPage.map(status.get("node")).get("address");
            return address == null ? ":" + entry.port() : Terminal.harmless(address.toString());
        }

        List<String> groups() {
            // Beside the groups there are counters of all of them.
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
