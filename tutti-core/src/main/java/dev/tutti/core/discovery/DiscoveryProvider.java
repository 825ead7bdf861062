package dev.tutti.core.discovery;

import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import java.util.List;
import java.util.Optional;

/**
 * Found by {@link java.util.ServiceLoader}: opens sources of one kind, which a node's settings ask for.
 *
 * <p>Threads: any. A provider has no state.
 */
public interface DiscoveryProvider {

    /** Returns the kind of its sources, for people and as the second part of its settings' names: {@code directory}. */
    String kind();

    /** Returns the settings of its sources, named {@code discovery.<kind>.<name>}. A node has them, too. */
    List<Setting<?>> settings();

    /**
     * Returns the source that {@code settings} ask for; empty if they ask for none. Connects to nothing yet.
     *
     * @throws dev.tutti.core.settings.SettingException if the settings contradict each other
     */
    Optional<DiscoverySource> open(Settings settings);
}
