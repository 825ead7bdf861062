package dev.tutti.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs the demo without a person: visitors fill carts, nodes are killed under load and started again, and each cart is
 * compared with the responses that its visitor got, through the balancer and at each node.
 */
final class Smoke implements AutoCloseable {

    static final int SESSIONS = 200;

    private static final int CLIENTS = 20;
    private static final int FIRST_ITEMS = 3;
    private static final int ITEMS_MAX = 120;
    private static final long PAUSE_NANOS = 12_000_000;
    private static final Duration STEP_MAX = Duration.ofSeconds(45);
    private static final int LINES_SHOWN = 25;
    private static final int FINDINGS_SHOWN = 10;

    private interface Work {
        void on(Visitor visitor) throws InterruptedException;
    }

    private final DemoCluster cluster;
    private final URI balancer;
    private final Journal journal;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(5)).build();
    private final Traffic traffic = new Traffic();
    private final List<Visitor> visitors = new ArrayList<>();
    private final List<DemoCluster.Kill> kills = new CopyOnWriteArrayList<>();
    private final List<String> failures = new CopyOnWriteArrayList<>();
    private volatile String step = "nothing yet";

    Smoke(DemoCluster cluster, URI balancer, Journal journal) {
        this.cluster = cluster;
        this.balancer = balancer;
        this.journal = journal;
        for (int i = 1; i <= SESSIONS; i++) {
            visitors.add(new Visitor(i, client, balancer.resolve(Front.SHOP), traffic));
        }
    }

    /**
     * Runs everything and prints the results.
     *
     * @return whether all checks succeeded
     */
    boolean run(Duration limit) throws InterruptedException {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> story = threads.submit(() -> {
                tell(threads);
                return null;
            });
            try {
                story.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                failures.add("not done within " + limit.toSeconds() + " s; it was " + step);
                story.cancel(true);
            } catch (ExecutionException e) {
                failures.add("while " + step + ": " + e.getCause());
            }
            threads.shutdownNow();
        }
        return report();
    }

    private void tell(ExecutorService threads) throws InterruptedException, ExecutionException, TimeoutException {
        step("making " + SESSIONS + " carts");
        all(threads, visitor -> visitor.addFirst(FIRST_ITEMS));
        journal.say(SESSIONS + " sessions with " + SESSIONS * FIRST_ITEMS + " items");

        // The coordinator first: its kill takes the most recovery.
        String first = coordinator();
        killUnderLoad(threads, first);
        check(threads, "without " + first);
        startUnderLoad(threads, first);
        check(threads, first + " again");
        long answeredBefore = traffic.answeredBy(first);
        // The restarted node got its sessions as state when it joined; now others depend on it.
        killUnderLoad(threads, coordinator());
        long answered = traffic.answeredBy(first) - answeredBefore;
        if (answered == 0) {
            failures.add(first + " was started again, and did not serve anybody");
        }
        journal.say(first + " has answered " + answered + " requests since it was started again");
        check(threads, "with what " + first + " has got");
    }

    private void step(String what) {
        step = what;
    }

    private String coordinator() {
        for (DemoCluster.Seen seen : cluster.seen()) {
            NodeStatus status = seen.status();
            if (status != null && !status.coordinator().isEmpty()) {
                return status.coordinator();
            }
        }
        throw new IllegalStateException("no node says who is the coordinator");
    }

    private void killUnderLoad(ExecutorService threads, String node)
            throws InterruptedException, ExecutionException, TimeoutException {
        step("killing " + node + " under load");
        try (Load load = new Load(threads)) {
            load.run(1_000);
            long here = visitors.stream().filter(visitor -> visitor.route().equals(node)).count();
            journal.say(node + " is the coordinator and serves " + here + " of the sessions");
            traffic.takeSlowestNanos();
            long failedBefore = traffic.failed();
            DemoCluster.Kill kill = cluster.kill(node);
            if (kill == null) {
                throw new IllegalStateException(node + " is down already");
            }
            kills.add(kill);
            List<String> survivors = up();
            cluster.awaitView(survivors, STEP_MAX);
            load.run(1_500);
            journal.say("load goes on: " + (traffic.failed() - failedBefore) + " requests failed, the slowest answer took "
                    + traffic.takeSlowestNanos() / 1_000_000 + " ms");
            load.end();
        }
    }

    private void startUnderLoad(ExecutorService threads, String node)
            throws InterruptedException, ExecutionException, TimeoutException {
        step("starting " + node + " again under load");
        try (Load load = new Load(threads)) {
            cluster.start(node).get(STEP_MAX.toSeconds(), TimeUnit.SECONDS);
            List<String> all = cluster.names();
            cluster.awaitView(all, STEP_MAX);
            cluster.await("all sessions at " + node, STEP_MAX, () -> {
                NodeStatus status = cluster.seen(node).status();
                return status != null && status.sessions() >= SESSIONS;
            });
            journal.say(node + " takes part again: it has got all sessions");
            load.run(500);
            load.end();
        }
    }

    /** Checks each cart through the balancer, which settles unanswered requests, and then at each node itself. */
    private void check(ExecutorService threads, String when)
            throws InterruptedException, ExecutionException, TimeoutException {
        step("checking all carts " + when);
        all(threads, visitor -> visitor.checkSettled(balancer, "the cart through the balancer, " + when));
        List<String> nodes = up();
        for (int i = 0; i < nodes.size(); i++) {
            String node = nodes.get(i);
            URI uri = cluster.seen(node).uri();
            if (uri == null) {
                throw new IllegalStateException(node + " has gone");
            }
            // Visitors stay with their node, so a restarted one would only get new visitors: distribute them evenly.
            int share = i;
            all(threads, visitor -> visitor.checkAt(
                    uri, "the cart at " + node + ", " + when, visitors.indexOf(visitor) % nodes.size() == share));
        }
        long complete = visitors.stream().filter(visitor -> visitor.ledger().isComplete()).count();
        int items = visitors.stream().mapToInt(visitor -> visitor.ledger().keptCount()).sum();
        journal.say("carts complete, " + when + ", through the balancer and at " + String.join(" and ", nodes) + ": " + complete
                + " of " + SESSIONS + ", with " + items + " items");
    }

    private List<String> up() {
        List<String> names = new ArrayList<>();
        for (DemoCluster.Seen seen : cluster.seen()) {
            if (seen.state() == DemoCluster.State.UP) {
                names.add(seen.name());
            }
        }
        return names;
    }

    /** Runs the work once for each visitor, on as many threads as there are clients. */
    private void all(ExecutorService threads, Work work) throws InterruptedException, ExecutionException, TimeoutException {
        List<Future<?>> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            int first = i;
            clients.add(threads.submit(() -> {
                for (int each = first; each < visitors.size(); each += CLIENTS) {
                    work.on(visitors.get(each));
                }
                return null;
            }));
        }
        for (Future<?> each : clients) {
            each.get(STEP_MAX.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** Clients, each of which goes through its visitors repeatedly. */
    private final class Load implements AutoCloseable {
        private final AtomicBoolean isEnding = new AtomicBoolean();
        private final List<Future<?>> clients = new ArrayList<>();

        Load(ExecutorService threads) {
            for (int i = 0; i < CLIENTS; i++) {
                int first = i;
                clients.add(threads.submit(() -> {
                    int each = first;
                    while (!isEnding.get()) {
                        visitors.get(each).act(ITEMS_MAX);
                        each += CLIENTS;
                        if (each >= visitors.size()) {
                            each = first;
                        }
                        LockSupport.parkNanos(PAUSE_NANOS);
                    }
                    return null;
                }));
            }
        }

        void run(long millis) throws InterruptedException {
            Thread.sleep(millis);
        }

        void end() throws InterruptedException, ExecutionException, TimeoutException {
            isEnding.set(true);
            for (Future<?> each : clients) {
                each.get(STEP_MAX.toSeconds(), TimeUnit.SECONDS);
            }
        }

        @Override
        public void close() {
            isEnding.set(true);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
    }

    private boolean report() {
        long complete = visitors.stream()
                .filter(visitor -> visitor.ledger().isComplete() && visitor.ledger().keptCount() >= FIRST_ITEMS)
                .count();
        int items = visitors.stream().mapToInt(visitor -> visitor.ledger().keptCount()).sum();
        int arrived = visitors.stream().mapToInt(visitor -> visitor.ledger().arrivedUnansweredCount()).sum();
        int refuted = visitors.stream().mapToInt(visitor -> visitor.ledger().refutedCount()).sum();
        List<FailedRequest> unexcused = traffic.unexcused(kills);
        long withoutExcuse = unexcused.size() + traffic.unknown();
        boolean isGood = failures.isEmpty() && withoutExcuse == 0 && complete == SESSIONS;
        journal.print("");
        journal.print(String.format("requests   %,d answered, %,d failed, of which %,d were not in flight at a killed node",
                traffic.answered(), traffic.failed(), withoutExcuse));
        kills.forEach(this::showFailures);
        journal.print(String.format("items      %,d kept; %,d had no answer, of which %,d had arrived",
                items, arrived + refuted, arrived));
        for (String failure : failures) {
            journal.print("failure    " + failure);
        }
        unexcused.stream().limit(FINDINGS_SHOWN).forEach(each -> journal.print("failure    " + each.what()));
        visitors.stream()
                .flatMap(visitor -> visitor.ledger().findings().stream())
                .limit(FINDINGS_SHOWN)
                .forEach(each -> journal.print("failure    " + each));
        if (!isGood) {
            cluster.names().forEach(this::showLog);
        }
        Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("sessionsKept", complete);
        summary.put("sessions", SESSIONS);
        summary.put("failedRequests", traffic.failed());
        summary.put("failedWithoutExcuse", withoutExcuse);
        summary.put("answeredRequests", traffic.answered());
        summary.put("items", items);
        summary.put("failures", failures);
        summary.put("passed", isGood);
        journal.data(summary);
        journal.print("sessions kept: " + complete + "/" + SESSIONS + ", failed requests: " + traffic.failed());
        return isGood;
    }

    /** Prints the time between a kill and the requests that failed by it. */
    private void showFailures(DemoCluster.Kill kill) {
        List<FailedRequest> excused = new ArrayList<>(traffic.failures());
        excused.removeIf(failure -> !failure.isExcusedBy(List.of(kill)));
        if (!excused.isEmpty()) {
            LongSummaryStatistics sent = excused.stream()
                    .mapToLong(failure -> (failure.sentNanos() - kill.killedNanos()) / 1_000_000)
                    .summaryStatistics();
            journal.print(String.format(
                    "           %d at %s, sent %+d to %+d ms from its kill; its process was gone %d ms after it",
                    excused.size(), kill.node(), sent.getMin(), sent.getMax(),
                    (kill.removedNanos() - kill.killedNanos()) / 1_000_000));
        }
    }

    private void showLog(String node) {
        Path log = cluster.log(node);
        journal.print("");
        journal.print("the end of " + log);
        try {
            List<String> lines = Files.readAllLines(log);
            lines.stream().skip(Math.max(0, lines.size() - LINES_SHOWN)).forEach(line -> journal.print("    " + line));
        } catch (IOException e) {
            journal.print("    can't be read: " + e);
        }
    }
}
