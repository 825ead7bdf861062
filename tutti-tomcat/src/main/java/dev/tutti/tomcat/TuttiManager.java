package dev.tutti.tomcat;

import dev.tutti.Node;
import dev.tutti.core.settings.Durations;
import dev.tutti.internal.Logs;
import dev.tutti.tomcat.diagnostics.EarlyPorts;
import dev.tutti.tomcat.diagnostics.Release;
import dev.tutti.tomcat.diagnostics.Reports;
import dev.tutti.tomcat.diagnostics.WrongAttributes;
import dev.tutti.tomcat.node.GroupChannel;
import dev.tutti.tomcat.node.NodeOptions;
import dev.tutti.tomcat.node.SharedNodes;
import dev.tutti.tomcat.replication.Acknowledgement;
import dev.tutti.tomcat.replication.ReplicationCounters;
import dev.tutti.tomcat.replication.ReplicationOptions;
import dev.tutti.tomcat.replication.Replicator;
import dev.tutti.tomcat.replication.SessionChannel;
import dev.tutti.tomcat.replication.StalledException;
import dev.tutti.tomcat.replication.StoppedException;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.request.RunningRequests;
import jakarta.servlet.http.HttpSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.catalina.Context;
import org.apache.catalina.DistributedManager;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleListener;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.Session;
import org.apache.catalina.session.ManagerBase;
import org.apache.catalina.session.StandardSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Session manager whose sessions are at all nodes of a cluster, and survive the crash of the node that serves them.
 *
 * <p>It is configured by one element in the application's {@code context.xml}
 *
 * <pre>{@code <Manager className="dev.tutti.tomcat.TuttiManager" seeds="10.0.0.1:7800,10.0.0.2:7800" bind="SITE_LOCAL"
 *         secret="…" allowedClasses="com.shop.model.**"/>}</pre>
 *
 * <p>or, embedded, {@code context.setManager(new TuttiManager(node))}. The application needs no change. See
 * {@code docs/operating/tomcat.md} for the attributes.
 *
 * <p>Attributes are set before the manager starts, by one thread; after that all methods are thread-safe.
 */
public final class TuttiManager extends ManagerBase implements DistributedManager {

    private static final Logger LOG = Logs.of(TuttiManager.class);

    /** Runs tasks that wait for the network, each on a virtual thread of its own. */
    private static final Executor THREADS = task ->
            Thread.ofVirtual().name("tutti-sessions").inheritInheritableThreadLocals(false).start(task);

    private final @Nullable Node givenNode;
    private final SessionChannel.@Nullable Source source;
    private final TreeMap<String, String> nodeTexts = new TreeMap<>();
    private final TreeMap<String, String> groupTexts = new TreeMap<>();
    private final ReplicationValve valve = new ReplicationValve(this);
    private final ReplicationCounters counters = new ReplicationCounters();
    private final Reports reports = new Reports(LOG);
    private final WrongAttributes wrongAttributes = new WrongAttributes(TuttiManager.class);
    private final RunningRequests running = new RunningRequests();
    private final LifecycleListener contextListener = this::onContextEvent;
    private final AbsenceGuard guard = new AbsenceGuard(() -> this.replicator, counters);
    private int port = 7800;
    private boolean isInsecure;
    private String tls = "";
    private String secretFile = "";
    private String pathname = "tutti-sessions.bin";
    private String group = "";
    private String allowedClasses = "";
    private String codec = "";
    private @Nullable SessionCodec codecObject;
    private SaveMode saveMode = SaveMode.ON_GET;
    private Acknowledgement acknowledgement = Acknowledgement.ALL;
    private Duration acknowledgementTimeout = ReplicationOptions.ACKNOWLEDGEMENT_TIMEOUT;
    private Duration changeDelay = Duration.ofMillis(50);
    private Duration queryTimeout = Duration.ofSeconds(1);
    private Duration startTimeout = Duration.ofSeconds(10);
    private Duration joinPatience = Duration.ofSeconds(10);
    private Duration stopTimeout = Duration.ofSeconds(10);
    private AfterAbsence afterAbsence = AfterAbsence.WAIT;
    private Duration absenceTimeout = Duration.ofSeconds(10);
    private @Nullable NodeOptions acquired;
    private @Nullable Future<?> beats;
    private volatile @Nullable AttributeCodec attributes;
    private volatile @Nullable Replicator replicator;

    /** Creates a manager whose node is shared by the managers that have the same settings. */
    public TuttiManager() {
        this((SessionChannel.Source) null);
    }

