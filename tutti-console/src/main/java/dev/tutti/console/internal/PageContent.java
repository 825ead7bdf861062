package dev.tutti.console.internal;

import dev.tutti.blocks.inspection.Inspection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Content of the page, made of the answers of members about themselves and each other at one time: members, links,
 * groups with their views, sites, and conditions that need attention. Not for several threads.
 */
final class PageContent {

    /** Most links that are shown; those in trouble come first. */
    static final int LINKS_MAX = 1_000;

    /** Rate of repairs up to which they are normal. */
    private static final double REPAIRS_PER_SECOND_CALM = 50;

    /** Prefix of the names of groups that are not the application's. */
    private static final String OWN_PREFIX = "tutti.";

    private final Rates rates = new Rates();

    /**
     * @param self name of the member that serves the console
     * @param documents answers of members, by name
     * @param atMillis time by the clock of this process
     */
    Map<String, Object> of(String self, Map<String, Doc> documents, long atMillis) {
        rates.begin();
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("at", atMillis);
        figures.put("self", self);
        Doc own = documents.getOrDefault(self, Doc.EMPTY);
        figures.put("cluster", own.at("node").text("cluster"));
        List<Map<String, Object>> groups = groups(documents);
        List<Map<String, Object>> links = links(documents);
        List<Map<String, Object>> members = members(documents);
        figures.put("members", members);
        figures.put("links", links.subList(0, Math.min(links.size(), LINKS_MAX)));
        figures.put("linksLeftOut", Math.max(0, links.size() - LINKS_MAX));
        figures.put("groups", groups);
        Map<String, Object> sites = SitesContent.of(documents);
        figures.put("sites", sites);
        figures.put("attention", attention(documents, members, groups, sites));
        return figures;
    }

    // ------------------------------------------------------------------ members

    private List<Map<String, Object>> members(Map<String, Doc> documents) {
        Map<String, Map<String, Object>> members = new TreeMap<>();
        documents.forEach((name, document) -> members.put(name, member(name, document, documents)));
        // Members that others know, and that have not answered.
        documents.forEach((witness, document) -> {
            for (Doc link : document.list("links")) {
                if (link.text("state").equals("closed") && !link.is("suspected")) {
                    continue;
                }
                members.computeIfAbsent(link.text("peer"), name -> silent(name, link.text("address"), link.number("incarnation")));
            }
            for (Doc group : document.list("groups")) {
                for (Doc member : group.at("view").list("members")) {
                    members.computeIfAbsent(
                            member.text("name"), name -> silent(name, member.text("address"), member.number("incarnation")));
                }
            }
        });
        members.remove("");
        return new ArrayList<>(members.values());
    }

    private static Map<String, Object> silent(String name, String address, long incarnation) {
        Map<String, Object> member = new LinkedHashMap<>();
        member.put("name", name);
        member.put("address", address);
        member.put("incarnation", Long.toString(incarnation));
        member.put("state", "silent");
        member.put("groups", List.of());
        return member;
    }

