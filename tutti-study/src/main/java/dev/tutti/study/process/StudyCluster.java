package dev.tutti.study.process;

import dev.tutti.study.balancer.StudyBalancer;
import dev.tutti.study.node.StudyNode;
import dev.tutti.study.setup.Configuration;
import dev.tutti.study.setup.NodeSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The processes of one configuration: nodes, and a balancer before them if it has a database. */
public final class StudyCluster implements AutoCloseable {

    /** Time in which Tomcat's own managers, which have no status, find each other. */
    private static final int SETTLE_MILLIS = 1_000;

    private final List<Child> nodes = new ArrayList<>();
    private final List<URI> nodeAddresses = new ArrayList<>();
    private final @Nullable Child balancer;
    private final @Nullable DatabaseServer database;
    private final URI address;
    private final boolean isStartedByTurns;

    /**
     * Makes the processes; {@link #start} starts them.
     *
     * @param database null if there is none; then there is no balancer either, and clients choose nodes themselves
     * @param stateBytes least size of a session's value
     */
    public StudyCluster(
            Configuration configuration, int size, @Nullable DatabaseServer database, Path directory, int stateBytes) {
        this.database = database;
        isStartedByTurns = configuration.keeping().isStartedByTurns();
        List<Integer> ports = Ports.free(2 * size + 2);
        int port = ports.get(2 * size);
        int balancerPort = ports.get(2 * size + 1);
        boolean isAnnounced = configuration.keeping().isOfTutti() && database != null;
        List<Integer> nodePorts = ports.subList(size, 2 * size);
        List<String> routes = new ArrayList<>();
        for (int index = 0; index < size; index++) {
            NodeSettings settings = new NodeSettings(
                    configuration,
                    index,
                    ports.get(index),
                    nodePorts,
                    isAnnounced ? balancerPort : 0,
                    database == null ? "" : database.url(),
                    stateBytes);
            List<String> arguments = new ArrayList<>(List.of(directory.resolve(settings.name()).toString()));
            arguments.addAll(settings.arguments());
            nodes.add(Child.java(
                    settings.name(), "-Xmx256m", StudyNode.class, arguments, directory.resolve(settings.name() + ".log")));
            URI node = URI.create("http://127.0.0.1:" + settings.httpPort());
            nodeAddresses.add(node.resolve(StudyNode.PATH));
            routes.add(settings.name() + "=" + node);
        }
        List<String> arguments = new ArrayList<>(List.of(
                Integer.toString(port),
                Integer.toString(balancerPort),
                configuration.isSticky() ? "sticky" : "free"));
        arguments.addAll(isAnnounced ? nodePorts.stream().map(each -> "127.0.0.1:" + each).toList() : routes);
        balancer = database == null
                ? null
                : Child.java("balancer", "-Xmx128m", StudyBalancer.class, arguments, directory.resolve("balancer.log"));
        address = URI.create("http://127.0.0.1:" + port + StudyNode.PATH);
    }

    /** Starts all processes and waits until they serve. */
    public void start() {
        Child before = balancer;
        if (before != null) {
            before.start();
        }
        for (Child node : nodes) {
            node.start();
            if (isStartedByTurns) {
                node.awaitReady();
            }
        }
        nodes.forEach(Child::awaitReady);
        if (before != null) {
            before.awaitReady();
        }
        Pause.millis(SETTLE_MILLIS);
    }

    /** Returns the nodes, by their index. */
    public List<Child> nodes() {
        return nodes;
    }

    /** Returns the balancer. */
    public Child balancer() {
        Child present = balancer;
        if (present == null) {
            throw new IllegalStateException("there is no balancer");
        }
        return present;
    }

    /** Returns the application's address at the balancer. */
    public URI address() {
        return address;
    }

    /** Returns the application's addresses at the nodes. */
    public List<URI> nodeAddresses() {
        return nodeAddresses;
    }

    /** Returns the CPU seconds that each kind of process has used. */
    public Map<String, Double> cpuSeconds() {
        Map<String, Double> seconds = new LinkedHashMap<>();
        seconds.put("nodes", nodes.stream().mapToDouble(Child::cpuSeconds).sum());
        Child before = balancer;
        if (before != null) {
            seconds.put("balancer", before.cpuSeconds());
        }
        DatabaseServer below = database;
        if (below != null) {
            seconds.put("database", below.cpuSeconds());
        }
        seconds.put("clients", Cpu.ownSeconds());
        return seconds;
    }

    @Override
    public void close() {
        Child before = balancer;
        if (before != null) {
            before.close();
        }
        nodes.forEach(Child::close);
    }
}
