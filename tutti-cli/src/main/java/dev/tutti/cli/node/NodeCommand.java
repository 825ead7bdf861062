package dev.tutti.cli.node;

import dev.tutti.Node;
import dev.tutti.blocks.inspection.Inspection;
import dev.tutti.blocks.presence.Attributes;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.console.Console;
import dev.tutti.console.ConsoleBuilder;
import dev.tutti.console.ConsoleSettings;
import dev.tutti.core.Printable;
import dev.tutti.core.settings.NodeAttributes;
import dev.tutti.internal.Json;
import dev.tutti.metrics.HealthServer;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tutti node}: a member that only watches. */
@Command(
        name = "node",
        description = "Joins groups and prints their views and messages, until it is interrupted.",
        footer = {
            "",
            "Examples:",
            "  tutti node --group chat",
            "  tutti node --config tutti.yaml --group a --group b --json",
            "  tutti node --group a --bind SITE_LOCAL --secret-file secret --health ANY:9464",
            "  tutti node --group a -D attributes=zone=eu-1a,rack=r12",
            "  TUTTI_GROUP_WINDOW='4 MiB' tutti node --group a"
        })
public final class NodeCommand implements Callable<Integer> {

    /** Group of attributes, as documents name it. */
    private static final String ATTRIBUTES = "attributes";

    private final Terminal terminal;

    @Mixin
    private NodeOptions options = new NodeOptions();

    @Mixin
    private HealthOption health = new HealthOption();

    @Option(names = "--group", paramLabel = "NAME", split = ",", description = "A group to join; may be repeated.")
    private List<String> groups = List.of();

    @Option(
            names = "--attributes",
            description = "Joins the group 'attributes', and prints those of members with each view. So does a node that has attributes.")
    private boolean hasAttributes;

    @Option(names = "--json", description = "Prints events as JSON, one per line.")
    private boolean isJson;

    public NodeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        Events events = new Events(terminal, isJson);
        LinkedHashSet<String> names = new LinkedHashSet<>(groups);
        CountDownLatch open = new CountDownLatch(Math.max(names.size(), 1));
        try (Node node = options.onThisMachine().start();
                Interruption _ = Interruption.closes(node)) {
            announce(node);
            Attributes attributes = attributes(node);
            for (String group : names) {
                node.group(group)
                        .onView(view -> events.onView(group, view, attributes))
                        .onMessage(message -> events.onMessage(group, message))
                        .onClosed(reason -> {
                            events.onClosed(group, reason);
                            open.countDown();
                        })
                        .join();
            }
            Inspection inspection = NodeOptions.openInspection(node);
            try (Console _ = console(node, inspection);
                    HealthServer _ = health.serve(node)) {
                // Until it is interrupted, or has lost all groups.
                open.await();
            }
        }
        return names.isEmpty() ? ExitCodes.DONE : ExitCodes.FAILED;
    }

    /** Joins the group of attributes if it is asked for, or the node has any to announce; null otherwise. */
    private @Nullable Attributes attributes(Node node) {
        boolean isWanted = hasAttributes || !NodeAttributes.of(node.spec().node()).isEmpty();
        return isWanted && !groups.contains(ATTRIBUTES) ? Attributes.join(node.group(ATTRIBUTES)) : null;
    }

    /** Returns the node's console; null if it is not enabled. */
    private @Nullable Console console(Node node, @Nullable Inspection inspection) {
        if (!ConsoleSettings.of(node.spec().node()).get(ConsoleSettings.ENABLED)) {
            return null;
        }
        ConsoleBuilder builder = Console.on(node);
        Console console = (inspection == null ? builder : builder.inspection(inspection)).start();
        ConsoleCommand.announce(console, terminal, isJson);
        return console;
    }

    private void announce(Node node) {
        if (isJson) {
            Map<String, Object> event = new LinkedHashMap<>();
            event.put("event", "started");
            event.put("node", node.name());
            event.put("address", node.address());
            terminal.print(Json.write(event));
        } else {
            terminal.print(terminal.faint("* node " + Printable.escape(node.name()) + " listens on " + node.address()));
        }
    }
}
