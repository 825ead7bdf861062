package dev.tutti.console.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Events of the cluster, each told once: events that several members have seen become one story, with the member that
 * noticed first and the consequences in each group. A story may still grow as further members and groups report. Not
 * for several threads.
 */
final class Timeline {

    static final int STORIES_MAX = 400;

    /** Most members whose events are followed. */
    private static final int WITNESSES_MAX = 1_000;

    /** Largest distance of events that belong to one story. */
    private static final long TOGETHER_MILLIS = 3_000;

    /** Time before a view in which notices about a member still count as its cause. */
    private static final long CAUSE_MILLIS = 30_000;

    private static final int NOTICES_MAX = 200;

    /** Kinds of events that are stories by themselves; their texts are in the page. */
    private static final Set<String> SINGLE = Set.of(
            "started", "problem", "problem-over", "link-resumed", "unreachable", "late", "stack-mismatch", "state", "slow-listener", "send-waited",
            "refused", "operation");

    /** An observation by one member about another. */
    private record Notice(String witness, String about, long at, String kind, boolean isGraceful, String cause) {}

    private final LinkedHashMap<String, Story> stories = new LinkedHashMap<>();
    private final Map<String, Long> cursors = new HashMap<>();
    private final List<Notice> notices = new ArrayList<>();
    private final TreeSet<Story> changed = new TreeSet<>();
    private long missed;
    private long nextId = 1;

    /** Returns the number of the last event that is known of a witness. */
    long cursor(String witness, String incarnation) {
        return cursors.getOrDefault(witness + '@' + incarnation, 0L);
    }

    /** @param page document in the format of {@code Events.document} */
    void onEvents(String witness, String incarnation, Doc page) {
        String key = witness + '@' + incarnation;
        if (!cursors.containsKey(key) && cursors.size() >= WITNESSES_MAX) {
            return;
        }
        long cursor = cursors.getOrDefault(key, 0L);
        missed += cursor == 0 ? 0 : page.number("missed");
        for (Doc event : page.list("events")) {
            long number = event.number("number");
            if (number > cursor) {
                cursor = number;
                on(witness, event);
            }
        }
        cursors.put(key, cursor);
    }

    private void on(String witness, Doc event) {
        String kind = event.text("kind");
        switch (kind) {
            case "view" -> onView(witness, event);
            case "departure" -> onDeparture(witness, event);
            case "merge" -> onMerge(event);
            case "link-closed", "suspicion" -> {
                if (notices.size() >= NOTICES_MAX) {
                    notices.removeFirst();
                }
                Notice notice = new Notice(witness, event.text("node"), event.number("epochMillis"), kind,
                        event.at("details").is("graceful"), event.text("cause"));
                notices.add(notice);
                for (Story story : stories.values()) {
                    if (story.isAbout(notice.about) && Math.abs(story.at() - notice.at) <= TOGETHER_MILLIS) {
                        explain(story);
                    }
                }
            }
            case "left" -> onSingle(witness, "left-group", event);
            case "component" -> onComponent(event);
            default -> {
                if (SINGLE.contains(kind)) {
                    onSingle(witness, kind, event);
                }
            }
        }
    }

    // ------------------------------------------------------------------ views

    private void onView(String witness, Doc event) {
        Doc details = event.at("details");
        List<String> come = details.texts("come");
        List<String> gone = details.texts("gone");
        List<String> members = details.texts("members");
        boolean isAlone = members.equals(List.of(witness)) && gone.isEmpty();
        if (isAlone) {
            // Every member begins alone; its start is told by another story.
            return;
        }
        String group = event.text("group");
        String key = "view " + group + ' ' + details.text("view");
        Story story = stories.get(key);
        if (story == null) {
            story = add(key, new Story(nextId++, event.number("epochMillis"), "view"));
        }
        story.onView(witness, event.number("epochMillis"), group, details.number("number"), members, come, gone);
        explain(story);
        join(key, story);
    }

    private void onDeparture(String witness, Doc event) {
        Story story = stories.get("view " + event.text("group") + ' ' + event.at("details").text("view"));
        // The departure event comes before the event of its view.
        if (story == null) {
            story = add("view " + event.text("group") + ' ' + event.at("details").text("view"),
                    new Story(nextId++, event.number("epochMillis"), "view"));
        }
        story.onDeparture(event.text("node"), event.text("cause"), witness);
        explain(story);
    }

