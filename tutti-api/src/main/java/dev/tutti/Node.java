package dev.tutti;

import dev.tutti.core.NodeId;
import dev.tutti.core.Printable;
import dev.tutti.core.admission.AdmissionRule;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.driver.DatagramDriver;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.Socket;
import dev.tutti.core.driver.StreamDriver;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.internal.Logs;
import dev.tutti.internal.admission.RuleRunner;
import dev.tutti.internal.delivery.SharedSpares;
import dev.tutti.internal.diagnostics.Diagnostics;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory;
import dev.tutti.internal.diagnostics.EventJournal;
import dev.tutti.internal.diagnostics.Watch;
import dev.tutti.internal.discovery.SourceReader;
import dev.tutti.internal.discovery.SourceReaders;
import dev.tutti.internal.group.LocalMember;
import dev.tutti.internal.inspection.InspectionBuilder;
import dev.tutti.internal.inspection.MapReport;
import dev.tutti.internal.inspection.Metrics;
import dev.tutti.internal.settings.ApiSettings;
import dev.tutti.internal.settings.MessageBytes;
import dev.tutti.protocols.datagram.DatagramLimits;
import dev.tutti.protocols.datagram.DatagramNode;
import dev.tutti.protocols.datagram.DatagramSecrets;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeMachine;
import dev.tutti.protocols.packing.PacketSizes;
import dev.tutti.protocols.packing.SpareArrays;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * One process's endpoint: its address, links, failure detection and loop, shared by any number of groups.
 *
 * <p>All methods may be called from any thread. A process usually has one node.
 */
public final class Node implements AutoCloseable {

    private static final Logger LOG = Logs.of(Node.class);

    /** Longest time to wait for a look at the loop. */
    private static final long STATUS_SECONDS_MAX = 2;

    private final NodeId id;
    private final NodeSpec spec;
    private final Host host;
    private final Driver driver;
    private final NodeMachine machine;

    /** Layer between the machine and its driver, on datagrams. */
    private final @Nullable DatagramNode datagramNode;

    private final PacketSizes packetSizes;
    private final SpareArrays spares = new SharedSpares();
    private final long startNanos;
    private final EventJournal journal;
    private final Components components;
    private final Operations operations;
    private final Map<String, String> settingTexts;
    private final Map<String, Function<String, ? extends Map<String, ?>>> answers = new ConcurrentSkipListMap<>();
    private final Map<String, Group> groups = new ConcurrentSkipListMap<>();
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private final @Nullable Diagnostics diagnostics;
    private final Watch watch;
    private final SourceReaders sourceReaders;
    private final RuleRunner admission;
    private final Subscription looks;

    /** Internal error because of which the node has stopped. */
    private volatile @Nullable IllegalStateException failure;

    private static String name(Settings settings, Driver driver) {
        String name = settings.get(TransportSettings.NAME);
        if (name.isEmpty()) {
            name = driver.name();
        }
        return name.isEmpty() ? driver.address() : name;
    }

