package dev.tutti.cli.balance;

import dev.tutti.Node;
import dev.tutti.balancer.Balancer;
import dev.tutti.balancer.ProxyFeed;
import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.cli.node.HealthOption;
import dev.tutti.cli.node.Interruption;
import dev.tutti.cli.node.NodeOptions;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Settings.Source;
import dev.tutti.internal.Json;
import dev.tutti.metrics.HealthServer;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tutti balance}: a load balancer that web nodes announce themselves to. */
@Command(
        name = "balance",
        description = "Balances HTTP among web nodes that announce themselves: Tomcats with the BalancerListener of tutti-tomcat, programs"
                + " with Announcer, and servers with mod_cluster. It is a node itself, and runs until it is interrupted.",
        footer = {
            "",
            "Its node looks for others on this machine, at ports 7800 to 7809, unless the file or a seed says otherwise.",
            "The page shows nodes and their contexts, and drains nodes; /metrics has numbers, /health/live and /health/ready are for probes.",
            "Several balancers of one group have the same nodes, and the same orders.",
            "",
            "Examples:",
            "  tutti balance",
            "  tutti balance --bind ANY --port 443 --tls-certificate w.pem --tls-key k.pem",
            "  tutti balance --seed web1:7800,web2:7800   nodes on other machines",
            "  tutti balance --mod-cluster-port 6666      also for mod_cluster's listener",
            "  tutti balance --free                       sessions may be at any node",
            "  tutti balance --haproxy /run/admin.sock    an HAProxy gets the nodes",
            "  tutti balance --httpd http://127.0.0.1:81/balancer-manager   for an httpd",
            "  tutti balance -B balancer.answer-timeout=10s --access-log access.log",
            "and then:",
            "  curl http://127.0.0.1:7797/v1/nodes",
            "  curl -X POST http://127.0.0.1:7797/v1/nodes/web1/drain"
        })
public final class BalanceCommand implements Callable<Integer> {


    private final Terminal terminal;

    @Option(names = "--config", paramLabel = "FILE", description = "YAML file with settings of the node.")
    private @Nullable Path config;

    @Option(
            names = "--seed",
            paramLabel = "HOST:PORT",
            split = ",",
            description = "Where another node may be; may be repeated. host:port-port is a range.")
    private List<String> seeds = List.of();

    @Option(
            names = {"-D", "--set"},
            paramLabel = "SETTING=VALUE",
            description = "Any setting of the node; 'tutti config docs' lists them.")
    private Map<String, String> nodeSettings = new LinkedHashMap<>();

    @Option(
            names = {"-B", "--balancer"},
            paramLabel = "SETTING=VALUE",
            description = "Any setting of the balancer; 'tutti config docs' lists them.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Mixin
    private HealthOption health = new HealthOption();

    @Option(names = "--bind", paramLabel = "ADDRESS", description = "Address for requests: LOOPBACK, SITE_LOCAL, ANY, an address. Default: LOOPBACK.")
    private @Nullable String address;

    @Option(names = "--port", paramLabel = "PORT", description = "Port for requests; 0 takes any free one. Default: 8000.")
    private @Nullable String port;

    @Option(names = "--group", paramLabel = "NAME", description = "Group in which nodes and balancers meet. Default: balancer.")
    private @Nullable String group;

    @Option(names = "--free", description = "Does not keep sessions to their nodes: for sessions that all nodes have.")
    private boolean isFree;

    @Option(names = "--tls-certificate", paramLabel = "FILE", description = "PEM file with the certificate chain that clients see.")
    private @Nullable String certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "PEM file with its private key.")
    private @Nullable String key;

    @Option(names = "--console-port", paramLabel = "PORT", description = "Port of the page and the metrics. Default: 7797.")
    private @Nullable String consolePort;

    @Option(names = "--tokens-file", paramLabel = "FILE", description = "File with lines 'balancer TOKEN' for the page; its owner alone may read it.")
    private @Nullable String tokens;

    @Option(names = "--mod-cluster-port", paramLabel = "PORT", description = "Port of the management protocol of mod_cluster. Default: none.")
    private @Nullable String modClusterPort;

    @Option(names = "--access-log", paramLabel = "FILE", description = "File with a line for each request; - is standard output.")
    private @Nullable String accessLog;

    @Option(
            names = "--haproxy",
            paramLabel = "SOCKET",
            description = "Keeps the servers of an HAProxy up to date instead, through its socket of level admin.")
    private @Nullable Path haproxy;

    @Option(
            names = "--httpd",
            paramLabel = "URL",
            description = "Keeps the members of a balancer of an Apache httpd up to date instead, through its page balancer-manager.")
    private @Nullable URI httpd;

