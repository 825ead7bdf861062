package dev.tutti;

import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.DatagramDriver;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.StreamDriver;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Diagnostics;
import dev.tutti.internal.DiagnosticsDirectory;
import dev.tutti.internal.Host;
import dev.tutti.protocols.datagram.DatagramNode;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeMachine;
import dev.tutti.protocols.node.NodeSettings;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One process's endpoint: its address, links, failure detection and loop, shared by any number of groups.
 *
 * <p>All methods may be called from any thread. A process usually has one node.
 */
public final class Node implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Node.class);

    /** How long a look at the loop may take before it is given up. */
    private static final long STATUS_SECONDS_MAX = 2;

    private final NodeId id;
    private final NodeSpec spec;
    private final Host host;
    private final Driver driver;
    private final NodeMachine machine;

    /** What stands between the machine and its driver, on datagrams. */
    private final @Nullable DatagramNode datagramNode;

    private final int packetBytesMax;
    private final Map<String, Group> groups = new ConcurrentSkipListMap<>();
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private final @Nullable Diagnostics diagnostics;

    Node(NodeSpec spec, Host host) {
        this.spec = spec;
        this.host = host;
        this.driver = host.driver();
        String address = driver.address();
        String name = spec.node().get(NodeSettings.NAME);
        this.id = new NodeId(host.incarnation(), name.isEmpty() ? address : name, address);
        this.machine = new NodeMachine(id, spec.node(), host.seed(), driver.memory(), host.events(id.name()));
        machine.useRecords(driver.records());
        switch (driver) {
            case StreamDriver streams -> {
                datagramNode = null;
                packetBytesMax = Packet.PAYLOAD_MAX;
                streams.start(machine);
            }
            case DatagramDriver datagrams -> {
                DatagramNode.Limits limits = DatagramNode.Limits.of(
                        spec.node(),
                        datagrams.datagramBytesMax(),
                        datagrams.receiveBufferBytes(),
                        datagrams.isMulticast());
                if (!datagrams.isSummed()) {
                    limits = limits.withoutChecksums();
                }
                SecureRandom random = new SecureRandom();
                DatagramNode socket =
                        new DatagramNode(machine, limits, random.nextLong(), random.nextLong(), driver.memory());
                datagramNode = socket;
                packetBytesMax = limits.payloadBytesMax();
                datagrams.start(socket);
            }
        }
        LOG.info("node {} listens on {} {}", id.name(), address, driver.description());
        this.diagnostics = spec.node().get(ApiSettings.DIAGNOSTICS) ? openDiagnostics() : null;
    }

    /** A node that can't be asked is a node all the same. */
    private @Nullable Diagnostics openDiagnostics() {
        int port = Integer.parseInt(address().substring(address().lastIndexOf(':') + 1));
        try {
            return Diagnostics.open(DiagnosticsDirectory.ofUser(), port, this::status);
        } catch (IOException e) {
            LOG.warn("node {} can't be asked by 'tutti view': {}", name(), e.getMessage());
            return null;
        }
    }

    /** A node that listens on TCP {@code port}; 0 takes any free one. */
    public static NodeBuilder tcp(int port) {
        return new NodeBuilder(defaults()).set(TransportSettings.BIND_PORT, port);
    }

    /**
     * A node on UDP {@code port}; 0 takes any free one. There is no encryption on UDP: any address but loopback needs
     * {@link NodeBuilder#insecure}.
     */
    public static NodeBuilder udp(int port) {
        return tcp(port).set(TransportSettings.PROTOCOL, TransportSettings.Protocol.UDP);
    }

    /** A node as {@code spec} says, which usually comes from a file. */
    public static NodeBuilder of(NodeSpec spec) {
        return new NodeBuilder(spec);
    }

    /** All settings of nodes and groups, with their defaults. */
    public static NodeSpec defaults() {
        return ApiSettings.defaults();
    }

    public NodeId id() {
        return id;
    }

    public String name() {
        return id.name();
    }

    /** Where others dial it, {@code host:port}. */
    public String address() {
        return id.address();
    }

    /** The settings in force. */
    public NodeSpec spec() {
        return spec;
    }

    /** Payload up to which messages share a packet. */
    int packetBytesMax() {
        return packetBytesMax;
    }

    /** A group to be joined. Any number of groups may be joined; one group once. */
    public GroupBuilder group(String name) {
        if (name.isEmpty() || name.length() > GROUP_NAME_MAX) {
            throw new IllegalArgumentException(
                    "a group's name has 1 to " + GROUP_NAME_MAX + " characters, not " + name.length());
        }
        return new GroupBuilder(this, name, spec.group(name));
    }

    /** The groups that are joined, by name. */
    public List<Group> groups() {
        return new ArrayList<>(groups.values());
    }

    CompletableFuture<Group> join(GroupBuilder builder) {
        Settings settings = builder.settings();
        GroupSettings.check(builder.name(), settings, spec.node());
        Group group = new Group(this, builder, settings, host, machine);
        if (isClosed.get()) {
            return CompletableFuture.failedFuture(new IllegalStateException("node " + name() + " is closed"));
        }
        if (groups.putIfAbsent(builder.name(), group) != null) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException("node " + name() + " has joined group " + builder.name() + " already"));
        }
        try {
            return group.join(settings);
        } catch (RejectedExecutionException e) {
            groups.remove(builder.name(), group);
            return CompletableFuture.failedFuture(new IllegalStateException("node " + name() + " is closed", e));
        }
    }

    /** Threads and time of where this node runs, for components that are to run in simulations too. */
    public Threads threads() {
        return host;
    }

    Host host() {
        return host;
    }

    void forget(Group group) {
        groups.remove(group.name(), group);
    }

    /**
     * State and counters now: nested maps whose values are numbers, texts, lists and maps; in the order to show them.
     * Keys: {@code node}, {@code links}, {@code groups} and more.
     *
     * @throws IllegalStateException if the loop does not answer within two seconds, or has ended
     */
    public Map<String, Object> status() {
        CompletableFuture<Map<String, Object>> answer = new CompletableFuture<>();
        try {
            driver.execute(now -> {
                MapReport report = new MapReport();
                machine.report(report);
                if (datagramNode != null) {
                    datagramNode.report(report);
                }
                answer.complete(report.values());
            });
            Map<String, Object> status = new LinkedHashMap<>();
            status.put("transport", new LinkedHashMap<String, Object>(driver.description()));
            status.putAll(host.get(answer, STATUS_SECONDS_MAX, TimeUnit.SECONDS));
            Map<String, Object> delivery = new LinkedHashMap<>();
            for (Group group : groups.values()) {
                Map<String, Object> own = new LinkedHashMap<>(group.status());
                own.put("send-waits-for", group.waitsFor());
                delivery.put(group.name(), own);
            }
            status.put("delivery", delivery);
            status.put("driver", new LinkedHashMap<String, Object>(driver.counters()));
            return status;
        } catch (RejectedExecutionException e) {
            throw new IllegalStateException("node " + name() + " is closed", e);
        } catch (TimeoutException | ExecutionException e) {
            throw new IllegalStateException("the loop of node " + name() + " does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Leaves all groups and closes, within {@code leave-timeout}. Idempotent. */
    @Override
    public void close() {
        if (!isClosed.compareAndSet(false, true)) {
            return;
        }
        if (diagnostics != null) {
            diagnostics.close();
        }
        List<Group> open = groups();
        open.forEach(Group::leave);
        open.forEach(Group::awaitLeft);
        try {
            driver.execute(machine::stop);
            awaitQuiet();
        } catch (RejectedExecutionException e) {
            LOG.debug("node {}: the loop has ended already", name());
        }
        driver.close();
        open.forEach(group -> group.close("node " + name() + " is closed"));
    }

    /** On datagrams the goodbyes are repeated until they have arrived, which the driver knows nothing of. */
    private void awaitQuiet() {
        DatagramNode socket = datagramNode;
        if (socket == null) {
            return;
        }
        CompletableFuture<Void> quiet = new CompletableFuture<>();
        driver.execute(now -> socket.whenQuiet(() -> quiet.complete(null)));
        try {
            host.get(quiet, QUIET_MILLIS_MAX, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.debug("node {}: not every node has confirmed the goodbye", name());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return "node " + id.name() + " at " + id.address();
    }

    private static final int GROUP_NAME_MAX = 255;
    private static final long QUIET_MILLIS_MAX = 500;
}
