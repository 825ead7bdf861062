package dev.tutti.cli.inspection;

import dev.tutti.cli.terminal.CommandException;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory.Entry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A node as its inspection document shows it.
 *
 * @param name of the node
 * @param address at which others dial it
 * @param document the inspection; empty if there is none
 * @param failure why there is no document; empty if there is one
 */
public record Inspected(String name, String address, Map<?, ?> document, String failure) {

    static Inspected of(LocalNodes.Reply reply) {
        Map<?, ?> node = StatusPage.map(reply.document().get("node"));
        return reply.isAnswered()
                ? new Inspected(text(node, "name"), text(node, "address"), reply.document(), "")
                : new Inspected("?", ":" + reply.entry().port(), Map.of(), reply.failure());
    }

    /** Returns the members of a cluster, from the answer of one node. */
    static List<Inspected> ofCluster(Map<?, ?> answer) {
        List<Inspected> members = new ArrayList<>();
        for (Map<?, ?> member : maps(answer.get("members"))) {
            members.add(new Inspected(
                    text(member, "name"),
                    text(member, "address"),
                    StatusPage.map(member.get("document")),
                    text(member, "failure")));
        }
        return members;
    }

    /** Returns all nodes that can be seen from here: those given, with their clusters where these are known. */
    static List<Inspected> everywhere(LocalNodes nodes, List<Entry> entries) {
        Map<String, Inspected> seen = new LinkedHashMap<>();
        for (Entry entry : entries) {
            String own = ":" + entry.port();
            boolean isSeen = seen.values().stream()
                    .anyMatch(each -> each.failure().isEmpty() && each.pid() == entry.pid() && each.address().endsWith(own));
            if (isSeen) {
                continue;
            }
            LocalNodes.Reply cluster = nodes.ask(entry, "cluster");
            if (cluster.isAnswered()) {
                ofCluster(cluster.document()).forEach(each -> seen.merge(each.key(), each, Inspected::better));
            } else {
                Inspected alone = of(nodes.ask(entry, "inspection"));
                seen.merge(alone.key(), alone, Inspected::better);
            }
        }
        return new ArrayList<>(seen.values());
    }

    private static Inspected better(Inspected one, Inspected other) {
        return one.failure().isEmpty() ? one : other;
    }

    /** Returns the cluster of the first of the nodes that answers for its whole cluster. */
    static List<Inspected> cluster(LocalNodes nodes, List<Entry> entries) throws IOException {
        String failure = "";
        for (Entry entry : entries) {
            LocalNodes.Reply reply = nodes.ask(entry, "cluster");
            if (reply.isAnswered()) {
                return ofCluster(reply.document());
            }
            failure = reply.failure();
        }
        throw new CommandException("no node on this machine answers for its cluster (" + failure
                + "); nodes in other programs need Inspection.open(node), those of 'tutti node' have it");
    }

    private String key() {
        return address + " " + (failure.isEmpty() ? pid() : name);
    }

    private Map<?, ?> node() {
        return StatusPage.map(document.get("node"));
    }

    long pid() {
        return number(node(), "pid");
    }

    long nanoTime() {
        return number(document, "nanoTime");
    }

    long uptimeMillis() {
        return number(node(), "uptimeMillis");
    }

    /** Returns a value of one of the node's parts. */
    long value(String part, String name) {
        return number(StatusPage.map(StatusPage.map(document.get("parts")).get(part)), name);
    }

    /** Returns the attributes that the node announces or, if it announces none, those of its settings. */
    Map<String, String> attributes() {
        Map<String, String> attributes = new LinkedHashMap<>();
        if (StatusPage.map(document.get("parts")).get("attributes") instanceof Map<?, ?> announced) {
            announced.forEach((name, value) -> attributes.put(String.valueOf(name), String.valueOf(value)));
            return attributes;
        }
        for (String each : text(StatusPage.map(node().get("settings")), "attributes").split(",")) {
            int equals = each.indexOf('=');
            if (equals > 0) {
                attributes.put(each.substring(0, equals).strip(), each.substring(equals + 1).strip());
            }
        }
        return attributes;
    }

    /** Returns attributes as settings write them, for people: {@code zone=eu-1a, rack=r12}. */
    public static String words(Map<String, String> attributes) {
        return String.join(", ", attributes.entrySet().stream().map(each -> each.getKey() + '=' + each.getValue()).toList());
    }

    List<Map<?, ?>> groups() {
        return maps(document.get("groups"));
    }

    List<Map<?, ?>> links() {
        return maps(document.get("links"));
    }

    Map<?, ?> health() {
        return StatusPage.map(document.get("health"));
    }

    static String text(Map<?, ?> map, String name) {
        Object value = map.get(name);
        return value == null ? "" : value.toString();
    }

    static long number(Map<?, ?> map, String name) {
        return map.get(name) instanceof Number number ? number.longValue() : 0;
    }

    public static List<Map<?, ?>> maps(@Nullable Object value) {
        List<Map<?, ?>> maps = new ArrayList<>();
        if (value instanceof List<?> list) {
            list.forEach(each -> maps.add(StatusPage.map(each)));
        }
        return maps;
    }
}
