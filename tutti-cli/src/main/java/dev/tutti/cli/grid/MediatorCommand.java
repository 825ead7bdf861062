package dev.tutti.cli.grid;

import dev.tutti.Node;
import dev.tutti.address.AddressChoice;
import dev.tutti.cli.node.Interruption;
import dev.tutti.cli.node.NodeOptions;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.core.settings.SettingException;
import dev.tutti.grid.mediator.Mediator;
import dev.tutti.grid.mediator.MediatorBuilder;
import dev.tutti.grid.member.GridMember;
import dev.tutti.internal.Json;
import dev.tutti.sites.Sites;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tutti mediator}: a member of the grid that processes without a node connect to. */
@Command(
        name = "mediator",
        description = "Lets processes without a node publish measurements, and get them, over HTTP and WebSocket. It is a node, and a member"
                + " of the grid, and runs until it is interrupted.",
        footer = {
            "",
            "Its node looks for others on this machine, at ports 7800 to 7809, unless the file or a seed says otherwise. With --site, the file or"
                    + " --seed names the other nodes of the site, if there are any.",
            "Programs use GridClient with the URL that it prints, and with those of other mediators: when one is gone, they go to the next.",
            "Its address in a browser is a page with the sites, producers, consumers and numbers of the grid.",
            "Prometheus finds its targets at /v1/targets; /metrics has numbers, /health/live and /health/ready are for probes.",
            "",
            "Examples:",
            "  tutti mediator",
            "  tutti mediator --config node.yaml --bind ANY --tokens-file tokens \\",
            "      --tls-certificate m.pem --tls-key m-key.pem",
            "  tutti mediator --seed host1:7800 --port 7796 --grid lab",
            "  tutti mediator --bind SITE_LOCAL --insecure --host mon1   in a trusted network",
            "  tutti mediator --site berlin --bridge-seed b1:7810,p1:7810 \\",
            "      --bridge-config bridge.yaml",
            "and then, from any language:",
            "  curl -d '{\"topic\": \"rooms/1/heat\", \"value\": 21.5}' \\",
            "      http://127.0.0.1:7795/v1/publish",
            "  curl 'http://127.0.0.1:7795/v1/latest?topic=rooms/*/heat'"
        })
public final class MediatorCommand implements Callable<Integer> {

    private static final Duration REPORT_PAUSE = Duration.ofSeconds(10);

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
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(names = "--grid", paramLabel = "NAME", defaultValue = "grid", description = "Name of the grid. Default: ${DEFAULT-VALUE}.")
    private String grid = "grid";

