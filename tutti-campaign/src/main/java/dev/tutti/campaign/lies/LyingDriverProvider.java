package dev.tutti.campaign.lies;

import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.DriverProvider;
import dev.tutti.core.driver.StreamDriver;
import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.Settings;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Opens drivers for TCP, with the credentials of the node, that send lies. It is inactive unless the process was
 * started with {@link #SEED} and {@link #THEME_MILLIS}.
 */
public final class LyingDriverProvider implements DriverProvider {

    /** System property: the seed of the lies. */
    public static final String SEED = "dev.tutti.campaign.lies.seed";

    /** System property: milliseconds for which each kind of lie is told. */
    public static final String THEME_MILLIS = "dev.tutti.campaign.lies.theme-millis";

    private static final String TCP = "tcp";

    /** Kinds of lies of a real process. It never hears requests between others, which {@link Theme#REPAIRS} needs. */
    public static final Set<Theme> THEMES = Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(Theme.REPAIRS)));

    private static final AtomicLongArray TOLD = new AtomicLongArray(Theme.values().length);
    private static volatile boolean isLying;

    /** Makes the nodes of this process lie from now on. From any thread. */
    public static void begin() {
        isLying = true;
    }

    static boolean isLying() {
        return isLying;
    }

    /** Returns how many lies of each kind were sent, zeros included. From any thread. */
    public static Map<Theme, Long> told() {
        Map<Theme, Long> told = new EnumMap<>(Theme.class);
        THEMES.forEach(theme -> told.put(theme, TOLD.get(theme.ordinal())));
        return told;
    }

    static void count(Theme theme) {
        TOLD.incrementAndGet(theme.ordinal());
    }

    @Override
    public String transport() {
        return System.getProperty(SEED) == null ? "none" : TCP;
    }

    @Override
    public Driver open(Settings settings) {
        Driver opened = real().open(settings);
        if (!(opened instanceof StreamDriver streams)) {
            throw new IllegalStateException("the driver for " + TCP + " has no streams: " + opened.getClass());
        }
        return new LyingDriver(
                streams, Long.parseLong(System.getProperty(SEED)), 1_000_000 * Long.parseLong(System.getProperty(THEME_MILLIS)));
    }

    private static DriverProvider real() {
        for (DriverProvider provider : ServiceLoader.load(DriverProvider.class)) {
            if (!(provider instanceof LyingDriverProvider) && provider.transport().equals(TCP)) {
                return provider;
            }
        }
        throw new IllegalStateException("there is no driver for " + TCP);
    }

    @Override
    public List<Metric> metrics() {
        return List.of();
    }
}
