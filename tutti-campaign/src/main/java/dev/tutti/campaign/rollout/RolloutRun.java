package dev.tutti.campaign.rollout;

import dev.tutti.Node;
import dev.tutti.balancer.Balancer;
import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Pause;
import dev.tutti.campaign.host.Ports;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** One run: pods under load, an event of Kubernetes, and the comparison of what was sent and what has arrived. */
final class RolloutRun implements AutoCloseable {

    /** Workload that Kubernetes manages. */
    enum Kind {
        /** A pod ends before another one of the same name starts. */
        STATEFULSET,
        /** A new pod is ready before an old one ends; each has a name of its own. */
        DEPLOYMENT
    }

    /**
     * Choices of a run.
     *
     * @param most pods at most, for scaling
     * @param visitors clients of each way to the pods
     * @param calm load before and after the event
     */
    record Choice(Kind kind, int pods, int most, int visitors, Duration calm, Pods.Times times, boolean isDraining, List<String> options) {}

    record Result(Map<String, Object> figures, List<String> findings) {}

    private static final int MACHINES = 3;
    private static final int FINDINGS_MAX = 50;
    private static final Duration REST_MAX = Duration.ofSeconds(60);
    private static final long EVICTION_MILLIS = 500;

    private final Choice choice;
    private final Consumer<String> progress;
    private final Queue<String> findings = new ConcurrentLinkedQueue<>();
    private final AtomicLong found = new AtomicLong();
    private final Pods pods;
    private final Node front;
    private final Balancer balancer;
    private final List<CompletableFuture<Pod>> ending = new ArrayList<>();
    private int generation;
    private long beganNanos;

    RolloutRun(Choice choice, Path directory, Consumer<String> progress) {
        this.choice = choice;
        this.progress = progress;
        List<Integer> ports = Ports.free(3);
        PeersFile peers = new PeersFile(directory.resolve("peers"));
        PodAddress address = new PodAddress("127.78.0.0", ports.get(0), ports.get(1), ports.get(2));
        pods = new Pods(choice.times(), new Pod.Place(peers, directory, choice.isDraining(), choice.options()), address, this::find);
        front = Node.tcp(0).name("front").cluster("rollout").discover("peers", peers).start();
        balancer = Balancer.open(front, Balancer.defaults().with(BalancerSettings.PORT, 0).with(BalancerSettings.CONSOLE_PORT, 0));
    }

    private void find(String text) {
        if (found.incrementAndGet() <= FINDINGS_MAX) {
            findings.add(text);
            progress.accept("FOUND " + text);
        }
    }

    private void tell(String text) {
        progress.accept(String.format(Locale.ROOT, "%5.1f s  %s", (System.nanoTime() - beganNanos) / 1e9, text));
    }

    // ------------------------------------------------------------------ events

    /** Replaces all pods, as a new version of the workload does. */
    void update() {
        List<Pod> before = new ArrayList<>(pods.present());
        if (choice.kind() == Kind.STATEFULSET) {
            for (Pod pod : before.reversed()) {
                end(pod).join();
                start(List.of(pod.name()), pod.machine());
                tell(pod.name() + " is replaced");
            }
            return;
        }
        for (Pod pod : before) {
            start(List.of(nextName()), pod.machine());
            end(pod);
            tell(pod.name() + " is replaced");
        }
    }

    /** Evicts the pods of a machine as the budget of one unavailable pod allows; others take their places elsewhere. */
    void drain() {
        List<Pod> evicted = pods.present().stream().filter(pod -> pod.machine() == 0).toList();
        int machine = 1;
        for (Pod pod : evicted) {
            while (pods.ready() < choice.pods()) {
                Pause.millis(EVICTION_MILLIS);
            }
            CompletableFuture<Pod> end = end(pod);
            if (choice.kind() == Kind.STATEFULSET) {
                end.join();
            }
            start(List.of(choice.kind() == Kind.STATEFULSET ? pod.name() : nextName()), machine);
            machine = machine % (MACHINES - 1) + 1;
            tell(pod.name() + " is evicted and replaced");
        }
    }

    /** Adds pods all at once until there are as many as may be, and ends all but one at once. */
    void scale() {
        List<String> names = new ArrayList<>();
        for (int count = pods.present().size(); count < choice.most(); count++) {
            names.add(choice.kind() == Kind.STATEFULSET ? "pod-" + count : nextName());
        }
        start(names, 0);
        tell(choice.most() + " pods are ready");
        Pause.millis(choice.calm().toMillis());
        List<Pod> ended = pods.present().subList(1, pods.present().size());
        ended.forEach(this::end);
        CompletableFuture.allOf(ending.toArray(CompletableFuture[]::new)).join();
        tell("one pod is left");
    }

    private String nextName() {
        generation++;
        return "pod-" + Integer.toString(0xa000 + generation * 7919, 36);
    }

