package dev.tutti.demo;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The processes of the shop: starts, kills and watches them. They announce themselves to the balancer. Thread-safe. */
final class DemoCluster implements AutoCloseable {

    enum State { DOWN, STARTING, UP }

    /**
     * Observed state of a node.
     *
     * @param uri address that it serves at; null unless it is up
     * @param status last status that it reported; null if it has reported none since it started
     */
    record Seen(String name, State state, long pid, @Nullable URI uri, @Nullable NodeStatus status) {}

    /**
     * The kill of a node.
     *
     * @param killedNanos time just before the kill
     * @param removedNanos time from which on no request could go to the node
     */
    record Kill(String node, long killedNanos, long removedNanos) {}

    private static final class Slot {
        final String name;
        final int port;
        final AtomicBoolean isAsked = new AtomicBoolean();
        volatile State state = State.DOWN;
        volatile boolean isKilled;
        volatile @Nullable NodeProcess process;
        volatile @Nullable URI uri;
        volatile @Nullable NodeStatus status;

        Slot(String name, int port) {
            this.name = name;
            this.port = port;
        }
    }

    static final int NODES_MAX = 8;

    /** Exit status of a process that Ctrl-C has ended. */
    private static final int INTERRUPTED = 130;

    private static final int ASK_MILLIS = 300;
    private static final int AWAIT_MILLIS = 10;

    /** Failures of processes on loopback are seen within milliseconds; the rest is for machines that are busy. */
    private static final Duration GONE_MAX = Duration.ofSeconds(20);

