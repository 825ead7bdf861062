package dev.tutti.tomcat.balancer;

import dev.tutti.announce.Announcer;
import dev.tutti.announce.AnnouncerBuilder;
import dev.tutti.core.settings.Durations;
import dev.tutti.tomcat.node.AnnouncedNode;
import dev.tutti.tomcat.node.NodeAttributes;
import dev.tutti.tomcat.node.NodeOptions;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.apache.catalina.Container;
import org.apache.catalina.ContainerEvent;
import org.apache.catalina.ContainerListener;
import org.apache.catalina.Context;
import org.apache.catalina.Engine;
import org.apache.catalina.Host;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.LifecycleListener;
import org.apache.catalina.Server;
import org.apache.catalina.Service;
import org.apache.catalina.connector.Connector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Announces a Tomcat to balancers: its contexts as they come and go, its load and its sessions. It is an element {@code <Listener>} of
 * {@code <Server>} or {@code <Service>}. Its node is that of the managers, if they have the same attributes.
 *
 * <p>Before a context or the server stops, balancers send nothing more there, and requests that are under way are answered, within
 * {@code drain}. The engine needs a {@code jvmRoute}.
 */
public final class BalancerListener implements LifecycleListener {

    private static final Logger LOG = LoggerFactory.getLogger(BalancerListener.class);

    private final NodeAttributes attributes = new NodeAttributes();
    private final Set<Context> stopping = new HashSet<>();
    private final ContainerListener children = this::onContainerEvent;
    private final LifecycleListener contexts = this::onContextEvent;
    private String group = AnnouncerBuilder.GROUP_DEFAULT;
    private String domain = "";
    private String connectorAddress = "";
    private int connectorPort;
    private Duration drain = Duration.ofSeconds(10);

    // Guarded by the lock of this object.
    private @Nullable AnnouncedNode node;
    private @Nullable ServedContexts served;

    // ---- settings

    /** Sets the node's name, for people. */
    public void setNodeName(String name) {
        attributes.set("name", name);
    }

    /** Sets the name of the cluster; nodes of other clusters are refused. */
    public void setCluster(String cluster) {
        attributes.set("cluster", cluster);
    }

    /** Sets the addresses of other nodes, separated by commas: {@code host:port}, or {@code host:port-port}. */
    public void setSeeds(String seeds) {
        attributes.set("seeds", seeds);
    }

    /** Sets the address to listen on. Any but loopback, the default, needs a secret, TLS or {@code insecure}. */
    public void setBind(String address) {
        attributes.set("bind", address);
    }

    /** Sets the port of the node, 7800 by default; 0 takes any free one. It is not the port of HTTP. */
    public void setPort(int port) {
        attributes.setPort(port);
    }

    /** Enables mutual TLS between nodes with certificates derived from a secret that all nodes share. */
    public void setSecret(String secret) {
        attributes.set("secret", secret);
    }

    /** Sets a private file with the secret, in Tomcat's base directory unless absolute. */
    public void setSecretFile(String path) {
        attributes.setSecretFile(path);
    }

    /** Enables mutual TLS between nodes with PEM files: certificate, key and authority, separated by commas. */
    public void setTls(String files) {
        attributes.setTls(files);
    }

    /** Allows addresses other than loopback without TLS. */
    public void setInsecure(boolean isInsecure) {
        attributes.setInsecure(isInsecure);
    }

    /** Adds settings of the node, as {@code name=value} separated by semicolons. */
    public void setSettings(String ofNode) {
        for (String setting : ofNode.split(";", -1)) {
            int separator = setting.indexOf('=');
            if (separator > 0) {
                attributes.set(setting.substring(0, separator).strip(), setting.substring(separator + 1).strip());
            } else if (!setting.isBlank()) {
                throw new IllegalArgumentException("settings of a BalancerListener are name=value, with ; between; '" + setting + "' is not");
            }
        }
    }

    /** Sets the name of the group of balancers; {@code balancer} by default. */
    public void setGroup(String name) {
        group = name;
    }

    /** Sets the domain: sessions move to nodes of the same domain first. Without it, the zone of the node is its domain. */
    public void setDomain(String name) {
        domain = name;
    }

    /** Sets the port of the connector that balancers use; the first one by default. */
    public void setConnectorPort(int port) {
        connectorPort = port;
    }

    /** Sets the address that balancers connect to; the connector's own, or that of the node, by default. */
    public void setConnectorAddress(String address) {
        connectorAddress = address;
    }

    /** Sets the time that a stop waits for requests that are under way; 10 s by default. */
    public void setDrain(String duration) {
        drain = Durations.parse(duration);
    }

    // ---- life

