package dev.tutti.cli.inspection;

import dev.tutti.cli.terminal.CommandException;
import dev.tutti.internal.Json;
import dev.tutti.internal.diagnostics.Diagnostics;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory.Entry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** The nodes of this user on this machine that can be asked. */
final class LocalNodes {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(1);

    private final DiagnosticsDirectory directory = DiagnosticsDirectory.ofUser();

    /**
     * The answer of a node.
     *
     * @param document empty if it did not answer
     * @param failure why it did not; empty if it did
     */
    record Reply(Entry entry, Map<?, ?> document, String failure) {

        boolean isAnswered() {
            return failure.isEmpty();
        }
    }

    /** Returns the wanted nodes, all if none are given; empty if there are none. */
    List<Entry> find(List<String> wanted) throws IOException {
        List<Entry> entries = directory.entries();
        if (wanted.isEmpty() || wanted.contains("all")) {
            return entries;
        }
        List<Entry> found = new ArrayList<>();
        for (Entry entry : entries) {
            boolean isNumber = wanted.contains(Long.toString(entry.pid())) || wanted.contains(Integer.toString(entry.port()));
            if (isNumber || isNamed(entry, wanted)) {
                found.add(entry);
            }
        }
        return found;
    }

    private boolean isNamed(Entry entry, List<String> wanted) {
        Map<?, ?> node = StatusPage.map(ask(entry, "inspection").document().get("node"));
        return wanted.contains(String.valueOf(node.get("name"))) || wanted.contains(String.valueOf(node.get("address")));
    }

    /** Works as {@link #find}, but fails if there is no node. */
    List<Entry> require(List<String> wanted) throws IOException {
        List<Entry> found = find(wanted);
        if (found.isEmpty()) {
            throw new CommandException(wanted.isEmpty()
                    ? "no node on this machine can be asked; start one (tutti chat), or give one in another program"
                            + " diagnostics.enabled: true"
                    : "no node on this machine answers to " + String.join(" or ", wanted)
                            + "; 'tutti view' lists those that do (a node in another program needs diagnostics.enabled: true)");
        }
        return found;
    }

    /** Asks all nodes at the same time, so that a stopped one delays the answers by no more than a second. */
    List<Reply> askAll(List<Entry> entries, Function<Entry, String> question) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<Reply>> replies = entries.stream()
                    .map(entry -> CompletableFuture.supplyAsync(() -> ask(entry, question.apply(entry), SHORT_TIMEOUT), threads))
                    .toList();
            return replies.stream().map(CompletableFuture::join).toList();
        }
    }

    /** Asks a node; an answer that is an error counts as no answer. */
    Reply ask(Entry entry, String question) {
        return ask(entry, question, TIMEOUT);
    }

    private static Reply ask(Entry entry, String question, Duration timeout) {
        try {
            Map<?, ?> document = StatusPage.map(Json.parse(Diagnostics.ask(entry.socket(), question, timeout)));
            Object error = document.get("error");
            return error == null
                    ? new Reply(entry, document, "")
                    : new Reply(entry, Map.of(), String.valueOf(error));
        } catch (IOException | IllegalArgumentException e) {
            return new Reply(entry, Map.of(), String.valueOf(e.getMessage()));
        }
    }
}
