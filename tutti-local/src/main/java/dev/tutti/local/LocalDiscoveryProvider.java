package dev.tutti.local;

import dev.tutti.core.discovery.DiscoveryProvider;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.local.internal.LocalNetwork;
import java.util.List;
import java.util.Optional;

/** Lists the nodes of this process to each other: those on the transport {@code local} with the same cluster need no seeds. */
public final class LocalDiscoveryProvider implements DiscoveryProvider {

    @Override
    public String kind() {
        return LocalDriverProvider.TRANSPORT;
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of();
    }

    @Override
    public Optional<DiscoverySource> open(Settings settings) {
        boolean isLocal = settings.get(TransportSettings.PROTOCOL).equals(LocalDriverProvider.TRANSPORT);
        return isLocal ? Optional.of(new Neighbours()) : Optional.empty();
    }

    private static final class Neighbours implements DiscoverySource {

        private String cluster = "";

        @Override
        public void start(NodeEntry self) {
            cluster = self.cluster();
        }

        @Override
        public List<String> addresses() {
            return LocalNetwork.OF_PROCESS.addresses(cluster);
        }

        @Override
        public void close() {}
    }
}
