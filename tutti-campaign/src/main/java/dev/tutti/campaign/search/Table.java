package dev.tutti.campaign.search;

import dev.tutti.campaign.application.Expected;
import dev.tutti.campaign.cluster.OptionalLayers;
import dev.tutti.campaign.cluster.ScheduledFault;
import dev.tutti.campaign.sites.SitesExpected;
import dev.tutti.core.stack.DropReason;
import dev.tutti.internal.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Summary of a search: the amount tried, the events that really happened, and those that did not. */
final class Table {

    /** Names that coverage contains only if the event happened; the table also shows those that did not. */
    private static final List<String> STATES = List.of(
            "event.late",
            "event.session-lost",
            "event.session-resumed",
            "event.suspected",
            "groups.story.membership.ballots-refused",
            "groups.story.membership.stragglers-completed",
            "groups.story.packing.turns",
            "groups.story.packing.window-closed",
            "groups.story.reliability.repairs-received",
            "groups.story.reliability.ring-changes",
            "groups.story.reliability.ring-overtakers",
            "groups.story.reliability.ring-skips",
            "links.*.resent-frames",
            "links.refused-here.known",
            "links.stray-frames",
            "groups.dropped-not-joined",
            "state.break-in-view-change",
            "state.calm: one view, whatever it has to bear",
            "state.joined-at-once: nobody was left in the group",
            "state.kill-in-view-change",
            "state.leave-in-view-change",
            "state.left",
            "state.merge: of two views of two or more",
            "state.merge-of-three: or more views of two or more",
            "state.partition-crash-restart: within 10 s",
            "state.partition-in-view-change",
            "state.pause-in-view-change",
            "state.power-off-in-view-change",
            "state.ranks-changed: the coordinator is another, and the former one is still there",
            "state.restart-before-noticed: its past is in a view",
            "state.same-members: a view that only repairs lost sessions",
            "state.second-attempt: a view of a ballot that was not the first under its number",
            "state.on-datagrams: one to one",
            "state.on-datagrams: with multicast",
            "state.prompt: all in one view before any time-out",
            "state.session-again: after both have closed one",
            "state.session-too-early: while the peer has the one before",
            "state.sessions-overlap: with a new run, while the peer has one with the run before",
            "state.settled-apart: several views side by side under cuts that stay",
            "state.stop-in-view-change",
            "state.seeds: each node knows the next one only",
            "state.seeds: each node knows the first one only",
            "state.suspended: outside of the primary partition, and told",
            "state.two-groups: with one stack",
            "state.two-groups: with different stacks",
            "state.two-groups: one came to rest beside the other",
            "state.two-groups: one at rest while the application of the other stands still",
            "state.unreliable: probes arrived");

    /** Listed events that a campaign of {@link #FULL_SCHEDULES} need not reach: they need luck, or a foreign peer. */
    private static final Set<String> RARE = Set.of(
            "groups.story.dropped.held_full",
            "groups.story.dropped.malformed",
            "groups.story.reliability.ring-changes",
            "state.session-too-early: while the peer has the one before");

    /** Number of schedules of all kinds that reach all listed events, unless something is no longer tried. */
    static final long FULL_SCHEDULES = 2_000;

    /** Cases that the model check of the view change left out, in the words of spec/README.md, with their coverage. */
    private static final Map<String, String> LEFT_OPEN = Map.of(
            "partition, crash and restart together, within 10 s",
            "state.partition-crash-restart: within 10 s",
            "merges of larger views: of two or more that have two members or more",
            "state.merge: of two views of two or more",
            "ranks that change: another coordinator, while the former one is still there",
            "state.ranks-changed: the coordinator is another, and the former one is still there",
            "graceful leave",
            "state.left",
            "two sessions overlapping: with a new run of a node, while its peer has one with the run before",
            "state.sessions-overlap: with a new run, while the peer has one with the run before");

    private final Search.Result result;

    Table(Search.Result result) {
        this.result = result;
    }

    private static List<String> expected() {
        List<String> names = new ArrayList<>(STATES);
        names.addAll(Work.all());
        OptionalLayers.works().forEach(name -> names.add("groups.story." + name));
        for (DropReason reason : DropReason.values()) {
            if (reason != DropReason.NO_SESSION && reason != DropReason.NOT_JOINED && !reason.isOffence()) {
                names.add("groups.story.dropped." + reason.name().toLowerCase(Locale.ROOT));
            }
        }
        return names;
    }

    private TreeMap<String, Long> faults() {
        TreeMap<String, Long> faults = new TreeMap<>();
        for (ScheduledFault fault : ScheduledFault.values()) {
            faults.put(fault + ": " + fault.description(), result.coverage().of("fault." + fault));
        }
        return faults;
    }

    private TreeMap<String, Long> states() {
        TreeMap<String, Long> states = new TreeMap<>();
        result.coverage().counts().forEach((name, count) -> {
            boolean isState = name.startsWith("state.")
                    || name.startsWith("event.")
                    || name.startsWith("trace.")
                    || name.contains("dropped")
                    || name.contains("refused-");
            if (isState && count > 0) {
                states.put(name, count);
            }
        });
        expected().forEach(name -> states.put(name, result.coverage().of(name)));
        return states;
    }

