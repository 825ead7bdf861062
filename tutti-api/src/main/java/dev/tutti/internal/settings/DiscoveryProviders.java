package dev.tutti.internal.settings;

import dev.tutti.core.discovery.DiscoveryProvider;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The ways of discovery on the class path or module path. */
public final class DiscoveryProviders {

    private DiscoveryProviders() {}

    private static final List<DiscoveryProvider> PROVIDERS =
            ServiceLoader.load(DiscoveryProvider.class, DiscoveryProviders.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();

    /** Returns the settings of all ways. */
    public static List<Setting<?>> settings() {
        return PROVIDERS.stream().<Setting<?>>flatMap(provider -> provider.settings().stream()).toList();
    }

    /**
     * Returns the sources that {@code settings} ask for, by their kinds.
     *
     * @throws dev.tutti.core.settings.SettingException if settings of one kind contradict each other
     */
    public static Map<String, DiscoverySource> open(Settings settings) {
        Map<String, DiscoverySource> sources = new TreeMap<>();
        for (DiscoveryProvider provider : PROVIDERS) {
            provider.open(settings).ifPresent(source -> sources.put(provider.kind(), source));
        }
        return sources;
    }
}
