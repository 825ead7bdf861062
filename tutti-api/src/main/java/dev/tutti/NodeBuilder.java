package dev.tutti;

import dev.tutti.core.Printable;
import dev.tutti.core.admission.AdmissionRule;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.DriverProvider;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Host;
import dev.tutti.internal.HostNames;
import dev.tutti.internal.OwnProcess;
import dev.tutti.internal.admission.AdmissionSettings;
import dev.tutti.internal.discovery.SeedNames;
import dev.tutti.internal.settings.DiscoveryProviders;
import dev.tutti.internal.settings.Overrides;
import dev.tutti.internal.settings.Preset;
import dev.tutti.internal.settings.Transports;
import dev.tutti.internal.storage.FileStore;
import dev.tutti.protocols.node.NodeSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Configures and starts a node. Values set here take precedence over system properties ({@code tutti.<setting>}), those
 * over environment variables ({@code TUTTI_<SETTING>}), those over the file.
 */
public final class NodeBuilder {

    private NodeSpec spec;
    private final Map<String, DiscoverySource> sources = new TreeMap<>();
    private final List<AdmissionRule> rules = new ArrayList<>();
    private Consumer<String> onTrouble = _ -> {};
    private @Nullable DriverProvider transport;

    NodeBuilder(NodeSpec spec) {
        this.spec = spec;
    }

    public NodeBuilder name(String name) {
        return set(TransportSettings.NAME, name);
    }

    /** Sets the cluster's name. Nodes of other clusters are refused. */
    public NodeBuilder cluster(String cluster) {
        return set(TransportSettings.CLUSTER, cluster);
    }

    /** Sets the addresses to look for other nodes at: {@code host:port}, or {@code host:port-port} for a range. */
    public NodeBuilder seeds(String... addresses) {
        return set(NodeSettings.SEEDS, List.of(addresses));
    }

    /**
     * Adds a source of addresses of other nodes, besides seeds and the sources that settings ask for. The node starts it, and
     * closes it at its end.
     *
     * @param name unique in the node, for people
     * @throws IllegalArgumentException if there is a source of this name
     */
    public NodeBuilder discover(String name, DiscoverySource source) {
        Objects.requireNonNull(source, "source");
        if (sources.putIfAbsent(name, source) != null) {
            throw new IllegalArgumentException("the node has a discovery source " + name + " already");
        }
        return this;
    }

    /**
     * Adds a rule about which nodes may come in, besides {@code admission.rule} and the rules that were added before: all of them
     * must admit a node. All nodes of a cluster should have the same rules.
     */
    public NodeBuilder admit(AdmissionRule rule) {
        rules.add(Objects.requireNonNull(rule, "rule"));
        return this;
    }

    /** Sets the rule about which nodes may come in, as settings write it: {@code token and name ~ shop-[0-9]+} for example. */
    public NodeBuilder admit(String rule) {
        return set("admission.rule", rule);
    }

    /**
     * Sets a file with a token that all nodes share, which only its owner may read. Without a rule, the nodes that know the token
     * may come in.
     */
    public NodeBuilder tokenFile(Path file) {
        return set(AdmissionSettings.TOKEN_FILE, file.toString());
    }

    /** Sets the transport by its name, {@code tcp} for example; see {@code transport.protocol}. */
    public NodeBuilder transport(String name) {
        return set(TransportSettings.PROTOCOL, name);
    }

    /**
     * Sets a transport of the application, which need not be found by {@link java.util.ServiceLoader}. Its settings can be set from then
     * on.
     */
    public NodeBuilder transport(DriverProvider provider) {
        transport = provider;
        spec = spec.withNodeDefinitions(provider.settings());
        return transport(provider.transport());
    }

    /** Sets the address to listen on; see {@code bind.address}. */
    public NodeBuilder bind(String address) {
        return set(TransportSettings.BIND_ADDRESS, address);
    }

    /**
     * Turns on mutual TLS, with certificates derived from a secret that all nodes of the cluster share, in a file that
     * only its owner may read.
     */
    public NodeBuilder secretFile(Path file) {
        return set(TransportSettings.SECRET_FILE, file.toString());
    }

    /** Turns on mutual TLS with the secret itself. A file exposes it less, and can be changed while the node runs. */
    public NodeBuilder secret(String secret) {
        return set(TransportSettings.SECRET, secret);
    }

