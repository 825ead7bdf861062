package dev.tutti.cli.inspection;

import dev.tutti.cli.terminal.Amounts;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Keys;
import dev.tutti.cli.terminal.Table;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.cli.terminal.WrongUsageException;
import dev.tutti.internal.Json;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory.Entry;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tutti top}: shows members, rates and windows, and keeps them up to date. */
@Command(
        name = "top",
        description = "Shows members with their rates and windows, again and again.",
        footer = {
            "",
            "Shows every cluster that a node on this machine is in: its members on other machines answer too if they have "
                    + "'inspection' (nodes of this command have it). Rates are of the time between two looks.",
            "",
            "Examples:",
            "  tutti top                     every second, until q is pressed",
            "  tutti top --every 5 -n 12     every 5 seconds, for a minute",
            "  tutti top 7800                the cluster of one node",
            "  tutti top -n 1 --json         one look, for programs"
        })
public final class TopCommand implements Callable<Integer> {

    private final Terminal terminal;
    private final LocalNodes nodes = new LocalNodes();

    @Parameters(arity = "0..*", paramLabel = "NODE", description = "Port, process id, address or name of a node.")
    private List<String> wanted = List.of();

    @Option(names = {"-n", "--iterations"}, paramLabel = "COUNT", description = "Ends after so many looks.")
    private @Nullable Integer iterations;

    @Option(names = "--every", paramLabel = "SECONDS", defaultValue = "1", description = "Time between looks; 1 by default.")
    private int everySeconds;

    @Option(names = "--json", description = "Prints one JSON document per look, one per line.")
    private boolean isJson;

