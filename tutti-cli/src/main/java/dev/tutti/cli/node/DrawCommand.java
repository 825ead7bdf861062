package dev.tutti.cli.node;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.cli.terminal.CommandException;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.core.Printable;
import dev.tutti.draw.DrawingBoard;
import dev.tutti.internal.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tutti draw}: a member that serves the drawing board. */
@Command(
        name = "draw",
        description = "Serves a drawing board for browsers, until it is interrupted.",
        footer = {
            "",
            "Prints the address to open; the key behind its # lets one draw. Started again, in another terminal, it joins: the "
                    + "newcomer serves the same board at the next port, and pages of a member that dies go on at another one.",
            "",
            "Examples:",
            "  tutti draw                          at the first free port from 8800 on",
            "  tutti draw --share                  also for phones here, without encryption",
            "  tutti draw --page-port 9000 --name ann",
            "  tutti draw --bind SITE_LOCAL --secret-file secret --seed 192.168.1.5:7800"
        })
public final class DrawCommand implements Callable<Integer> {

    private static final String PORT = "8800";
    private static final String FURTHER_PORTS = "9";

    private final Terminal terminal;

    @Mixin
    private NodeOptions options = new NodeOptions();

    @Option(
            names = "--page-port",
            paramLabel = "PORT",
            defaultValue = PORT,
            description = "Port of the page, or one of the nine after it; 0 takes any free one. Default: ${DEFAULT-VALUE}.")
    private String port = PORT;

    @Option(
            names = "--share",
            description = "Serves the page at this machine's address in its network instead of at loopback. Whoever listens"
                    + " in on that network can read the key.")
    private boolean isShared;

    @Option(names = "--json", description = "Prints where it is as JSON.")
    private boolean isJson;

    public DrawCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        NodeBuilder builder = options.onThisMachine();
        CountDownLatch forever = new CountDownLatch(1);
        try (Node node = builder.start();
                DrawingBoard board = DrawingBoard.start(
                        node,
                        server -> (isShared ? server.set("stomp.address", "SITE_LOCAL").set("stomp.insecure", "true") : server)
                                .set("stomp.port", port)
                                .set("stomp.port-range", port.equals("0") ? "0" : FURTHER_PORTS));
                Interruption _ = Interruption.runs(() -> end(board, node))) {
            announce(node, board);
            forever.await();
        }
        return ExitCodes.DONE;
    }

    /** Closes the board before the node, so that pages are told first. */
    private static void end(DrawingBoard board, Node node) {
        board.close();
        node.close();
    }

    private void announce(Node node, DrawingBoard board) {
        if (isJson) {
            Map<String, Object> event = new LinkedHashMap<>();
            event.put("event", "started");
            event.put("node", node.name());
            event.put("address", node.address());
            event.put("url", board.url());
            terminal.print(Json.write(event));
        } else {
            terminal.print(terminal.faint("* node " + Printable.escape(node.name()) + " listens on " + node.address()));
            terminal.print("The board: " + terminal.bold(board.url()));
        }
    }
}
