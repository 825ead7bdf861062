package dev.tutti.cli.migration;

import dev.tutti.Node;
import dev.tutti.cli.node.Interruption;
import dev.tutti.cli.node.NodeOptions;
import dev.tutti.cli.terminal.CommandException;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.internal.Json;
import dev.tutti.jgroups.JGroupsBridge;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jgroups.JChannel;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tutti bridge}: relays messages between a cluster of JGroups and a group. */
@Command(
        name = "bridge",
        description = "Relays messages to all between a cluster of JGroups and a group, both ways, until it is interrupted.",
        footer = {
            "",
            "Start it on two machines: one of them relays, and the other one when that is gone.",
            "",
            "Examples:",
            "  tutti bridge --stack tcp.xml --from shop --group shop --config tutti.yaml",
            "  tutti bridge --stack udp.xml --from draw --property bind=127.0.0.1"
        })
public final class BridgeCommand implements Callable<Integer> {

    private static final long REPORT_SECONDS = 60;

    private final Terminal terminal;

    @Mixin
    private NodeOptions options = new NodeOptions();

    @Option(names = "--stack", required = true, paramLabel = "FILE", description = "Stack file of JGroups, as the programs of the cluster have it.")
    @SuppressWarnings("NullAway.Init") // set before the command is called
    private String stack;

    @Option(names = "--from", required = true, paramLabel = "CLUSTER", description = "Name of the cluster of JGroups.")
    @SuppressWarnings("NullAway.Init") // set before the command is called
    private String cluster;

    @Option(names = "--group", paramLabel = "NAME", description = "The group; named as the cluster by default.")
    private @Nullable String group;

    @Option(names = "--property", paramLabel = "NAME=VALUE", description = "Property for placeholders of the stack file; may be repeated.")
    private Map<String, String> properties = new LinkedHashMap<>();

    @Option(names = "--json", description = "Prints its counters as JSON, one line each minute and at the end.")
    private boolean isJson;

    public BridgeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        properties.forEach(System::setProperty);
        JChannel channel = channel();
        try (Node node = options.onThisMachine().start()) {
            JGroupsBridge bridge = join(channel, node);
            try (bridge;
                    Interruption _ = Interruption.runs(bridge::close)) {
                print(bridge, "joined " + cluster + " of JGroups as " + channel.getAddress() + ", and group " + name() + " as " + node.name());
                while (true) {
                    try {
                        String reason = bridge.ended().get(REPORT_SECONDS, TimeUnit.SECONDS);
                        print(bridge, reason);
                        return ExitCodes.FAILED;
                    } catch (TimeoutException e) {
                        print(bridge, bridge.isRelaying() ? "relays" : "waits, another bridge relays");
                    } catch (ExecutionException e) {
                        throw new IllegalStateException("the end of a bridge has no result", e);
                    }
                }
            }
        }
    }

    private String name() {
        return group == null ? cluster : group;
    }

    private JChannel channel() {
        try {
            return new JChannel(stack);
        } catch (Exception e) {
            throw new CommandException("--stack: JGroups does not take " + stack + ": " + e.getMessage(), e);
        }
    }

    private JGroupsBridge join(JChannel channel, Node node) {
        try {
            return JGroupsBridge.join(channel, cluster, node.group(name()));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new CommandException("JGroups can't join cluster " + cluster + ": " + e.getMessage(), e);
        }
    }

    private void print(JGroupsBridge bridge, String event) {
        if (isJson) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("event", event);
            line.putAll(bridge.status());
            terminal.print(Json.write(line));
        } else {
            terminal.print("* " + event + "; " + bridge.status());
        }
    }
}
