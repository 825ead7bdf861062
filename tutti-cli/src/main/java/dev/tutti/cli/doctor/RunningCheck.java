package dev.tutti.cli.doctor;

import dev.tutti.core.driver.TransportSettings;
import dev.tutti.internal.Json;
import dev.tutti.internal.diagnostics.Diagnostics;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory.Entry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Reports problems of nodes of this cluster that run here, at the configured port or at those of seeds. */
final class RunningCheck implements Check {

    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    @Override
    public String name() {
        return "running";
    }

    @Override
    public Duration deadline() {
        return Duration.ofSeconds(15);
    }

    @Override
    public List<Finding> run(DoctorContext context) throws IOException {
        TreeSet<Integer> ports = new TreeSet<>();
        context.seeds().forEach(seed -> ports.add(seed.port()));
        int first = context.get(TransportSettings.BIND_PORT);
        for (int port = first; first > 0 && port <= first + context.get(TransportSettings.BIND_PORT_RANGE); port++) {
            ports.add(port);
        }
        List<Finding> found = new ArrayList<>();
        for (Entry entry : DiagnosticsDirectory.ofUser().entries()) {
            if (ports.contains(entry.port())) {
                look(context, entry, found);
            }
        }
        if (found.isEmpty()) {
            found.add(Finding.ok(name(), "no node of this cluster runs here that can be asked (diagnostics.enabled)"));
        }
        return found;
    }

    private void look(DoctorContext context, Entry entry, List<Finding> found) {
        Map<?, ?> status;
        try {
            status = Json.parse(Diagnostics.ask(entry.socket(), "status", TIMEOUT)) instanceof Map<?, ?> map ? map : Map.of();
        } catch (IOException | IllegalArgumentException e) {
            found.add(Finding.fault(
                    name(),
                    "the node at port " + entry.port() + " (process " + entry.pid() + ") does not answer: " + e.getMessage(),
                    "look whether its process stands still: jstack " + entry.pid()));
            return;
        }
        Map<?, ?> node = section(status, "node");
        Object cluster = node.get("cluster");
        if (cluster != null && !cluster.equals(DoctorContext.text(context.spec.node(), "cluster"))) {
            return;
        }
        String who = "node " + node.get("name") + " (" + node.get("address") + ", process " + entry.pid() + ")";
        Map<?, ?> health = section(status, "health");
        if (health.get("problems") instanceof List<?> problems) {
            for (Object each : problems) {
                if (each instanceof Map<?, ?> problem) {
                    found.add(Finding.fault(
                            name(),
                            who + ": " + problem.get("text") + "; since " + problem.get("since"),
                            String.valueOf(problem.get("advice"))));
                }
            }
        }
        boolean isReady = Boolean.TRUE.equals(health.get("ready"));
        if (found.isEmpty() && !isReady) {
            found.add(Finding.note(name(), who + " is not ready: " + health.get("reasons"), "tutti view " + entry.port() + " says more"));
        } else if (found.isEmpty()) {
            found.add(Finding.ok(name(), who + " is ready and has no problems"));
        }
    }

    private static Map<?, ?> section(Map<?, ?> document, String name) {
        return document.get(name) instanceof Map<?, ?> section ? section : Map.of();
    }
}