    public TopCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (everySeconds < 1 || everySeconds > 3_600) {
            throw new WrongUsageException("--every: " + everySeconds + " is outside 1 to 3600 seconds");
        }
        Integer limit = iterations;
        if (limit != null && limit < 1) {
            throw new WrongUsageException("--iterations: " + limit + " is less than 1");
        }
        nodes.require(wanted);
        Map<String, Inspected> before = look();
        // The first page comes soon, however long the time between looks is.
        Duration pause = Duration.ofSeconds(1);
        try (Keys keys = Keys.of(terminal)) {
            for (int count = 0; limit == null || count < limit; count++) {
                if (keys.isQuitWithin(pause)) {
                    break;
                }
                Map<String, Inspected> now = look();
                show(before, now);
                before = now;
                pause = Duration.ofSeconds(everySeconds);
            }
        }
        return ExitCodes.DONE;
    }

    private Map<String, Inspected> look() throws IOException {
        List<Entry> entries = nodes.find(wanted);
        Map<String, Inspected> seen = new TreeMap<>();
        for (Inspected each : Inspected.everywhere(nodes, entries)) {
            seen.put(each.name() + " " + each.address() + " " + each.pid(), each);
        }
        return seen;
    }

    private void show(Map<String, Inspected> before, Map<String, Inspected> now) {
        List<Rates> all = new ArrayList<>();
        now.forEach((key, member) -> all.add(new Rates(before.get(key), member)));
        if (isJson) {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("members", all.stream().map(Rates::memberRow).toList());
            document.put("groups", all.stream().flatMap(rates -> rates.groupRows().stream()).toList());
            terminal.print(Json.write(document));
            return;
        }
        StringWriter text = new StringWriter();
        Terminal page = new Terminal(terminal.in(), new PrintWriter(text), terminal.err(), terminal.hasColours());
        page.print(page.bold("tutti top") + "  " + LocalTime.now().truncatedTo(ChronoUnit.SECONDS) + "  "
                + now.size() + (now.size() == 1 ? " member" : " members")
                + (terminal.isInteractive() ? page.faint("  q quits") : ""));
        page.print("");
        table(all.stream().map(Rates::memberCells).toList()).print(page);
        page.print("");
        List<Map<String, String>> groups = all.stream().flatMap(rates -> rates.groupCells().stream()).toList();
        if (!groups.isEmpty()) {
            table(groups).print(page);
        }
        page.out().flush();
        if (terminal.hasColours()) {
            // Overwrites the previous screen line by line, without flicker; long lines are cut instead of wrapped.
            String lines = text.toString().replace(System.lineSeparator(), "\u001b[K" + System.lineSeparator());
            terminal.out().print("\u001b[?7l\u001b[H" + lines + "\u001b[J\u001b[?7h");
        } else {
            terminal.out().print(text + System.lineSeparator());
        }
        terminal.out().flush();
    }

    private static Table table(List<Map<String, String>> rows) {
        if (rows.isEmpty()) {
            return new Table("no member can be asked");
        }
        List<String> heads = rows.stream()
                .max((left, right) -> left.size() - right.size())
                .map(row -> List.copyOf(row.keySet()))
                .orElseThrow();
        Table table = new Table(heads);
        for (Map<String, String> row : rows) {
            table.add(heads.stream().map(head -> row.getOrDefault(head, "")).toList());
        }
        return table;
    }

    /** Changes of a member between two inspections. */
    private static final class Rates {

        private final @Nullable Inspected before;
        private final Inspected now;
        private final double seconds;

        Rates(@Nullable Inspected before, Inspected now) {
            this.before = before != null && before.failure().isEmpty() ? before : null;
            this.now = now;
            this.seconds = this.before == null ? 0 : (now.nanoTime() - this.before.nanoTime()) / 1e9;
        }

        private double rate(long earlier, long later) {
            return seconds <= 0 || later < earlier ? 0 : (later - earlier) / seconds;
        }

        private double rate(String part, String name) {
            Inspected earlier = before;
            return earlier == null ? 0 : rate(earlier.value(part, name), now.value(part, name));
        }

        private long roundTripMicros() {
            return now.links().stream().mapToLong(link -> Inspected.number(link, "roundTripMicros")).max().orElse(-1);
        }

        private long openLinks() {
            return now.links().stream().filter(link -> !Inspected.text(link, "state").equals("closed")).count();
        }

        private long ofLinks(String name) {
            return now.links().stream()
                    .mapToLong(link -> Inspected.number(StatusPage.map(StatusPage.map(link.get("parts")).get("link")), name))
                    .sum();
        }

        private String state() {
            if (!now.failure().isEmpty()) {
                return now.failure();
            }
            Object reasons = now.health().get("reasons");
            String text = reasons instanceof List<?> list && !list.isEmpty() ? String.valueOf(list.getFirst()) : "";
            // The next step is left to tutti view.
            text = text.split("; next step: ", 2)[0];
            return Boolean.TRUE.equals(now.health().get("ready")) ? text.isEmpty() ? "ready" : "ready; " + text : text;
        }

        Map<String, Object> memberRow() {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("name", now.name());
            row.put("address", now.address());
            row.put("pid", now.pid());
            row.put("groups", (long) now.groups().size());
            row.put("links", openLinks());
            row.put("sentBytesPerSecond", rate("driver", "bytes.sent"));
            row.put("receivedBytesPerSecond", rate("driver", "bytes.received"));
            row.put("turnsPerSecond", rate("driver", "turns"));
            row.put("cpuPercent", rate("process", "cpu-nanos") / 1e7);
            row.put("heapUsedBytes", now.value("process", "heap-used-bytes"));
            row.put("retainedBytes", ofLinks("retained-bytes"));
            row.put("roundTripMicros", roundTripMicros());
            row.put("state", state());
            row.put("attributes", now.attributes());
            return row;
        }

        Map<String, String> memberCells() {
            Map<String, String> cells = new LinkedHashMap<>();
            cells.put("member", now.name());
            cells.put("address", now.address());
            boolean isThere = now.failure().isEmpty();
            cells.put("links", isThere ? Long.toString(openLinks()) : "");
            cells.put("out/s", isThere ? Amounts.bytes(rate("driver", "bytes.sent")) : "");
            cells.put("in/s", isThere ? Amounts.bytes(rate("driver", "bytes.received")) : "");
            cells.put("turns/s", isThere ? Amounts.count(Math.rint(rate("driver", "turns"))) : "");
            cells.put("cpu %", isThere ? Long.toString(Math.round(rate("process", "cpu-nanos") / 1e7)) : "");
            cells.put("heap", isThere ? Amounts.bytes(now.value("process", "heap-used-bytes")) : "");
            cells.put("retained", isThere ? Amounts.bytes(ofLinks("retained-bytes")) : "");
            cells.put("rtt us", isThere && roundTripMicros() >= 0 ? Long.toString(roundTripMicros()) : "");
            cells.put("up", isThere ? Amounts.duration(now.uptimeMillis()) : "");
            cells.put("state", state());
            String attributes = Inspected.words(now.attributes());
            if (!attributes.isEmpty()) {
                cells.put("attributes", attributes);
            }
            return cells;
        }

        private static long value(Map<?, ?> group, String part, String name) {
            Map<?, ?> parts = StatusPage.map(group.get("parts"));
            if (parts.containsKey(part)) {
                return Inspected.number(StatusPage.map(parts.get(part)), name);
            }
            for (Map<?, ?> layer : Inspected.maps(group.get("layers"))) {
                if (Inspected.text(layer, "name").equals(part)) {
                    return Inspected.number(StatusPage.map(layer.get("values")), name);
                }
            }
            return 0;
        }

        private double rate(Map<?, ?> group, String part, String name) {
            Inspected earlier = before;
            if (earlier == null) {
                return 0;
            }
            for (Map<?, ?> same : earlier.groups()) {
                if (Inspected.text(same, "name").equals(Inspected.text(group, "name"))) {
                    return rate(value(same, part, name), value(group, part, name));
                }
            }
            return 0;
        }

        private static boolean isOwn(Map<?, ?> group) {
            return Inspected.text(group, "name").startsWith("tutti.");
        }

        private static long members(Map<?, ?> group) {
            return Inspected.maps(StatusPage.map(group.get("view")).get("members")).size();
        }

        private static long backlogBytes(Map<?, ?> group) {
            return Inspected.maps(group.get("members")).stream()
                    .mapToLong(member -> Inspected.number(member, "backlog-bytes"))
                    .sum();
        }

        List<Map<String, Object>> groupRows() {
            List<Map<String, Object>> rows = new ArrayList<>();
            for (Map<?, ?> group : now.groups()) {
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("group", Inspected.text(group, "name"));
                row.put("member", now.name());
                row.put("address", now.address());
                row.put("view", Inspected.text(StatusPage.map(group.get("view")), "id"));
                row.put("members", members(group));
                row.put("sentBytesPerSecond", rate(group, "packing", "sent-bytes"));
                row.put("sentPacketsPerSecond", rate(group, "packing", "sent-packets"));
                row.put("messagesPerSecond", rate(group, "delivery", "messages"));
                row.put("queuedItems", value(group, "delivery", "queued-items"));
                row.put("backlogBytes", backlogBytes(group));
                row.put("windowOpenBytes", value(group, "reliability", "window-open-bytes"));
                row.put("windowClosedBy", Inspected.text(group, "windowClosedBy"));
                row.put("waitsFor", Inspected.text(group, "waitsFor"));
                row.put("repairsPerSecond", rate(group, "reliability", "repairs-sent"));
                rows.add(row);
            }
            return rows;
        }

        List<Map<String, String>> groupCells() {
            List<Map<String, String>> rows = new ArrayList<>();
            for (Map<?, ?> group : now.groups()) {
                if (isOwn(group)) {
                    continue;
                }
                Map<String, String> cells = new LinkedHashMap<>();
                cells.put("group", Inspected.text(group, "name"));
                cells.put("member", now.name());
                cells.put("view", Inspected.text(StatusPage.map(group.get("view")), "id"));
                cells.put("members", Long.toString(members(group)));
                cells.put("order", Inspected.text(group, "order"));
                cells.put("sent/s", Amounts.bytes(rate(group, "packing", "sent-bytes")));
                cells.put("packets/s", Amounts.count(Math.rint(rate(group, "packing", "sent-packets"))));
                cells.put("delivered/s", Amounts.count(Math.rint(rate(group, "delivery", "messages"))));
                cells.put("queued", Long.toString(value(group, "delivery", "queued-items")));
                cells.put("backlog", Amounts.bytes(backlogBytes(group)));
                cells.put("window open", Amounts.bytes(value(group, "reliability", "window-open-bytes")));
                cells.put("waits for", Inspected.text(group, "waitsFor"));
                rows.add(cells);
            }
            return rows;
        }
    }
}