    private TreeMap<String, Long> leftOpen() {
        TreeMap<String, Long> counts = new TreeMap<>();
        LEFT_OPEN.forEach((name, state) -> counts.put(name, result.coverage().of(state)));
        return counts;
    }

    private TreeMap<String, Long> applications() {
        return new TreeMap<>(Expected.of(result.coverage().counts()));
    }

    /** Returns listed events that applications did not reach, if there were any; a campaign need not reach them. */
    private List<String> missingApplications() {
        return hasApplications() ? zeros(applications()) : List.of();
    }

    /** Returns how often each listed event of sites happened; nothing if there were no sites. */
    private TreeMap<String, Long> sites() {
        return new TreeMap<>(result.coverage().of("sites.schedules") == 0 ? Map.of() : SitesExpected.of(result.coverage().counts()));
    }

    private boolean hasApplications() {
        return result.coverage().of("application.schedules") > 0;
    }

    private List<String> missingOfNodes() {
        List<String> missing = new ArrayList<>(missingApplications());
        missing.addAll(zeros(sites()));
        return missing;
    }

    private static List<String> zeros(Map<String, Long> counts) {
        return counts.entrySet().stream()
                .filter(each -> each.getValue() == 0)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns all listed events that did not happen. */
    private List<String> missing() {
        List<String> missing = new ArrayList<>(zeros(faults()));
        missing.addAll(zeros(leftOpen()));
        missing.addAll(zeros(states()));
        return missing;
    }

    /** Returns the events that a full campaign has to reach and this one has not; empty for a smaller one. */
    List<String> owed() {
        return result.schedules() < FULL_SCHEDULES
                ? List.of()
                : missing().stream().filter(name -> !RARE.contains(name)).toList();
    }

    String text() {
        StringBuilder text = new StringBuilder();
        text.append("\nfaults that really happened\n");
        append(text, faults());
        text.append("\nstates reached\n");
        append(text, states());
        text.append("\norders, in schedules\n").append(Orders.text(result.coverage()));
        text.append("\nwhat the model check of the view change left open (spec/README.md), in schedules\n");
        append(text, leftOpen());
        if (hasApplications()) {
            text.append("\napplications: what they did, and met\n");
            append(text, applications());
        }
        if (!sites().isEmpty()) {
            text.append("\nsites: what they did, and met\n");
            append(text, sites());
        }
        List<String> missing = missing();
        List<String> missingOfNodes = missingOfNodes();
        text.append("\nnot reached: ").append(missing.isEmpty() && missingOfNodes.isEmpty() ? "none of those listed" : "").append('\n');
        missing.forEach(name -> text.append("  ").append(name).append(RARE.contains(name) ? " (rare)" : "").append('\n'));
        missingOfNodes.forEach(name -> text.append("  ").append(name).append('\n'));
        text.append(String.format(
                Locale.ROOT,
                "%n%,d schedules in %.1f s: %.1f h of cluster time, %,d events, %,.0f per second%n",
                result.schedules(), result.seconds(), result.simulatedHours(), result.events(),
                result.events() / result.seconds()));
        text.append(String.format(
                Locale.ROOT,
                "longest way to rest %.1f s, to a view that waits for no time-out %.2f s; most memory of a node %.0f %% of its bound; %d seeds run twice, %s%n",
                result.restNanosMax() / 1e9, result.promptNanosMax() / 1e9, 100 * result.memoryShareMax(), result.twice(),
                result.differing().isEmpty() ? "all with equal trace hashes" : "NOT equal: " + result.differing()));
        text.append(result.failures().size()).append(" violations\n");
        return text.toString();
    }

    private static void append(StringBuilder text, Map<String, Long> counts) {
        counts.forEach((name, count) -> text.append(String.format(Locale.ROOT, "  %,16d  %s%n", count, name)));
    }

    String json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("schedules", result.schedules());
        map.put("seconds", result.seconds());
        map.put("simulatedHours", result.simulatedHours());
        map.put("events", result.events());
        map.put("runTwice", result.twice());
        map.put("differing", result.differing());
        map.put("restSecondsMax", result.restNanosMax() / 1e9);
        map.put("memoryShareMax", result.memoryShareMax());
        List<Map<String, Object>> violations = new ArrayList<>();
        for (Trial.Outcome failure : result.failures()) {
            violations.add(Map.of(
                    "seed", failure.schedule().seed(),
                    "mode", failure.schedule().mode().toString(),
                    "property", failure.property()));
        }
        map.put("violations", violations);
        map.put("faults", faults());
        map.put("states", states());
        map.put("orders", Orders.of(result.coverage()));
        map.put("leftOpen", leftOpen());
        map.put("notReached", missing());
        map.put("owed", owed());
        map.put("applications", applications());
        map.put("notReachedByApplications", missingApplications());
        map.put("sites", sites());
        map.put("notReachedBySites", zeros(sites()));
        return Json.write(map) + "\n";
    }
}
