package dev.tutti.bench.balance;

import dev.tutti.Node;
import dev.tutti.balancer.Balancer;
import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.bench.BenchException;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.relay.RelayProcess;
import dev.tutti.bench.report.Table;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The promises of the balancer under faults: sessions are spread evenly as nodes come, a killed node costs the requests in flight there
 * that may not be sent again, and a drained one costs nothing. The nodes are processes of their own, the balancer is in this one.
 */
final class FaultCheck {

    private static final int SESSIONS_A_STEP = 80;
    private static final int SPREAD_MAX = 2;
    private static final int CLIENTS = 200;
    private static final long LATE_MILLIS = 100;
    private static final long PHASE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long WAIT_NANOS_MAX = TimeUnit.SECONDS.toNanos(60);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private record Failure(boolean isPost, String route, long sentNanos, String what) {}

    private final Output output;
    private final int nodes;
    private final List<RelayProcess> processes = new ArrayList<>();
    private final Queue<Failure> failures = new ConcurrentLinkedQueue<>();
    private final AtomicLong answered = new AtomicLong();
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    FaultCheck(Output output, int nodes) {
        this.output = output;
        this.nodes = nodes;
    }

    void run() throws InterruptedException {
        output.title("A balancer with " + nodes + " nodes, of which one is killed and one is drained under " + CLIENTS + " clients");
        try (http;
                Node node = Node.tcp(0).name("balancer").cluster(BalancerMain.CLUSTER).start()) {
            // First of all, since processes take seconds, and a balancer forgets a part of the sessions each minute whose node does not count them.
            for (int number = 1; number <= nodes; number++) {
                String name = "web" + number;
                processes.add(RelayProcess.java(name, SessionNode.class, output.jvmOptions("64m"), List.of(name, node.address())));
            }
            try (Balancer balancer = Balancer.open(
                    node, Balancer.defaults().with(BalancerSettings.PORT, 0).with(BalancerSettings.CONSOLE_PORT, 0))) {
                spread(balancer);
                faults(balancer);
            }
        } finally {
            processes.forEach(RelayProcess::kill);
        }
    }

    private void held(String what, boolean isHeld) {
        output.bound(what, isHeld);
        if (!isHeld) {
            output.fail(what);
        }
    }

    /** Lets one node after the other announce itself, and begins sessions after each. */
    private void spread(Balancer balancer) {
        Map<String, Integer> sessions = new TreeMap<>();
        Table table = new Table("nodes", "sessions at each");
        int widest = 0;
        for (int number = 1; number <= nodes; number++) {
            processes.get(number - 1).tell();
            int wanted = number;
            await("nodes at the balancer", () -> balancer.routes().size() == wanted);
            for (int begun = 0; begun < SESSIONS_A_STEP; begun++) {
                sessions.merge(begin(balancer).route(), 1, Integer::sum);
            }
            table.row(number, sessions.toString());
            for (int at : sessions.values()) {
                widest = Math.max(widest, Math.abs(at - SESSIONS_A_STEP));
            }
            widest = sessions.size() == number ? widest : SESSIONS_A_STEP;
        }
        output.print(table);
        output.put("spread", sessions);
        held(SESSIONS_A_STEP + " sessions for each node are within " + SPREAD_MAX + " at each as nodes come: they differ by " + widest,
                widest <= SPREAD_MAX);
    }

    private record Session(String id, String route) {}

    private Session begin(Balancer balancer) {
        try {
            HttpResponse<String> response =
                    http.send(HttpRequest.newBuilder(URI.create(balancer.url() + "/shop")).build(), HttpResponse.BodyHandlers.ofString());
            String cookie = response.headers().firstValue("Set-Cookie").orElse("");
            int end = cookie.indexOf(';');
            if (response.statusCode() != 200 || end < 0) {
                throw new BenchException("no session is begun: status " + response.statusCode());
            }
            return new Session(cookie.substring(0, end), response.body());
        } catch (IOException e) {
            throw new BenchException("no session is begun: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted");
        }
    }

