package dev.tutti.undertow;

import dev.tutti.blocks.internal.session.SessionComponent;
import dev.tutti.blocks.internal.session.SessionSettings;
import io.undertow.server.session.SessionManager;
import io.undertow.servlet.api.Deployment;
import io.undertow.servlet.api.DeploymentInfo;
import io.undertow.servlet.api.SessionConfigWrapper;
import io.undertow.servlet.api.SessionManagerFactory;

/** Sessions of servlets. Undertow creates them before it builds the deployment's chain of handlers, so that they can take a place in it. */
final class ServletSessions implements SessionManagerFactory {

    /** The host of deployments that have none. */
    private static final String NO_HOST = "localhost";

    private final SessionSettings settings;
    private final SessionComponent component;
    private final String route;

    private ServletSessions(SessionSettings settings, SessionComponent component, String route) {
        this.settings = settings;
        this.component = component;
        this.route = route;
    }

    /** Returns a factory as Undertow's type: a caller that named this class would need servlets on its class path to be loaded. */
    static SessionManagerFactory factory(SessionSettings settings, SessionComponent component, String route) {
        return new ServletSessions(settings, component, route);
    }

    @Override
    public SessionManager createSessionManager(Deployment deployment) {
        DeploymentInfo info = deployment.getDeploymentInfo();
        ReplicatedManager manager = new ReplicatedManager(
                settings,
                new ReplicatedManager.Application(
                        place(info), info.getDeploymentName(), info.getClassLoader(), info.getSessionIdGenerator()),
                component);
        SessionConfigWrapper before = info.getSessionConfigWrapper();
        info.setSessionConfigWrapper((config, own) -> RoutedConfig.around(before == null ? config : before.wrap(config, own), route));
        info.addOuterHandlerChainWrapper(
                next -> new SessionsHandler(manager, exchange -> deployment.getServletContext().getSessionConfig(), next));
        return manager;
    }

    /** Returns the application's path, with its virtual host if it has one. */
    private static String place(DeploymentInfo info) {
        String host = info.getHostName();
        String path = info.getContextPath();
        return (host == null || host.isEmpty() || host.equals(NO_HOST) ? "" : "//" + host) + (path == null || path.isEmpty() ? "/" : path);
    }
}
