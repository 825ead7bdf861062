package dev.tutti.jetty;

import dev.tutti.Node;
import dev.tutti.blocks.internal.session.SessionComponent;
import dev.tutti.blocks.internal.session.SessionSettings;
import dev.tutti.blocks.session.Acknowledgement;
import dev.tutti.blocks.session.SaveMode;
import java.time.Duration;
import org.eclipse.jetty.session.SessionCache;
import org.eclipse.jetty.session.SessionCacheFactory;
import org.eclipse.jetty.session.SessionDataStore;
import org.eclipse.jetty.session.SessionDataStoreFactory;
import org.eclipse.jetty.session.SessionManager;

/**
 * Sessions that every node of a cluster has, for the applications of a Jetty: {@code server.addBean(new TuttiSessions(node))}, before the
 * server starts. Each application has a group of its own, named {@code sessions:} and its context path, which it joins when it starts and
 * leaves when it stops. The node is the caller's to close, after the server has stopped.
 *
 * <p>A request may go to any node. It finds all that requests had written anywhere before; its own changes are at all nodes before its
 * response begins, and those that it makes later before the response ends. Settings are made before the server starts; all nodes have the
 * same.
 */
public final class TuttiSessions implements SessionCacheFactory, SessionDataStoreFactory {

    private final SessionComponent component;
    private SessionSettings settings;

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

    // ------------------------------------------------------------------ called by Jetty

    /** Returns the sessions of one application, which are joined when it starts. */
    @Override
    public SessionCache getSessionCache(SessionManager manager) {
        LastWrite.insert(manager);
        return new ReplicatedCache(manager, new ReplicatedStore(settings, component));
    }

    /**
     * Returns the store of the application's sessions.
     *
     * @throws IllegalStateException if the application has another cache of sessions, which would hide changes of other nodes
     */
    @Override
    public SessionDataStore getSessionDataStore(SessionManager manager) {
        if (manager.getSessionCache() instanceof ReplicatedCache own) {
            return own.getSessionDataStore();
        }
        throw new IllegalStateException(
                "TuttiSessions has a cache of sessions of its own: remove the other SessionCacheFactory, or the cache that was set, "
                        + manager.getSessionCache());
    }
}
