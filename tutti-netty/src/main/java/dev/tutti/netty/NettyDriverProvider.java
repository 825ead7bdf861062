package dev.tutti.netty;

import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.DriverProvider;
import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.loop.NettyMetrics;
import dev.tutti.netty.internal.tcp.NettyDriver;
import java.util.List;

/** Opens drivers for TCP. */
public final class NettyDriverProvider implements DriverProvider {

    @Override
    public String transport() {
        return "tcp";
    }

    @Override
    public Driver open(Settings settings) {
        return NettyDriver.open(settings);
    }

    @Override
    public List<Metric> metrics() {
        return NettyMetrics.ALL;
    }
}