    private void start(List<String> names, int machine) {
        List<Pod> started = names.stream().map(name -> pods.create(name, machine)).toList();
        pods.awaitReady(started);
    }

    private CompletableFuture<Pod> end(Pod pod) {
        CompletableFuture<Pod> end = pods.terminate(pod);
        ending.add(end);
        return end;
    }

    // ------------------------------------------------------------------ a run

    Result run(int count, Runnable event) {
        beganNanos = System.nanoTime();
        List<Pod> first = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            first.add(pods.create(choice.kind() == Kind.STATEFULSET ? "pod-" + index : nextName(), index % MACHINES));
        }
        pods.awaitReady(first);
        pods.await("a balancer that knows all pods", choice.times().startMax(), () -> balancer.routes().size() == count);
        Pause.millis(choice.times().propagation().toMillis());
        tell(count + " pods are ready");
        InetSocketAddress door = new InetSocketAddress("127.0.0.1", balancer.port());
        List<Visitors> visitors = List.of(
                new Visitors("the balancer", choice.visitors(), () -> door, this::find),
                new Visitors("the Service", choice.visitors(), pods::endpoint, this::find));
        Pause.millis(choice.calm().toMillis());
        event.run();
        CompletableFuture.allOf(ending.toArray(CompletableFuture[]::new)).join();
        Pause.millis(choice.calm().toMillis());
        visitors.forEach(Visitors::end);
        double seconds = (System.nanoTime() - beganNanos) / 1e9;
        Map<String, Object> figures = compare(visitors, seconds);
        return new Result(figures, List.copyOf(findings));
    }

    /** Lets all pods rest, and compares what each has got with what its senders have sent. */
    private Map<String, Object> compare(List<Visitors> visitors, double seconds) {
        List<Pod> left = pods.present();
        left.forEach(pod -> pod.say("quiet"));
        pods.await("pods that rest", REST_MAX, () -> left.stream().allMatch(pod -> pod.sent() >= 0));
        List<String> missing = new ArrayList<>();
        try {
            pods.await("all messages", REST_MAX, () -> {
                left.forEach(Pod::ask);
                pods.await("reports", REST_MAX, () -> left.stream().allMatch(pod -> pod.counts() != null));
                missing.clear();
                left.forEach(pod -> missing.addAll(missing(pod)));
                return missing.isEmpty();
            });
        } catch (ChaosException e) {
            missing.forEach(this::find);
        }
        Pod.Counts counts = Pod.Counts.NONE;
        long sent = 0;
        for (Pod pod : pods.all()) {
            Pod.Counts own = pod.counts();
            counts = own == null ? counts : counts.plus(own);
            sent += Math.max(0, pod.sent());
            if (pod.sent() < 0 || own == null) {
                find(pod.name() + " has ended without a report");
            }
        }
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("kind", choice.kind().name().toLowerCase(Locale.ROOT));
        figures.put("seconds", Math.round(seconds * 10) / 10.0);
        figures.put("pods-started", pods.all().size());
        figures.put("pods-ended", ending.size());
        figures.put("start-millis-max", pods.all().stream().mapToLong(pod -> pod.startTime().toMillis()).max().orElse(0));
        figures.put("end-millis-max", pods.ends().stream().mapToLong(Duration::toMillis).max().orElse(0));
        figures.put("messages-sent", sent);
        figures.put("messages-delivered", counts.delivered());
        figures.put("calls-to-one", counts.toOne());
        figures.put("calls-to-all", counts.toAll());
        figures.put("calls-chosen-again", counts.chosenAgain());
        visitors.forEach(each -> {
            String way = each.way().substring("the ".length()).toLowerCase(Locale.ROOT);
            figures.put("requests-by-" + way, each.requests());
            figures.put("session-moves-by-" + way, each.moves());
        });
        figures.put("findings", found.get());
        return figures;
    }

    /** Returns what a pod lacks of messages of others, and of its own. */
    private List<String> missing(Pod receiver) {
        Map<String, Long> wanted = new TreeMap<>();
        for (Pod sender : pods.all()) {
            boolean wasThere = receiver.readyNanos() != 0
                    && (sender.terminatedNanos() == 0 || sender.terminatedNanos() - receiver.readyNanos() > 0);
            if (wasThere && sender.sent() > 0) {
                wanted.put(sender.id(), sender.sent());
            }
        }
        List<String> missing = new ArrayList<>();
        Map<String, Feed.Range> ranges = receiver.ranges();
        wanted.forEach((name, sent) -> {
            Feed.Range range = ranges.get(name);
            long last = range == null ? 0 : range.last();
            if (last != sent) {
                missing.add(receiver.id() + " has messages of " + name + " up to " + last + " instead of " + sent);
            }
        });
        return missing;
    }

    @Override
    public void close() {
        pods.close();
        balancer.close();
        front.close();
    }
}
