package dev.tutti.discovery.dns;

import dev.tutti.core.discovery.DiscoveryProvider;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import java.util.List;
import java.util.Optional;

/** Opens the names of {@code discovery.dns.names}. */
public final class DnsProvider implements DiscoveryProvider {

    public static final Setting<List<String>> NAMES = Setting.list(
            "discovery.dns.names",
            "Full names whose records list the nodes: db.shop.svc.cluster.local:7800 for A and AAAA records with that port,"
                    + " _tutti._tcp.shop.example for SRV records. Asked again and again, past the caches of the JDK.");

    public static final Setting<String> SERVER = Setting.text(
            "discovery.dns.server", "", "Name server, 10.0.0.53 or 10.0.0.53:53; empty for those of the system.");

    @Override
    public String kind() {
        return "dns";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(NAMES, SERVER);
    }

    @Override
    public Optional<DiscoverySource> open(Settings settings) {
        List<String> names = settings.get(NAMES);
        return names.isEmpty() ? Optional.empty() : Optional.of(new DnsDiscovery(names, settings.get(SERVER)));
    }
}
