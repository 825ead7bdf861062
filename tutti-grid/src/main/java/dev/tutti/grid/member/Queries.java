package dev.tutti.grid.member;

import dev.tutti.Node;
import dev.tutti.Threads;
import dev.tutti.blocks.calls.CallException;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.calls.Outcome;
import dev.tutti.blocks.calls.Outcomes;
import dev.tutti.blocks.calls.Procedure;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.grid.Answer;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Query;
import dev.tutti.grid.internal.codec.GridCodec;
import dev.tutti.grid.store.StoreException;
import dev.tutti.sites.Site;
import dev.tutti.sites.Sites;
import dev.tutti.sites.calls.SiteCallException;
import dev.tutti.sites.calls.SiteCalls;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Queries: the own site is asked by calls of its members, other sites by a call of one of their members, which asks the others
 * there. Parts that have not answered within the deadline are named in the answer.
 */
final class Queries implements AutoCloseable {

    /** Calls of other sites fail after this time at the latest. */
    private static final Duration SITE_TIMEOUT = Duration.ofMinutes(1);

    private static final Comparator<Entry> BY_NAME =
            Comparator.comparing(Entry::site).thenComparing(Entry::name).thenComparing(Entry::id);
    private static final Comparator<Measurement> BY_TIME = Comparator.comparing(Measurement::time)
            .thenComparing(Measurement::producer)
            .thenComparingLong(Measurement::sequence);

    private static final Procedure<Request, Reply> ASK = Procedure.of("ask", Request.CODEC, Reply.CODEC);

    /** Answers from what one member has. */
    interface Source {

        List<Entry> find(Query query) throws StoreException;

        /** Returns measurements of the producers at this member. */
        List<Measurement> values(Request.Values request);

        /** Returns the nodes of the site whose producers may have measurements with a pattern of topics. */
        TreeSet<NodeId> producersOf(String pattern);
    }

    private final Node node;
    private final Threads threads;
    private final @Nullable Sites sites;
    private final Source source;
    private final Calls calls;
    private final @Nullable SiteCalls<Request, Reply> siteCalls;

    Queries(Node node, @Nullable Sites sites, String grid, Source source) {
        this.node = node;
        this.threads = node.threads();
        this.sites = sites;
        this.source = source;
        this.calls = Calls.on(node.group(grid + ".queries"))
                .handle(ASK, (request, context) -> answerHere(request))
                .join();
        this.siteCalls = sites == null
                ? null
                : SiteCalls.on(sites.group(grid + ".questions"), Request.CODEC, Reply.CODEC)
                        .handle((request, site, caller) -> answerOfSite(request))
                        .timeout(SITE_TIMEOUT)
                        .join();
    }

    /** Returns what this member has. */
    private Reply answerHere(Request request) {
        return switch (request) {
            case Request.Find find -> {
                try {
                    yield new Reply(source.find(find.query()), List.of(), List.of());
                } catch (StoreException e) {
                    yield new Reply(List.of(), List.of(), List.of("the store of " + node.name() + ": " + e.getMessage()));
                }
            }
            case Request.Values values -> new Reply(List.of(), source.values(values), List.of());
        };
    }

    /** Returns what this site has. */
    private Reply answerOfSite(Request request) {
        return switch (request) {
            case Request.Find find -> find(find);
            case Request.Values values -> values(values);
        };
    }

    /** Asks the own store; if it has failed, one other member after the other. */
    private Reply find(Request.Find request) {
        Reply own = answerHere(request);
        if (own.missing().isEmpty()) {
            return own;
        }
        List<String> missing = new ArrayList<>(own.missing());
        Deadline deadline = new Deadline(request.query().deadline());
        for (Member member : calls.view().members()) {
            if (!member.equals(calls.self()) && deadline.isAhead()) {
                try {
                    Reply other = calls.to(member).within(deadline.left()).answerBytesMax(2 * Reply.BYTES_MAX).call(ASK, request);
                    if (other.missing().isEmpty()) {
                        return other;
                    }
                    missing.addAll(other.missing());
                } catch (CallException e) {
                    missing.add(member.name() + ": " + e.getMessage());
                }
            }
        }
        return new Reply(List.of(), List.of(), missing);
    }