    @Option(
            names = "--backend",
            paramLabel = "NAME",
            defaultValue = "web",
            description = "HAProxy's backend, or httpd's balancer. Default: ${DEFAULT-VALUE}.")
    private String backend = "web";

    @Option(names = "--json", description = "Prints what happens as JSON, one object per line.")
    private boolean isJson;

    public BalanceCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        Settings spec = spec();
        String name = spec.get(BalancerSettings.GROUP);
        Path socket = haproxy;
        URI manager = httpd;
        if (socket != null) {
            return feed("the HAProxy at " + socket, name, node -> ProxyFeed.ofHaproxy(node, name, socket, backend));
        }
        if (manager != null) {
            return feed("the httpd at " + manager.getAuthority(), name, node -> ProxyFeed.ofHttpd(node, name, manager, backend));
        }
        try (Node node = NodeOptions.of(config, seeds, nodeSettings).onThisMachine(Map.of("name", "balancer")).start();
                Balancer balancer = Balancer.open(node, spec);
                HealthServer _ = health.serve(node);
                Interruption _ = Interruption.runs(() -> end(balancer, node))) {
            announce(balancer);
            watch(balancer::routes);
        }
        return ExitCodes.DONE;
    }

    private int feed(String proxy, String name, Function<Node, ProxyFeed> opening) throws InterruptedException {
        try (Node node = NodeOptions.of(config, seeds, nodeSettings).onThisMachine(Map.of("name", "feed")).start();
                ProxyFeed feed = opening.apply(node);
                HealthServer _ = health.serve(node);
                Interruption _ = Interruption.runs(() -> end(feed, node))) {
            if (!isJson) {
                terminal.print("Backend " + terminal.bold(backend) + " of " + proxy + " gets the nodes of group " + name);
            }
            watch(feed::routes);
        }
        return ExitCodes.DONE;
    }

    /** Prints the nodes whenever they have changed, until the process is interrupted. */
    private void watch(Supplier<List<String>> routes) throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        List<String> told = List.of();
        while (!end.await(1, TimeUnit.SECONDS)) {
            List<String> now = routes.get();
            if (!now.equals(told)) {
                report(now);
                told = now;
            }
        }
    }

    /** Closes the balancer first, which waits for requests that are under way. */
    private static void end(Balancer balancer, Node node) {
        balancer.close();
        node.close();
    }

    private static void end(ProxyFeed feed, Node node) {
        feed.close();
        node.close();
    }

    private Settings spec() {
        Settings spec = Balancer.defaults();
        for (Map.Entry<String, String> each : settings.entrySet()) {
            spec = spec.with(each.getKey(), each.getValue(), Source.BUILDER, "-B");
        }
        spec = with(spec, BalancerSettings.ADDRESS, address, "--bind");
        spec = with(spec, BalancerSettings.PORT, port, "--port");
        spec = with(spec, BalancerSettings.GROUP, group, "--group");
        spec = with(spec, BalancerSettings.TLS_CERTIFICATE, certificate, "--tls-certificate");
        spec = with(spec, BalancerSettings.TLS_KEY, key, "--tls-key");
        spec = with(spec, BalancerSettings.CONSOLE_PORT, consolePort, "--console-port");
        spec = with(spec, BalancerSettings.CONSOLE_TOKENS_FILE, tokens, "--tokens-file");
        spec = with(spec, BalancerSettings.MOD_CLUSTER_PORT, modClusterPort, "--mod-cluster-port");
        spec = with(spec, BalancerSettings.ACCESS_LOG, accessLog, "--access-log");
        return isFree ? spec.with(BalancerSettings.STICKY, false) : spec;
    }

    private static Settings with(Settings spec, Setting<?> setting, @Nullable String text, String option) {
        return text == null ? spec : spec.with(setting.name(), text, Source.BUILDER, option);
    }

    private void announce(Balancer balancer) {
        if (isJson) {
            terminal.print(Json.write(Map.of("event", "balancer", "url", balancer.url(), "console", balancer.consoleUrl())));
            return;
        }
        terminal.print("Balancer at " + terminal.bold(balancer.url()) + ", its page at " + balancer.consoleUrl());
    }

    private void report(List<String> routes) {
        if (isJson) {
            terminal.print(Json.write(Map.of("event", "nodes", "routes", routes)));
            return;
        }
        terminal.print(routes.isEmpty() ? "no nodes" : routes.size() + (routes.size() == 1 ? " node: " : " nodes: ") + String.join(", ", routes));
    }
}
