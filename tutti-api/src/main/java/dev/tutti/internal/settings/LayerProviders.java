package dev.tutti.internal.settings;

import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.Nearest;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.LayerProvider;
import dev.tutti.protocols.node.GroupSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The layers on the class path or module path that groups can ask for by name. */
public final class LayerProviders {

    private LayerProviders() {}

    private static final TreeMap<String, LayerProvider> PROVIDERS = load();

    private static TreeMap<String, LayerProvider> load() {
        TreeMap<String, LayerProvider> providers = new TreeMap<>();
        for (LayerProvider provider : ServiceLoader.load(LayerProvider.class, LayerProviders.class.getClassLoader())) {
            LayerProvider other = providers.putIfAbsent(provider.name(), provider);
            if (other != null && other.getClass() != provider.getClass()) {
                throw new SettingException("two layers are called " + provider.name() + ": " + other.getClass().getName() + " and "
                        + provider.getClass().getName() + "; take one of them off the class path");
            }
        }
        return providers;
    }

    /** Returns the settings of all layers. */
    public static List<Setting<?>> settings() {
        return PROVIDERS.values().stream().<Setting<?>>flatMap(provider -> provider.settings().stream()).toList();
    }

    /** Returns the definitions of all layers' counters. */
    public static List<Metric> metrics() {
        return PROVIDERS.values().stream().flatMap(provider -> provider.metrics().stream()).toList();
    }

    /**
     * Returns the layers that a group asks for, in its order.
     *
     * @param own layers that were given to the builder, by name
     * @throws SettingException if there is no layer of a name
     */
    public static List<LayerProvider> of(String group, Settings settings, Map<String, LayerProvider> own) {
        List<LayerProvider> found = new ArrayList<>();
        for (String name : settings.get(GroupSettings.LAYERS)) {
            LayerProvider provider = own.getOrDefault(name, PROVIDERS.get(name));
            if (provider == null) {
                throw new SettingException("group '" + group + "': there is no layer '" + name + "'"
                        + Nearest.suggest(name, PROVIDERS.keySet()) + (PROVIDERS.isEmpty()
                                ? "; those of tutti are in the artifact dev.tutti:tutti-layers"
                                : ""));
            }
            found.add(provider);
        }
        return found;
    }
}
