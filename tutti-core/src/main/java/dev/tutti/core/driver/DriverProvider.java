package dev.tutti.core.driver;

import dev.tutti.core.settings.Settings;

/** Found by {@link java.util.ServiceLoader}: opens drivers of one kind. */
public interface DriverProvider {

    /** The transport that it provides, {@code tcp} for example. */
    String transport();

    /**
     * Binds, but does not yet accept.
     *
     * @param settings with {@link TransportSettings}
     * @throws TransportException if it can't: address in use or not there, no permission, unsafe, unreadable keys
     */
    Driver open(Settings settings);
}
