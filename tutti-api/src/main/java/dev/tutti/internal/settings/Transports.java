package dev.tutti.internal.settings;

import dev.tutti.core.driver.DriverProvider;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.Setting;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.TreeSet;

/** The transports on the class path or module path. */
public final class Transports {

    private Transports() {}

    /** By name, so that pages about them are the same for each class path. */
    private static final List<DriverProvider> PROVIDERS =
            ServiceLoader.load(DriverProvider.class, Transports.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .sorted(Comparator.comparing(DriverProvider::transport))
                    .toList();

    /** Returns the settings that transports have for themselves. */
    public static List<Setting<?>> settings() {
        return PROVIDERS.stream().<Setting<?>>flatMap(provider -> provider.settings().stream()).toList();
    }

    /** Returns the definitions of what drivers count. */
    public static List<Metric> metrics() {
        return PROVIDERS.stream().flatMap(provider -> provider.metrics().stream()).distinct().toList();
    }

    /**
     * Returns the provider of a transport; of several with one name, the first on the class path.
     *
     * @throws TransportException if there is none; the message lists those that there are
     */
    public static DriverProvider provider(String transport) {
        TreeSet<String> names = new TreeSet<>();
        for (DriverProvider provider : PROVIDERS) {
            if (provider.transport().equals(transport)) {
                return provider;
            }
            names.add(provider.transport());
        }
        throw new TransportException(TransportSettings.PROTOCOL.name() + ": there is no transport '" + transport
                + "' on the class path or module path"
                + (names.isEmpty() ? "" : ", only " + String.join(", ", names))
                + "; tcp and udp are in the artifact dev.tutti:tutti-netty, local in dev.tutti:tutti-local");
    }
}
