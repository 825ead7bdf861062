package dev.tutti.undertow;

import dev.tutti.NodeInspection.ComponentPart;
import dev.tutti.Threads;
import dev.tutti.blocks.internal.session.AttributeCodec;
import dev.tutti.blocks.internal.session.AttributeCodec.ContainerValues;
import dev.tutti.blocks.internal.session.SessionComponent;
import dev.tutti.blocks.internal.session.SessionCounters;
import dev.tutti.blocks.internal.session.SessionGroup;
import dev.tutti.blocks.internal.session.SessionInUse;
import dev.tutti.blocks.internal.session.SessionRecord;
import dev.tutti.blocks.internal.session.SessionSettings;
import dev.tutti.blocks.map.MapException;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.session.Session;
import io.undertow.server.session.SessionConfig;
import io.undertow.server.session.SessionConfig.SessionCookieSource;
import io.undertow.server.session.SessionIdGenerator;
import io.undertow.server.session.SessionListener;
import io.undertow.server.session.SessionListeners;
import io.undertow.server.session.SessionManager;
import io.undertow.server.session.SessionManagerStatistics;
import io.undertow.util.AttachmentKey;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sessions of one application, as Undertow reads and writes them. They are in their group from its start to its stop. */
final class ReplicatedManager implements SessionManager, SessionGroup.Container, SessionComponent.Application {

    private static final Logger LOG = LoggerFactory.getLogger(ReplicatedManager.class);

    /** Values that Undertow keeps in sessions itself: logins, and the request that a user has to log in for. */
    private static final ContainerValues UNDERTOW = new ContainerValues(
            "io.undertow.",
            List.of(
                    "io.undertow.security.api.AuthenticatedSessionManager$AuthenticatedSession",
                    "io.undertow.servlet.util.SavedRequest",
                    "io.undertow.util.HttpString"));

    private static final int TIMEOUT_SECONDS = 30 * 60;

    /** Most characters of an id; a longer one is that of no session. */
    private static final int ID_MAX = 128;

    /** An id that a client may bring for a new session, as an application beside this one has made it. */
    private static final Pattern USABLE_ID = Pattern.compile("[A-Za-z0-9_-]{16," + ID_MAX + "}");

    private final AttachmentKey<Request> requestKey = AttachmentKey.create(Request.class);
    private final SessionSettings settings;
    private final Application application;
    private final SessionComponent component;
    private final Threads threads;
    private final SessionCounters counters = new SessionCounters();
    private final AttributeCodec codec;
    private final SessionListeners listeners = new SessionListeners();
    private final SessionsInUse inUse = new SessionsInUse();
    private final Statistics statistics;
    private volatile int timeoutSeconds = TIMEOUT_SECONDS;
    private volatile @Nullable SessionGroup joined;

    /**
     * An application.
     *
     * @param place last part of its group's name
     * @param name name for Undertow
     * @param classes its classes
     * @param ids makes the ids of its sessions
     */
    record Application(String place, String name, @Nullable ClassLoader classes, SessionIdGenerator ids) {}

    ReplicatedManager(SessionSettings settings, Application application, SessionComponent component) {
        this.settings = settings;
        this.application = application;
        this.component = component;
        this.threads = settings.node().threads();
        this.codec = new AttributeCodec(settings.allowedClasses(), UNDERTOW, counters);
        this.statistics = new Statistics(threads, () -> {
            SessionGroup present = joined;
            return present == null ? 0 : present.size();
        });
    }

    // ------------------------------------------------------------------ life

    /** Joins the group, and returns with all its sessions. */
    @Override
    public void start() {
        statistics.start();
        joined = new SessionGroup(settings, application.place(), counters, this);
        component.onStarted(this);
    }

    /** Writes what requests that still run have changed, and leaves the group; the sessions live on at the others. Later changes are not written. */
    @Override
    public void stop() {
        SessionGroup left = joined;
        if (left != null) {
            component.onStopped(this);
            inUse.all().forEach(this::write);
            joined = null;
            left.close();
        }
    }

    /** @throws IllegalStateException if the application is stopped */
    SessionGroup group() {
        SessionGroup present = joined;
        if (present == null) {
            throw new IllegalStateException("the application is stopped: its sessions are at other nodes");
        }
        return present;
    }