    private void faults(Balancer balancer) {
        AtomicBoolean isOver = new AtomicBoolean();
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        long postsAtVictim = 0;
        for (int number = 0; number < CLIENTS; number++) {
            Session session = begin(balancer);
            boolean isPost = number / nodes % 2 == 0;
            postsAtVictim += isPost && session.route().equals("web1") ? 1 : 0;
            clients.add(CompletableFuture.runAsync(
                    () -> ask(balancer.url() + "/shop", session, isPost, isOver), task -> Thread.ofVirtual().start(task)));
        }
        pause();
        int before = failures.size();
        processes.getFirst().kill();
        long killNanos = System.nanoTime();
        await("view without the killed node", () -> !balancer.routes().contains("web1"));
        long goneMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killNanos);
        pause();
        List<Failure> ofKill = List.copyOf(failures);
        long answeredBefore = answered.get();
        processes.get(1).close();
        await("view without the drained node", () -> !balancer.routes().contains("web2"));
        pause();
        int ofDrain = failures.size() - ofKill.size();
        isOver.set(true);
        clients.forEach(CompletableFuture::join);

        long gets = ofKill.stream().filter(failure -> !failure.isPost()).count();
        long lastMillis = ofKill.stream().mapToLong(failure -> (failure.sentNanos() - killNanos) / 1_000_000).max().orElse(0);
        Map<String, Long> numbers = balancer.numbers();
        output.print(String.format("%,d requests answered, %,d while a node was drained; the killed node was out of the view %d ms after its end;"
                + " %,d requests were sent to another node", answered.get(), answered.get() - answeredBefore, goneMillis, numbers.get("retried")));
        failures.stream().limit(10).forEach(failure -> output.progress("failed: " + failure.what()));
        output.put("answered", answered.get());
        output.put("view-millis", goneMillis);
        output.put("kill-failures", ofKill.size());
        output.put("drain-failures", ofDrain);
        held("before the kill, 0 requests fail: " + before, before == 0);
        held("after the kill, 0 GET fail: " + gets, gets == 0);
        held("of " + postsAtVictim + " clients that post to the killed node, each fails once at most: " + (ofKill.size() - gets),
                ofKill.size() - gets <= postsAtVictim && ofKill.stream().allMatch(failure -> failure.route().equals("web1")));
        held("a request that is sent " + LATE_MILLIS + " ms after the end of the process is served: the last that failed was sent after " + lastMillis + " ms",
                lastMillis <= LATE_MILLIS);
        held("of a drain, 0 requests fail: " + ofDrain, ofDrain == 0);
    }

    private void ask(String url, Session session, boolean isPost, AtomicBoolean isOver) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(30)).header("Cookie", session.id());
        HttpRequest request = isPost ? builder.POST(HttpRequest.BodyPublishers.noBody()).build() : builder.build();
        while (!isOver.get()) {
            long sentNanos = System.nanoTime();
            String what;
            try {
                HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
                if (response.statusCode() == 200) {
                    answered.incrementAndGet();
                    continue;
                }
                what = "status " + response.statusCode() + ", " + response.body().strip();
            } catch (IOException e) {
                what = e.toString();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            failures.add(new Failure(isPost, session.route(), sentNanos, (isPost ? "POST" : "GET") + " of " + session.route() + ": " + what));
        }
    }

    private static void pause() {
        long endNanos = System.nanoTime() + PHASE_NANOS;
        for (long leftNanos = PHASE_NANOS; leftNanos > 0; leftNanos = endNanos - System.nanoTime()) {
            LockSupport.parkNanos(leftNanos);
        }
    }

    private static void await(String what, BooleanSupplier condition) {
        long endNanos = System.nanoTime() + WAIT_NANOS_MAX;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - endNanos > 0) {
                throw new BenchException("no " + what + " within " + TimeUnit.NANOSECONDS.toSeconds(WAIT_NANOS_MAX) + " s");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
