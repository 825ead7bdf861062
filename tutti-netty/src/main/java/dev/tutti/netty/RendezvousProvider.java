package dev.tutti.netty;

import dev.tutti.core.discovery.DiscoveryProvider;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.driver.RendezvousSettings;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.relay.RelayOptions;
import dev.tutti.netty.internal.relay.RendezvousSource;
import java.util.List;
import java.util.Optional;

/** Opens the servers in {@code rendezvous.servers} as a source of addresses. */
public final class RendezvousProvider implements DiscoveryProvider {

    @Override
    public String kind() {
        return "rendezvous";
    }

    /** Returns none: the settings are those of the transport, which uses the same servers. */
    @Override
    public List<Setting<?>> settings() {
        return List.of();
    }

    @Override
    public Optional<DiscoverySource> open(Settings settings) {
        RelayOptions options = RelayOptions.ofDiscovery(settings);
        boolean isListing = settings.get(RendezvousSettings.RELAY) == RendezvousSettings.Relay.NEVER;
        return options == null ? Optional.empty() : Optional.of(new RendezvousSource(options, isListing));
    }
}