    @Mixin
    private SiteOptions site = new SiteOptions();

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            defaultValue = "LOOPBACK",
            description = "Address for clients: LOOPBACK, SITE_LOCAL, ANY, an address. Default: ${DEFAULT-VALUE}.")
    private String address = "LOOPBACK";

    @Option(names = "--port", paramLabel = "PORT", defaultValue = "7795", description = "Port for clients; 0 takes any free one. Default: ${DEFAULT-VALUE}.")
    private int port = MediatorBuilder.PORT_DEFAULT;

    @Option(
            names = "--host",
            paramLabel = "NAME",
            split = ",",
            description = "Name by which clients call this host, where they need no token; may be repeated. Addresses and localhost do without.")
    private List<String> hosts = List.of();

    @Option(
            names = "--tokens-file",
            paramLabel = "FILE",
            description = "File with lines 'GRID TOKEN' for clients, or '* TOKEN'; its owner alone may read it.")
    private @Nullable Path tokens;

    @Option(names = "--tls-certificate", paramLabel = "FILE", description = "PEM file with the certificate chain for clients.")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "PEM file with its private key.")
    private @Nullable Path key;

    @Option(
            names = "--tls-authority",
            paramLabel = "FILE",
            description = "PEM file with authorities; clients with a certificate of one of them need no token.")
    private @Nullable Path authority;

    @Option(names = "--insecure", description = "Lets everybody use the mediator who reaches it.")
    private boolean isInsecure;

    @Option(
            names = "--lease",
            paramLabel = "SECONDS",
            defaultValue = "20",
            description = "Time for which entries of clients stay without a connection. Default: ${DEFAULT-VALUE}.")
    private int leaseSeconds = 20;

    @Option(names = "--json", description = "Prints what happens as JSON, one object per line.")
    private boolean isJson;

    @Option(names = "--until-input-ends", hidden = true, description = "Ends when its input does, so that it does not outlive its parent.")
    private boolean hasParent;

    public MediatorCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        try (Node node = NodeOptions.of(config, seeds, settings).onThisMachine(site.ofNode(grid)).start();
                Sites sites = site.open(node, grid);
                GridMember member = join(node, sites);
                Mediator mediator = open(member);
                Interruption _ = Interruption.runs(() -> end(mediator, member, sites, node))) {
            announce(mediator);
            if (hasParent) {
                Thread.ofVirtual().start(() -> awaitInputEnd(end));
            }
            long told = 0;
            while (!end.await(REPORT_PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
                Map<String, Long> now = mediator.numbers();
                long clients = now.getOrDefault("clients", 0L);
                if (clients != told) {
                    report(now);
                    told = clients;
                }
            }
        }
        return ExitCodes.DONE;
    }

    private void awaitInputEnd(CountDownLatch end) {
        try {
            terminal.in().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            terminal.err().println("tutti: the input can't be read any more: " + e.getMessage());
        } finally {
            end.countDown();
        }
    }

    private GridMember join(Node node, @Nullable Sites sites) {
        try {
            return (sites == null ? GridMember.on(node) : GridMember.on(sites)).name(grid).links().join();
        } catch (IllegalStateException e) {
            throw new SettingException("the grid " + grid + " can't be joined: " + e.getMessage(), e);
        }
    }

    private Mediator open(GridMember member) {
        if ((certificate == null) != (key == null)) {
            throw new SettingException("--tls-certificate and --tls-key are set together; one is missing");
        }
        try {
            MediatorBuilder builder = Mediator.on(member)
                    .bind(AddressChoice.ofMachine().listen(address))
                    .port(port)
                    .names(hosts.toArray(String[]::new))
                    .lease(Duration.ofSeconds(leaseSeconds))
                    .rehearse();
            if (certificate != null && key != null) {
                builder.tls(certificate, key);
            }
            if (authority != null) {
                builder.authority(authority);
            }
            if (tokens != null) {
                builder.tokens(tokens);
            }
            return (isInsecure ? builder.insecure() : builder).open();
        } catch (IllegalArgumentException | IllegalStateException | UncheckedIOException e) {
            throw new SettingException("the mediator can't be started: " + e.getMessage(), e);
        }
    }

    /** Closes the mediator first, so that clients go to another one at once. */
    private static void end(Mediator mediator, GridMember member, @Nullable Sites sites, Node node) {
        mediator.close();
        member.close();
        if (sites != null) {
            sites.close();
        }
        node.close();
    }

    private void announce(Mediator mediator) {
        if (isJson) {
            terminal.print(Json.write(Map.of("event", "mediator", "url", mediator.url().toString())));
            return;
        }
        terminal.print("Mediator of " + grid + " at " + terminal.bold(mediator.url().toString())
                + ", also for a browser");
        terminal.print(terminal.faint("  Prometheus: http_sd_configs with " + mediator.url() + "/v1/targets"));
    }

    private void report(Map<String, Long> numbers) {
        if (isJson) {
            Map<String, Object> event = new LinkedHashMap<>();
            event.put("event", "numbers");
            event.putAll(numbers);
            terminal.print(Json.write(event));
            return;
        }
        terminal.print(numbers.get("clients") + " clients, " + numbers.get("entries") + " entries, " + numbers.get("client-published")
                + " measurements published by clients, " + numbers.get("client-delivered") + " delivered to them");
    }
}
