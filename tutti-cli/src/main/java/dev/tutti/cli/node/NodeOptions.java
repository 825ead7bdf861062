package dev.tutti.cli.node;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.blocks.inspection.Inspection;
import dev.tutti.config.YamlFile;
import dev.tutti.console.ConsoleSettings;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.driver.RendezvousSettings;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Settings.Source;
import dev.tutti.stomp.StompSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of every command that configures a node. They win over properties, variables and the file. */
public final class NodeOptions {

    private static final String COMMAND_LINE = "command line";

    @Option(names = "--config", paramLabel = "FILE", description = "YAML file with settings.")
    private @Nullable Path config;

    @Option(names = "--name", paramLabel = "NAME", description = "The node's name, for people.")
    private @Nullable String name;

    @Option(names = "--port", paramLabel = "PORT", description = "Port to listen on; 0 takes any free one.")
    private @Nullable String port;

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            description = "Address to listen on: LOOPBACK (default), SITE_LOCAL, GLOBAL, ANY, a host, an address, an"
                    + " interface such as eth*.")
    private @Nullable String bind;

    @Option(
            names = "--seed",
            paramLabel = "HOST:PORT",
            split = ",",
            description = "Where another node may be; may be repeated. host:port-port is a range.")
    private @Nullable List<String> seeds;

    @Option(names = "--cluster", paramLabel = "NAME", description = "Nodes of other clusters are refused.")
    private @Nullable String cluster;

    @Option(names = "--preset", paramLabel = "NAME", description = "Settings that go together: default, fast or wan.")
    private @Nullable String preset;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description = "File with the cluster secret: mutual TLS without certificates of one's own.")
    private @Nullable Path secretFile;

    @Option(names = "--tls-certificate", paramLabel = "PEM", description = "This node's certificate chain.")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "PEM", description = "This node's private key.")
    private @Nullable Path key;

    @Option(
            names = "--tls-authority",
            paramLabel = "PEM",
            description = "Authority that must have signed others' certificates.")
    private @Nullable Path authority;

    @Option(names = "--insecure", description = "Allows addresses other than loopback without TLS.")
    private boolean isInsecure;

    @Option(
            names = {"-D", "--set"},
            paramLabel = "SETTING=VALUE",
            description = "Any setting, such as -D group.window=4MiB; 'tutti config docs' lists them.")
    private Map<String, String> settings = new LinkedHashMap<>();

    /** Returns options of a node whose command has further ones of the same names for something else. */
    public static NodeOptions of(@Nullable Path config, List<String> seeds, Map<String, String> settings) {
        NodeOptions options = new NodeOptions();
        options.config = config;
        options.seeds = seeds.isEmpty() ? null : List.copyOf(seeds);
        options.settings = new LinkedHashMap<>(settings);
        return options;
    }

    /** Returns a builder with all options applied. */
    public NodeBuilder builder() {
        return Node.of(spec());
    }

    /**
     * Returns a builder for a node that meets others on this machine unless told otherwise: it takes the first free one
     * of ten ports, and looks for others there.
     */
    public NodeBuilder onThisMachine() {
        return onThisMachine(Map.of());
    }

    /** Returns such a builder, with further settings that stand unless the user has set others. */
    public NodeBuilder onThisMachine(Map<String, String> defaults) {
        Map<String, String> all = new TreeMap<>(Map.of("bind.port-range", "9", "discovery.seeds", "localhost:7800-7809"));
        all.putAll(defaults);
        return builder(all);
    }

    /**
     * Returns a builder with settings that stand unless the user has set others. Seeds do not stand with rendezvous servers: each of
     * them would be asked for at each of the servers, too.
     */
    public NodeBuilder builder(Map<String, String> defaults) {
        NodeSpec spec = spec();
        Settings node = spec.node();
        for (var each : defaults.entrySet()) {
            boolean isLeft = each.getKey().equals("discovery.seeds") && !node.get(RendezvousSettings.SERVERS).isEmpty();
            if (!isLeft) {
                node = node.with(each.getKey(), each.getValue(), Source.PRESET, COMMAND_LINE);
            }
        }
        return Node.of(spec.withNode(node));
    }

    public boolean hasFile() {
        return config != null;
    }

    /** Lets a node with diagnostics ask its whole cluster, for {@code tutti probe --all} and {@code tutti top}. */
    public static @Nullable Inspection openInspection(Node node) {
        for (Setting<?> setting : node.spec().node().definitions()) {
            if (setting.name().equals("diagnostics.enabled") && node.spec().node().get(setting).equals(true)) {
                return Inspection.open(node);
            }
        }
        return null;
    }

    /** Returns all settings that a node of the command line may have, with their defaults. */
    public static NodeSpec defaults() {
        return ConsoleSettings.addTo(StompSettings.addTo(Node.defaults()));
    }

    private NodeSpec spec() {
        NodeSpec spec = defaults();
        // Nodes of the command line answer queries unless that is switched off.
        spec = spec.withNode(spec.node().with("diagnostics.enabled", "true", Source.PRESET, COMMAND_LINE));
        if (config != null) {
            spec = YamlFile.read(config, spec);
        }
        Settings node = spec.node();
        node = with(node, "name", name, "--name");
        node = with(node, "bind.port", port, "--port");
        node = with(node, "bind.address", bind, "--bind");
        node = with(node, "discovery.seeds", seeds == null ? null : String.join(",", seeds), "--seed");
        node = with(node, "cluster", cluster, "--cluster");
        node = with(node, "preset", preset, "--preset");
        node = with(node, "security.secret-file", secret(secretFile), "--secret-file");
        node = with(node, "tls.certificate", text(certificate), "--tls-certificate");
        node = with(node, "tls.key", text(key), "--tls-key");
        node = with(node, "tls.authority", text(authority), "--tls-authority");
        node = with(node, "security.insecure", isInsecure ? "true" : null, "--insecure");
        spec = spec.withNode(node);
        for (var setting : settings.entrySet()) {
            spec = with(spec, setting.getKey(), setting.getValue());
        }
        return spec;
    }

    private static Settings with(Settings settings, String name, @Nullable String text, String option) {
        return text == null ? settings : settings.with(name, text, Source.BUILDER, option);
    }

    private static NodeSpec with(NodeSpec spec, String name, String text) {
        String place = "-D " + name;
        if (!spec.node().has(name) && name.startsWith("group.")) {
            Settings group = spec.groupDefaults();
            return spec.withGroupDefaults(group.with(name.substring("group.".length()), text, Source.BUILDER, place));
        }
        if (spec.groupDefaults().has(name)) {
            throw new SettingException(place + ": this is a setting of groups; write -D group." + name);
        }
        if (spec.node().definitions().stream().anyMatch(setting -> setting.isSecret() && setting.name().equals(name))) {
            throw new SettingException(place + ": everybody on this machine sees the command line; " + instead(spec.node(), name));
        }
        return spec.withNode(spec.node().with(name, text, Source.BUILDER, place));
    }

    /** Returns the way in which a secret setting is given without showing it. */
    private static String instead(Settings settings, String name) {
        if (settings.has(name + "-file")) {
            return "put the secret in a file that only you can read, and use "
                    + (name.equals("security.secret") ? "--secret-file FILE" : "-D " + name + "-file=FILE");
        }
        return "put it in a configuration file that only you can read, and use --config FILE";
    }

    private static @Nullable String text(@Nullable Path path) {
        return path == null ? null : path.toString();
    }

    private static @Nullable String secret(@Nullable Path file) {
        if (file != null && !Files.isReadable(file)) {
            throw new SettingException("--secret-file: " + file + " can't be read; make one with: tutti certs secret " + file);
        }
        return text(file);
    }
}
