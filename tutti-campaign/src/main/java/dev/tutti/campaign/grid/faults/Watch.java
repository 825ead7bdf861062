package dev.tutti.campaign.grid.faults;

import dev.tutti.campaign.host.Pause;
import dev.tutti.grid.Answer;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Query;
import dev.tutti.grid.client.GridClient;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A client of one mediator that asks for all producers, again and again. Thread-safe. */
final class Watch implements AutoCloseable {

    private static final Duration DEADLINE = Duration.ofSeconds(3);

    /** Time beyond the deadline in which an answer has to come, on a machine that does other work. */
    private static final Duration LATE_MAX = Duration.ofSeconds(5);

    private static final long PAUSE_MILLIS = 200;
    private static final int FINDINGS_MAX = 20;

    /** Queries in a row without any answer before their deadline. One may meet a pause of a busy machine. */
    private static final int UNANSWERED_MAX = 2;

    /**
     * An answer.
     *
     * @param askedNanos time of the question; {@link System#nanoTime} when no answer has come yet
     */
    record Seen(long askedNanos, TreeSet<String> found, List<String> missing) {}

    private final String name;
    private final Ledger ledger;
    private final Nodes nodes;
    private final GridClient client;
    private final Thread thread;

    // Guarded by this.
    private final List<String> findings = new ArrayList<>();
    private Seen last = new Seen(System.nanoTime(), new TreeSet<>(), List.of("nothing was asked yet"));
    private long answers;
    private long partial;
    private long slowestMillis;
    private long unanswered;
    private int unansweredInARow;

    private volatile boolean isOver;

    /** Names of the nodes of a site, which answers name. */
    interface Nodes {
        List<String> of(String site);
    }

    Watch(String name, URI mediator, Ledger ledger, Nodes nodes) {
        this.name = name;
        this.ledger = ledger;
        this.nodes = nodes;
        this.client = GridClient.of(mediator).name("watch").open();
        this.thread = Thread.ofPlatform().daemon().name("watch of " + name).unstarted(this::run);
    }

    String name() {
        return name;
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (!isOver) {
            ask();
            Pause.millis(PAUSE_MILLIS);
        }
    }

    private void ask() {
        long begin = System.nanoTime();
        Answer<Entry> answer;
        try {
            answer = client.find(Query.PRODUCERS.within(DEADLINE));
        } catch (RuntimeException e) {
            find("a query failed: " + e);
            return;
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        TreeSet<String> found = answer.items().stream().map(Entry::name).collect(Collectors.toCollection(TreeSet::new));
        if (millis > DEADLINE.plus(LATE_MAX).toMillis()) {
            find("an answer took " + millis + " ms, with a deadline of " + DEADLINE.toMillis());
        }
        boolean isUnanswered = answer.missing().stream().anyMatch(text -> text.startsWith("no mediator has answered"));
        if (!isUnanswered) {
            ledger.check(begin, found, names(answer.missing())).forEach(this::find);
        }
        synchronized (this) {
            unanswered += isUnanswered ? 1 : 0;
            unansweredInARow = isUnanswered ? unansweredInARow + 1 : 0;
            if (unansweredInARow > UNANSWERED_MAX) {
                find(unansweredInARow + " queries one after the other were not answered at all: " + answer.missing());
            }
            last = new Seen(begin, found, answer.missing());
            answers++;
            partial += answer.isComplete() ? 0 : 1;
            slowestMillis = Math.max(slowestMillis, millis);
        }
    }

    /** Returns whether some of these texts say that something of a site is missing: of the site, of a member, or of a member's store. */
    private Predicate<String> names(List<String> missing) {
        return site -> missing.stream().anyMatch(text -> text.startsWith("site " + site + ":")
                || nodes.of(site).stream().anyMatch(node -> text.startsWith(node + ":") || text.startsWith("the store of " + node + ":")));
    }

    /** Returns whether the answer says that something of a site is missing. */
    boolean saysMissing(Seen seen, String site) {
        return names(seen.missing).test(site);
    }

    synchronized Seen last() {
        return last;
    }

    private synchronized void find(String text) {
        if (findings.size() < FINDINGS_MAX) {
            findings.add(name + ": " + text);
        }
    }

    synchronized List<String> findings() {
        return List.copyOf(findings);
    }

    synchronized long answers() {
        return answers;
    }

    synchronized long partial() {
        return partial;
    }

    synchronized long slowestMillis() {
        return slowestMillis;
    }

    synchronized long unanswered() {
        return unanswered;
    }

    @Override
    public void close() {
        isOver = true;
        client.close();
    }
}
