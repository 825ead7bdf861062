package dev.tutti.local;

import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.DriverProvider;
import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.Settings;
import dev.tutti.local.internal.LocalDriver;
import java.util.List;

/**
 * Opens drivers for nodes of one process, at addresses {@code local:<port>}. Nothing leaves the process, so {@code bind.address},
 * {@code bind.advertise} and all settings of TLS are without effect.
 */
public final class LocalDriverProvider implements DriverProvider {

    /** Name of the transport. */
    public static final String TRANSPORT = "local";

    @Override
    public String transport() {
        return TRANSPORT;
    }

    @Override
    public Driver open(Settings settings) {
        return LocalDriver.open(settings);
    }

    @Override
    public List<Metric> metrics() {
        return LocalDriver.METRICS;
    }
}
