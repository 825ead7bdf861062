package dev.tutti.core.driver;

import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.Settings;
import java.util.List;

/** Found by {@link java.util.ServiceLoader}: opens drivers of one kind. */
public interface DriverProvider {

    /** Returns the transport that it provides, {@code tcp} for example. */
    String transport();

    /**
     * Binds, but does not yet accept.
     *
     * @param settings with {@link TransportSettings}
     * @throws TransportException if it can't: address in use or not there, no permission, unsafe, unreadable keys
     */
    Driver open(Settings settings);

    /** Returns the definitions of its drivers' counters and of their numbers for sockets. */
    default List<Metric> metrics() {
        return List.of();
    }
}
