package dev.tutti.cli.node;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tutti chat}: sends lines from its input to a group, and prints the group's messages. */
@Command(
        name = "chat",
        description = "Sends what you write to a group and prints what its members write.",
        footer = {
            "",
            "Leaves at the end of the input. Without a seed it looks for other chats on this machine, at ports 7800 to 7809.",
            "",
            "Examples:",
            "  tutti chat                                   in two terminals of one machine",
            "  tutti chat --name ann --bind SITE_LOCAL --secret-file s --seed 10.0.0.2:7800",
            "  date | tutti chat --port 0 --seed localhost:7800 log"
        })
public final class ChatCommand implements Callable<Integer> {

    /** Most characters of a message; a longer line becomes several messages. */
    private static final int LINE_MAX = 64 * 1024;

    private final Terminal terminal;

    @Mixin
    private NodeOptions options = new NodeOptions();

    @Option(names = "--json", description = "Prints events as JSON, one per line.")
    private boolean isJson;

    @Parameters(arity = "0..1", paramLabel = "GROUP", defaultValue = "chat", description = "Default: ${DEFAULT-VALUE}.")
    private String group = "chat";

    public ChatCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        Events events = new Events(terminal, isJson);
        CountDownLatch closed = new CountDownLatch(1);
        try (Node node = options.onThisMachine().start();
                Interruption _ = Interruption.closes(node);
                Group joined = node.group(group)
                        .onView(view -> events.onView(group, view, null))
                        .onMessage(message -> events.onMessage(group, message))
                        .onClosed(reason -> {
                            events.onClosed(group, reason);
                            closed.countDown();
                        })
                        .join()) {
            NodeOptions.openInspection(node);
            BufferedReader in = new BufferedReader(new InputStreamReader(terminal.in(), StandardCharsets.UTF_8));
            for (String line = read(in); line != null && closed.getCount() > 0; line = read(in)) {
                if (!line.isEmpty()) {
                    joined.send(line);
                }
            }
        }
        return ExitCodes.DONE;
    }

    /** Returns the next line, or the first part of one that is too long; null at the end. */
    private static @Nullable String read(BufferedReader in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int character = in.read(); character != '\n'; character = in.read()) {
            if (character < 0) {
                return line.isEmpty() ? null : line.toString();
            }
            if (character != '\r') {
                line.append((char) character);
            }
            if (line.length() >= LINE_MAX && !Character.isHighSurrogate((char) character)) {
                break;
            }
        }
        return line.toString();
    }
}