    @Override
    public void lifecycleEvent(LifecycleEvent event) {
        Service service =
                switch (event.getSource()) {
                    case Server server -> server.findServices().length == 0 ? null : server.findServices()[0];
                    case Service of -> of;
                    default -> throw new IllegalArgumentException(BalancerListener.class.getName() + " belongs into <Server> or <Service>, not"
                            + " into " + event.getSource() + ", whose connectors end before it is told");
                };
        if (service == null) {
            return;
        }
        switch (event.getType()) {
            case Lifecycle.AFTER_START_EVENT -> start(service);
            case Lifecycle.BEFORE_STOP_EVENT -> stop(service.getContainer());
            default -> {}
        }
    }

    private synchronized void start(Service service) {
        Engine engine = service.getContainer();
        String route = engine.getJvmRoute();
        if (route == null || route.isBlank()) {
            throw new IllegalArgumentException("balancers tell nodes apart by their routes: set jvmRoute of <Engine name=\"" + engine.getName()
                    + "\">, another one for each Tomcat");
        }
        Connector connector = connector(service);
        ServedContexts contextsOf = new ServedContexts(engine, connector);
        served = contextsOf;
        NodeOptions options = attributes.options(
                engine.getCatalinaBase() == null ? Path.of("") : engine.getCatalinaBase().toPath(), null);
        node = AnnouncedNode.open(options, on -> Announcer.on(on)
                .group(group)
                .route(route)
                .domain(domain)
                .address(connector.getSecure() ? "https" : "http", host(connector, on.address()), connector.getLocalPort())
                .sample(contextsOf::sample)
                .onRefused(reason -> LOG.error("balancers do not send requests here: {}", reason)));
        engine.addContainerListener(children);
        for (Container host : engine.findChildren()) {
            listen(host);
        }
        announce();
    }

    private Connector connector(Service service) {
        for (Connector connector : service.findConnectors()) {
            boolean isHttp = connector.getProtocol().startsWith("HTTP") || connector.getProtocolHandlerClassName().contains("http11");
            if (isHttp && (connectorPort == 0 || connector.getPort() == connectorPort)) {
                return connector;
            }
        }
        throw new IllegalArgumentException("there is no HTTP connector"
                + (connectorPort == 0 ? "" : " with port " + connectorPort + "; set connectorPort to the port of one"));
    }

    private String host(Connector connector, String nodeAddress) {
        if (!connectorAddress.isBlank()) {
            return connectorAddress.strip();
        }
        Object own = connector.getProperty("address");
        if (own instanceof InetAddress address && !address.isAnyLocalAddress()) {
            return address.getHostAddress();
        }
        int end = nodeAddress.lastIndexOf(':');
        String host = nodeAddress.substring(0, end);
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private void stop(Engine engine) {
        AnnouncedNode leaving;
        synchronized (this) {
            leaving = node;
            node = null;
            served = null;
        }
        if (leaving == null) {
            return;
        }
        engine.removeContainerListener(children);
        try {
            if (!leaving.announcer().drain(drain)) {
                LOG.warn("requests were under way, or balancers have not answered, after {}", Durations.print(drain));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        leaving.close();
    }

    // ---- contexts

    private void onContainerEvent(ContainerEvent event) {
        if (event.getType().equals(Container.ADD_CHILD_EVENT) && event.getData() instanceof Container added) {
            listen(added);
            announce();
        } else if (event.getType().equals(Container.REMOVE_CHILD_EVENT)) {
            announce();
        }
    }

    private void listen(Container container) {
        if (container instanceof Host host) {
            host.removeContainerListener(children);
            host.addContainerListener(children);
            for (Container child : host.findChildren()) {
                listen(child);
            }
        } else if (container instanceof Context context) {
            context.removeLifecycleListener(contexts);
            context.addLifecycleListener(contexts);
        }
    }

    private void onContextEvent(LifecycleEvent event) {
        if (!(event.getSource() instanceof Context context)) {
            return;
        }
        switch (event.getType()) {
            case Lifecycle.AFTER_START_EVENT -> announce();
            case Lifecycle.BEFORE_STOP_EVENT -> {
                mark(context, true);
                awaitSettled(announce());
            }
            case Lifecycle.AFTER_STOP_EVENT -> {
                mark(context, false);
                announce();
            }
            default -> {}
        }
    }

    private synchronized void mark(Context context, boolean isStopping) {
        if (isStopping) {
            stopping.add(context);
        } else {
            stopping.remove(context);
        }
    }

    /** Announces the contexts as they are; returns null if the Tomcat is not announced. */
    private synchronized @Nullable Announcer announce() {
        AnnouncedNode present = node;
        ServedContexts of = served;
        if (present == null || of == null) {
            return null;
        }
        present.announcer().contexts(of.read(stopping));
        return present.announcer();
    }

    private void awaitSettled(@Nullable Announcer announcer) {
        if (announcer == null) {
            return;
        }
        try {
            announcer.awaitSettled(drain);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
