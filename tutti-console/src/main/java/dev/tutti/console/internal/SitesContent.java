package dev.tutti.console.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Content of the page of sites, made of the parts that the component {@code sites} of each member has added to its answer: the list of
 * sites, site groups, and the links of each site group to other sites.
 */
final class SitesContent {

    /** Share of the bound of kept messages from which on a site group needs attention. */
    private static final double NEARLY_FULL = 0.8;

    /** Parts of one member. */
    private record Told(String member, Doc sites, List<Doc> components) {

        List<Doc> parts(String name) {
            return components.stream().filter(component -> component.text("part").equals(name)).toList();
        }
    }

    private SitesContent() {}

    /** Returns the content; empty if no member takes part in sites. */
    static Map<String, Object> of(Map<String, Doc> documents) {
        List<Told> all = new ArrayList<>();
        documents.forEach((member, document) -> {
            List<Doc> components = document.list("components");
            for (Doc component : components) {
                if (component.text("part").equals("sites")) {
                    all.add(new Told(member, component.at("values"), components));
                }
            }
        });
        if (all.isEmpty()) {
            return Map.of();
        }
        Told latest = all.getFirst();
        for (Told told : all) {
            latest = told.sites.number("view") > latest.sites.number("view") ? told : latest;
        }
        Map<String, Object> content = new LinkedHashMap<>();
        content.put("own", latest.sites.text("site"));
        content.put("number", latest.sites.number("view"));
        content.put("members", all.stream().map(Told::member).toList());
        content.put("masters", all.stream()
                .filter(told -> told.sites.number("bridge-open") == 1)
                .map(Told::member)
                .toList());
        List<Map<String, Object>> links = links(all);
        content.put("sites", sites(latest, links));
        content.put("groups", groups(all));
        content.put("links", links);
        return content;
    }

    /** Returns the sites in the list, and those that messages are kept for and that are not in it. */
    private static List<Map<String, Object>> sites(Told latest, List<Map<String, Object>> links) {
        List<Map<String, Object>> rows = new ArrayList<>();
        TreeSet<String> expected = new TreeSet<>();
        links.forEach(link -> expected.add(Doc.of(link).text("site")));
        for (Doc site : latest.parts("site")) {
            String name = site.at("labels").text("site");
            expected.remove(name);
            String members = site.at("values").text("members");
            rows.add(site(name, site.at("values").text("state"), members.isEmpty() ? List.of() : List.of(members.split(", "))));
        }
        expected.forEach(name -> rows.add(site(name, "expected", List.of())));
        return rows;
    }

    private static Map<String, Object> site(String name, String state, List<String> members) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("name", name);
        row.put("state", state);
        row.put("members", members);
        return row;
    }

    /** Returns the site groups. Every member keeps the same messages: the numbers are those of the member that has most. */
    private static List<Map<String, Object>> groups(List<Told> all) {
        Map<String, Map<String, Object>> groups = new TreeMap<>();
        for (Told told : all) {
            for (Doc part : told.parts("site-group")) {
                Doc values = part.at("values");
                String name = part.at("labels").text("group");
                Map<String, Object> row = groups.computeIfAbsent(name, key -> new LinkedHashMap<>(Map.of("name", key)));
                row.put("whenFull", values.text("when-full"));
                row.put("keptIn", values.text("kept-in"));
                most(row, "retained", values.number("retained"));
                most(row, "retainedBytes", values.number("retained-bytes"));
                most(row, "retainedMax", values.number("retained-bytes-max"));
                most(row, "dropped", values.number("dropped"));
                most(row, "gaps", values.number("gaps"));
                most(row, "duplicates", values.number("duplicates"));
                most(row, "waiting", values.number("out-of-order"));
            }
        }
        return new ArrayList<>(groups.values());
    }

    private static void most(Map<String, Object> row, String name, long value) {
        row.merge(name, value, (one, other) -> Math.max((long) one, (long) other));
    }

    /** Returns the links of each site group, as the master that sends over it tells; else as the member that keeps most for it. */
    private static List<Map<String, Object>> links(List<Told> all) {
        Map<String, Map<String, Object>> links = new TreeMap<>();
        for (Told told : all) {
            for (Doc part : told.parts("site-link")) {
                Map<String, Object> link = link(told.member, part);
                links.merge(part.at("labels").text("group") + '\0' + part.at("labels").text("site"), link, SitesContent::better);
            }
        }
        return new ArrayList<>(links.values());
    }

    private static Map<String, Object> better(Map<String, Object> one, Map<String, Object> other) {
        boolean isSending = !Doc.of(one).text("from").isEmpty();
        boolean isOtherSending = !Doc.of(other).text("from").isEmpty();
        if (isSending != isOtherSending) {
            return isSending ? one : other;
        }
        return Doc.of(other).number("lagMessages") > Doc.of(one).number("lagMessages") ? other : one;
    }

    private static Map<String, Object> link(String member, Doc part) {
        Doc values = part.at("values");
        boolean isSending = values.number("open", -1) >= 0;
        Map<String, Object> link = new LinkedHashMap<>();
        link.put("group", part.at("labels").text("group"));
        link.put("site", part.at("labels").text("site"));
        link.put("from", isSending ? member : "");
        link.put("to", values.text("receiver"));
        link.put("open", values.number("open") == 1);
        link.put("refusal", values.text("refusal"));
        link.put("window", values.number("window-bytes"));
        link.put("inFlight", values.number("in-flight-bytes"));
        link.put("acknowledgedMicros", values.number("acknowledged-micros", -1));
        link.put("lagMessages", values.number("lag-messages"));
        link.put("lagBytes", values.number("lag-bytes"));
        link.put("lagMillis", values.number("lag-millis"));
        return link;
    }

    // ------------------------------------------------------------------ what needs attention

    /** A sentence about sites that needs attention, and the page that it leads to. */
    record Remark(String where, String text) {}

    static List<Remark> remarks(Map<String, Object> content) {
        Doc doc = new Doc(content);
        List<Remark> remarks = new ArrayList<>();
        for (Doc site : doc.list("sites")) {
            String name = site.text("name");
            switch (site.text("state")) {
                case "away" -> remarks.add(new Remark("#/site/" + name, "Site " + name + " is away"));
                case "suspected" -> remarks.add(new Remark("#/site/" + name, "Site " + name + " is suspected: it has no master"));
                default -> { }
            }
        }
        for (Doc group : doc.list("groups")) {
            long bound = group.number("retainedMax");
            if (bound > 0 && group.number("retainedBytes") >= NEARLY_FULL * bound) {
                String end = group.text("whenFull").equals("wait") ? "sends wait" : "the oldest are dropped";
                remarks.add(new Remark("#/sites", "Group " + group.text("name") + " keeps " + 100 * group.number("retainedBytes") / bound
                        + " % of what it may for other sites: beyond that, " + end));
            }
        }
        return remarks;
    }
}
