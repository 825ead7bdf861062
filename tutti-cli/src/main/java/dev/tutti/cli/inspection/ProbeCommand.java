package dev.tutti.cli.inspection;

import dev.tutti.cli.terminal.Amounts;
import dev.tutti.cli.terminal.CommandException;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.cli.terminal.WrongUsageException;
import dev.tutti.core.Printable;
import dev.tutti.internal.Json;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory.Entry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tutti probe}: shows everything that members know. */
@Command(
        name = "probe",
        description = "Prints everything a member knows: groups, stacks, settings, counters, links, sockets, threads.",
        footer = {
            "",
            "Nodes on this machine are asked that were started by this command or with diagnostics.enabled. With --all, one "
                    + "of them asks all members of its cluster, on other machines too; members that can't answer are named.",
            "docs/metrics.md says what each number means.",
            "",
            "Examples:",
            "  tutti probe                     every node on this machine",
            "  tutti probe 7800                one of them, by port, process id or name",
            "  tutti probe --all               every member of the cluster at once",
            "  tutti probe --part links        only links, or groups, parts, threads, a group",
            "  tutti probe --settings          with all settings in force",
            "  tutti probe --all --json        one JSON document, for programs",
            "  tutti probe --set 'chat:send-timeout=5 s'        changes a setting here",
            "  tutti probe --all --set 'chat:send-timeout=5 s'  at all of the group",
            "  tutti probe 7800 --set-attribute zone=eu-1b      an attribute of a node",
            "  tutti probe --all --remove-attribute canary      of all that announce any"
        })
public final class ProbeCommand implements Callable<Integer> {

    private final Terminal terminal;
    private final LocalNodes nodes = new LocalNodes();

    @Parameters(arity = "0..*", paramLabel = "NODE", description = "Port, process id, address or name of a node.")
    private List<String> wanted = List.of();

    @Option(names = "--all", description = "Asks every member of the cluster, through a node on this machine.")
    private boolean isAll;

    @Option(names = "--json", description = "Prints one JSON document.")
    private boolean isJson;

    @Option(names = "--settings", description = "Shows the settings in force too.")
    private boolean hasSettings;

    @Option(names = "--part", paramLabel = "NAME", description = "Only this: a section, a group or a part of the node.")
    private @Nullable String part;

    @Option(
            names = "--set",
            paramLabel = "GROUP:SETTING=VALUE",
            description = "Changes a setting of a group while it runs, at nodes whose operator.key-file permits it.")
    private @Nullable String change;

    @Option(
            names = "--set-attribute",
            paramLabel = "NAME=VALUE",
            description = "Sets an attribute of a node, or with --all of all nodes, where operator.key-file permits it.")
    private @Nullable String attribute;

    @Option(names = "--remove-attribute", paramLabel = "NAME", description = "Removes an attribute of a node, or with --all of all nodes.")
    private @Nullable String removed;

