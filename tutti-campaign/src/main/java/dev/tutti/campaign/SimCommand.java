package dev.tutti.campaign;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import org.jspecify.annotations.Nullable;

/** {@code tutti sim}: whole clusters in virtual time on a hostile network. */
@Command(
        name = "sim",
        mixinStandardHelpOptions = true,
        description = "Runs whole clusters in virtual time through faults drawn from seeds.")
final class SimCommand implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        Cluster.cluster(3).start().assertOneView(java.time.Duration.ofSeconds(1))
                .assertComesToRest(java.time.Duration.ofSeconds(1));
        return CommandLine.ExitCode.OK;
    }
}
