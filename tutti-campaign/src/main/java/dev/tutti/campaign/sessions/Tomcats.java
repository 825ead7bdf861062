package dev.tutti.campaign.sessions;

import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Pause;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/** Several Tomcats that replicate their sessions in one way, and their clients. */
final class Tomcats implements AutoCloseable {

    private static final Duration ASK_MAX = Duration.ofSeconds(2);
    private static final int OK = 200;

    /** Time in which Tomcat's own managers, which have no status page, find each other. */
    private static final int UNKNOWN_MILLIS = 2_000;

    private final Replication replication;
    private final List<TomcatProcess> nodes = new ArrayList<>();
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();
    private final Thread ender = new Thread(this::endProcesses);

    /**
     * @param places one for each node
     * @param directory for the files of the nodes
     */
    Tomcats(Distribution distribution, Replication replication, List<Place> places, Path directory, List<String> options) {
        this.replication = replication;
        for (int node = 0; node < places.size(); node++) {
            Path base = directory.resolve(replication + "-" + (node + 1));
            distribution.makeBase(base, replication, node, places);
            nodes.add(new TomcatProcess(node, distribution.home(), base, places.get(node), options));
        }
        // Ends the processes also after an interrupt.
        Runtime.getRuntime().addShutdownHook(ender);
    }

    List<TomcatProcess> nodes() {
        return nodes;
    }

    /** Returns whether two nodes are in one zone, so that no session may be lost with both. */
    boolean isOneZone(TomcatProcess one, TomcatProcess other) {
        return replication.isOneZone(nodes.indexOf(one), nodes.indexOf(other));
    }

    /** Returns the CPU time that the processes of all nodes have used since they started, in seconds. */
    double cpuSeconds() {
        return nodes.stream().mapToDouble(TomcatProcess::cpuSeconds).sum();
    }

    /** Starts all of them, one after the other, each when the one before has all sessions. */
    void start() {
        for (TomcatProcess node : nodes) {
            startAgain(node);
        }
    }

    /** Starts one and waits until it serves and, as the page says, its state is complete. */
    void startAgain(TomcatProcess node) {
        node.start();
        node.awaitReady(() -> isServing(node));
        awaitState(node);
    }

    void awaitState(TomcatProcess node) {
        if (replication.isTutti()) {
            node.awaitReady(() -> ask(node, "do=status").contains("state-complete: true"));
        } else {
            Pause.millis(UNKNOWN_MILLIS);
        }
    }

    /** Waits until a node sees all nodes that run. */
    void awaitAllMembers(TomcatProcess node) {
        if (replication.isTutti()) {
            int count = (int) nodes.stream().filter(TomcatProcess::isRunning).count();
            node.awaitReady(() -> membersOf(ask(node, "do=status")) == count);
            awaitState(node);
        } else {
            Pause.millis(UNKNOWN_MILLIS);
        }
    }

    /** Returns a value of a node's status by its name; empty if there is none. */
    String statusOf(TomcatProcess node, String name) {
        for (String line : ask(node, "do=status").split("\n")) {
            if (line.startsWith(name + ": ")) {
                return line.substring(name.length() + 2);
            }
        }
        return "";
    }

    private static int membersOf(String status) {
        for (String line : status.split("\n")) {
            if (line.startsWith("members: [")) {
                return line.split(",").length;
            }
        }
        return 0;
    }

    boolean isServing(TomcatProcess node) {
        return ask(node, "do=ping").equals("pong\n");
    }

    /** Returns a page of a node; empty if it does not answer. */
    private String ask(TomcatProcess node, String query) {
        try {
            HttpResponse<String> response = http.send(
                    HttpRequest.newBuilder(node.page(query)).timeout(ASK_MAX).build(), HttpResponse.BodyHandlers.ofString());
            return response.statusCode() == OK ? response.body() : "";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChaosException("interrupted", e);
        }
    }

    /** Returns new clients; with {@code BOTH} every other one is sticky. */
    List<Client> clients(int count, Balancing balancing, Tally tally) {
        List<Client> clients = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            boolean isSticky = balancing == Balancing.STICKY || balancing == Balancing.BOTH && number % 2 == 0;
            clients.add(new Client(number, http, nodes, tally, isSticky));
        }
        return clients;
    }

    /** Distribution of a session's requests over the nodes. */
    enum Balancing { STICKY, ANY, BOTH }

    /** An operation of a client. */
    interface Action {
        void by(Client client);
    }

    /** Performs an operation for all clients concurrently, and waits for them. */
    static void all(List<Client> clients, Action action) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            await(clients.stream().map(client -> threads.<Object>submit(() -> {
                action.by(client);
                return client;
            })).toList());
        }
    }

    private static void await(List<Future<Object>> futures) {
        for (Future<Object> future : futures) {
            try {
                future.get();
            } catch (ExecutionException e) {
                throw new ChaosException("a client has failed", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ChaosException("interrupted", e);
            }
        }
    }

    /** Lets clients write again and again, with a pause after each write, while {@code work} runs. */
    static void underLoad(List<Client> clients, long pauseMillis, Runnable work) {
        AtomicBoolean isOver = new AtomicBoolean();
        List<Future<Object>> running = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Client client : clients) {
                // Staggers the starts of the clients.
                long delayMillis = pauseMillis * running.size() / clients.size();
                running.add(threads.submit(() -> {
                    Pause.millis(delayMillis);
                    while (!isOver.get()) {
                        client.write();
                        Pause.millis(pauseMillis);
                    }
                    return client;
                }));
            }
            try {
                work.run();
            } finally {
                isOver.set(true);
            }
            await(running);
        }
    }

    private void endProcesses() {
        nodes.forEach(TomcatProcess::close);
    }

    @Override
    public void close() {
        endProcesses();
        http.shutdownNow();
        Runtime.getRuntime().removeShutdownHook(ender);
    }
}
