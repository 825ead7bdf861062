package dev.tutti.undertow;

import dev.tutti.Node;
import dev.tutti.blocks.internal.session.SessionComponent;
import dev.tutti.blocks.internal.session.SessionSettings;
import dev.tutti.blocks.session.Acknowledgement;
import dev.tutti.blocks.session.SaveMode;
import io.undertow.server.HttpHandler;
import io.undertow.server.session.SecureRandomSessionIdGenerator;
import io.undertow.server.session.SessionConfig;
import io.undertow.server.session.SessionListener;
import io.undertow.server.session.SessionManager;
import io.undertow.servlet.api.SessionManagerFactory;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Sessions that every node of a cluster has, for the applications of an Undertow: servlets by {@link #servlets}, and handlers without
 * servlets by {@link #handler}. Each application has a group of its own, named {@code sessions:} and its context path. The node is the
 * caller's to close, after the server has stopped.
 *
 * <p>A request may go to any node. It finds all that requests had written anywhere before; its own changes are at all nodes before its
 * response begins, and those that it makes later before the response ends. Settings are made before the first application starts; all nodes
 * have the same, but for {@link #route}.
 */
public final class TuttiSessions implements AutoCloseable {

    private static final String ROUTE = "[A-Za-z0-9_-]{1,64}";

    private final SessionComponent component;

    /** Managers of handlers without servlets. */
    private final List<ReplicatedManager> managers = new CopyOnWriteArrayList<>();

    private SessionSettings settings;
    private String route = "";

    /** Creates sessions of a node, with the default of each setting. */
    public TuttiSessions(Node node) {
        settings = SessionSettings.of(node);
        component = new SessionComponent(node, SessionMetrics.PART);
    }

    /** Sets the first part of the names of groups; {@code sessions} by default. */
    public TuttiSessions group(String name) {
        settings = settings.withGroup(name);
        return this;
    }

    /**
     * Sets the application's classes that may be in sessions; none by default. Values and collections of the JDK are always allowed.
     *
     * @param patterns separated by commas: {@code com.shop.Cart}, {@code com.shop.*} for a package, {@code com.shop.**} for a package and
     *     those below it
     * @throws IllegalArgumentException if one is not a pattern, or would allow everything
     */
    public TuttiSessions allowedClasses(String patterns) {
        settings = settings.withAllowedClasses(patterns);
        return this;
    }

    /** Sets the attributes that a request may have changed; {@link SaveMode#ON_GET} by default. */
    public TuttiSessions saveMode(SaveMode mode) {
        settings = settings.withSaveMode(mode);
        return this;
    }

    /** Sets the nodes that a request waits for; {@link Acknowledgement#ALL} by default. */
    public TuttiSessions acknowledgement(Acknowledgement nodes) {
        settings = settings.withAcknowledgement(nodes);
        return this;
    }

    /**
     * Sets the maximum time of that wait; 10 s by default. Then the request is answered, with a warning, and a crash may lose its changes.
     *
     * @throws IllegalArgumentException if it is less than 1 ms or more than a day
     */
    public TuttiSessions acknowledgementTimeout(Duration timeout) {
        settings = settings.withAcknowledgementTimeout(timeout);
        return this;
    }

    /**
     * Sets whether a request waits until its node has all that was written at others before, as it does by default. Without that, reads are
     * local, which is enough if a balancer keeps each session at one node: after a failure of that node, another one has what was
     * acknowledged at the latest a moment later.
     */
    public TuttiSessions sync(boolean isOn) {
        settings = settings.withSync(isOn);
        return this;
    }

    /**
     * Sets this node's name in cookies, which a sticky balancer reads: {@code ID.ROUTE}. None by default. The id itself has no route; a node
     * that takes over a session writes the cookie anew.
     *
     * @param name 1 to 64 letters, digits, hyphens and underscores
     * @throws IllegalArgumentException if it has other characters, or is longer
     */
    public TuttiSessions route(String name) {
        if (!name.matches(ROUTE)) {
            throw new IllegalArgumentException("route: '" + name + "' is not 1 to 64 letters, digits, hyphens and underscores");
        }
        route = name;
        return this;
    }

    /**
     * Returns a factory for deployments: {@code deployment.setSessionManagerFactory(sessions.servlets())}. An application joins its group
     * when its deployment starts, and leaves it when it stops.
     */
    public SessionManagerFactory servlets() {
        return ServletSessions.factory(settings, component, route);
    }

    /**
     * Returns a handler with sessions around handlers that are not servlets, which get them by {@link io.undertow.util.Sessions}. It joins
     * the application's group first, and waits for its sessions. It runs {@code next} on a worker thread, since it may wait.
     *
     * @param application name of the application, the last part of its group's: its path, such as {@code /shop}
     * @param config where the ids are, such as {@link io.undertow.server.session.SessionCookieConfig}
     * @param listeners hear of the application's sessions at this node, of expired ones at the oldest node alone
     */
    public HttpHandler handler(String application, SessionConfig config, HttpHandler next, SessionListener... listeners) {
        Objects.requireNonNull(next, "next");
        SessionConfig routed = RoutedConfig.around(config, route);
        ReplicatedManager manager = new ReplicatedManager(
                settings,
                new ReplicatedManager.Application(
                        application, application, Thread.currentThread().getContextClassLoader(), new SecureRandomSessionIdGenerator()),
                component);
        for (SessionListener listener : listeners) {
            manager.registerSessionListener(listener);
        }
        manager.start();
        managers.add(manager);
        HttpHandler attaching = exchange -> {
            exchange.putAttachment(SessionManager.ATTACHMENT_KEY, manager);
            exchange.putAttachment(SessionConfig.ATTACHMENT_KEY, routed);
            next.handleRequest(exchange);
        };
        return new SessionsHandler(manager, exchange -> routed, attaching);
    }

    /** Leaves the groups of handlers, whose sessions live on at other nodes. Those of servlets are left when their deployments stop. */
    @Override
    public void close() {
        managers.forEach(ReplicatedManager::stop);
        managers.clear();
    }
}