    private void onMerge(Doc event) {
        Story story = stories.get("view " + event.text("group") + ' ' + event.at("details").text("view"));
        if (story != null) {
            story.onMerge(event.at("details").texts("parts"));
            changed.add(story);
        }
    }

    /** Merges a change in several groups into one story. */
    private void join(String key, Story story) {
        Collection<Story> others = new ArrayList<>(stories.sequencedValues().reversed());
        for (Story other : others) {
            if (other != story && other.takes(story, TOGETHER_MILLIS)) {
                other.absorb(story);
                stories.put(key, other);
                changed.remove(story);
                story.end();
                changed.add(story);
                explain(other);
                return;
            }
        }
    }

    /** Adds the member that noticed first, and its observation. */
    private void explain(Story story) {
        Notice first = null;
        boolean isSuspected = false;
        boolean isGraceful = false;
        for (Notice notice : notices) {
            boolean isCause = story.isGone(notice.about)
                    && notice.at <= story.lastAt() + TOGETHER_MILLIS
                    && story.at() - notice.at <= CAUSE_MILLIS
                    && !story.isGone(notice.witness);
            if (isCause) {
                isSuspected |= notice.kind.equals("suspicion");
                isGraceful |= notice.isGraceful && notice.kind.equals("link-closed");
                if (first == null || notice.at < first.at) {
                    first = notice;
                }
            }
        }
        story.explain(first == null ? null : new Story.Cause(first.witness, first.at, first.cause), isSuspected, isGraceful);
        changed.add(story);
    }

    // ------------------------------------------------------------------ the rest

    private void onSingle(String witness, String kind, Doc event) {
        long at = event.number("epochMillis");
        String group = event.text("group");
        Doc details = event.at("details");
        // Each operation is a story of its own.
        String subject = kind.equals("operation") ? event.text("text") : details.text("subject");
        String about = kind + ' ' + witness + ' ' + group + ' ' + details.text("problem") + ' ' + subject;
        Story last = stories.get(about);
        if (last != null && at - last.lastAt() <= TOGETHER_MILLIS) {
            last.onAgain(at, event.text("text"), event.text("cause"));
            changed.add(last);
            return;
        }
        if (last != null) {
            // Its key is free for the next story.
            stories.remove(about);
            stories.put(about + ' ' + last.id(), last);
        }
        Story story = add(about, new Story(nextId++, at, kind));
        story.onSingle(witness, group, event.text("text"), event.text("cause"));
    }

    /** Adds an event about a thing of a component, such as a site, that any number of members have seen. */
    private void onComponent(Doc event) {
        Doc details = event.at("details");
        long at = event.number("epochMillis");
        String group = event.text("group");
        String key = String.join(" ", "component", details.text("component"), group, details.text("about"), details.text("what"));
        Story last = stories.get(key);
        if (last != null && Math.abs(at - last.lastAt()) <= TOGETHER_MILLIS) {
            last.onSeen(at);
            return;
        }
        if (last != null) {
            stories.remove(key);
            stories.put(key + ' ' + last.id(), last);
        }
        Story story = add(key, new Story(nextId++, at, details.text("component") + '-' + details.text("what")));
        story.onSingle("", group, event.text("text"), event.text("cause"));
        story.onThing(details.text("about"));
    }

    private Story add(String key, Story story) {
        stories.put(key, story);
        while (stories.size() > STORIES_MAX) {
            stories.pollFirstEntry();
        }
        changed.add(story);
        return story;
    }

    // ------------------------------------------------------------------ readers

    /** Returns the stories that are new or have grown since the last call, the oldest first; a merged one is empty. */
    List<Map<String, Object>> takeChanged() {
        List<Map<String, Object>> documents = changed.stream().map(Story::document).toList();
        changed.clear();
        return documents;
    }

    List<Map<String, Object>> all() {
        Map<Long, Story> byId = new TreeMap<>();
        stories.values().forEach(story -> byId.put(story.id(), story));
        return byId.values().stream().map(Story::document).toList();
    }

    /** Returns the number of events that were dropped before they could be read. */
    long missed() {
        return missed;
    }

    /** Returns the latest story about a member; null if there is none. */
    @Nullable Story latest(String member) {
        Story found = null;
        for (Story story : stories.values()) {
            if (story.isAbout(member) && (found == null || story.at() >= found.at())) {
                found = story;
            }
        }
        return found;
    }
}