    /** Turns on mutual TLS with PEM files. */
    public NodeBuilder tls(Path certificate, Path key, Path authority) {
        return set(TransportSettings.TLS_CERTIFICATE, certificate.toString())
                .set(TransportSettings.TLS_KEY, key.toString())
                .set(TransportSettings.TLS_AUTHORITY, authority.toString());
    }

    /** Allows addresses other than loopback without TLS. */
    public NodeBuilder insecure() {
        return set(TransportSettings.INSECURE, true);
    }

    /**
     * Sets a listener for conditions that an operator should look into, each as a sentence: refused connections, wrong
     * addresses, missing trust, groups that are set up differently elsewhere. The same goes to the log. Called on the
     * node's loop: must not block, nor call the node.
     */
    public NodeBuilder onTrouble(Consumer<String> listener) {
        onTrouble = Objects.requireNonNull(listener, "listener");
        return this;
    }

    public <T> NodeBuilder set(Setting<T> setting, T value) {
        return set(setting.name(), setting.print(value));
    }

    /**
     * Sets a setting by its name, with the text that it would have in a file: {@code set("detection.heartbeat", "500
     * ms")}.
     */
    public NodeBuilder set(String setting, String value) {
        spec = spec.withNode(spec.node().with(setting, value, Settings.Source.BUILDER, "builder"));
        return this;
    }

    /**
     * Returns the settings that {@link #start} would use: those set here, over system properties, environment
     * variables, the file and the preset.
     *
     * @throws dev.tutti.core.settings.SettingException if a setting is wrong
     */
    public NodeSpec spec() {
        return checked(Preset.apply(Overrides.apply(spec, properties(), System.getenv())));
    }

    /**
     * Checks names: they go to logs and terminals of all members, which refuse a node whose name would forge lines
     * there.
     */
    private static NodeSpec checked(NodeSpec spec) {
        for (Setting<String> setting : List.of(TransportSettings.NAME, TransportSettings.CLUSTER)) {
            try {
                Printable.checkName(setting.name(), spec.node().get(setting));
            } catch (IllegalArgumentException e) {
                throw new SettingException(String.valueOf(e.getMessage()), e);
            }
        }
        return spec;
    }

    /**
     * Binds and starts. Does not wait for other nodes.
     *
     * @throws TransportException if the address can't be bound, or not safely
     * @throws dev.tutti.core.settings.SettingException if a setting is wrong
     */
    public Node start() {
        NodeSpec resolved = spec();
        DriverProvider present = transport;
        String name = resolved.node().get(TransportSettings.PROTOCOL);
        DriverProvider provider = present != null && present.transport().equals(name) ? present : Transports.provider(name);
        Driver driver = provider.open(resolved.node());
        FileStore store = null;
        try {
            store = FileStore.open(resolved.node(), driver::execute);
            return start(resolved, new OwnProcess(driver, store, onTrouble));
        } catch (RuntimeException | Error e) {
            driver.close();
            if (store != null) {
                store.close();
            }
            throw e;
        }
    }

    /**
     * Starts on {@code host}, with the settings made here and by the preset alone: system properties and environment
     * variables are ignored. For code that runs nodes in virtual time, as tutti-testkit does; applications call {@link
     * #start()}.
     */
    @SuppressWarnings("exports") // who may call it can see it
    public Node start(Host host) {
        NodeSpec resolved = checked(Preset.apply(spec));
        return start(resolved, host);
    }

    private Node start(NodeSpec resolved, Host host) {
        return new Node(resolved, host, sources(resolved, host.names()), rules);
    }

    private Map<String, DiscoverySource> sources(NodeSpec resolved, @Nullable HostNames names) {
        Map<String, DiscoverySource> all = new TreeMap<>(DiscoveryProviders.open(resolved.node()));
        if (names != null) {
            SeedNames.of(NodeSettings.seeds(resolved.node()), names).ifPresent(source -> all.put(SeedNames.NAME, source));
        }
        sources.forEach((name, source) -> {
            if (all.putIfAbsent(name, source) != null) {
                throw new SettingException("discovery source " + name + " is set up by settings, and added by the program, too:"
                        + " give the second one another name");
            }
        });
        return all;
    }

    private static Map<String, String> properties() {
        Properties properties = System.getProperties();
        Map<String, String> texts = new TreeMap<>();
        for (String name : properties.stringPropertyNames()) {
            texts.put(name, properties.getProperty(name));
        }
        return texts;
    }
}