    /** Asks the members that have producers which may know something. */
    private Reply values(Request.Values request) {
        TreeSet<NodeId> known = source.producersOf(request.filter().topic());
        List<Member> asked = calls.view().members().stream().filter(member -> known.contains(member.node())).toList();
        List<Measurement> found = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        if (!asked.isEmpty()) {
            Outcomes<Reply> outcomes = calls.to(asked)
                    .within(Duration.ofMillis(Math.max(1, request.deadlineMillis())))
                    .answerBytesMax(2 * Reply.BYTES_MAX)
                    .call(ASK, request);
            outcomes.byMember().forEach((member, outcome) -> {
                if (outcome instanceof Outcome.Value<Reply> answered) {
                    found.addAll(answered.value().measurements());
                    missing.addAll(answered.value().missing());
                } else {
                    missing.add(member.name() + ": " + outcome);
                }
            });
        }
        return new Reply(List.of(), found, missing);
    }

    // ------------------------------------------------------------------ all sites

    Answer<Entry> ask(Query query) {
        Reply all = ask(new Request.Find(query.within(beforeThat(query.deadline()))), query.sites(), query.deadline());
        // A client that has gone from a site to another one is at both for as long as its lease: its last registration counts.
        Map<String, Entry> byId = new TreeMap<>();
        all.entries().forEach(entry -> byId.merge(
                entry.id(), entry, (one, other) -> other.registration() > one.registration() ? other : one));
        return new Answer<>(byId.values().stream().sorted(BY_NAME).toList(), all.missing());
    }

    Answer<Measurement> ask(Filter filter, Instant from, Instant to, boolean isLatest, Duration within) {
        Duration deadline = Query.bounded(within);
        Request request = new Request.Values(filter, GridCodec.boundedMicros(from), GridCodec.boundedMicros(to), isLatest, beforeThat(deadline).toMillis());
        Reply all = ask(request, List.of(), deadline);
        return new Answer<>(all.measurements().stream().sorted(BY_TIME).toList(), all.missing());
    }

    /** Returns the time for which a site waits for its members: it has to answer before the one that asks gives up. */
    private static Duration beforeThat(Duration deadline) {
        return deadline.multipliedBy(4).dividedBy(5);
    }

    private Reply ask(Request request, List<String> names, Duration within) {
        Deadline deadline = new Deadline(within);
        Sites connected = sites;
        String own = connected == null ? "" : connected.site();
        List<Entry> entries = new ArrayList<>();
        List<Measurement> measurements = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        Map<String, CompletableFuture<Reply>> open = new TreeMap<>();
        SiteCalls<Request, Reply> asking = siteCalls;
        if (connected != null && asking != null) {
            for (Site site : connected.view().sites()) {
                if (!site.name().equals(own) && (names.isEmpty() || names.contains(site.name()))) {
                    open.put(site.name(), asking.callAsync(site.name(), request));
                }
            }
        }
        for (String name : names) {
            if (!name.equals(own) && !open.containsKey(name)) {
                missing.add("site " + name + ": it is not known");
            }
        }
        if (names.isEmpty() || names.contains(own)) {
            add(answerOfSite(request), entries, measurements, missing);
        }
        open.forEach((site, answer) -> {
            try {
                add(threads.get(answer, Math.max(1, deadline.left().toNanos()), TimeUnit.NANOSECONDS), entries, measurements, missing);
            } catch (ExecutionException e) {
                missing.add("site " + site + ": " + (e.getCause() instanceof SiteCallException known ? known.getMessage() : e.getCause()));
            } catch (TimeoutException e) {
                missing.add("site " + site + ": it has not answered within " + within);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                missing.add("site " + site + ": the thread was interrupted while it waited");
            }
        });
        return new Reply(entries, measurements, missing);
    }

    private static void add(Reply reply, List<Entry> entries, List<Measurement> measurements, List<String> missing) {
        entries.addAll(reply.entries());
        measurements.addAll(reply.measurements());
        missing.addAll(reply.missing());
    }

    /** Point in time until which answers count. */
    private final class Deadline {
        private final long startNanos = threads.nanoTime();
        private final Duration within;

        Deadline(Duration within) {
            this.within = within;
        }

        Duration left() {
            return within.minusNanos(threads.nanoTime() - startNanos);
        }

        boolean isAhead() {
            return left().isPositive();
        }
    }

    @Override
    public void close() {
        calls.close();
        SiteCalls<Request, Reply> asking = siteCalls;
        if (asking != null) {
            asking.close();
        }
    }
}
