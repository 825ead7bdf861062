package dev.tutti.internal.discovery;

import dev.tutti.address.HostPort;
import dev.tutti.address.Resolver;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.settings.SettingException;
import dev.tutti.internal.HostNames;
import java.net.Inet4Address;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Host names among the seeds, as a source of addresses. A dial of a name ends at one node, and each address of the name may be
 * another: the name of a headless service has one for each pod. So each is listed by itself, and names are looked up again and
 * again, as far as the caches of the JDK allow ({@code networkaddress.cache.ttl}, 30 s).
 *
 * <p>Nothing is listed of a name that has always led to one address, and not to this node: dials of the seed reach it. Of a name
 * with addresses of both versions of IP, those of the version of this node's own address are listed.
 */
public final class SeedNames implements DiscoverySource {

    /** Name of the source. */
    public static final String NAME = "seeds";

    /** Addresses of one name; further ones are left out. */
    static final int ADDRESSES_MAX = 1_000;

    /** A name, and what look-ups have found so far. */
    private static final class Name {
        final String host;
        final List<Integer> ports = new ArrayList<>();
        String first = "";
        boolean isShared;

        Name(String host) {
            this.host = host;
        }
    }

    private final List<Name> names;
    private final HostNames service;
    private String ownHost = "";

    private SeedNames(List<Name> names, HostNames service) {
        this.names = names;
        this.service = service;
    }

    /**
     * Returns a source of the seeds that are names; empty if there are none.
     *
     * @param seeds {@code host:port} each
     * @throws SettingException if one is no address
     */
    public static Optional<DiscoverySource> of(List<String> seeds, HostNames service) {
        Map<String, Name> byHost = new TreeMap<>();
        for (String seed : seeds) {
            HostPort address = parse(seed);
            if (Resolver.literal(address.host()) == null) {
                byHost.computeIfAbsent(address.host(), Name::new).ports.add(address.port());
            }
        }
        return byHost.isEmpty() ? Optional.empty() : Optional.of(new SeedNames(List.copyOf(byHost.values()), service));
    }

    private static HostPort parse(String seed) {
        try {
            return HostPort.parse(seed);
        } catch (IllegalArgumentException e) {
            throw new SettingException("discovery.seeds: " + e.getMessage(), e);
        }
    }

    @Override
    public void start(NodeEntry self) {
        ownHost = HostPort.parse(self.address()).machine();
    }

    @Override
    public List<String> addresses() {
        TreeSet<String> listed = new TreeSet<>();
        for (Name name : names) {
            List<String> found = ofOwnFamily(service.addresses(name.host));
            if (isShared(name, found)) {
                for (String host : found.subList(0, Math.min(found.size(), ADDRESSES_MAX))) {
                    name.ports.forEach(port -> listed.add(new HostPort(host, port).toString()));
                }
            }
        }
        return new ArrayList<>(listed);
    }

    private boolean isShared(Name name, List<String> found) {
        if (!found.isEmpty()) {
            String first = found.getFirst();
            boolean hasChanged = !name.first.isEmpty() && !name.first.equals(first);
            name.isShared |= found.size() > 1 || hasChanged || first.equals(ownHost);
            name.first = first;
        }
        return name.isShared;
    }

    private List<String> ofOwnFamily(List<String> hosts) {
        if (Resolver.literal(ownHost) == null) {
            return hosts;
        }
        List<String> same = hosts.stream().filter(host -> isFour(host) == isFour(ownHost)).toList();
        return same.isEmpty() ? hosts : same;
    }

    private static boolean isFour(String host) {
        return Resolver.literal(host) instanceof Inet4Address;
    }

    @Override
    public void close() {}
}
