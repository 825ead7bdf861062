package dev.tutti.console.internal;

import dev.tutti.Health;
import dev.tutti.Node;
import dev.tutti.Operations.Operation;
import dev.tutti.Operations.Outcome;
import dev.tutti.Subscription;
import dev.tutti.blocks.inspection.Answer;
import dev.tutti.blocks.inspection.DataQuery;
import dev.tutti.blocks.inspection.Inspection;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.internal.Logs;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The members of a cluster, asked over the cluster, and those on this machine that can't be reached that way. A member
 * that is late once is not yet silent: its last answer is used for a while.
 */
public final class ClusterWitnesses implements Witnesses {

    private static final Logger LOG = Logs.of(ClusterWitnesses.class);

    private static final Duration DEADLINE = Duration.ofMillis(400);

    /** Deadline for a single member, which may take longer. */
    private static final Duration DEADLINE_OF_ONE = Duration.ofSeconds(2);

    /** Deadline for an operation: leaving and draining take some seconds. */
    private static final Duration DEADLINE_OF_OPERATION = Duration.ofSeconds(20);

    private static final long STALE_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);

    /** Last answer of a member, with its time. */
    private record Said(Doc document, long nanos) {}

    private final Node node;
    private final Inspection inspection;
    private final boolean isOwner;
    private final Neighbours neighbours = new Neighbours(DiagnosticsDirectory.ofUser(), DEADLINE);

    // Guarded by this object's lock.
    private final Map<NodeId, Said> said = new TreeMap<>();
    private @Nullable Subscription subscription;

    /** @param isOwner whether {@code inspection} is closed together with this object */
    public ClusterWitnesses(Node node, Inspection inspection, boolean isOwner) {
        this.node = node;
        this.inspection = inspection;
        this.isOwner = isOwner;
    }

    @Override
    public String self() {
        return node.name();
    }

    @Override
    public Map<String, Doc> inspections() {
        List<Answer> answers;
        try {
            answers = inspection.all(DEADLINE);
        } catch (CompletionException e) {
            LOG.debug("the cluster can't be asked", e);
            answers = List.of();
        }
        Map<String, Doc> documents = documents(answers);
        neighbours.complete(documents);
        return documents;
    }

    private synchronized Map<String, Doc> documents(List<Answer> answers) {
        long now = System.nanoTime();
        Map<String, Doc> documents = new LinkedHashMap<>();
        boolean isSelfThere = answers.stream().anyMatch(answer -> answer.isSelf() && answer.document() != null);
        if (!isSelfThere) {
            documents.put(node.name(), new Doc(node.inspection().document()));
        }
        for (Answer answer : answers) {
            Map<String, ?> document = answer.document();
            if (document != null) {
                said.put(answer.node(), new Said(new Doc(document), now));
            }
            Said last = said.get(answer.node());
            if (last != null && now - last.nanos < STALE_NANOS_MAX) {
                documents.putIfAbsent(answer.node().name(), last.document);
            }
        }
        said.values().removeIf(each -> now - each.nanos >= STALE_NANOS_MAX);
        return documents;
    }

    @Override
    public @Nullable Doc inspection(String member) {
        if (member.equals(node.name())) {
            return new Doc(node.inspection().document());
        }
        for (Member each : inspection.view().members()) {
            if (each.name().equals(member)) {
                Map<String, ?> document = inspection.of(each, DEADLINE_OF_ONE).document();
                return document == null ? null : new Doc(document);
            }
        }
        return neighbours.inspection(member);
    }

    @Override
    public Map<String, Page> events(Cursors cursors) {
        Map<String, Page> pages = new LinkedHashMap<>();
        try {
            List<Answer> answers = inspection.events(
                    asked -> cursors.after(asked.name(), Long.toString(asked.incarnation())), DEADLINE);
            for (Answer answer : answers) {
                Map<String, ?> document = answer.document();
                if (document != null) {
                    pages.put(answer.node().name(), new Page(Long.toString(answer.node().incarnation()), new Doc(document)));
                }
            }
        } catch (CompletionException e) {
            LOG.debug("the cluster can't be asked", e);
        }
        String incarnation = Long.toString(node.id().incarnation());
        pages.putIfAbsent(
                node.name(),
                new Page(incarnation, new Doc(node.events(cursors.after(node.name(), incarnation)).document())));
        neighbours.events(cursors).forEach(pages::putIfAbsent);
        return pages;
    }

    @Override
    public @Nullable Doc views(String member) {
        return ask(member, each -> inspection.views(each, DEADLINE_OF_ONE));
    }

    @Override
    public @Nullable Doc page(String member, DataQuery query) {
        return ask(member, each -> inspection.page(each, query, DEADLINE_OF_ONE));
    }

    /** Asks a member of the inspection; returns null if there is none of this name, or it does not answer. */
    private @Nullable Doc ask(String member, Function<Member, Answer> question) {
        for (Member each : inspection.view().members()) {
            if (each.name().equals(member)) {
                try {
                    Map<String, ?> document = question.apply(each).document();
                    return document == null ? null : new Doc(document);
                } catch (CompletionException e) {
                    LOG.debug("{} can't be asked", member, e);
                    return null;
                }
            }
        }
        return null;
    }

    @Override
    public Outcome operate(String member, String user, Operation operation) {
        for (Member each : inspection.view().members()) {
            if (each.name().equals(member)) {
                try {
                    return inspection.operate(each, user, operation, DEADLINE_OF_OPERATION);
                } catch (CompletionException e) {
                    return new Outcome(false, member + " can't be asked: " + e.getMessage());
                }
            }
        }
        return new Outcome(false, "no member called " + member + " can be asked");
    }

    @Override
    public Doc health() {
        try {
            Health health = node.health();
            return new Doc(health.document());
        } catch (IllegalStateException e) {
            LOG.debug("the node does not say how it is", e);
            return Doc.EMPTY;
        }
    }

    @Override
    public synchronized void onEvent(Runnable listener) {
        subscription = node.onEvent(event -> listener.run());
    }

    @Override
    public void close() {
        Subscription open;
        synchronized (this) {
            open = subscription;
            subscription = null;
        }
        if (open != null) {
            open.close();
        }
        if (isOwner) {
            inspection.close();
        }
    }
}