    /** Creates a manager on a running node, which keeps running when the manager stops. */
    public TuttiManager(Node node) {
        this(node, null);
    }

    TuttiManager(SessionChannel.@Nullable Source source) {
        this(null, source);
    }

    private TuttiManager(@Nullable Node node, SessionChannel.@Nullable Source source) {
        this.givenNode = node;
        this.source = source;
        sessions = new SessionsView(this);
    }

    // ---- settings

    /** Sets the node's name, for people. */
    public void setNodeName(String name) {
        nodeTexts.put("name", name);
    }

    /** Sets the name of the cluster; nodes of other clusters are refused. */
    public void setCluster(String cluster) {
        nodeTexts.put("cluster", cluster);
    }

    /** Sets the addresses of other nodes, separated by commas: {@code host:port}, or {@code host:port-port}. */
    public void setSeeds(String seeds) {
        nodeTexts.put("seeds", seeds);
    }

    /** Sets the address to listen on. Any but loopback, the default, needs a secret, TLS or {@code insecure}. */
    public void setBind(String address) {
        nodeTexts.put("bind", address);
    }

    /** Sets the port to listen on, 7800 by default; 0 takes any free one. It is not the port of HTTP. */
    public void setPort(int port) {
        this.port = wrongAttributes.parse("port", Integer.toString(port), () -> {
            if (port < 0 || port > 65_535) {
                throw new IllegalArgumentException("a port is 0 to 65535");
            }
            return port;
        });
    }

    /** Enables mutual TLS with certificates derived from a secret that all nodes share. */
    public void setSecret(String secret) {
        nodeTexts.put("secret", secret);
    }

    /** Sets a private file with the secret, in Tomcat's base directory unless absolute; see {@link #setSecret}. */
    public void setSecretFile(String path) {
        secretFile = path;
    }

    /** Enables mutual TLS with PEM files: certificate, key and authority, separated by commas. */
    public void setTls(String files) {
        tls = files;
    }

    /** Allows addresses other than loopback without TLS. */
    public void setInsecure(boolean isInsecure) {
        this.isInsecure = isInsecure;
    }

