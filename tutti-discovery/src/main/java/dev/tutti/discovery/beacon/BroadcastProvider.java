package dev.tutti.discovery.beacon;

import dev.tutti.core.discovery.DiscoveryProvider;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import java.util.List;
import java.util.Optional;

/** Opens the broadcast address {@code discovery.broadcast.address}. */
public final class BroadcastProvider implements DiscoveryProvider {

    public static final Setting<String> ADDRESS = Setting.text(
            "discovery.broadcast.address",
            "",
            "IPv4 broadcast address and port through which nodes of a network find each other where it carries no multicast,"
                    + " 10.0.0.255:7810 or 255.255.255.255:7810 for example, the same at all nodes.");

    @Override
    public String kind() {
        return "broadcast";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(ADDRESS);
    }

    @Override
    public Optional<DiscoverySource> open(Settings settings) {
        String address = settings.get(ADDRESS);
        if (address.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(BeaconDiscovery.broadcast(address));
        } catch (IllegalArgumentException e) {
            throw new SettingException(ADDRESS.name() + ": " + e.getMessage(), e);
        }
    }
}
