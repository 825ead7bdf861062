package dev.tutti.console.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One event of the cluster, as far as it is known. Not for several threads. */
final class Story implements Comparable<Story> {

    /** Name of the member that noticed first, with time and description. */
    record Cause(String witness, long at, String text) {}

    /** Consequence in one group. */
    private static final class Outcome {
        long number;
        List<String> members = List.of();
        long firstAt = Long.MAX_VALUE;
        long lastAt;
        final TreeSet<String> witnesses = new TreeSet<>();
    }

    private final long id;
    private final String origin;
    private long at;
    private long lastAt;
    private boolean isOver;
    private @Nullable List<String> come;
    private final TreeSet<String> gone = new TreeSet<>();
    private List<String> parts = List.of();
    private final Map<String, Outcome> outcomes = new TreeMap<>();
    private String departureCause = "";
    private @Nullable Cause cause;
    private boolean isSuspected;
    private boolean isGraceful;
    private String witness = "";
    private String group = "";
    private String text = "";
    private String reason = "";
    private String thing = "";
    private long count = 1;

    /** @param origin kind of the event that it began with */
    Story(long id, long at, String origin) {
        this.id = id;
        this.at = at;
        this.lastAt = at;
        this.origin = origin;
    }

    long id() {
        return id;
    }

    long at() {
        return at;
    }

    long lastAt() {
        return lastAt;
    }

    // ------------------------------------------------------------------ inputs

    void onView(
            String from, long millis, String name, long number, List<String> members, List<String> newcomers, List<String> missing) {
        see(millis);
        gone.addAll(missing);
        // To a newcomer all others are new; the member with the fewest newcomers knows best which members have joined.
        List<String> known = come;
        if (known == null || newcomers.size() < known.size()) {
            come = List.copyOf(newcomers);
        }
        Outcome outcome = outcomes.computeIfAbsent(name, key -> new Outcome());
        outcome.number = number;
        outcome.members = List.copyOf(members);
        outcome.firstAt = Math.min(outcome.firstAt, millis);
        outcome.lastAt = Math.max(outcome.lastAt, millis);
        outcome.witnesses.add(from);
    }

    void onDeparture(String member, String text, String from) {
        gone.add(member);
        if (departureCause.isEmpty()) {
            departureCause = text;
            witness = from;
        }
    }

    void onMerge(List<String> sides) {
        parts = List.copyOf(sides);
    }

    void onSingle(String from, String name, String what, String why) {
        witness = from;
        group = name;
        text = what;
        reason = why;
    }

    void onAgain(long millis, String what, String why) {
        see(millis);
        count++;
        text = what;
        reason = why;
    }

    /** Notes a further member that has seen it. */
    void onSeen(long millis) {
        see(millis);
    }

    /** Notes the thing of a component that it is about, such as the name of a site; empty if there is none. */
    void onThing(String name) {
        thing = name;
    }

    void explain(@Nullable Cause first, boolean suspected, boolean graceful) {
        cause = first;
        isSuspected = suspected;
        isGraceful = graceful;
    }

    private void see(long millis) {
        at = Math.min(at, millis);
        lastAt = Math.max(lastAt, millis);
    }

    // ------------------------------------------------------------------ several groups

    /** Returns whether {@code other} is the same event in another group. */
    boolean takes(Story other, long togetherMillis) {
        return !isOver
                && origin.equals("view")
                && other.origin.equals("view")
                && !outcomes.isEmpty()
                && other.outcomes.keySet().stream().noneMatch(outcomes::containsKey)
                && Math.abs(at - other.at) <= togetherMillis
                && new TreeSet<>(comers()).equals(new TreeSet<>(other.comers()))
                && (gone.equals(other.gone) || isOfOne() && other.isOfOne() && aloneWith().equals(other.aloneWith()));
    }

    /** Returns whether a member is alone in its view: then each group reports its own members as gone. */
    private boolean isOfOne() {
        return !aloneWith().isEmpty();
    }

    void absorb(Story other) {
        see(other.at);
        see(other.lastAt);
        outcomes.putAll(other.outcomes);
        gone.addAll(other.gone);
        if (parts.isEmpty()) {
            parts = other.parts;
        }
        if (departureCause.isEmpty()) {
            departureCause = other.departureCause;
        }
    }

    /** Ends the story, which was merged into another one. */
    void end() {
        isOver = true;
    }

    boolean isGone(String member) {
        return gone.contains(member);
    }

    boolean isAbout(String member) {
        return gone.contains(member) || comers().contains(member) || witness.equals(member);
    }

    private List<String> comers() {
        List<String> known = come;
        return known == null ? List.of() : known;
    }

    // ------------------------------------------------------------------ telling

    private String kind() {
        if (!origin.equals("view")) {
            return origin;
        }
        if (!parts.isEmpty()) {
            return "merged";
        }
        if (!gone.isEmpty()) {
            return isSuspected ? "silent" : isGraceful || cause == null ? "left" : "lost";
        }
        return comers().isEmpty() ? "view" : "joined";
    }

    private List<String> subjects(String kind) {
        return switch (kind) {
            case "merged" -> parts;
            case "silent", "left", "lost" -> List.copyOf(gone);
            case "joined" -> comers();
            case "view" -> List.of();
            default -> witness.isEmpty() ? List.of() : List.of(witness);
        };
    }

    Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("id", id);
        if (isOver) {
            document.put("over", true);
            return document;
        }
        String kind = kind();
        document.put("at", at);
        document.put("kind", kind);
        document.put("subjects", subjects(kind));
        document.put("text", text);
        document.put("cause", causeText(kind));
        document.put("group", group);
        document.put("thing", thing);
        document.put("seenBy", aloneWith());
        document.put("count", count);
        document.put("groups", groups());
        return document;
    }

    private String causeText(String kind) {
        Cause first = cause;
        String why = first == null || first.text.isEmpty() ? departureCause : first.text;
        return switch (kind) {
            case "left" -> first == null ? departureCause : "it said goodbye: " + why;
            case "silent", "lost" -> first == null || isOfOne() ? why : why + ". Noticed first by " + first.witness + latency(first);
            case "merged" -> "they hear each other again";
            default -> reason;
        };
    }

    private String latency(Cause first) {
        long agreedAt = outcomes.values().stream().mapToLong(each -> each.lastAt).max().orElse(0);
        long millis = agreedAt - first.at;
        return agreedAt == 0 || millis < 0 ? "" : "; all others agreed " + millis + " ms later";
    }

    /** Returns the member that is alone in its view; empty if members who are together report it. */
    private String aloneWith() {
        TreeSet<String> seers = new TreeSet<>();
        outcomes.values().forEach(outcome -> seers.addAll(outcome.members));
        return seers.size() == 1 && !gone.isEmpty() ? seers.first() : "";
    }

    private List<Map<String, Object>> groups() {
        List<Map<String, Object>> rows = new ArrayList<>();
        outcomes.forEach((name, outcome) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("name", name);
            row.put("number", outcome.number);
            row.put("members", outcome.members);
            row.put("told", outcome.witnesses.size());
            rows.add(row);
        });
        return rows;
    }

    @Override
    public int compareTo(Story other) {
        return Long.compare(id, other.id);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Story story && story.id == id;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(id);
    }
}