    /** Parses the text for {@link #setInsecure(boolean)}: {@code true} or {@code false}, and nothing else. */
    public void setInsecure(String text) {
        isInsecure = wrongAttributes.parse("insecure", text, () -> switch (text.strip()) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither true nor false");
        });
    }

    /** Adds settings of the node and of the group, as {@code name=value} separated by semicolons. */
    public void setSettings(String settings) {
        wrongAttributes.parse("settings", "…", () -> {
            for (String setting : settings.split(";", -1)) {
                addSetting(setting);
            }
            return settings;
        });
    }

    private void addSetting(String setting) {
        int separator = setting.indexOf('=');
        if (separator > 0) {
            String name = setting.substring(0, separator).strip();
            boolean isOfGroup = Node.defaults().groupDefaults().has(name);
            (isOfGroup ? groupTexts : nodeTexts).put(name, setting.substring(separator + 1).strip());
        } else if (!setting.isBlank()) {
            throw new IllegalArgumentException("'" + setting + "' is not name=value");
        }
    }

    /** Sets the group's name; by default it is made of the host's and the application's name. */
    public void setGroup(String group) {
        this.group = group;
    }

    /** Sets the classes that may be deserialized besides values of the JDK; see {@link JavaSerialization}. */
    public void setAllowedClasses(String patterns) {
        wrongAttributes.parse("allowedClasses", patterns, () -> AllowedClasses.of(patterns));
        allowedClasses = patterns;
    }

    /** Sets the class of a {@link SessionCodec} for attributes. */
    public void setCodec(String className) {
        codec = className;
    }

    /** Sets the codec for attributes. */
    public void setSessionCodec(SessionCodec codec) {
        codecObject = codec;
    }

    /** Sets which attributes are compared at the end of a request: on-set, on-get (the default), always. */
    public void setSaveMode(String mode) {
        saveMode = parse("saveMode", SaveMode.class, mode);
    }

    /** Sets the other nodes that a request waits for: all (the default), one, none. */
    public void setAcknowledgement(String mode) {
        acknowledgement = parse("acknowledgement", Acknowledgement.class, mode);
    }

    /** Sets the time that a request waits for acknowledgements, 10 s by default. */
    public void setAcknowledgementTimeout(String duration) {
        acknowledgementTimeout = duration("acknowledgementTimeout", duration);
    }

    /**
     * Sets the time after which an explicit change is sent while a request of its session goes on: 1 ms to 5 s, 50 ms by
     * default. At the end of a request, before its response, and outside requests, it is sent without delay.
     */
    public void setChangeDelay(String duration) {
        changeDelay = wrongAttributes.parse("changeDelay", duration, () -> {
            Duration delay = Durations.parse(duration);
            if (delay.compareTo(Duration.ofMillis(1)) < 0 || delay.compareTo(Duration.ofSeconds(5)) > 0) {
                throw new IllegalArgumentException("outside 1 ms to 5 s");
            }
            return delay;
        });
    }

    /** Sets the time that a request waits for the others when its session is not here, 1 s by default. */
    public void setQueryTimeout(String duration) {
        queryTimeout = duration("queryTimeout", duration);
    }

    /** Sets the time after a start in which requests with an unanswered query wait for the state, 10 s by default. */
    public void setStartTimeout(String duration) {
        startTimeout = duration("startTimeout", duration);
    }

    /**
     * Sets the treatment of requests after this process has stood still: {@code wait} (the default) until it is in
     * contact with the others again, or {@code fail} with status 503 meanwhile.
     */
    public void setAfterAbsence(String mode) {
        afterAbsence = parse("afterAbsence", AfterAbsence.class, mode);
    }

    /** Sets the time after an absence after which this node goes on alone if it meets no other, 10 s by default. */
    public void setAbsenceTimeout(String duration) {
        absenceTimeout = duration("absenceTimeout", duration);
    }

    /**
     * Sets the time that a start waits for each seed that neither answers nor refuses connections, 10 s by default.
     * Until then the application is not started: it would give new sessions to clients that have one elsewhere.
     */
    public void setJoinPatience(String duration) {
        joinPatience = duration("joinPatience", duration);
    }

    /**
     * Sets the time that a stop waits for running requests, and then again for others to have all sessions; 10 s by
     * default.
     */
    public void setStopTimeout(String duration) {
        stopTimeout = duration("stopTimeout", duration);
    }

    /**
     * Sets the file in which sessions are kept while the application is stopped and no other node has them; in the
     * application's working directory unless the path is absolute. Empty: none.
     */
    public void setPathname(String pathname) {
        this.pathname = pathname;
    }

    @Override
    public void setSessionAttributeNameFilter(@Nullable String pattern) {
        wrongAttributes.parse("sessionAttributeNameFilter", String.valueOf(pattern), () -> {
            super.setSessionAttributeNameFilter(pattern);
            return true;
        });
    }

    @Override
    public void setSessionAttributeValueClassNameFilter(@Nullable String pattern) {
        wrongAttributes.parse("sessionAttributeValueClassNameFilter", String.valueOf(pattern), () -> {
            super.setSessionAttributeValueClassNameFilter(pattern);
            return true;
        });
    }

    /** Notes an attribute that no setter takes; called by Tomcat. The application is refused when it starts. */
    public void setProperty(String name, String value) {
        wrongAttributes.unknown(name, value);
    }

    private Duration duration(String attribute, String text) {
        return wrongAttributes.parse(attribute, text, () -> Durations.parse(text));
    }

    private <E extends Enum<E>> E parse(String attribute, Class<E> type, String text) {
        return wrongAttributes.parse(attribute, text, () -> {
            List<String> names = new ArrayList<>();
            for (E constant : type.getEnumConstants()) {
                String name = constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
                if (name.equalsIgnoreCase(text.strip())) {
                    return constant;
                }
                names.add(name);
            }
            throw new IllegalArgumentException("not one of " + String.join(", ", names));
        });
    }

    // ---- lifecycle

    @Override
    public String getName() {
        return "TuttiManager";
    }

    /** Adds the valve now, so that it comes before the authenticator, which is added when the application starts. */
    @Override
    public void setContext(Context context) {
        super.setContext(context);
        if (context != null && !List.of(context.getPipeline().getValves()).contains(valve)) {
            context.getPipeline().addValve(valve);
            context.addLifecycleListener(contextListener);
        }
    }

    @Override
    protected void startInternal() throws LifecycleException {
        LOG.info("{}: tutti {} on Java {}", getContext().getName(), Release.version(), Runtime.version());
        super.startInternal();
        Context context = getContext();
        if (!wrongAttributes.isEmpty()) {
            throw new LifecycleException("<Manager> of " + context.getName() + ": " + wrongAttributes);
        }
        if (!context.getDistributable()) {
            LOG.warn("{}: web.xml has no <distributable/>. Sessions are replicated all the same; attributes that can't be"
                            + " serialized are not refused, but stay at their node.",
                    context.getName());
        }
        EarlyPorts.report(context, reports);
        try {
            attributes = attributeCodec();
            ReplicationOptions options = new ReplicationOptions(
                            acknowledgement, acknowledgementTimeout, queryTimeout, startTimeout, this::withoutRoute)
                    .with(new ReplicationOptions.Absence(afterAbsence == AfterAbsence.WAIT, absenceTimeout));
            Replicator joining = new Replicator(options, counters, this::onEnded, System::nanoTime, THREADS);
            KeptSessions kept = new KeptSessions(context, pathname);
            kept.read(joining);
            tell(joining.join(channelSource(), groupName()));
            kept.delete();
            replicator = joining;
            joining.onBeat();
            beats = Delays.every(options.beat(), joining::onBeat);
            LoginPageFilter.addTo(context);
        } catch (RuntimeException | ReflectiveOperationException e) {
            releaseNode();
            throw new LifecycleException("session replication of " + context.getName() + ": " + e.getMessage(), e);
        }
        setState(LifecycleState.STARTING);
    }

    private void tell(SessionChannel.JoinResult result) {
        if (result.isKnown()) {
            LOG.info("{}: sessions of group {}: {}", getContext().getName(), groupName(), result.text());
        } else {
            LOG.warn(
                    "{}: sessions of group {}: {}. Sessions that other nodes hold are not known here until they are met;"
                            + " their users get new ones from this node",
                    getContext().getName(), groupName(), result.text());
        }
    }

    /**
     * Waits for running requests before an application stops: changes that they make later can't be replicated. At that
     * time no new request reaches the application, and its servlets and filters still work.
     */
    private void onContextEvent(LifecycleEvent event) {
        if (!event.getType().equals(Lifecycle.BEFORE_STOP_EVENT) || replicator == null) {
            return;
        }
        int own = RequestScope.current() == null ? 0 : 1;
        int late = running.awaitAtMost(own, stopTimeout) - own;
        if (late > 0) {
            LOG.warn(
                    "{}: {} requests still run {} after the application was asked to stop (stopTimeout). It stops now; those"
                            + " that change a session later are answered with status 503",
                    getContext().getName(), late, Durations.print(stopTimeout));
        }
    }

    @Override
    protected void stopInternal() throws LifecycleException {
        setState(LifecycleState.STOPPING);
        Future<?> beating = beats;
        if (beating != null) {
            beating.cancel(false);
            beats = null;
        }
        Replicator leaving = replicator;
        if (leaving != null) {
            forEachSession(TuttiSession::replicate);
            replicator = null;
            if (!leaving.awaitHandedOver(stopTimeout)) {
                new KeptSessions(getContext(), pathname).write(leaving);
            }
            leaving.close();
        }
        releaseNode();
        attributes = null;
        super.stopInternal();
    }

    @Override
    protected void destroyInternal() throws LifecycleException {
        getContext().getPipeline().removeValve(valve);
        getContext().removeLifecycleListener(contextListener);
        super.destroyInternal();
    }

    private SessionChannel.Source channelSource() {
        if (source != null) {
            return source;
        }
        TreeMap<String, String> settings = new TreeMap<>(groupTexts);
        settings.putIfAbsent("join-patience", Durations.print(joinPatience));
        Node node = givenNode;
        if (node == null) {
            NodeOptions options = new NodeOptions(port, isInsecure, tls, nodeTextsWithSecret());
            node = SharedNodes.acquire(options);
            acquired = options;
        }
        Node joining = node;
        return (name, listener) -> GroupChannel.join(joining, name, settings, listener);
    }

    private TreeMap<String, String> nodeTextsWithSecret() {
        TreeMap<String, String> texts = new TreeMap<>(nodeTexts);
        if (!secretFile.isBlank()) {
            if (texts.containsKey("secret")) {
                throw new IllegalArgumentException("secret and secretFile are both set; use one of them");
            }
            texts.put("security.secret-file", getContext().getCatalinaBase().toPath().resolve(secretFile.strip()).toString());
        }
        return texts;
    }

    private void releaseNode() {
        NodeOptions options = acquired;
        if (options != null) {
            acquired = null;
            SharedNodes.release(options);
        }
    }

    /** Returns the group's name. Each version of an application has its own group, and shares no sessions. */
    private String groupName() {
        Context context = getContext();
        return group.isEmpty() ? "sessions:" + context.getParent().getName() + ":/" + context.getName() : group;
    }

    private AttributeCodec attributeCodec() throws ReflectiveOperationException {
        AllowedClasses allowed = AllowedClasses.of(allowedClasses);
        SessionCodec chosen = codecObject;
        if (chosen == null && codec.isEmpty()) {
            chosen = new JavaSerialization(allowed);
        } else if (chosen == null) {
            ClassLoader loader = getContext().getLoader().getClassLoader();
            Object made = Class.forName(codec, true, loader).getConstructor().newInstance();
            if (!(made instanceof SessionCodec sessionCodec)) {
                throw new IllegalArgumentException("codec=\"" + codec + "\" is not a " + SessionCodec.class.getName());
            }
            chosen = sessionCodec;
        }
        return new AttributeCodec(chosen, allowed, () -> getContext().getLoader().getClassLoader(), counters, reports);
    }

    /** Does nothing: the other nodes keep the sessions. */
    @Override
    public void load() {}

    /** Does nothing: the other nodes keep the sessions. */
    @Override
    public void unload() {}

    // ---- sessions

    @Override
    protected StandardSession getNewSession() {
        return new TuttiSession(this);
    }

    /** Ends an overdue session that has the id already: with a cookie path of "/", a client may bring the id. */
    @Override
    public Session createSession(@Nullable String sessionId) {
        TuttiSession present = sessionId == null ? null : sessionHere(sessionId);
        if (present != null) {
            present.expire();
        }
        return super.createSession(sessionId);
    }

    @Override
    public @Nullable Session findSession(@Nullable String id) {
        Replicator present = replicator;
        if (id == null || id.isEmpty() || present == null) {
            return null;
        }
        SessionRecord record = present.await(id);
        return record == null ? null : session(record);
    }

    /** Updates the statistics only: sessions are found through their records. */
    @Override
    public void add(Session session) {
        int size = getActiveSessions();
        if (size > getMaxActive()) {
            setMaxActive(size);
        }
    }

    @Override
    public void remove(Session session, boolean update) {
        super.remove(session, update);
        Replicator present = replicator;
        if (update && present != null && session instanceof TuttiSession ending) {
            SessionRecord record = ending.record();
            if (record != null) {
                ending.sentUnder(present.end(record, ending.endReason()));
            }
        }
    }

    /** Expires due sessions whose primary is this node, and sends changes that could not be sent before. */
    @Override
    public void processExpires() {
        Replicator present = replicator;
        if (present == null) {
            return;
        }
        long startMillis = System.currentTimeMillis();
        present.onTick();
        for (SessionRecord record : present.sessions()) {
            if (present.isDue(record)) {
                session(record).isValid();
            }
        }
        forEachSession(TuttiSession::replicateChanges);
        processingTime += System.currentTimeMillis() - startMillis;
    }

    private void forEachSession(Consumer<TuttiSession> action) {
        Replicator present = replicator;
        if (present == null) {
            return;
        }
        for (SessionRecord record : present.sessions()) {
            if (record.handle() instanceof TuttiSession session) {
                action.accept(session);
            }
        }
    }

    @Override
    public int getActiveSessionsFull() {
        return sessionCount();
    }

    @Override
    public Set<String> getSessionIdsFull() {
        Set<String> ids = new LinkedHashSet<>();
        Replicator present = replicator;
        if (present != null) {
            for (SessionRecord record : present.sessions()) {
                ids.add(record.id());
            }
        }
        return ids;
    }

    /**
     * Sends the changes that a request has made in its session so far, and waits until the other nodes have them.
     * Without this call that happens at the end of the request, and before the response is committed.
     *
     * <p>Applications that can't reach their manager call the {@link Runnable} in the request attribute
     * {@code dev.tutti.tomcat.replicate}.
     */
    public void replicate(HttpSession session) {
        Session found = findSession(session.getId());
        if (found instanceof TuttiSession changed) {
            changed.replicate();
        }
    }

    // ---- status

    /** Returns the current state and counters: values are numbers, texts, lists and maps, in the order to show them. */
    public Map<String, Object> status() {
        Map<String, Object> status = new LinkedHashMap<>();
        Replicator present = replicator;
        status.put("group", present == null ? "" : groupName());
        if (present != null) {
            status.putAll(present.status());
        }
        status.put("requests-running", running.count());
        status.put("sessions-expired-here", getExpiredSessions());
        status.put("sessions-rejected", getRejectedSessions());
        status.put("reports", reports.snapshot());
        return status;
    }

    /** Returns {@link #status} as lines of text, for JMX. */
    public String getStatusText() {
        StringBuilder text = new StringBuilder();
        status().forEach((name, value) -> text.append(name).append(": ").append(value).append('\n'));
        return text.toString();
    }

    // ---- for sessions and the valve

    RunningRequests running() {
        return running;
    }

    boolean isReplicating() {
        return replicator != null;
    }

    SaveMode saveMode() {
        return saveMode;
    }

    AttributeCodec attributes() {
        AttributeCodec present = attributes;
        if (present == null) {
            throw new IllegalStateException("the session manager of " + getContext().getName() + " is stopped");
        }
        return present;
    }

    private Replicator replicator() {
        Replicator present = replicator;
        if (present == null) {
            throw new IllegalStateException("the session manager of " + getContext().getName() + " is stopped");
        }
        return present;
    }

    int sessionCount() {
        Replicator present = replicator;
        return present == null ? 0 : present.size();
    }

    @Nullable TuttiSession sessionHere(String id) {
        Replicator present = replicator;
        SessionRecord record = present == null ? null : present.find(id);
        return record == null ? null : session(record);
    }

    List<TuttiSession> sessionsHere() {
        List<TuttiSession> all = new ArrayList<>();
        Replicator present = replicator;
        if (present != null) {
            for (SessionRecord record : present.sessions()) {
                all.add(session(record));
            }
        }
        return all;
    }

    private TuttiSession session(SessionRecord record) {
        Object present = record.handle();
        return (TuttiSession) (present == null ? record.attach(new TuttiSession(this, record)) : present);
    }

    SessionRecord create(TuttiSession session, String id, long createdMillis) {
        SessionRecord record = replicator().create(id, createdMillis);
        record.attach(session);
        return record;
    }

    void rename(SessionRecord record, String id) {
        replicator().rename(record, id);
    }

    void awaitSafe(long number) {
        Replicator present = replicator;
        if (present != null) {
            present.awaitSafe(number);
        }
    }

    /** Returns the guard that decides about changes after an absence. */
    AbsenceGuard guard() {
        return guard;
    }

    void touch(SessionRecord record) {
        Replicator present = replicator;
        if (present != null) {
            present.touch(record);
        }
    }

    boolean isDue(SessionRecord record) {
        Replicator present = replicator;
        return present != null && present.isDue(record);
    }

    boolean isOverdue(SessionRecord record) {
        Replicator present = replicator;
        return present != null && present.isOverdue(record);
    }

    boolean wasUsedHere(SessionRecord record) {
        Replicator present = replicator;
        return present == null || present.wasUsedHere(record);
    }

    long idleMillis(SessionRecord record) {
        Replicator present = replicator;
        return present == null ? 0 : present.idleNanos(record) / 1_000_000;
    }

    /** Runs a task, on a thread of its own, when a change may not wait any longer. */
    void afterChangeDelay(Runnable task) {
        Delays.after(changeDelay, () -> THREADS.execute(task));
    }

    void onStalled(TuttiSession session, StalledException stalled) {
        if (stalled instanceof StoppedException) {
            reports.warnOnce("stopped", "Changes of session " + session.getIdInternal() + " are lost: " + stalled.getMessage()
                    + " before the request ended that made them.");
            return;
        }
        reports.warnOnce("stalled", "Session " + session.getIdInternal() + " is behind at other nodes: "
                + stalled.getMessage() + ". It is tried again with the next request, or in the background.");
    }

    private void onEnded(SessionRecord record) {
        if (record.handle() instanceof TuttiSession session) {
            session.onEndedElsewhere();
        }
    }

    /** Calls a listener of the application. A runtime exception is logged, and does not stop the container. */
    void notifyOf(String event, Runnable listener) {
        Context context = getContext();
        ClassLoader before = context.bind(null);
        try {
            listener.run();
        } catch (RuntimeException e) {
            LOG.error("{}: {} of a session attribute failed", context.getName(), event, e);
        } finally {
            context.unbind(before);
        }
    }

    /** Returns the part of an id that all nodes agree on. Without routes, ids may contain dots of their own. */
    private String withoutRoute(String id) {
        int dot = id.lastIndexOf('.');
        return dot > 0 && getJvmRoute() != null ? id.substring(0, dot) : id;
    }

    String withRoute(String id) {
        return withoutRoute(id) + "." + getJvmRoute();
    }
}
