package dev.tutti.tomcat;

import dev.tutti.Node;
import dev.tutti.core.settings.Durations;
import dev.tutti.internal.Logs;
import dev.tutti.sites.Sites;
import dev.tutti.tomcat.diagnostics.EarlyPorts;
import dev.tutti.tomcat.diagnostics.Release;
import dev.tutti.tomcat.diagnostics.Reports;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.node.ManagerNode;
import dev.tutti.tomcat.replication.SessionChannel;
import dev.tutti.tomcat.replication.StalledException;
import dev.tutti.tomcat.replication.StoppedException;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.request.LoginPageFilter;
import dev.tutti.tomcat.request.RunningRequests;
import jakarta.servlet.http.HttpSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * Session manager whose sessions are at all nodes of a cluster, or at some, and survive the crash of the node that serves them.
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

    private final ManagerNode node;
    private final SessionChannel.@Nullable Source source;
    private final ManagerSettings settings = new ManagerSettings();
    private final ReplicationValve valve = new ReplicationValve(this);
    private final ReplicationCounters counters = new ReplicationCounters();
    private final Reports reports = new Reports(LOG);
    private final RunningRequests running = new RunningRequests();
    private final LifecycleListener contextListener = this::onContextEvent;
    private final SessionReplication replication = new SessionReplication(counters);
    private volatile @Nullable AttributeCodec attributes;

    /** Creates a manager whose node is shared by the managers that have the same settings. */
    public TuttiManager() {
        this((SessionChannel.Source) null);
    }

    /** Creates a manager on a running node, which keeps running when the manager stops. */
    public TuttiManager(Node node) {
        this(node, null, null);
    }

    /**
     * Creates a manager on a running node that is at one of several sites, which all get copies of the sessions. The node keeps running
     * when the manager stops.
     */
    public TuttiManager(Sites sites) {
        this(sites.node(), sites, null);
    }

    TuttiManager(SessionChannel.@Nullable Source source) {
        this(null, null, source);
    }

    private TuttiManager(@Nullable Node node, @Nullable Sites sites, SessionChannel.@Nullable Source source) {
        this.node = new ManagerNode(node, sites);
        this.source = source;
        sessions = new SessionsView(this);
    }

    // ---- settings

    /** Sets the node's name, for people. */
    public void setNodeName(String name) {
        settings.setOfNode("name", name);
    }

    /** Sets the name of the cluster; nodes of other clusters are refused. */
    public void setCluster(String cluster) {
        settings.setOfNode("cluster", cluster);
    }

    /** Sets the addresses of other nodes, separated by commas: {@code host:port}, or {@code host:port-port}. */
    public void setSeeds(String seeds) {
        settings.setOfNode("seeds", seeds);
    }

    /** Sets the address to listen on. Any but loopback, the default, needs a secret, TLS or {@code insecure}. */
    public void setBind(String address) {
        settings.setOfNode("bind", address);
    }

    /** Sets the port to listen on, 7800 by default; 0 takes any free one. It is not the port of HTTP. */
    public void setPort(int port) {
        settings.setPort(port);
    }

    /** Enables mutual TLS with certificates derived from a secret that all nodes share. */
    public void setSecret(String secret) {
        settings.setOfNode("secret", secret);
    }

    /** Sets a private file with the secret, in Tomcat's base directory unless absolute; see {@link #setSecret}. */
    public void setSecretFile(String path) {
        settings.setSecretFile(path);
    }

    /** Enables mutual TLS with PEM files: certificate, key and authority, separated by commas. */
    public void setTls(String files) {
        settings.setTls(files);
    }

    /** Allows addresses other than loopback without TLS. */
    public void setInsecure(boolean isInsecure) {
        settings.setInsecure(isInsecure);
    }

    /** Parses the text for {@link #setInsecure(boolean)}: {@code true} or {@code false}, and nothing else. */
    public void setInsecure(String text) {
        settings.setInsecure(text);
    }

    /** Adds settings of the node and of the group, as {@code name=value} separated by semicolons. */
    public void setSettings(String nodeAndGroup) {
        settings.setSettings(nodeAndGroup);
    }

    /**
     * Sets the name of this node's site. Other sites get copies of the sessions, and go on with them if this site is lost; nodes of all
     * sites have the same {@code bridgeCluster}, and those of one site the same {@code cluster}.
     */
    public void setSite(String name) {
        settings.sites().setSite(name);
    }

    /** Sets the names of the other sites, separated by commas. Copies are kept for them until they have been connected once. */
    public void setOtherSites(String names) {
        settings.sites().setOthers(names);
    }

    /** Sets the port of the bridge node, which is in contact with other sites; 7801 by default. */
    public void setBridgePort(int port) {
        settings.setBridgePort(port);
    }

    /** Sets the addresses of bridge nodes of all sites, separated by commas. */
    public void setBridgeSeeds(String seeds) {
        settings.sites().setSeeds(seeds);
    }

    /** Sets the name of the cluster of bridge nodes; that of the cluster and {@code -bridge} by default. */
    public void setBridgeCluster(String name) {
        settings.sites().setCluster(name);
    }

    /** Sets the group's name; by default it is made of the host's and the application's name. */
    public void setGroup(String group) {
        settings.setGroup(group);
    }

    /** Sets the classes that may be deserialized besides values of the JDK; see {@link JavaSerialization}. */
    public void setAllowedClasses(String patterns) {
        settings.setAllowedClasses(patterns);
    }

    /** Sets the class of a {@link SessionCodec} for attributes. */
    public void setCodec(String className) {
        settings.setCodec(className);
    }

    /** Sets the codec for attributes. */
    public void setSessionCodec(SessionCodec codec) {
        settings.setSessionCodec(codec);
    }

    /** Sets which attributes are compared at the end of a request: on-set, on-get (the default), always. */
    public void setSaveMode(String mode) {
        settings.setSaveMode(mode);
    }

    /** Sets the number of nodes that hold each session: all (the default), or a number from 2 on, the same at all nodes. */
    public void setCopies(String number) {
        settings.setCopies(number);
    }

    /** Sets the other nodes that a request waits for: all (the default), one, none. */
    public void setAcknowledgement(String mode) {
        settings.setAcknowledgement(mode);
    }

    /** Sets the time that a request waits for acknowledgements, 10 s by default. */
    public void setAcknowledgementTimeout(String duration) {
        settings.setAcknowledgementTimeout(duration);
    }

    /**
     * Sets the time after which an explicit change is sent while a request of its session goes on: 1 ms to 5 s, 50 ms by
     * default. At the end of a request, before its response, and outside requests, it is sent without delay.
     */
    public void setChangeDelay(String duration) {
        settings.setChangeDelay(duration);
    }

    /** Sets the time without a use after which a node keeps a session as bytes only: 1 min by default; 0 s for never. */
    public void setObjectTimeout(String duration) {
        settings.setObjectTimeout(duration);
    }

    /** Sets the time that a request waits for the others when its session is not here, 1 s by default. */
    public void setQueryTimeout(String duration) {
        settings.setQueryTimeout(duration);
    }

    /** Sets the time after a start in which requests with an unanswered query wait for the state, 10 s by default. */
    public void setStartTimeout(String duration) {
        settings.setStartTimeout(duration);
    }

    /**
     * Sets the treatment of requests after this process has stood still: {@code wait} (the default) until it is in
     * contact with the others again, or {@code fail} with status 503 meanwhile.
     */
    public void setAfterAbsence(String mode) {
        settings.setAfterAbsence(mode);
    }

    /** Sets the time after an absence after which this node goes on alone if it meets no other, 10 s by default. */
    public void setAbsenceTimeout(String duration) {
        settings.setAbsenceTimeout(duration);
    }

    /**
     * Sets the time that a start waits for each seed that neither answers nor refuses connections, 10 s by default.
     * Until then the application is not started: it would give new sessions to clients that have one elsewhere.
     */
    public void setJoinPatience(String duration) {
        settings.setJoinPatience(duration);
    }

    /**
     * Sets the time that a stop waits for running requests, and then again for others to have all sessions; 10 s by
     * default.
     */
    public void setStopTimeout(String duration) {
        settings.setStopTimeout(duration);
    }

    /**
     * Sets the file in which sessions are kept while the application is stopped and no other node has them; in the
     * application's working directory unless the path is absolute. Empty: none.
     */
    public void setPathname(String pathname) {
        settings.setPathname(pathname);
    }

    @Override
    public void setSessionAttributeNameFilter(@Nullable String pattern) {
        settings.wrong().parse("sessionAttributeNameFilter", String.valueOf(pattern), () -> {
            super.setSessionAttributeNameFilter(pattern);
            return true;
        });
    }

    @Override
    public void setSessionAttributeValueClassNameFilter(@Nullable String pattern) {
        settings.wrong().parse("sessionAttributeValueClassNameFilter", String.valueOf(pattern), () -> {
            super.setSessionAttributeValueClassNameFilter(pattern);
            return true;
        });
    }

    /** Notes an attribute that no setter takes; called by Tomcat. The application is refused when it starts. */
    public void setProperty(String name, String value) {
        settings.wrong().unknown(name, value);
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
        if (!settings.wrong().isEmpty()) {
            throw new LifecycleException("<Manager> of " + context.getName() + ": " + settings.wrong());
        }
        if (!context.getDistributable()) {
            LOG.warn("{}: web.xml has no <distributable/>. Sessions are replicated all the same; attributes that can't be"
                            + " serialized are not refused, but stay at their node.",
                    context.getName());
        }
        EarlyPorts.report(context, reports);
        try {
            attributes = settings.attributeCodec(() -> getContext().getLoader().getClassLoader(), counters, reports);
            replication.start(
                    settings.replicationOptions(this::withoutRoute, node::zone),
                    new KeptSessions(context, settings.pathname()),
                    (name, listener) -> channelSource().join(name, listener),
                    new SessionReplication.Place(groupName(), context.getName()));
            Sites sites = node.sites();
            if (sites != null) {
                replication.startCopies(sites, settings.sites().others(), settings.startTimeout());
            }
            LoginPageFilter.addTo(context);
        } catch (RuntimeException | ReflectiveOperationException e) {
            if (replication.isRunning()) {
                replication.stop(Duration.ZERO, new KeptSessions(context, ""));
            }
            node.release();
            throw new LifecycleException("session replication of " + context.getName() + ": " + e.getMessage(), e);
        }
        setState(LifecycleState.STARTING);
    }

    /**
     * Waits for running requests before an application stops: changes that they make later can't be replicated. At that
     * time no new request reaches the application, and its servlets and filters still work.
     */
    private void onContextEvent(LifecycleEvent event) {
        if (!event.getType().equals(Lifecycle.BEFORE_STOP_EVENT) || !replication.isRunning()) {
            return;
        }
        int own = RequestScope.current() == null ? 0 : 1;
        int late = running.awaitAtMost(own, settings.stopTimeout()) - own;
        if (late > 0) {
            LOG.warn(
                    "{}: {} requests still run {} after the application was asked to stop (stopTimeout). It stops now; those"
                            + " that change a session later are answered with status 503",
                    getContext().getName(), late, Durations.print(settings.stopTimeout()));
        }
    }

    @Override
    protected void stopInternal() throws LifecycleException {
        setState(LifecycleState.STOPPING);
        if (replication.isRunning()) {
            replication.stop(settings.stopTimeout(), new KeptSessions(getContext(), settings.pathname()));
        }
        node.release();
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
        return source != null
                ? source
                : node.source(() -> settings.nodeOptions(getContext().getCatalinaBase().toPath()), settings.groupSettings());
    }

    /** Returns the group's name. Each version of an application has its own group, and shares no sessions. */
    private String groupName() {
        Context context = getContext();
        return settings.group().isEmpty()
                ? "sessions:" + context.getParent().getName() + ":/" + context.getName()
                : settings.group();
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
        SessionRecord record = id == null || id.isEmpty() ? null : replication.await(id);
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
        if (update && session instanceof TuttiSession ending) {
            replication.end(ending);
        }
    }

    /** Expires due sessions whose primary is this node, and sends changes that could not be sent before. */
    @Override
    public void processExpires() {
        long startMillis = System.currentTimeMillis();
        replication.onTick();
        for (SessionRecord record : replication.sessions()) {
            if (replication.isDue(record)) {
                session(record).isValid();
            }
        }
        replication.forEachSession(TuttiSession::replicateChanges);
        replication.dropObjects(settings.objectTimeout());
        processingTime += System.currentTimeMillis() - startMillis;
    }

    @Override
    public int getActiveSessionsFull() {
        return replication.size();
    }

    @Override
    public Set<String> getSessionIdsFull() {
        Set<String> ids = new LinkedHashSet<>();
        for (SessionRecord record : replication.sessions()) {
            ids.add(record.id());
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
        status.put("group", replication.isRunning() ? groupName() : "");
        status.putAll(replication.status());
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

    SessionReplication replication() {
        return replication;
    }

    SaveMode saveMode() {
        return settings.saveMode();
    }

    AttributeCodec attributes() {
        AttributeCodec present = attributes;
        if (present == null) {
            throw new IllegalStateException("the session manager of " + getContext().getName() + " is stopped");
        }
        return present;
    }

    @Nullable TuttiSession sessionHere(String id) {
        SessionRecord record = replication.find(id);
        return record == null ? null : session(record);
    }

    List<TuttiSession> sessionsHere() {
        List<TuttiSession> all = new ArrayList<>();
        for (SessionRecord record : replication.sessions()) {
            all.add(session(record));
        }
        return all;
    }

    private TuttiSession session(SessionRecord record) {
        Object present = record.handle();
        return (TuttiSession) (present == null ? record.attach(new TuttiSession(this, record)) : present);
    }

    SessionRecord create(TuttiSession session, String id, long createdMillis) {
        SessionRecord record = replication.create(id, createdMillis);
        record.attach(session);
        return record;
    }

    /** Runs a task, on a thread of its own, when a change may not wait any longer. */
    void afterChangeDelay(Runnable task) {
        Delays.after(settings.changeDelay(), () -> SessionReplication.THREADS.execute(task));
    }

    void onStalled(String session, StalledException stalled) {
        if (stalled instanceof StoppedException) {
            reports.warnOnce("stopped", "Changes of session " + session + " are lost: " + stalled.getMessage()
                    + " before the request ended that made them.");
            return;
        }
        reports.warnOnce("stalled", "Session " + session + " is behind at other nodes: "
                + stalled.getMessage() + ". It is tried again with the next request, or in the background.");
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
