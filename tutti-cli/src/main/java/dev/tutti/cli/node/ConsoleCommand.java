package dev.tutti.cli.node;

import dev.tutti.Node;
import dev.tutti.blocks.inspection.Inspection;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.console.Console;
import dev.tutti.console.ConsoleBuilder;
import dev.tutti.core.Printable;
import dev.tutti.internal.Json;
import dev.tutti.metrics.HealthServer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tutti console}: a member that shows the cluster in a browser. */
@Command(
        name = "console",
        subcommands = ConsoleUserCommand.class,
        description = "Shows a cluster in the browser: members, links, groups, what happened and why.",
        footer = {
            "",
            "It takes part as a node of its own, which joins no group of the application. Members show all that they know if "
                    + "they were started by this command line, or have Inspection open. Without a seed it looks for others on this "
                    + "machine, at ports 7800 to 7809. It prints a link that logs in once.",
            "",
            "Examples:",
            "  tutti console",
            "  tutti console --config tutti.yaml --console-port 8080",
            "  tutti console --seed 10.0.0.1:7800 --secret-file secret --bind SITE_LOCAL",
            "  tutti console user add ann --role operator --file users",
            "  tutti console -D console.users-file=users",
            "  tutti node --group chat -D console.enabled=true   any member can serve it, too"
        })
public final class ConsoleCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private NodeOptions options = new NodeOptions();

    @Mixin
    private HealthOption health = new HealthOption();

    @Option(names = "--console-port", paramLabel = "PORT", description = "Port for browsers; 0 takes any free one. Default: 7880.")
    private @Nullable String port;

    @Option(names = "--group", paramLabel = "NAME", split = ",", description = "A group to join, too; may be repeated.")
    private List<String> groups = List.of();

    @Option(names = "--json", description = "Prints events as JSON, one per line.")
    private boolean isJson;

    public ConsoleCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        CountDownLatch forever = new CountDownLatch(1);
        try (Node node = options.onThisMachine().start();
                Inspection inspection = Inspection.open(node);
                Console console = builder(node, inspection).start();
                Interruption _ = Interruption.runs(() -> end(console, node))) {
            groups.forEach(group -> node.group(group).join());
            announce(node, console);
            try (HealthServer _ = health.serve(node)) {
                forever.await();
            }
        }
        return ExitCodes.DONE;
    }

    private ConsoleBuilder builder(Node node, Inspection inspection) {
        ConsoleBuilder builder = Console.on(node).inspection(inspection);
        return port == null ? builder : builder.set("console.port", port);
    }

    private static void end(Console console, Node node) {
        console.close();
        node.close();
    }

    private void announce(Node node, Console console) {
        if (!isJson) {
            terminal.print(terminal.faint("* node " + Printable.escape(node.name()) + " listens on " + node.address()));
        }
        announce(console, terminal, isJson);
    }

    /** Prints the console's address, and how to log in. */
    static void announce(Console console, Terminal terminal, boolean isJson) {
        if (isJson) {
            Map<String, Object> event = new LinkedHashMap<>();
            event.put("event", "console");
            event.put("address", console.address());
            event.put("link", console.link());
            terminal.print(Json.write(event));
        } else {
            terminal.print("Console at " + terminal.bold(console.link()));
            terminal.print(terminal.faint("  The link logs in whoever opens it first, within 15 minutes."));
        }
    }
}
