package dev.tutti.cli.doctor;

import dev.tutti.Node;
import dev.tutti.address.HostPort;
import dev.tutti.address.Resolver;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Configuration being examined, and results that checks keep for later ones. Used by one check at a time. */
final class DoctorContext {

    /** Most addresses of a range that are tried. */
    static final int RANGE_MAX = 64;

    /**
     * An address at which another member may be.
     *
     * @param isRange whether it is one of several ports, some of which may be unused
     */
    record Seed(String host, int port, boolean isRange) {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    /** A seed whose host name is resolved. */
    record Peer(Seed seed, InetAddress address) {

        InetSocketAddress socket() {
            return new InetSocketAddress(address, seed.port());
        }

        @Override
        public String toString() {
            String literal = address.getHostAddress();
            return literal.equals(seed.host()) ? seed.toString() : seed + " (" + literal + ")";
        }
    }

    final NodeSpec spec;
    final Set<String> groups;
    final InstantSource clock;

    /** True if the seeds were configured, and false if they are only a default to try. */
    final boolean isExpected;

    final List<Peer> peers = new ArrayList<>();

    /** Peers whose port takes connections; over UDP all peers. */
    final List<Peer> open = new ArrayList<>();

    final ConcurrentLinkedQueue<String> troubles = new ConcurrentLinkedQueue<>();
    @Nullable Node probe;

    DoctorContext(NodeSpec spec, Set<String> groups, InstantSource clock, boolean isExpected) {
        this.spec = spec;
        this.groups = groups;
        this.clock = clock;
        this.isExpected = isExpected;
    }

    <T> T get(Setting<T> setting) {
        return spec.node().get(setting);
    }

    boolean isUdp() {
        return get(TransportSettings.PROTOCOL).equals("udp");
    }

    /** Returns a setting by its name, as text; empty if there is none. */
    static String text(Settings settings, String name) {
        for (Setting<?> setting : settings.definitions()) {
            if (setting.name().equals(name)) {
                return settings.text(setting);
            }
        }
        return "";
    }

    /** Returns the address that the probe advertises; null if there is none, or it is a name. */
    @Nullable InetAddress bound() {
        Node node = probe;
        if (node == null) {
            return null;
        }
        return Resolver.literal(HostPort.parse(node.address()).machine());
    }

    List<Seed> seeds() {
        List<Seed> seeds = new ArrayList<>();
        for (String text : text(spec.node(), "discovery.seeds").split(",", -1)) {
            int colon = text.lastIndexOf(':');
            if (colon > 0) {
                String host = text.substring(0, colon).strip().replaceAll("[\\[\\]]", "");
                String[] ports = text.substring(colon + 1).strip().split("-", 2);
                int first = Integer.parseInt(ports[0]);
                int last = Integer.parseInt(ports[ports.length - 1]);
                for (int port = first; port <= Math.min(last, first + RANGE_MAX - 1); port++) {
                    seeds.add(new Seed(host, port, first != last));
                }
            }
        }
        return seeds;
    }
}
