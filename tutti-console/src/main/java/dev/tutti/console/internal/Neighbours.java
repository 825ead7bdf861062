package dev.tutti.console.internal;

import dev.tutti.internal.Json;
import dev.tutti.internal.Logs;
import dev.tutti.internal.diagnostics.Diagnostics;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory.Entry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Members on this machine that can be asked without the cluster ({@code diagnostics.enabled}); in a partition, only
 * these answer for the other side. A process counts as a member only if a member of the cluster has named it: nodes of
 * other clusters with the same name may run here, too. From any thread.
 */
final class Neighbours {

    private static final Logger LOG = Logs.of(Neighbours.class);

    /** Most members that are remembered. */
    static final int KNOWN_MAX = 1_000;

    /** Time for which a member is looked for that no other member names any more. */
    private static final long KNOWN_NANOS_MAX = TimeUnit.MINUTES.toNanos(10);

    private final DiagnosticsDirectory directory;
    private final Duration deadline;

    /** Time at which a member of the cluster was last named by another, by {@link #id}; the oldest first. */
    private final SequencedMap<String, Long> known = new LinkedHashMap<>();

    /** Members that have answered at the last look, by name. */
    private volatile Map<String, Found> found = Map.of();

    private record Found(Entry entry, String incarnation) {}

    private record Reply(Entry entry, Doc document) {}

    /** @param deadline time for an answer */
    Neighbours(DiagnosticsDirectory directory, Duration deadline) {
        this.directory = directory;
        this.deadline = deadline;
    }

    private static String id(String name, String incarnation) {
        return name + '@' + incarnation;
    }

    /** Adds the answers of members that are missing in {@code documents} and can be asked on this machine, by name. */
    void complete(Map<String, Doc> documents) {
        if (!isSomebodyMissing(documents)) {
            found = Map.of();
            return;
        }
        Map<String, Found> answered = new ConcurrentHashMap<>();
        for (Reply reply : ask(entry -> !isAnswered(entry, documents), entry -> "inspection")) {
            Doc node = reply.document.at("node");
            String name = node.text("name");
            if (isKnown(id(name, node.text("incarnation"))) && documents.putIfAbsent(name, reply.document) == null) {
                answered.put(name, new Found(reply.entry, node.text("incarnation")));
            }
        }
        found = answered;
        // The members that they name belong to the cluster as well, and are looked for from the next look on.
        isSomebodyMissing(documents);
    }

    /** Remembers every member that these name; returns whether one of them is missing. */
    private synchronized boolean isSomebodyMissing(Map<String, Doc> documents) {
        long now = System.nanoTime();
        documents.values().forEach(document -> {
            note(document.at("node").text("name"), document.at("node").text("incarnation"), now);
            for (Doc link : document.list("links")) {
                if (!link.text("state").equals("closed") || link.is("suspected")) {
                    note(link.text("peer"), link.text("incarnation"), now);
                }
            }
            for (Doc group : document.list("groups")) {
                group.at("view").list("members").forEach(each -> note(each.text("name"), each.text("incarnation"), now));
            }
        });
        known.values().removeIf(at -> now - at > KNOWN_NANOS_MAX);
        return known.keySet().stream().anyMatch(id -> {
            Doc document = documents.get(id.substring(0, id.lastIndexOf('@')));
            return document == null || !id.endsWith('@' + document.at("node").text("incarnation"));
        });
    }

    private void note(String name, String incarnation, long now) {
        if (!name.isEmpty()) {
            known.putLast(id(name, incarnation), now);
            if (known.size() > KNOWN_MAX) {
                known.pollFirstEntry();
            }
        }
    }

    private synchronized boolean isKnown(String id) {
        return known.containsKey(id);
    }

    private static boolean isAnswered(Entry entry, Map<String, Doc> documents) {
        return documents.values().stream()
                .map(document -> document.at("node"))
                .anyMatch(node -> node.number("pid") == entry.pid() && node.text("address").endsWith(":" + entry.port()));
    }

    /** Returns the answer of a member that has answered at the last look; null if it has not, or does not now. */
    @Nullable Doc inspection(String member) {
        Found one = found.get(member);
        if (one == null) {
            return null;
        }
        List<Reply> replies = ask(one.entry::equals, entry -> "inspection");
        return replies.isEmpty() ? null : replies.getFirst().document;
    }

    /** Returns the events of members that have answered at the last look, by name. */
    Map<String, Witnesses.Page> events(Witnesses.Cursors cursors) {
        Map<Entry, String> names = new LinkedHashMap<>();
        Map<String, Found> present = found;
        present.forEach((name, each) -> names.put(each.entry, name));
        Map<String, Witnesses.Page> pages = new LinkedHashMap<>();
        if (names.isEmpty()) {
            return pages;
        }
        ToLongFunction<String> after = name -> {
            Found one = present.get(name);
            return one == null ? 0 : cursors.after(name, one.incarnation);
        };
        for (Reply reply : ask(names::containsKey, entry -> "events " + after.applyAsLong(names.getOrDefault(entry, "")))) {
            String name = names.get(reply.entry);
            Found one = name == null ? null : present.get(name);
            if (name != null && one != null) {
                pages.put(name, new Witnesses.Page(one.incarnation, reply.document));
            }
        }
        return pages;
    }

    /** Asks all at once, so that a stopped process delays the others no longer than the deadline. */
    private List<Reply> ask(Predicate<Entry> isWanted, Function<Entry, String> question) {
        List<Entry> entries;
        try {
            entries = directory.entries().stream().filter(isWanted).toList();
        } catch (IOException e) {
            LOG.debug("the nodes of this machine can't be found", e);
            return List.of();
        }
        List<Reply> replies = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<@Nullable Reply>> open = new ArrayList<>();
            entries.forEach(entry -> open.add(threads.submit(() -> ask(entry, question.apply(entry)))));
            for (Future<@Nullable Reply> each : open) {
                Reply reply = each.get();
                if (reply != null) {
                    replies.add(reply);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a node of this machine can't be asked: " + e.getCause(), e);
        }
        return replies;
    }

    private @Nullable Reply ask(Entry entry, String question) {
        try {
            Object answer = Json.parse(Diagnostics.ask(entry.socket(), question, deadline));
            Doc document = Doc.of(answer);
            return document.isEmpty() || !document.text("error").isEmpty() ? null : new Reply(entry, document);
        } catch (IOException | IllegalArgumentException e) {
            LOG.debug("the node behind {} can't be asked", entry.socket(), e);
            return null;
        }
    }
}
