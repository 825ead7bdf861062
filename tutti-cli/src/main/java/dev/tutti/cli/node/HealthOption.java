package dev.tutti.cli.node;

import dev.tutti.Node;
import dev.tutti.cli.terminal.Failures;
import dev.tutti.core.settings.SettingException;
import dev.tutti.metrics.HealthServer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --health} of commands that run as services. */
public final class HealthOption {

    @Option(
            names = "--health",
            paramLabel = "ADDRESS:PORT",
            description = "Answers /health/live, /health/ready and /metrics there, in the clear, for orchestrators and Prometheus: ANY:9464"
                    + " for example. Default: nowhere.")
    private @Nullable String address;

    /**
     * Serves the health of a node if that is asked for; null if not. A caller that joins groups calls it after that: a node without
     * groups is ready.
     *
     * @throws SettingException if nothing can listen at the address
     */
    public @Nullable HealthServer serve(Node node) {
        if (address == null) {
            return null;
        }
        try {
            return HealthServer.start(node, address);
        } catch (IllegalArgumentException e) {
            throw new SettingException("--health: " + e.getMessage());
        } catch (IOException e) {
            throw new SettingException("--health " + address + ": " + Failures.describe(e));
        }
    }
}