    Node(NodeSpec spec, Host host, Map<String, DiscoverySource> sources, List<AdmissionRule> rules) {
        this.spec = spec;
        this.host = host;
        this.driver = host.driver();
        String address = driver.address();
        this.id = new NodeId(host.incarnation(), name(spec.node(), driver), address);
        this.settingTexts = InspectionBuilder.texts(spec.node());
        this.startNanos = host.nanoTime();
        this.journal = new EventJournal(host, host.events(id.name()));
        this.components = new Components(id.name(), host, journal, ApiSettings.shownContent(spec.node()), groups::containsKey);
        this.operations = new Operations(this, spec.node(), host, journal);
        this.machine = new NodeMachine(id, spec.node(), host.seed(), driver.memory(), journal::onEvent);
        machine.useStore(host.store());
        this.admission = new RuleRunner(spec.node(), rules, host, driver, machine.admission());
        machine.expectSources(List.copyOf(sources.keySet()));
        this.sourceReaders = new SourceReaders(
                sources,
                new NodeEntry(spec.node().get(TransportSettings.CLUSTER), id.name(), address),
                host,
                new SourceListener());
        driver.onFailure(this::fail);
        switch (driver) {
            case StreamDriver streams -> {
                datagramNode = null;
                packetSizes = PacketSizes.STREAM;
                streams.start(machine);
            }
            case DatagramDriver datagrams -> {
                DatagramLimits limits = DatagramLimits.of(
                        spec.node(),
                        datagrams.datagramBytesMax(),
                        datagrams.receiveBufferBytes(),
                        datagrams.isMulticast());
                if (datagrams.isSecure()) {
                    limits = limits.secured();
                } else if (!datagrams.isSummed()) {
                    limits = limits.withoutChecksums();
                }
                byte[] drawn = new byte[DatagramSecrets.BYTES];
                new SecureRandom().nextBytes(drawn);
                DatagramNode socket =
                        new DatagramNode(machine, limits, DatagramSecrets.of(drawn), driver.memory());
                datagramNode = socket;
                packetSizes = PacketSizes.ofDatagrams(limits.payloadBytesMax());
                datagrams.start(socket);
            }
        }
        LOG.info("node {} listens on {} {}", id.name(), address, driver.description());
        journal.on(Event.Kind.STARTED, "", "node " + id.name() + " listens on " + address, "", driver.description());
        this.watch = new Watch(
                name(), host, machine, journal, () -> groups.values().stream().map(group -> group.member().progress()).toList());
        this.looks = watch.start();
        admission.start();
        sourceReaders.start();
        answers.put("status", argument -> statusWithHealth());
        answers.put("inspection", argument -> inspection().document());
        answers.put("events", argument -> journal.since(argument).document());
        this.diagnostics = spec.node().get(ApiSettings.DIAGNOSTICS)
                ? Diagnostics.ofNode(DiagnosticsDirectory.ofUser(), id, answers)
                : null;
    }

    /** Passes on to the loop and to people what readers of sources find. */
    private final class SourceListener implements SourceReader.Node {

        @Override
        public @Nullable CompletableFuture<SourceReader.Answer> onListed(String source, List<String> addresses) {
            if (isClosed.get() || failure != null) {
                return null;
            }
            CompletableFuture<SourceReader.Answer> answer = new CompletableFuture<>();
            driver.execute(now -> answer.complete(
                    new SourceReader.Answer(machine.onListed(now, source, addresses), machine.met())));
            return answer;
        }

        @Override
        public void onTrouble(String source, String text, boolean isOver) {
            if (isOver) {
                LOG.info("node {}: {}", name(), text);
            } else {
                LOG.warn("node {}: {}", name(), text);
                host.onTrouble(text);
            }
            journal.on(Event.Kind.DISCOVERY, "", text, "", Map.of("source", source));
        }
    }

    /** Returns a builder of a node that listens on TCP {@code port}; 0 takes any free one. */
    public static NodeBuilder tcp(int port) {
        return new NodeBuilder(defaults()).set(TransportSettings.BIND_PORT, port);
    }

    /**
     * Returns a builder of a node on UDP {@code port}; 0 takes any free one. It also listens on the TCP port of the same number, on
     * which nothing is sent: the ends of connections tell other nodes if the process is killed.
     */
    public static NodeBuilder udp(int port) {
        return tcp(port).transport("udp");
    }

    /**
     * Returns a builder of a node that other nodes of this process reach, by memory instead of sockets: for tests, and for several nodes
     * in one process. Those of one cluster find each other without seeds.
     */
    public static NodeBuilder local() {
        return tcp(0).transport("local");
    }

    /** Returns a builder of a node with the settings of {@code spec}, which usually comes from a file. */
    public static NodeBuilder of(NodeSpec spec) {
        return new NodeBuilder(spec);
    }

    /** Returns all settings of nodes and groups, with their defaults. */
    public static NodeSpec defaults() {
        return ApiSettings.defaults();
    }

