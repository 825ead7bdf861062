package dev.tutti.cli.inspection;

import dev.tutti.Event;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.cli.terminal.WrongUsageException;
import dev.tutti.core.Printable;
import dev.tutti.internal.Json;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory.Entry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tutti events}: prints nodes' events as they happen. */
@Command(
        name = "events",
        description = "Prints what happens to nodes: views, merges, suspicions, departures, states, and why.",
        footer = {
            "",
            "Follows every node on this machine that can be asked, those too that start later, until it is interrupted.",
            "A node keeps its last 1000 events; what was overwritten before it was read is counted.",
            "",
            "Examples:",
            "  tutti events                      the last ten of each node, then what comes",
            "  tutti events 7800 --last 100      one node, by port, process id or name",
            "  tutti events --no-follow --json   all that is there, one JSON object a line",
            "  tutti events --kind view,merge    only some kinds"
        })
public final class EventsCommand implements Callable<Integer> {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");

    /** Time between two queries. */
    private static final Duration PAUSE = Duration.ofMillis(250);

    /** Names of the kinds, as nodes write them. */
    private static final List<String> KINDS = Stream.of(Event.Kind.values()).map(Event.Kind::text).toList();

    private final Terminal terminal;
    private final LocalNodes nodes = new LocalNodes();

    /** By socket, the node's name and the number of the last event that was read. */
    private final Map<String, Place> places = new TreeMap<>();

    private record Place(String name, long last) {}

    private record Line(String node, Map<?, ?> event) {

        long epochMillis() {
            return Inspected.number(event, "epochMillis");
        }
    }

    @Parameters(arity = "0..*", paramLabel = "NODE", description = "Port, process id, address or name of a node.")
    private List<String> wanted = List.of();

    @Option(
            names = "--last",
            paramLabel = "COUNT",
            description = "Shows the last COUNT events (default 10; all with --no-follow).")
    private int last = -1;

    @Option(names = "--no-follow", description = "Ends when all that is there is printed.")
    private boolean isOnce;

    @Option(names = "--kind", paramLabel = "KIND", split = ",", description = "Only these kinds, such as view or suspicion.")
    private List<String> kinds = List.of();

    @Option(names = "--json", description = "Prints one JSON document per line.")
    private boolean isJson;

    public EventsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        for (String kind : kinds) {
            if (!KINDS.contains(kind)) {
                throw new WrongUsageException("--kind: there is no kind '" + kind + "'; there are " + String.join(", ", KINDS));
            }
        }
        nodes.require(wanted);
        print(look(last >= 0 ? last : isOnce ? Integer.MAX_VALUE : 10));
        while (!isOnce) {
            Thread.sleep(PAUSE);
            print(look(Integer.MAX_VALUE));
        }
        return ExitCodes.DONE;
    }

    /** @param lastOfEach maximum of events of each node, the last ones, when it is read for the first time */
    private List<Line> look(int lastOfEach) throws IOException {
        List<Line> lines = new ArrayList<>();
        Map<String, Place> there = new TreeMap<>();
        List<Entry> entries = nodes.find(wanted);
        for (LocalNodes.Reply reply : nodes.askAll(entries, entry -> "events " + last(entry))) {
            String key = reply.entry().socket().toString();
            Place place = places.get(key);
            if (!reply.isAnswered()) {
                // A stopped process may continue; its events are read from where they were left.
                if (place != null) {
                    there.put(key, place);
                }
                continue;
            }
            String name = place == null ? name(reply.entry()) : place.name();
            List<Map<?, ?>> events = Inspected.maps(reply.document().get("events"));
            long missed = Inspected.number(reply.document(), "missed");
            if (place != null && missed > 0) {
                lines.add(note(name, missed + " events were overwritten before they were read"));
            }
            int from = Math.max(0, events.size() - (place == null ? lastOfEach : Integer.MAX_VALUE));
            events.subList(from, events.size()).forEach(event -> lines.add(new Line(name, event)));
            there.put(key, new Place(name, Inspected.number(reply.document(), "last")));
        }
        places.forEach((key, place) -> {
            if (!there.containsKey(key)) {
                lines.add(note(place.name(), "the node is gone"));
            }
        });
        places.clear();
        places.putAll(there);
        lines.sort(Comparator.comparingLong(Line::epochMillis));
        return lines;
    }

    private long last(Entry entry) {
        Place place = places.get(entry.socket().toString());
        return place == null ? 0 : place.last();
    }

    private String name(Entry entry) {
        return Inspected.of(nodes.ask(entry, "inspection")).name();
    }

    private static Line note(String node, String text) {
        Instant now = Instant.now();
        return new Line(node, Map.of(
                "time", now.toString(), "epochMillis", now.toEpochMilli(), "kind", "note", "group", "", "text", text, "cause", ""));
    }

    private void print(List<Line> lines) {
        for (Line line : lines) {
            String kind = Inspected.text(line.event(), "kind");
            if (kinds.isEmpty() || kinds.contains(kind) || kind.equals("note")) {
                terminal.print(isJson ? json(line) : text(line, kind));
            }
        }
    }

    private static String json(Line line) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("of", line.node());
        line.event().forEach((name, value) -> document.put(String.valueOf(name), value));
        return Json.write(document);
    }

    private String text(Line line, String kind) {
        Map<?, ?> event = line.event();
        LocalDateTime time = LocalDateTime.ofInstant(Instant.ofEpochMilli(line.epochMillis()), ZoneId.systemDefault());
        String group = Inspected.text(event, "group");
        String cause = Inspected.text(event, "cause");
        String padding = " ".repeat(Math.max(0, KIND_WIDTH - kind.length()));
        return terminal.faint(TIME.format(time)) + "  " + terminal.bold(Printable.escape(line.node())) + "  " + kind + padding + "  "
                + (group.isEmpty() ? "" : Printable.escape(group) + ": ") + Printable.escape(Inspected.text(event, "text"))
                + (cause.isEmpty() ? "" : terminal.faint(" (" + Printable.escape(cause) + ")"));
    }

    private static final int KIND_WIDTH = 14;
}
