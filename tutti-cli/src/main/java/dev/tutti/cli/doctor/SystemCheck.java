package dev.tutti.cli.doctor;

import dev.tutti.Node;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Size;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Checks limits of the operating system: open files, and buffers of UDP. */
final class SystemCheck implements Check {

    private static final String LIMIT = "Max open files";
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final int FILES_OF_A_JVM = 100;

    @Override
    public String name() {
        return "system";
    }

    @Override
    public Duration deadline() {
        return Duration.ofSeconds(5);
    }

    @Override
    public List<Finding> run(DoctorContext context) throws IOException {
        List<Finding> found = new ArrayList<>();
        files(context, found);
        Node probe = context.probe;
        if (probe != null) {
            Map<String, String> transport = probe.inspection().transport();
            buffer(transport, "receive-buffer", "net.core.rmem_max", found);
            buffer(transport, "send-buffer", "net.core.wmem_max", found);
        }
        if (found.isEmpty()) {
            found.add(Finding.ok(name(), "open files and socket buffers suffice"));
        }
        return found;
    }

    private void files(DoctorContext context, List<Finding> found) throws IOException {
        if (!Files.isReadable(LIMITS)) {
            return;
        }
        for (String line : Files.readAllLines(LIMITS)) {
            String limit = line.startsWith(LIMIT) ? line.substring(LIMIT.length()).strip().split(" +")[0] : "unlimited";
            int connections = context.get(TransportSettings.CONNECTIONS_MAX);
            if (!limit.equals("unlimited") && Long.parseLong(limit) < connections + FILES_OF_A_JVM) {
                found.add(Finding.note(
                        name(),
                        "a process may open " + limit + " files, and transport.connections-max is " + connections,
                        "ulimit -n " + 4 * connections + ", or LimitNOFILE=" + 4 * connections
                                + " in the unit of systemd, before it starts"));
            }
        }
    }

    /** The driver reports a buffer that is smaller than wanted: {@code 4 MiB of 8 MiB; raise net.core.rmem_max}. */
    private void buffer(Map<String, String> transport, String kind, String limit, List<Finding> found) {
        String text = transport.getOrDefault(kind, "");
        if (text.contains("; raise")) {
            String wanted = text.replaceAll(".* of (.*);.*", "$1");
            long bytes = Size.parse(wanted).bytes();
            found.add(Finding.fault(
                    name(),
                    "the " + kind.replace('-', ' ') + " of UDP is " + text.replaceAll(";.*", "") + ": bursts get lost",
                    "as root: sysctl -w " + limit + "=" + bytes + ", and the same line in /etc/sysctl.d/tutti.conf; or a smaller"
                            + " transport.socket-buffer"));
        }
    }
}
