package dev.tutti.cli.stomp;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.cli.node.HealthOption;
import dev.tutti.cli.node.Interruption;
import dev.tutti.cli.node.NodeOptions;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Failures;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.core.Printable;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Settings.Source;
import dev.tutti.internal.Json;
import dev.tutti.internal.PrivateFile;
import dev.tutti.metrics.HealthServer;
import dev.tutti.stomp.Access;
import dev.tutti.stomp.Login;
import dev.tutti.stomp.StompMessage;
import dev.tutti.stomp.StompServer;
import dev.tutti.stomp.StompServerBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tutti stomp}: a member that serves STOMP clients of any language. */
@Command(
        name = "stomp",
        subcommands = StompLoadCommand.class,
        description = "Serves STOMP, over TCP and WebSocket, until it is interrupted.",
        footer = {
            "",
            "Without a seed it looks for others on this machine, at ports 7800 to 7809, and serves at the first free port "
                    + "from 61613 on. Started twice, clients of one hear those of the other.",
            "",
            "Examples:",
            "  tutti stomp --print",
            "  tutti stomp --group chat --group news --login-file logins",
            "  tutti stomp -D stomp.body-max=64KiB -D stomp.history=16MiB",
            "  tutti stomp -D stomp.tls-certificate=pki/ann.pem \\",
            "      -D stomp.tls-key=pki/ann-key.pem --stomp-port 61614",
            "  tutti stomp load                       how much of it a machine can serve",
            "and then, from any language, for example with stomp.py:",
            "  stomp -H 127.0.0.1 -P 61613"
        })
public final class StompCommand implements Callable<Integer> {

    private static final int SHOWN_MAX = 200;

    private final Terminal terminal;

    @Mixin
    private NodeOptions options = new NodeOptions();

    @Mixin
    private HealthOption health = new HealthOption();

    @Option(
            names = "--group",
            paramLabel = "NAME",
            split = ",",
            description = "A group to serve; may be repeated. Destinations begin with its name. Default: topic.")
    private List<String> groups = List.of();

    @Option(names = "--stomp-port", paramLabel = "PORT", description = "Port to serve at; 0 takes any free one.")
    private @Nullable String port;

    @Option(
            names = "--login-file",
            paramLabel = "FILE",
            description = "File with those who may connect, a line LOGIN:PASSCODE for each; its owner alone may read it. Without it"
                    + " everybody on this machine may.")
    private @Nullable Path loginFile;

    @Option(names = "--print", description = "Prints messages.")
    private boolean isPrinting;

    @Option(names = "--json", description = "Prints events as JSON, one per line.")
    private boolean isJson;

    public StompCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        NodeBuilder builder = options.onThisMachine();
        CountDownLatch forever = new CountDownLatch(1);
        try (Node node = builder.start();
                StompServer server = server(node).start();
                HealthServer _ = health.serve(node);
                Interruption _ = Interruption.runs(() -> end(server, node))) {
            announce(node, server);
            NodeOptions.openInspection(node);
            forever.await();
        }
        return ExitCodes.DONE;
    }

    /** Closes the server before the node, so that clients are told first. */
    private static void end(StompServer server, Node node) {
        server.close();
        node.close();
    }

    private StompServerBuilder server(Node node) {
        StompServerBuilder server = StompServer.on(node);
        Settings settings = node.spec().node();
        if (port != null) {
            server.set("stomp.port", port);
        } else if (settings.explicit().getOrDefault("stomp.port", NOT_SET).source() == Source.DEFAULT) {
            server.set("stomp.port-range", "9");
        }
        if (!groups.isEmpty()) {
            server.groups(groups.toArray(String[]::new));
        }
        if (loginFile != null) {
            Map<String, String> passcodes = passcodes(loginFile);
            server.authenticator(login -> judge(login, passcodes));
        }
        if (isPrinting) {
            server.onMessage(this::print);
        }
        return server;
    }

    private static final Settings.Value NOT_SET = new Settings.Value("", Source.DEFAULT, "");

    private static Map<String, String> passcodes(Path file) {
        Map<String, String> passcodes = new LinkedHashMap<>();
        try {
            PrivateFile.check(file);
            for (String line : Files.readAllLines(file)) {
                int colon = line.indexOf(':');
                if (!line.isBlank() && (colon < 1 || line.substring(colon + 1).isBlank())) {
                    throw new SettingException("--login-file " + file + ": write a line LOGIN:PASSCODE for each");
                }
                if (!line.isBlank()) {
                    passcodes.put(line.substring(0, colon), line.substring(colon + 1));
                }
            }
        } catch (IOException e) {
            throw new SettingException("--login-file: " + Failures.describe(e));
        }
        if (passcodes.isEmpty()) {
            throw new SettingException("--login-file " + file + ": names nobody; write a line LOGIN:PASSCODE for each");
        }
        return passcodes;
    }

    private static @Nullable Access judge(Login login, Map<String, String> passcodes) {
        byte[] expected = passcodes.getOrDefault(login.login(), "").getBytes(StandardCharsets.UTF_8);
        byte[] given = login.passcode().getBytes(StandardCharsets.UTF_8);
        boolean isRight = MessageDigest.isEqual(expected, given);
        return isRight && passcodes.containsKey(login.login()) ? Access.ALL : null;
    }

    private void announce(Node node, StompServer server) {
        if (isJson) {
            Map<String, Object> event = new LinkedHashMap<>();
            event.put("event", "started");
            event.put("node", node.name());
            event.put("address", node.address());
            event.put("endpoints", server.endpoints());
            terminal.print(Json.write(event));
        } else {
            terminal.print(terminal.faint("* node " + Printable.escape(node.name()) + " listens on " + node.address()));
            for (String endpoint : server.endpoints()) {
                terminal.print("STOMP at " + terminal.bold(endpoint));
            }
        }
    }

    private void print(StompMessage message) {
        if (isJson) {
            Map<String, Object> event = new LinkedHashMap<>();
            event.put("event", "message");
            event.put("destination", message.destination());
            event.put("id", message.id());
            event.put("headers", new LinkedHashMap<String, Object>(message.headers()));
            event.put("text", message.text());
            terminal.print(Json.write(event));
        } else {
            String text = message.body().length > SHOWN_MAX ? "(" + message.body().length + " bytes)" : message.text();
            terminal.print(terminal.bold(Printable.escape(message.destination())) + ": " + Printable.escape(text));
        }
    }
}