    public NodeId id() {
        return id;
    }

    public String name() {
        return id.name();
    }

    /** Returns the address at which others dial it, {@code host:port}. */
    public String address() {
        return id.address();
    }

    /** Returns the settings in force. */
    public NodeSpec spec() {
        return spec;
    }

    /** Returns the spare arrays for large messages to any group. */
    SpareArrays spares() {
        return spares;
    }

    /** Returns the payload up to which messages share a packet. */
    PacketSizes packetSizes() {
        return packetSizes;
    }

    /**
     * Returns a builder of a group to join. A node may join any number of groups, each of them once.
     *
     * @throws IllegalArgumentException if the name has not 1 to 255 characters, or one that can't be printed
     */
    public GroupBuilder group(String name) {
        if (name.isEmpty() || name.length() > GROUP_NAME_MAX) {
            throw new IllegalArgumentException(
                    "a group's name has 1 to " + GROUP_NAME_MAX + " characters, not " + name.length());
        }
        Printable.checkName("the name of a group", name);
        return new GroupBuilder(this, name, spec.group(name));
    }

    /** Returns the groups that are joined, by name. */
    public List<Group> groups() {
        return new ArrayList<>(groups.values());
    }

    CompletableFuture<Group> join(GroupBuilder builder) {
        GroupSettings.check(builder.name(), builder.settings(), spec.node());
        Settings settings = MessageBytes.withMax(builder.name(), builder.settings(), host.heapBytes());
        watch.onJoining(builder.name());
        Group group = new Group(this, builder, settings, host, machine);
        if (isClosed.get()) {
            return CompletableFuture.failedFuture(new IllegalStateException("node " + name() + " is closed"));
        }
        if (groups.putIfAbsent(builder.name(), group) != null) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException("node " + name() + " has joined group " + builder.name() + " already"));
        }
        try {
            return group.member().join();
        } catch (RejectedExecutionException e) {
            groups.remove(builder.name(), group);
            return CompletableFuture.failedFuture(new IllegalStateException("node " + name() + " is closed", e));
        }
    }

    /** Returns the threads and time of the node's environment, for components that run in simulations, too. */
    public Threads threads() {
        return host;
    }

    /**
     * Starts a further node in the process of this one, as {@link NodeBuilder#start} does and throws; in virtual time if this one
     * runs there. The nodes share nothing but the process: each is closed by itself.
     */
    public Node startBeside(NodeBuilder builder) {
        return host.startNode(builder);
    }

    Host host() {
        return host;
    }

    /**
     * Throws if the current thread must not wait for the loop or for deliveries: it is in a listener of an inline group, or in one
     * of events.
     */
    void checkMayWait(String what) {
        Thread current = Thread.currentThread();
        for (Group group : groups.values()) {
            if (group.member().isInline(current)) {
                throw new IllegalStateException(what + " waits for the loop of node " + name() + ", and was called by a listener of"
                        + " the inline group " + group.name() + ", which runs on it: call it on another thread");
            }
        }
        if (journal.isTelling(current)) {
            throw new IllegalStateException(what + " waits for the loop of node " + name() + ", and was called by a listener of"
                    + " events, which may run on it: call it on another thread");
        }
    }

    /** Ends the node because its loop has ended by an internal error. On the loop's thread; never waits. */
    private void fail(Throwable cause) {
        String text = "node " + name() + " has stopped because of an internal error: " + cause;
        IllegalStateException ended = new IllegalStateException(text, cause);
        failure = ended;
        // If reporting fails for lack of memory, no thread may keep waiting all the same.
        Fence fence = new Fence(host, (callback, argument, thrown) -> {});
        fence.call("report", () -> {
            LOG.error("{}", text, cause);
            journal.on(Event.Kind.FAILED, "", text, "", Map.of());
            host.onTrouble(text);
        });
        groups().forEach(group -> group.member().lose(ended));
    }

    /** Notes that a group has ended that the application did not leave. */
    void onLost(String group, String reason) {
        if (!isClosed.get()) {
            watch.onLost(group, reason);
        }
    }

    void forget(Group group) {
        groups.remove(group.name(), group);
        journal.forget(group.name());
        components.forget(group.name());
    }

    // ------------------------------------------------------------------ what can be known

    /** Returns the definitions of every number that nodes, links, groups and drivers count, with unit and meaning. */
    public static List<Metric> metrics() {
        return Metrics.all();
    }

    /**
     * Returns the node's complete present state. Costs the loop one turn of some ten microseconds, and more with
     * hundreds of links; nothing else stops.
     *
     * @throws IllegalStateException if the loop does not answer within two seconds, or has ended
     */
    public NodeInspection inspection() {
        InspectionBuilder.Section root = new InspectionBuilder.Section("");
        List<Socket> sockets = new ArrayList<>();
        long nanoTime = onLoop(() -> {
            machine.report(root);
            if (datagramNode != null) {
                datagramNode.report(root);
            }
            sockets.addAll(driver.sockets());
            return host.nanoTime();
        });
        InspectionBuilder.Section process = new InspectionBuilder.Section("process");
        List<Thread> running = host.platformThreads();
        process.put("uptime-millis", (nanoTime - startNanos) / 1_000_000);
        host.reportProcess(process);
        process.put("threads", running.size());
        List<NodeInspection.Part> parts =
                new ArrayList<>(InspectionBuilder.parts(root, driver.counters(), process, settingTexts));
        long lastEvent = journal.last();
        parts.add(new NodeInspection.Part("events", Map.of(), Map.of("written", lastEvent, "listener-failures", journal.listenerFailures()), Map.of()));
        List<Problem> problems = watch.problems();
        parts.add(sourceReaders.part());
        parts.add(admission.part());
        List<NodeInspection.ComponentPart> componentParts = components.parts();
        parts.add(components.part());
        parts.add(operations.part());
        parts.addAll(components.attributes());
        parts.add(new NodeInspection.Part("health", Map.of(), Map.of("problems", (long) problems.size()), Map.of()));
        List<NodeInspection.GroupPart> groupParts = InspectionBuilder.groups(
                root, groups.values().stream().map(group -> group.member().inspected()).toList());
        String version = Node.class.getPackage().getImplementationVersion();
        return new NodeInspection(
                Instant.ofEpochMilli(host.epochMillis()),
                nanoTime,
                id,
                spec.node().get(TransportSettings.CLUSTER),
                root.text("node", "state"),
                version == null ? "" : version,
                ProcessHandle.current().pid(),
                Duration.ofNanos(nanoTime - startNanos),
                driver.description(),
                settingTexts,
                parts,
                componentParts,
                groupParts,
                InspectionBuilder.links(root, sockets, groupParts),
                InspectionBuilder.threads(running),
                lastEvent,
                problems);
    }

    /** Returns whether this node works, and can do its part. Also works for a node that has ended or hangs. */
    public Health health() {
        try {
            return Health.of(inspection());
        } catch (IllegalStateException e) {
            return Health.ofSilent(String.valueOf(e.getMessage()), watch.problems());
        }
    }

    /**
     * Returns the events after number {@code number}, as far as they are kept: the last thousand events are. To follow,
     * ask again for the events after {@link Events#last}.
     *
     * @param number 0 for all
     */
    public Events events(long number) {
        return journal.since(number);
    }

    /**
     * Calls {@code listener} for each event from now on, until the returned subscription is closed. It runs on threads
     * that must not wait, the loop's among them, so it has to return at once. Two events at one time may come in either
     * order.
     */
    public Subscription onEvent(Consumer<? super Event> listener) {
        return journal.listen(listener);
    }

    /**
     * Registers the answer to one more diagnostic question that processes on this machine may ask ({@code
     * diagnostics.enabled}), besides {@code status}, {@code inspection} and {@code events}.
     *
     * @param question one word
     * @param answer gets the text after the word, and returns nested maps of JSON types within two seconds, on a thread
     *     of its own. After four seconds the client gets an error; so does every client with the same question until it
     *     has returned
     * @return to be closed when the question is no longer answered
     * @throws IllegalArgumentException if the question is no word of letters and hyphens, or is answered already
     */
    public Subscription answer(String question, Function<String, ? extends Map<String, ?>> answer) {
        Objects.requireNonNull(answer, "answer");
        if (!question.matches("[a-z-]{1,32}")) {
            throw new IllegalArgumentException("a question is a word of at most 32 small letters and hyphens, not '" + question + "'");
        }
        if (answers.putIfAbsent(question, answer) != null) {
            throw new IllegalArgumentException("node " + name() + " answers '" + question + "' already");
        }
        return () -> answers.remove(question, answer);
    }

    /** Returns the components on top of this node, which add to what it tells. */
    public Components components() {
        return components;
    }

    /** Returns the changes of this node that operators may ask for. */
    public Operations operations() {
        return operations;
    }

    /** Ends the session with a node, and lets this process of it not come in again. Never waits. */
    void exclude(NodeId other, String reason) {
        driver.execute(now -> machine.admission().exclude(now, other, reason));
    }

    EventJournal journal() {
        return journal;
    }

    /** Returns the report of the layers as they wrote it, for diagnostics; others use {@link #inspection}. */
    Map<String, Object> report() {
        MapReport report = new MapReport();
        Map<String, Object> reported = onLoop(() -> {
            machine.report(report);
            if (datagramNode != null) {
                datagramNode.report(report);
            }
            return report.values();
        });
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("transport", new LinkedHashMap<String, Object>(driver.description()));
        status.putAll(reported);
        Map<String, Object> delivery = new LinkedHashMap<>();
        groups.forEach((name, group) -> delivery.put(name, group.status()));
        status.put("delivery", delivery);
        status.put("driver", new LinkedHashMap<String, Object>(driver.counters()));
        return status;
    }

    /** Returns health and status for the command line; if the loop does not answer, the health alone. */
    private Map<String, Object> statusWithHealth() {
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("health", health().document());
        try {
            status.putAll(report());
        } catch (IllegalStateException e) {
            status.put("node", Map.of("name", id.name(), "address", id.address(), "state", String.valueOf(e.getMessage())));
        }
        return status;
    }

    private <T> T onLoop(Supplier<T> question) {
        checkMayWait("inspection");
        IllegalStateException stopped = failure;
        if (stopped != null) {
            throw new IllegalStateException(stopped.getMessage(), stopped);
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            driver.execute(now -> answer.complete(question.get()));
            return host.get(answer, STATUS_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (RejectedExecutionException e) {
            throw new IllegalStateException("node " + name() + " is closed", e);
        } catch (TimeoutException | ExecutionException e) {
            throw new IllegalStateException("the loop of node " + name() + " does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Returns whether the application has closed it. */
    boolean isClosed() {
        return isClosed.get();
    }

    /** Leaves all groups and closes, within {@code leave-timeout}. Idempotent. */
    @Override
    public void close() {
        checkMayWait("close");
        if (!isClosed.compareAndSet(false, true)) {
            return;
        }
        if (diagnostics != null) {
            diagnostics.close();
        }
        looks.close();
        sourceReaders.close();
        admission.close();
        List<LocalMember> open = groups.values().stream().map(Group::member).toList();
        open.forEach(LocalMember::leave);
        open.forEach(LocalMember::awaitLeft);
        open.forEach(LocalMember::awaitEndedUnlessCalled);
        try {
            driver.execute(machine::stop);
            awaitQuiet();
        } catch (RejectedExecutionException e) {
            LOG.debug("node {}: the loop has ended already", name());
        }
        driver.close();
        host.end();
        open.forEach(member -> member.close("node " + name() + " is closed"));
    }

    /** Waits for the end of the goodbyes on datagrams: they are repeated until they arrive, unknown to the driver. */
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
