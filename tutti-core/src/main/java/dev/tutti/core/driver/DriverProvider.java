package dev.tutti.core.driver;

import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import java.util.List;

/** A transport, found by {@link java.util.ServiceLoader} under the name in {@code transport.protocol}: opens drivers of one kind. */
public interface DriverProvider {

    /** Returns the name of the transport that it provides, {@code tcp} for example: letters in lower case, digits and hyphens. */
    String transport();

    /**
     * Binds, but does not yet accept.
     *
     * @param settings with {@link TransportSettings}
     * @throws TransportException if it can't: address in use or not there, no permission, unsafe, unreadable keys
     */
    Driver open(Settings settings);

    /** Returns the settings of its drivers, named {@code transport.<transport>.<name>}. A node has them, too. */
    default List<Setting<?>> settings() {
        return List.of();
    }

    /** Returns the definitions of its drivers' counters and of their numbers for sockets. */
    default List<Metric> metrics() {
        return List.of();
    }
}