    // ------------------------------------------------------------------ requests

    private Request request(HttpServerExchange exchange) {
        Request present = exchange.getAttachment(requestKey);
        if (present != null) {
            return present;
        }
        Request begun = new Request(this, threads);
        exchange.putAttachment(requestKey, begun);
        exchange.addExchangeCompleteListener(begun);
        if (exchange.isResponseChannelAvailable()) {
            exchange.addResponseWrapper((factory, own) -> ConfirmedResponse.wrap(factory, own, begun));
        }
        return begun;
    }

    long startedMillis(HttpServerExchange exchange) {
        Request present = exchange.getAttachment(requestKey);
        return present == null ? threads.epochMillis() : present.startedMillis();
    }

    @Override
    public @Nullable Session getSession(HttpServerExchange exchange, SessionConfig config) {
        if (exchange.isComplete()) {
            return getSession(config.findSessionId(exchange));
        }
        Request request = request(exchange);
        ReplicatedSession present = request.session();
        if (present != null) {
            return present.hasEnded() ? null : present;
        }
        SessionGroup group = joined;
        String id = config.findSessionId(exchange);
        if (group == null || id == null || id.length() > ID_MAX || request.isMissing(id)) {
            return null;
        }
        if (!IoThreads.isCurrent()) {
            group.sync();
        } else if (settings.isSynced()) {
            counters.notSynced.increment();
        }
        ReplicatedSession found = enter(group, id, request.startedMillis());
        if (found == null) {
            request.onMissing(id);
        } else {
            request.onSession(found, config);
            RoutedConfig.takeOver(exchange, id);
        }
        return found;
    }

    /** Returns a session that the group or a request at this node has, for one request more. */
    private @Nullable ReplicatedSession enter(SessionGroup group, String id, long startedMillis) {
        ReplicatedSession present = inUse.enter(id);
        if (present == null) {
            ReplicatedSession loaded = load(id, group.live(id));
            if (loaded == null) {
                return null;
            }
            present = inUse.enter(loaded);
        }
        if (present.onRequest(group, startedMillis)) {
            return present;
        }
        // Ended by another node. Requests that still have it go on, and what they write is dropped.
        inUse.remove(present);
        inUse.leave(present);
        return null;
    }

    private @Nullable ReplicatedSession load(String id, @Nullable SessionRecord from) {
        Instant created = from == null ? null : from.created();
        Instant touched = from == null ? null : from.touched();
        return from == null || created == null || touched == null ? null : new ReplicatedSession(this, id, created, touched, from);
    }

    /**
     * Creates a session, under the id that the request has if there is one: it is that of another application's session, with which this one
     * shares a cookie.
     */
    @Override
    public Session createSession(HttpServerExchange exchange, SessionConfig config) {
        Request request = request(exchange);
        SessionGroup group = group();
        String given = config.findSessionId(exchange);
        boolean isUsable = given != null && isUsable(group, given, config.sessionCookieSource(exchange));
        String id = given == null || !isUsable ? newId() : given;
        ReplicatedSession session = isUsable ? enter(group, id, request.startedMillis()) : null;
        ReplicatedSession created = null;
        if (session == null) {
            created = new ReplicatedSession(this, id, request.startedMillis(), timeoutSeconds);
            session = inUse.enter(created);
        }
        request.onSession(session, config);
        config.setSessionId(exchange, id);
        if (session == created) {
            statistics.onCreated();
            listeners.sessionCreated(session, exchange);
        }
        return session;
    }

    /** Returns whether a new session may have this id: never that of one that has ended, which others may still know. */
    private static boolean isUsable(SessionGroup group, String id, SessionCookieSource source) {
        boolean isOfClient = source != SessionCookieSource.NONE;
        return !isOfClient || (USABLE_ID.matcher(id).matches() && !group.hasEnded(id));
    }

    String newId() {
        return application.ids().createSessionId();
    }

    /** Returns a session for code that is no request's; what it changes is written without a wait. */
    @Override
    public @Nullable Session getSession(@Nullable String id) {
        if (id == null) {
            return null;
        }
        ReplicatedSession present = inUse.find(id);
        if (present != null && !present.hasEnded()) {
            return present;
        }
        SessionGroup group = joined;
        return group == null ? null : load(id, group.live(id));
    }