    public ProbeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        if (Stream.of(change, attribute, removed).filter(Objects::nonNull).count() > 1) {
            throw new WrongUsageException("--set, --set-attribute and --remove-attribute: one at a time");
        }
        List<Entry> entries = nodes.require(wanted);
        if (change != null) {
            return change(entries, change);
        } else if (attribute != null) {
            return setAttribute(entries, attribute);
        } else if (removed != null) {
            return change(entries, "attribute", new LinkedHashMap<>(Map.of("name", removed.strip())));
        }
        List<Inspected> members = isAll
                ? Inspected.cluster(nodes, entries)
                : entries.stream().map(entry -> Inspected.of(nodes.ask(entry, "inspection"))).toList();
        if (isJson) {
            terminal.print(Json.write(members.stream().map(ProbeCommand::json).toList()));
        } else {
            members.forEach(this::print);
        }
        return members.stream().anyMatch(member -> member.failure().isEmpty()) ? ExitCodes.DONE : ExitCodes.FAILED;
    }

    /** Changes a setting at each of the nodes, or at all members of the group through the first of them. */
    private int change(List<Entry> entries, String text) {
        int colon = text.lastIndexOf(':', Math.max(0, text.indexOf('=')));
        int equals = text.indexOf('=');
        if (colon < 1 || equals < colon) {
            throw new CommandException("'" + text + "' is not of the form GROUP:SETTING=VALUE, such as chat:send-timeout=5 s");
        }
        Map<String, Object> asked = new LinkedHashMap<>();
        asked.put("group", text.substring(0, colon));
        asked.put("setting", text.substring(colon + 1, equals).strip());
        asked.put("value", text.substring(equals + 1).strip());
        return change(entries, "change", asked);
    }

    /** Sets an attribute of each of the nodes, or of all nodes through the first of them. */
    private int setAttribute(List<Entry> entries, String text) {
        int equals = text.indexOf('=');
        if (equals < 1) {
            throw new CommandException("'" + text + "' is not of the form NAME=VALUE, such as zone=eu-1b");
        }
        return change(
                entries,
                "attribute",
                new LinkedHashMap<>(Map.of("name", text.substring(0, equals).strip(), "value", text.substring(equals + 1).strip())));
    }

    /** Asks each of the nodes for a change of itself, or the first of them for one of all that it concerns; prints the outcomes. */
    private int change(List<Entry> entries, String question, Map<String, Object> asked) {
        asked.put("all", isAll);
        asked.put("user", System.getProperty("user.name", "somebody"));
        boolean isDone = true;
        for (Entry entry : isAll ? entries.subList(0, 1) : entries) {
            LocalNodes.Reply reply = nodes.ask(entry, question + " " + Json.write(asked));
            if (!reply.isAnswered()) {
                String what = question.equals("change") ? "setting" : question;
                throw new CommandException("the " + what + " can't be changed: " + reply.failure());
            }
            for (Map<?, ?> outcome : Inspected.maps(reply.document().get("outcomes"))) {
                isDone &= Boolean.TRUE.equals(outcome.get("done"));
                terminal.print(Printable.escape(Inspected.text(outcome, "member") + ": " + Inspected.text(outcome, "text")));
            }
            if (reply.document().get("others") instanceof List<?> others && !others.isEmpty()) {
                isDone = false;
                terminal.print("not asked, because they take no part in inspection or do not answer: " + Printable.escape(String.valueOf(others)));
            }
        }
        return isDone ? ExitCodes.DONE : ExitCodes.FAILED;
    }

    private static Map<String, @Nullable Object> json(Inspected member) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", member.name());
        json.put("address", member.address());
        json.put("failure", member.failure());
        json.put("document", member.failure().isEmpty() ? member.document() : null);
        return json;
    }

    private void print(Inspected member) {
        String head = "node " + Printable.escape(member.name()) + "  " + Printable.escape(member.address());
        if (!member.failure().isEmpty()) {
            terminal.print(terminal.bold(head) + "  " + Printable.escape(member.failure()));
            terminal.print("");
            return;
        }
        terminal.print(terminal.bold(head + "  pid " + member.pid() + "  up " + Amounts.duration(member.uptimeMillis())));
        Map<String, Object> page = page(member.document());
        if (part == null) {
            StatusPage.print(page, terminal);
        } else {
            StatusPage.print(only(page, part), terminal);
        }
        terminal.print("");
    }

    private Map<String, Object> only(Map<String, Object> page, String name) {
        for (String below : List.of("", "groups", "parts", "links")) {
            Map<?, ?> level = below.isEmpty() ? page : StatusPage.map(page.get(below));
            if (level.get(name) instanceof Map<?, ?> found) {
                return Map.of(name, found);
            }
        }
        throw new CommandException("there is no part '" + name + "'; there are " + String.join(", ", page.keySet())
                + ", the groups " + StatusPage.map(page.get("groups")).keySet()
                + " and the parts " + StatusPage.map(page.get("parts")).keySet());
    }

    /** Returns the document with lists turned into maps by name, for people. */
    private Map<String, Object> page(Map<?, ?> document) {
        Map<String, Object> page = new LinkedHashMap<>();
        page.put("node", without(StatusPage.map(document.get("node")), "settings"));
        page.put("health", StatusPage.map(document.get("health")));
        Map<String, Object> groups = new LinkedHashMap<>();
        for (Map<?, ?> group : Inspected.maps(document.get("groups"))) {
            groups.put(Inspected.text(group, "name"), group(group));
        }
        page.put("groups", groups);
        Map<String, Object> links = new LinkedHashMap<>();
        for (Map<?, ?> link : Inspected.maps(document.get("links"))) {
            Map<String, Object> row = new LinkedHashMap<>();
            copy(link, row, "peer", "parts");
            StatusPage.map(link.get("parts")).forEach((name, values) -> copy(StatusPage.map(values), row, "address", "incarnation", "state"));
            put(links, Inspected.text(link, "peer"), row);
        }
        page.put("links", links);
        Map<String, Object> parts = new LinkedHashMap<>();
        StatusPage.map(document.get("parts")).forEach((name, values) -> parts.put(String.valueOf(name), values));
        page.put("parts", parts);
        Map<String, Object> threads = new LinkedHashMap<>();
        for (Map<?, ?> thread : Inspected.maps(document.get("threads"))) {
            threads.merge(
                    Inspected.text(thread, "name"), Inspected.text(thread, "state"), (one, other) -> one + ", " + other);
        }
        page.put("threads", threads);
        if (hasSettings) {
            page.put("settings", StatusPage.map(StatusPage.map(document.get("node")).get("settings")));
        }
        return page;
    }

    private Map<String, Object> group(Map<?, ?> group) {
        Map<String, Object> shown = new LinkedHashMap<>();
        Map<?, ?> view = StatusPage.map(group.get("view"));
        shown.put("view", Inspected.text(view, "id"));
        shown.put("coordinator", Inspected.text(view, "coordinator"));
        List<String> names = new ArrayList<>();
        Inspected.maps(view.get("members")).forEach(member -> names.add(Inspected.text(member, "name")));
        shown.put("view members", names);
        copy(group, shown, "name", "self", "view", "settings", "parts", "layers", "members");
        StatusPage.map(group.get("parts")).forEach((name, values) -> shown.put(String.valueOf(name), values));
        for (Map<?, ?> layer : Inspected.maps(group.get("layers"))) {
            Map<String, Object> values = new LinkedHashMap<>();
            copy(StatusPage.map(layer.get("values")), values);
            StatusPage.map(layer.get("settings")).forEach((name, value) -> values.put("setting " + name, String.valueOf(value)));
            shown.put("layer " + Inspected.text(layer, "name"), values);
        }
        Map<String, Object> members = new LinkedHashMap<>();
        for (Map<?, ?> member : Inspected.maps(group.get("members"))) {
            Map<String, Object> row = new LinkedHashMap<>();
            copy(member, row, "name");
            put(members, Inspected.text(member, "name"), row);
        }
        if (!members.isEmpty()) {
            shown.put("members", members);
        }
        if (hasSettings) {
            shown.put("settings", StatusPage.map(group.get("settings")));
        }
        return shown;
    }

    /** Puts a value into the map, with a number behind its name if that is taken. */
    private static void put(Map<String, Object> map, String name, Object value) {
        String free = name;
        int number = 2;
        while (map.containsKey(free)) {
            free = name + " (" + number + ")";
            number++;
        }
        map.put(free, value);
    }

    private static Map<String, Object> without(Map<?, ?> map, String... names) {
        Map<String, Object> copy = new LinkedHashMap<>();
        copy(map, copy, names);
        return copy;
    }

    private static void copy(Map<?, ?> from, Map<String, Object> to, String... without) {
        List<String> unwanted = List.of(without);
        from.forEach((name, value) -> {
            if (!unwanted.contains(String.valueOf(name)) && value != null) {
                to.put(String.valueOf(name), value);
            }
        });
    }
}
