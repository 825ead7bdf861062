package dev.tutti.balancer.internal.haproxy;

import dev.tutti.internal.LocalSocket;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** The runtime API of an HAProxy, at its socket of level admin: one connection for each command. Blocks until the timeout at most. */
final class RuntimeApi {

    /** A server of a backend, as HAProxy has it. */
    record Present(String address, int port, boolean isInMaintenance, boolean isDraining, int weight) {}

    private static final int ANSWER_BYTES_MAX = 4 << 20;
    private static final int FIELDS_MIN = 19;
    private static final int FORCED_MAINTENANCE = 0x01;
    private static final int FORCED_DRAIN = 0x08;

    private final Path socket;
    private final Duration timeout;

    /** @param timeout of one command: a stopped HAProxy takes connections and answers nothing */
    RuntimeApi(Path socket, Duration timeout) {
        this.socket = socket;
        this.timeout = timeout;
    }

    /** Returns the answer to a command. */
    String ask(String command) throws IOException {
        return LocalSocket.ask(socket, command, ANSWER_BYTES_MAX, timeout).strip();
    }

    /** Carries a command out that answers nothing, or one of these texts, if it is successful. */
    void tell(String command, String... expected) throws IOException {
        String answer = ask(command);
        for (String text : expected) {
            if (answer.contains(text)) {
                return;
            }
        }
        if (!answer.isEmpty()) {
            throw new IOException("HAProxy answers '" + command + "' with: " + answer);
        }
    }

    /** Returns the servers of a backend by name. */
    Map<String, Present> servers(String backend) throws IOException {
        String answer = ask("show servers state " + backend);
        if (answer.contains("Can't find backend")) {
            throw new IOException("HAProxy has no backend " + backend);
        }
        Map<String, Present> servers = new TreeMap<>();
        for (String line : answer.split("\n")) {
            String[] fields = line.split(" ");
            if (line.startsWith("#") || fields.length < FIELDS_MIN) {
                continue;
            }
            int admin = Integer.parseInt(fields[6]);
            servers.put(
                    fields[3],
                    new Present(
                            fields[4],
                            Integer.parseInt(fields[18]),
                            (admin & FORCED_MAINTENANCE) != 0,
                            (admin & FORCED_DRAIN) != 0,
                            Integer.parseInt(fields[7])));
        }
        return servers;
    }
}
