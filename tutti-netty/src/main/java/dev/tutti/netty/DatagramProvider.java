package dev.tutti.netty;

import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.DriverProvider;
import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.loop.NettyMetrics;
import dev.tutti.netty.internal.udp.NettyDatagramDriver;
import java.util.List;

/** Opens drivers for UDP, with IP multicast if that is set. */
public final class DatagramProvider implements DriverProvider {

    @Override
    public String transport() {
        return "udp";
    }

    @Override
    public Driver open(Settings settings) {
        return NettyDatagramDriver.open(settings);
    }

    @Override
    public List<Metric> metrics() {
        return NettyMetrics.ALL;
    }
}
