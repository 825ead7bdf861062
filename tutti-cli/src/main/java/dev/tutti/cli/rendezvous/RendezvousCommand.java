package dev.tutti.cli.rendezvous;

import dev.tutti.cli.node.Interruption;
import dev.tutti.cli.terminal.Amounts;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Settings.Source;
import dev.tutti.internal.Json;
import dev.tutti.rendezvous.RendezvousServer;
import dev.tutti.rendezvous.settings.RendezvousServerSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tutti rendezvous}: a server through which nodes find and reach each other. */
@Command(
        name = "rendezvous",
        description = "Serves nodes that know nothing else of each other: lists them, and relays connections between those that can't"
                + " dial each other. It runs until it is interrupted.",
        footer = {
            "",
            "Nodes use it by -D rendezvous.servers=URL, with the URL that it prints. The server can't read what it relays.",
            "It keeps nothing on disk; several servers share the work if nodes name all of them.",
            "The page at / shows clusters, /metrics has numbers for Prometheus, /health/live and /health/ready are for probes.",
            "",
            "Examples:",
            "  tutti rendezvous",
            "  tutti rendezvous --bind ANY --port 443 --tokens-file tokens \\",
            "      --tls-certificate meet.pem --tls-key meet-key.pem",
            "  tutti rendezvous --bind SITE_LOCAL --insecure        in a trusted network",
            "  tutti rendezvous -D rendezvous-server.cluster-nodes-max=50",
            "  tutti chat -D rendezvous.servers=tcp://127.0.0.1:7790   a node that uses it"
        })
public final class RendezvousCommand implements Callable<Integer> {

    private static final Duration REPORT_PAUSE = Duration.ofSeconds(10);

    private final Terminal terminal;

    @Option(names = "--bind", paramLabel = "ADDRESS", description = "Address to listen on: LOOPBACK, SITE_LOCAL, ANY, an address. Default: LOOPBACK.")
    private @Nullable String address;

    @Option(names = "--port", paramLabel = "PORT", description = "Port to listen on; 0 takes any free one. Default: 7790.")
    private @Nullable String port;

    @Option(
            names = "--tokens-file",
            paramLabel = "FILE",
            description = "File with a line 'CLUSTER TOKEN' for each cluster that may use the server; its owner alone may read it.")
    private @Nullable String tokens;

    @Option(names = "--tls-certificate", paramLabel = "FILE", description = "PEM file with the server's certificate chain.")
    private @Nullable String certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "PEM file with its private key.")
    private @Nullable String key;

    @Option(
            names = "--tls-authority",
            paramLabel = "FILE",
            description = "PEM file with authorities; nodes with a certificate of one of them need no token.")
    private @Nullable String authority;

    @Option(names = "--insecure", description = "Lets everybody use the server who reaches it.")
    private boolean isInsecure;

    @Option(
            names = {"-D", "--set"},
            paramLabel = "SETTING=VALUE",
            description = "Any setting of the server; 'tutti config docs' lists them.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(names = "--json", description = "Prints what happens as JSON, one object per line.")
    private boolean isJson;

    public RendezvousCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        try (RendezvousServer server = RendezvousServer.open(spec());
                Interruption _ = Interruption.runs(server::close)) {
            announce(server);
            Map<String, Long> told = Map.of();
            while (!end.await(REPORT_PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
                Map<String, Long> now = server.numbers();
                if (!presence(now).equals(presence(told))) {
                    report(now);
                    told = now;
                }
            }
        }
        return ExitCodes.DONE;
    }

    private Settings spec() {
        Settings spec = RendezvousServer.defaults();
        for (Map.Entry<String, String> each : settings.entrySet()) {
            spec = spec.with(each.getKey(), each.getValue(), Source.BUILDER, "-D");
        }
        spec = with(spec, RendezvousServerSettings.ADDRESS, address, "--bind");
        spec = with(spec, RendezvousServerSettings.PORT, port, "--port");
        spec = with(spec, RendezvousServerSettings.TOKENS_FILE, tokens, "--tokens-file");
        spec = with(spec, RendezvousServerSettings.TLS_CERTIFICATE, certificate, "--tls-certificate");
        spec = with(spec, RendezvousServerSettings.TLS_KEY, key, "--tls-key");
        spec = with(spec, RendezvousServerSettings.TLS_AUTHORITY, authority, "--tls-authority");
        return isInsecure ? spec.with(RendezvousServerSettings.INSECURE, true) : spec;
    }

    private static Settings with(Settings spec, Setting<?> setting, @Nullable String text, String option) {
        return text == null ? spec : spec.with(setting.name(), text, Source.BUILDER, option);
    }

    private void announce(RendezvousServer server) {
        List<String> urls = server.urls();
        if (isJson) {
            terminal.print(Json.write(Map.of("event", "rendezvous", "urls", urls)));
            return;
        }
        terminal.print("Rendezvous server at " + terminal.bold(urls.getFirst()) + " and " + urls.getLast());
        terminal.print(terminal.faint("  Nodes use it by -D rendezvous.servers=" + urls.getFirst()));
    }

    private static List<Long> presence(Map<String, Long> numbers) {
        return List.of(
                numbers.getOrDefault("clusters", 0L),
                numbers.getOrDefault("nodes", 0L),
                numbers.getOrDefault("pairs", 0L),
                numbers.getOrDefault("refused", 0L),
                numbers.getOrDefault("unauthorized", 0L));
    }

    private void report(Map<String, Long> numbers) {
        if (isJson) {
            Map<String, Object> event = new LinkedHashMap<>();
            event.put("event", "numbers");
            event.putAll(numbers);
            terminal.print(Json.write(event));
            return;
        }
        long failures = numbers.getOrDefault("refused", 0L) + numbers.getOrDefault("unauthorized", 0L);
        terminal.print(numbers.get("nodes") + " nodes in " + numbers.get("clusters") + " clusters, " + numbers.get("pairs")
                + " relayed pairs, " + Amounts.bytes(numbers.getOrDefault("relayed-bytes", 0L)) + " relayed"
                + (failures == 0 ? "" : ", " + failures + " requests refused"));
    }
}