    private final Map<String, Slot> slots = new LinkedHashMap<>();
    private final List<String> seeds = new ArrayList<>();
    private final Path directory;
    private final Front front;
    private final Journal journal;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(1)).build();
    private final ScheduledExecutorService asking = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("status").factory());
    private volatile boolean isClosing;
    private String lastView = "";

    DemoCluster(int size, Path directory, Front front, Journal journal) throws IOException {
        this.directory = directory;
        this.front = front;
        this.journal = journal;
        for (int port : freePorts(size)) {
            String name = "node" + (slots.size() + 1);
            slots.put(name, new Slot(name, port));
            seeds.add("127.0.0.1:" + port);
        }
        seeds.add(front.seed());
        asking.scheduleWithFixedDelay(this::askAll, ASK_MILLIS, ASK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * Returns ports that are free now, below those that systems give to outgoing connections, so that a restarted node
     * finds its own still free. The search begins at a random port, so that two demos rarely collide.
     */
    private static List<Integer> freePorts(int count) throws IOException {
        List<Integer> ports = new ArrayList<>();
        int port = ThreadLocalRandom.current().nextInt(20_000, 30_000);
        for (int tries = 0; ports.size() < count && tries < 1_000; tries++, port++) {
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                ports.add(socket.getLocalPort());
            } catch (BindException e) {
                // In use: try the next one.
                continue;
            }
        }
        if (ports.size() < count) {
            throw new IOException("there are no " + count + " free ports on loopback from " + (port - 1_000) + " on");
        }
        return ports;
    }

    List<String> names() {
        return List.copyOf(slots.keySet());
    }

    Path log(String name) {
        return directory.resolve(slot(name).name + ".log");
    }

    Seen seen(String name) {
        Slot slot = slot(name);
        NodeProcess process = slot.process;
        return new Seen(name, slot.state, process == null ? 0 : process.pid(), slot.uri, slot.status);
    }

    List<Seen> seen() {
        return names().stream().map(this::seen).toList();
    }

    private Slot slot(String name) {
        Slot slot = slots.get(name);
        if (slot == null) {
            throw new IllegalArgumentException("there is no node '" + name + "'; there are " + String.join(", ", names()));
        }
        return slot;
    }

    /** Starts a node that is down; completes when it serves. */
    synchronized CompletableFuture<URI> start(String name) {
        Slot slot = slot(name);
        if (isClosing || slot.state != State.DOWN) {
            return CompletableFuture.failedFuture(new IllegalStateException(name + " is not down"));
        }
        try {
            NodeProcess process =
                    NodeProcess.start(name, slot.port, seeds, directory.resolve(name), log(name));
            slot.process = process;
            slot.isKilled = false;
            slot.state = State.STARTING;
            slot.status = null;
            process.ended().thenAccept(ended -> onEnded(slot, process, ended.exitValue()));
            return process.ready().thenApply(uri -> {
                onReady(slot, process, uri);
                return uri;
            });
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private synchronized void onReady(Slot slot, NodeProcess process, URI uri) {
        if (slot.process == process && process.isAlive()) {
            slot.uri = uri;
            slot.state = State.UP;
            journal.say(slot.name + " serves (process " + process.pid() + ")");
        }
    }

    private synchronized void onEnded(Slot slot, NodeProcess process, int status) {
        if (slot.process != process) {
            return;
        }
        remove(slot);
        if (!isClosing && !slot.isKilled && status != INTERRUPTED) {
            journal.say(slot.name + " ended by itself with status " + status + "; its log is " + log(slot.name));
        }
    }

    private void remove(Slot slot) {
        slot.process = null;
        slot.uri = null;
        slot.status = null;
        slot.state = State.DOWN;
    }

    /**
     * Kills a node as {@code kill -9} does. On return, the balancer has a view without it and sends it no more requests.
     *
     * @return null if it was down already
     * @throws TimeoutException if the balancer still has it after some seconds
     */
    @Nullable Kill kill(String name) throws InterruptedException, TimeoutException {
        Slot slot = slot(name);
        NodeProcess process = slot.process;
        if (process == null) {
            return null;
        }
        slot.isKilled = true;
        journal.say("kill -9 " + name + " (process " + process.pid() + ")");
        long killedNanos = System.nanoTime();
        process.kill();
        synchronized (this) {
            if (slot.process == process) {
                remove(slot);
            }
        }
        await("view without " + name + " at the balancer", GONE_MAX, () -> !front.nodes().contains(name));
        return new Kill(name, killedNanos, System.nanoTime());
    }

    private void askAll() {
        for (Slot slot : slots.values()) {
            URI uri = slot.uri;
            if (uri != null && slot.isAsked.compareAndSet(false, true)) {
                HttpRequest request = HttpRequest.newBuilder(uri.resolve(ShopNode.STATUS_PATH))
                        .timeout(Duration.ofSeconds(2))
                        .build();
                client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).whenComplete((response, failure) -> {
                    slot.isAsked.set(false);
                    if (failure == null && response.statusCode() == 200 && uri.equals(slot.uri)) {
                        onStatus(slot, NodeStatus.parse(response.body()));
                    }
                });
            }
        }
    }

    private synchronized void onStatus(Slot slot, NodeStatus status) {
        slot.status = status;
        String view = String.join(", ", status.members());
        boolean isShared = !view.isEmpty();
        for (Slot other : slots.values()) {
            NodeStatus said = other.status;
            isShared &= other.state != State.UP || (said != null && said.members().equals(status.members()));
        }
        if (isShared && !view.equals(lastView)) {
            lastView = view;
            journal.say("view " + status.view() + ": " + view + "; coordinator " + status.coordinator());
        }
    }

    /** Returns whether all of {@code names} report that they are in one view of just them, and the balancer has just them. */
    boolean isView(List<String> names) {
        if (!front.nodes().equals(names.stream().sorted().toList())) {
            return false;
        }
        for (String name : names) {
            NodeStatus status = seen(name).status();
            List<String> members = status == null ? List.of() : status.members();
            if (members.size() != names.size() || !members.containsAll(names)) {
                return false;
            }
        }
        return true;
    }

    /** Waits until {@link #isView} holds. */
    void awaitView(List<String> names, Duration limit) throws InterruptedException, TimeoutException {
        await("view of " + String.join(", ", names) + " alone", limit, () -> isView(names));
    }

    /**
     * Waits until a condition holds.
     *
     * @param what description of the condition, for people
     * @throws TimeoutException if it does not hold within {@code limit}
     */
    void await(String what, Duration limit, BooleanSupplier condition) throws InterruptedException, TimeoutException {
        long deadlineNanos = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadlineNanos > 0) {
                throw new TimeoutException("no " + what + " within " + limit.toSeconds() + " s");
            }
            Thread.sleep(AWAIT_MILLIS);
        }
    }

    /** Stops all nodes gracefully, within some seconds. */
    void stop() {
        isClosing = true;
        asking.shutdownNow();
        List<NodeProcess> open = new ArrayList<>();
        for (Slot slot : slots.values()) {
            NodeProcess process = slot.process;
            if (process != null) {
                open.add(process);
            }
        }
        open.forEach(NodeProcess::stop);
        open.forEach(NodeProcess::close);
    }

    @Override
    public void close() {
        stop();
        client.close();
    }
}