    private Map<String, Object> member(String name, Doc document, Map<String, Doc> documents) {
        long nanos = document.number("nanoTime");
        Doc node = document.at("node");
        Doc process = document.at("parts").at("process");
        Map<String, Object> member = new LinkedHashMap<>();
        member.put("name", name);
        member.put("address", node.text("address"));
        // As text: numbers of browsers are exact only up to 2^53.
        member.put("incarnation", node.text("incarnation"));
        member.put("state", "answers");
        member.put("groups", document.list("groups").stream().map(group -> group.text("name")).toList());
        member.put("uptime", node.number("uptimeMillis"));
        member.put("ready", document.at("health").is("ready"));
        member.put("reasons", document.at("health").texts("reasons"));
        member.put("operable", document.at("parts").at("operations").number("permitted") == 1);
        member.put("attributes", attributes(document));
        member.put("announces", announced(document) != null);
        member.put("problems", document.at("health").list("problems").size());
        long delivered = 0;
        long sent = 0;
        long unstable = 0;
        long repairs = 0;
        for (Doc group : document.list("groups")) {
            if (group.text("name").equals(Inspection.GROUP)) {
                // Traffic of the console itself.
                continue;
            }
            Doc reliability = layer(group, "reliability");
            delivered += group.at("parts").at("delivery").number("messages");
            sent += reliability.number("sent-bytes");
            unstable += reliability.number("unstable-bytes");
            repairs += reliability.number("repairs-sent");
        }
        long retained = 0;
        long out = 0;
        long in = 0;
        long resent = 0;
        for (Doc link : document.list("links")) {
            Doc values = link.at("parts").at("link");
            retained += values.number("retained-bytes");
            out += values.number("sent-bytes");
            in += values.number("received-bytes");
            resent += values.number("resent-frames");
        }
        String key = name + '@' + node.text("incarnation");
        member.put("delivered", rates.of(key + " delivered", delivered, nanos));
        member.put("deliveredTotal", delivered);
        member.put("sent", rates.of(key + " sent", sent, nanos));
        long ownOut = 0;
        long ownIn = 0;
        for (String other : documents.keySet()) {
            if (!other.equals(name)) {
                ownOut += answered(documents, name, other);
                ownIn += answered(documents, other, name);
            }
        }
        member.put("out", rates.ofRest(key + " out", out, ownOut, nanos));
        member.put("in", rates.ofRest(key + " in", in, ownIn, nanos));
        member.put("repairs", rates.of(key + " repairs", repairs + resent, nanos));
        member.put("repairsTotal", repairs + resent);
        member.put("unstable", unstable);
        member.put("retained", retained);
        member.put("cpu", rates.of(key + " cpu", process.number("cpu-nanos"), nanos) / 1e9);
        member.put("heap", process.number("heap-used-bytes"));
        member.put("heapMax", process.number("heap-max-bytes"));
        member.put("suspects", document.list("links").stream()
                .filter(link -> link.is("suspected"))
                .map(link -> link.text("peer"))
                .toList());
        return member;
    }

    /** Returns the attributes that a node announces or, if it announces none, those of its settings. */
    private static Map<String, String> attributes(Doc document) {
        Map<String, String> attributes = new LinkedHashMap<>();
        Map<?, ?> announced = announced(document);
        if (announced != null) {
            announced.forEach((name, value) -> attributes.put(String.valueOf(name), String.valueOf(value)));
            return attributes;
        }
        for (String each : document.at("node").at("settings").text("attributes").split(",")) {
            int equals = each.indexOf('=');
            if (equals > 0) {
                attributes.put(each.substring(0, equals), each.substring(equals + 1));
            }
        }
        return attributes;
    }

    private static @Nullable Map<?, ?> announced(Doc document) {
        return document.at("parts").values().get("attributes") instanceof Map<?, ?> announced ? announced : null;
    }

    /** Returns the bytes of answers that one member has given another, which are traffic of consoles and commands. */
    private static long answered(Map<String, Doc> documents, String from, String to) {
        return documents.getOrDefault(from, Doc.EMPTY).at("answered").number(to);
    }

    private static Doc layer(Doc group, String name) {
        for (Doc layer : group.list("layers")) {
            if (layer.text("name").equals(name)) {
                return layer.at("values");
            }
        }
        return Doc.EMPTY;
    }

    // ------------------------------------------------------------------ links

    /** Returns the links, those in trouble first. */
    private List<Map<String, Object>> links(Map<String, Doc> documents) {
        List<Map<String, Object>> links = new ArrayList<>();
        documents.forEach((name, document) -> {
            for (Doc link : document.list("links")) {
                // Of ended links, only those between two present members that don't hear each other.
                String incarnation = documents.getOrDefault(link.text("peer"), Doc.EMPTY).at("node").text("incarnation");
                if (!link.text("state").equals("closed") || incarnation.equals(link.text("incarnation"))) {
                    links.add(link(name, link, document.number("nanoTime"), documents));
                }
            }
        });
        links.sort(Comparator.comparing(link -> Doc.of(link).text("state").equals("open") && !Doc.of(link).is("suspected")));
        return links;
    }