    /** Writes what requests have changed; if that is not confirmed in time, they are answered all the same. */
    void write(ReplicatedSession session) {
        SessionGroup group = joined;
        if (group == null) {
            if (session.drop()) {
                counters.notWritten.increment();
                LOG.warn("changes of a request that still runs at the stop are not written");
            }
            return;
        }
        try {
            session.write(group);
        } catch (MapException e) {
            LOG.warn("changes of a session were not confirmed by other nodes; the request is answered all the same", e);
        }
    }

    /** Notes that a request has ended, and writes what it has changed after its response. Does not wait. */
    void release(ReplicatedSession session) {
        threads.start("tutti-session-release", () -> {
            try {
                write(session);
            } finally {
                inUse.leave(session);
            }
            if (session.hasChanges()) {
                write(session);
            }
        });
    }

    /** Writes a change at once if no request uses the session any more, as that of a WebSocket. Does not wait. */
    void onChange(ReplicatedSession session) {
        if (!session.hasEnded() && !inUse.isUsed(session)) {
            threads.start("tutti-session-write", () -> write(session));
        }
    }

    // ------------------------------------------------------------------ sessions

    SessionInUse state(Map<String, Object> values, long touchedMillis) {
        return new SessionInUse(codec, settings.saveMode(), values, touchedMillis);
    }

    AttributeCodec codec() {
        return codec;
    }

    SessionListeners listeners() {
        return listeners;
    }

    @Nullable ClassLoader classes() {
        return application.classes();
    }

    void onRenamed(ReplicatedSession session, String id) {
        inUse.rename(session, id);
    }

    /** Ends a session for all nodes. */
    void end(SessionGroup group, String id) {
        try {
            group.end(id);
        } catch (MapException e) {
            LOG.warn("the end of a session was not confirmed by other nodes; until they hear of it, it may go on there", e);
        }
    }

    /** Takes the id out of the client's cookie. */
    void clear(HttpServerExchange exchange, String id) {
        SessionConfig config = request(exchange).config();
        if (config != null) {
            config.clearSession(exchange, id);
        }
    }

    void onEnded(ReplicatedSession session, long createdMillis) {
        inUse.remove(session);
        statistics.onEnded(createdMillis);
    }

    @Override
    public void onExpired(String id, SessionRecord record) {
        ReplicatedSession used = inUse.find(id);
        ReplicatedSession session = used == null ? load(id, record) : used;
        if (session != null) {
            Thread.currentThread().setContextClassLoader(application.classes());
            session.expire();
        }
    }

    @Override
    public void touchInUse(long nowMillis) {
        SessionGroup present = joined;
        if (present != null) {
            inUse.all().forEach(session -> session.touchIfDue(present, nowMillis));
        }
    }

    // ------------------------------------------------------------------ what Undertow asks for

    @Override
    public String getDeploymentName() {
        return application.name();
    }

    @Override
    public void registerSessionListener(SessionListener listener) {
        listeners.addSessionListener(listener);
    }

    @Override
    public void removeSessionListener(SessionListener listener) {
        listeners.removeSessionListener(listener);
    }

    @Override
    public void setDefaultSessionTimeout(int timeout) {
        timeoutSeconds = timeout;
    }

    /** Returns the sessions that would be lost if this node stopped: all if it is the only one. */
    @Override
    public Set<String> getTransientSessions() {
        SessionGroup present = joined;
        return present != null && present.isAlone() ? present.ids() : Set.of();
    }

    /** Returns the sessions that requests use at this node. */
    @Override
    public Set<String> getActiveSessions() {
        Set<String> ids = new TreeSet<>();
        inUse.all().forEach(session -> ids.add(session.getId()));
        return ids;
    }

    /** Returns the sessions of all nodes. */
    @Override
    public Set<String> getAllSessions() {
        SessionGroup present = joined;
        return present == null ? Set.of() : present.ids();
    }

    @Override
    public SessionManagerStatistics getStatistics() {
        return statistics;
    }

    @Override
    public @Nullable ComponentPart part() {
        SessionGroup present = joined;
        return present == null ? null : present.part(SessionMetrics.PART, inUse.all().size());
    }
}
