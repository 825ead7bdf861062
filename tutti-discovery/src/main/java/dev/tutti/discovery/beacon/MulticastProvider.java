package dev.tutti.discovery.beacon;

import dev.tutti.core.discovery.DiscoveryProvider;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import java.util.List;
import java.util.Optional;

/** Opens the multicast group {@code discovery.multicast.address}. */
public final class MulticastProvider implements DiscoveryProvider {

    public static final Setting<String> ADDRESS = Setting.text(
            "discovery.multicast.address",
            "",
            "IP multicast group and port through which nodes of a network find each other, 239.192.78.2:7810 or [ff12::7810]:7810"
                    + " for example, the same at all nodes. It uses the interface of the node's address.");

    public static final Setting<Integer> TTL = Setting.count(
            "discovery.multicast.ttl", 1, 0, 255, "Routers that a question may pass, and one: 1 stays in the local network.");

    @Override
    public String kind() {
        return "multicast";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(ADDRESS, TTL);
    }

    @Override
    public Optional<DiscoverySource> open(Settings settings) {
        String address = settings.get(ADDRESS);
        if (address.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(BeaconDiscovery.multicast(address, settings.get(TTL)));
        } catch (IllegalArgumentException e) {
            throw new SettingException(ADDRESS.name() + ": " + e.getMessage(), e);
        }
    }
}
