package dev.tutti.campaign.rollout;

import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Pause;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The pods of a run, with what Kubernetes does to each: an address of its own, probes, the removal from the Service at the same time as
 * preStop, SIGTERM, and SIGKILL after the grace period.
 */
final class Pods implements AutoCloseable {

    private static final long PROBE_MILLIS = 300;
    private static final long LOOK_MILLIS = 100;

    /** Addresses 127.78.0.1 to 127.78.3.255. */
    private static final int ADDRESSES_MAX = 4 * 256 - 1;

    /**
     * Times of Kubernetes.
     *
     * @param propagation time from a change of a Service until its clients know of it
     * @param pause preStop, before SIGTERM
     * @param grace pause and end together
     * @param minReady time for which a new pod has to be ready before the next one is replaced
     * @param startMax time for a start
     */
    record Times(Duration propagation, Duration pause, Duration grace, Duration minReady, Duration startMax) {}

    private final Times times;
    private final Pod.Place place;
    private final PodAddress ports;
    private final Consumer<String> findings;
    private final List<Pod> all = new CopyOnWriteArrayList<>();
    private final List<Duration> ends = new CopyOnWriteArrayList<>();
    private final Thread prober;
    private volatile boolean isOver;

    Pods(Times times, Pod.Place place, PodAddress ports, Consumer<String> findings) {
        this.times = times;
        this.place = place;
        this.ports = ports;
        this.findings = findings;
        publish(null);
        this.prober = Thread.ofVirtual().name("probes").start(this::probe);
    }

    private void probe() {
        while (!isOver) {
            List<Thread> probes = new ArrayList<>();
            all.stream().filter(Pod::isAlive).forEach(pod -> probes.add(Thread.ofVirtual().start(pod::probe)));
            probes.forEach(each -> {
                try {
                    each.join();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            Pause.millis(PROBE_MILLIS);
        }
    }

    // ------------------------------------------------------------------ pods

    Pod create(String name, int machine) {
        int number = all.size() + 1;
        if (number > ADDRESSES_MAX) {
            throw new ChaosException("there are addresses for " + ADDRESSES_MAX + " pods");
        }
        PodAddress address = ports.at("127.78." + number / 256 + "." + number % 256);
        publish(address.node());
        Pod pod = new Pod(name, address, machine, place, findings);
        all.add(pod);
        return pod;
    }

    /** Ends a pod as Kubernetes does; completes with the end of its process. */
    CompletableFuture<Pod> terminate(Pod pod) {
        pod.onTerminating();
        CompletableFuture<Pod> ended = new CompletableFuture<>();
        Thread.ofVirtual().name("end of " + pod.name()).start(() -> {
            Pause.millis(times.pause().toMillis());
            ends.add(pod.end(times.grace().minus(times.pause())));
            publish(null);
            ended.complete(pod);
        });
        return ended;
    }

    /** Writes the addresses of pods that exist, also of those that are not ready or about to end, and one that will. */
    private synchronized void publish(@Nullable String next) {
        List<String> addresses = new ArrayList<>();
        all.stream().filter(Pod::isAlive).forEach(pod -> addresses.add(pod.address().node()));
        if (next != null) {
            addresses.add(next);
        }
        try {
            place.peers().write(addresses);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns all pods of the run. */
    List<Pod> all() {
        return all;
    }

    /** Returns the pods that are not about to end, by age. */
    List<Pod> present() {
        return all.stream().filter(pod -> !pod.isTerminating()).toList();
    }

    long ready() {
        return all.stream().filter(Pod::isReady).count();
    }

    List<Duration> ends() {
        return ends;
    }

    // ------------------------------------------------------------------ Service and waiting

    /** Returns the address of a pod for a new connection, as the proxies of the Service know it at this time. */
    @Nullable InetSocketAddress endpoint() {
        long knownNanos = System.nanoTime() - times.propagation().toNanos();
        List<Pod> known = all.stream()
                .filter(pod -> pod.readyNanos() != 0 && pod.readyNanos() - knownNanos <= 0)
                .filter(pod -> pod.terminatedNanos() == 0 || pod.terminatedNanos() - knownNanos > 0)
                .toList();
        if (known.isEmpty()) {
            return null;
        }
        PodAddress address = known.get(ThreadLocalRandom.current().nextInt(known.size())).address();
        return new InetSocketAddress(address.host(), address.httpPort());
    }

    /** Waits until pods have been ready for long enough. */
    void awaitReady(List<Pod> pods) {
        await("ready: " + pods.stream().map(Pod::name).toList(), times.startMax(),
                () -> pods.stream().allMatch(pod -> pod.isReady() && pod.readySince().compareTo(times.minReady()) >= 0));
    }

    void await(String what, Duration max, BooleanSupplier condition) {
        long endNanos = System.nanoTime() + max.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - endNanos > 0) {
                throw new ChaosException("after " + max.toSeconds() + " s there is not what is awaited: " + what);
            }
            Pause.millis(LOOK_MILLIS);
        }
    }

    @Override
    public void close() {
        isOver = true;
        all.stream().filter(Pod::isAlive).forEach(Pod::kill);
        try {
            prober.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
