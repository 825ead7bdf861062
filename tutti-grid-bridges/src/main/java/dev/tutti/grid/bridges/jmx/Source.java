package dev.tutti.grid.bridges.jmx;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Map;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;

/** Makes connections to a server of MBeans. */
@FunctionalInterface
interface Source {

    /** A connection. */
    interface Link extends AutoCloseable {

        MBeanServerConnection beans();

        @Override
        void close() throws IOException;
    }

    Link connect() throws IOException;

    static Source local() {
        return () -> link(ManagementFactory.getPlatformMBeanServer(), null);
    }

    @SuppressWarnings("BanJNDI") // The address is of the one who writes the configuration, and leads to a registry of RMI alone.
    static Source remote(JMXServiceURL url, Map<String, Object> environment) {
        return () -> {
            JMXConnector connector = JMXConnectorFactory.connect(url, environment);
            try {
                return link(connector.getMBeanServerConnection(), connector);
            } catch (IOException | RuntimeException e) {
                connector.close();
                throw e;
            }
        };
    }

    private static Link link(MBeanServerConnection beans, @Nullable JMXConnector connector) {
        return new Link() {
            @Override
            public MBeanServerConnection beans() {
                return beans;
            }

            @Override
            public void close() throws IOException {
                if (connector != null) {
                    connector.close();
                }
            }
        };
    }
}