    private Map<String, Object> link(String from, Doc link, long nanos, Map<String, Doc> documents) {
        String to = link.text("peer");
        Doc values = link.at("parts").at("link");
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("from", from);
        row.put("to", to);
        row.put("state", link.text("state"));
        row.put("suspected", link.is("suspected"));
        row.put("closes", link.texts("closes"));
        row.put("roundTripMicros", link.number("roundTripMicros", -1));
        String key = from + ">" + to + '@' + link.text("incarnation");
        long ownOut = answered(documents, from, to);
        long ownIn = answered(documents, to, from);
        row.put("out", rates.ofRest(key + " out", values.number("sent-bytes"), ownOut, nanos));
        row.put("in", rates.ofRest(key + " in", values.number("received-bytes"), ownIn, nanos));
        row.put("bytes", Math.max(0, values.number("sent-bytes") + values.number("received-bytes") - ownOut - ownIn));
        row.put("relay", values.text("relay"));
        row.put("directFailure", values.text("direct-failure"));
        row.put("retained", values.number("retained-bytes"));
        row.put("resent", values.number("resent-frames"));
        row.put("resumes", values.number("resumes"));
        return row;
    }

    // ------------------------------------------------------------------ groups

    private List<Map<String, Object>> groups(Map<String, Doc> documents) {
        Map<String, Map<String, Doc>> byGroup = new TreeMap<>();
        documents.forEach((name, document) -> {
            for (Doc group : document.list("groups")) {
                byGroup.computeIfAbsent(group.text("name"), key -> new TreeMap<>()).put(name, group);
            }
        });
        List<Map<String, Object>> groups = new ArrayList<>();
        byGroup.forEach((name, members) -> groups.add(group(name, members, documents)));
        return groups;
    }

    private Map<String, Object> group(String name, Map<String, Doc> members, Map<String, Doc> documents) {
        Map<String, Object> group = new LinkedHashMap<>();
        group.put("name", name);
        group.put("order", members.values().stream().map(each -> each.text("order")).filter(text -> !text.isEmpty())
                .findFirst().orElse(""));
        Map<String, Doc> views = new TreeMap<>();
        Map<String, List<String>> holders = new TreeMap<>();
        List<Map<String, Object>> rows = new ArrayList<>();
        members.forEach((member, doc) -> {
            Doc view = doc.at("view");
            if (!view.isEmpty()) {
                views.putIfAbsent(view.text("id"), view);
                holders.computeIfAbsent(view.text("id"), id -> new ArrayList<>()).add(member);
            }
            rows.add(row(name, member, doc, documents.getOrDefault(member, Doc.EMPTY)));
        });
        List<Map<String, Object>> told = new ArrayList<>();
        views.forEach((id, view) -> told.add(view(id, view, holders.getOrDefault(id, List.of()))));
        group.put("views", told);
        group.put("split", isSplit(rows, told));
        group.put("members", rows);
        return group;
    }

