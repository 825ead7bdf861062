package dev.tutti.tomcat.diagnostics;

import org.apache.catalina.Container;
import org.apache.catalina.Context;
import org.apache.catalina.Engine;
import org.apache.catalina.Service;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.AbstractProtocol;
import org.jspecify.annotations.Nullable;

/**
 * Connectors of an application's service that open their port before applications start, as Tomcat does by default. Requests
 * wait in such a port for the whole start and are carried out afterwards, even if their clients have gone on elsewhere
 * (docs/decisions/0296-tomcat-opens-its-port-late.md).
 */
public final class EarlyPorts {

    private static final String ATTRIBUTE = "bindOnInit";

    private EarlyPorts() {}

    /** Reports each such connector with the attribute to set. Only Tomcat's own protocols are checked. */
    public static void report(Context context, Reports reports) {
        Service service = service(context);
        Connector[] connectors = service == null ? new Connector[0] : service.findConnectors();
        for (Connector connector : connectors) {
            if (isEarly(connector)) {
                String advice = name(connector) + ": set " + ATTRIBUTE + "=\"false\"";
                reports.warnOnce(advice, context.getName() + ": the connector on " + advice + ". Its port is open while this node"
                        + " starts: requests wait in it, and are carried out after the start even if their clients have"
                        + " given up and have written something newer at another node");
            }
        }
    }

    /** Returns whether the port opens early. An attribute that is not set reads as null; its default is true. */
    private static boolean isEarly(Connector connector) {
        Object value = connector.getProperty(ATTRIBUTE);
        return connector.getProtocolHandler() instanceof AbstractProtocol<?> && (value == null || Boolean.parseBoolean(value.toString()));
    }

    private static String name(Connector connector) {
        int port = connector.getPortWithOffset() == 0 ? connector.getLocalPort() : connector.getPortWithOffset();
        return port > 0 ? "port " + port : connector.toString();
    }

    /** Returns the service of the context's engine; null if the context is in no engine. */
    private static @Nullable Service service(Context context) {
        for (Container each = context.getParent(); each != null; each = each.getParent()) {
            if (each instanceof Engine engine) {
                return engine.getService();
            }
        }
        return null;
    }
}