    private static Map<String, Object> view(String id, Doc view, List<String> holders) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("id", id);
        row.put("number", view.number("number"));
        row.put("coordinator", view.text("coordinator"));
        row.put("members", view.list("members").stream().map(member -> member.text("name")).toList());
        row.put("holders", holders);
        return row;
    }

    /** Returns whether there are disjoint views; those of members that have just started don't count. */
    private static boolean isSplit(List<Map<String, Object>> rows, List<Map<String, Object>> views) {
        Set<String> joined = new TreeSet<>();
        for (Map<String, Object> row : rows) {
            if (Doc.of(row).is("joined")) {
                joined.add(Doc.of(row).text("name"));
            }
        }
        List<List<String>> sides = new ArrayList<>();
        for (Map<String, Object> view : views) {
            if (Doc.of(view).texts("holders").stream().anyMatch(joined::contains)) {
                sides.add(Doc.of(view).texts("members"));
            }
        }
        for (List<String> one : sides) {
            for (List<String> other : sides) {
                if (Collections.disjoint(one, other)) {
                    return true;
                }
            }
        }
        return false;
    }

    private Map<String, Object> row(String group, String member, Doc doc, Doc document) {
        long nanos = document.number("nanoTime");
        String key = member + '@' + document.at("node").text("incarnation") + '/' + group;
        Doc reliability = layer(doc, "reliability");
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("name", member);
        row.put("view", doc.at("view").text("id"));
        row.put("joined", doc.is("joined"));
        row.put("state", layer(doc, "membership").text("state"));
        row.put("phase", doc.at("parts").at("state").text("phase"));
        row.put("window", reliability.number("window-bytes"));
        row.put("open", reliability.number("window-open-bytes"));
        row.put("closedBy", doc.text("windowClosedBy"));
        row.put("boundedBy", reliability.text("window-bounded-by"));
        row.put("waitsFor", doc.text("waitsFor"));
        row.put("unstable", reliability.number("unstable-bytes"));
        row.put("held", reliability.number("held-packets"));
        row.put("queued", doc.at("parts").at("delivery").number("queued-items"));
        row.put("delivered", rates.of(
                key + " delivered", doc.at("parts").at("delivery").number("messages"), nanos));
        row.put("sent", rates.of(key + " sent", reliability.number("sent-bytes"), nanos));
        row.put("repairs", rates.of(key + " repairs", reliability.number("repairs-sent"), nanos));
        row.put("repairsTotal", reliability.number("repairs-sent"));
        return row;
    }

    // ------------------------------------------------------------------ what needs attention

    private List<Map<String, Object>> attention(
            Map<String, Doc> documents,
            List<Map<String, Object>> members,
            List<Map<String, Object>> groups,
            Map<String, Object> sites) {
        List<Map<String, Object>> found = new ArrayList<>();
        List<String> split = groups.stream()
                .filter(group -> Doc.of(group).is("split"))
                .map(group -> String.valueOf(group.get("name")))
                .toList();
        boolean isOnlyOurs = split.stream().allMatch(name -> name.startsWith(OWN_PREFIX));
        for (String name : split) {
            if (isOnlyOurs || !name.startsWith(OWN_PREFIX)) {
                add(found, "split", "#/group/" + name, "Group " + name + " is split: its sides don't hear each other");
            }
        }
        boolean isSplit = !found.isEmpty();
        Set<String> suspected = new TreeSet<>();
        documents.forEach((witness, document) -> document.list("links").stream()
                .filter(link -> link.is("suspected"))
                .forEach(link -> suspected.add(link.text("peer"))));
        for (Map<String, Object> member : members) {
            String name = String.valueOf(member.get("name"));
            boolean isAnswering = !Doc.of(member).text("state").equals("silent");
            if (isSplit && isAnswering) {
                // It is on the other side of a partition, and not heard for that reason.
                continue;
            }
            if (suspected.contains(name)) {
                add(found, "silent", "#/member/" + name, name + " is not heard by others");
            } else if (!isAnswering) {
                add(found, "silent", "#/member/" + name, name + " does not answer the console");
            }
        }
        SitesContent.remarks(sites).forEach(remark -> add(found, "site", remark.where(), remark.text()));
        Set<String> reasons = new LinkedHashSet<>();
        documents.forEach((name, document) ->
                document.at("health").texts("reasons").stream()
                        // Reported above, once and not by each member.
                        .filter(reason -> !reason.endsWith("is not heard"))
                        .forEach(reason -> reasons.add(name + ": " + reason)));
        reasons.forEach(reason -> add(found, "health", "#/member/" + reason.substring(0, reason.indexOf(": ")), reason));
        for (Map<String, Object> member : members) {
            if (member.get("repairs") instanceof Double repairs && repairs > REPAIRS_PER_SECOND_CALM) {
                add(found, "repairs", "#/member/" + member.get("name"),
                        member.get("name") + " repairs " + Math.round(repairs) + " packets a second");
            }
        }
        return found.subList(0, Math.min(found.size(), ATTENTION_MAX));
    }

    private static void add(List<Map<String, Object>> found, String kind, String where, String text) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("kind", kind);
        row.put("where", where);
        row.put("text", text);
        found.add(row);
    }

    private static final int ATTENTION_MAX = 20;
}
