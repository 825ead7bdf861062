package dev.tutti.cli.grid;

import dev.tutti.cli.terminal.ExitCodes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tutti grid}: commands of monitoring across sites. */
@Command(
        name = "grid",
        description = "Monitoring across sites: a demonstration, and trials. 'tutti mediator' is what programs connect to.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = GridDemoCommand.class,
        footer = {
            "",
            "Examples:",
            "  tutti grid demo                   three sites that monitor each other",
            "  tutti mediator --grid lab         where programs connect to",
            "",
            "Exit codes: 0 done, 1 failed, 2 wrong option or configuration."
        })
public final class GridCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set before the command is called
    private CommandSpec spec;

    public GridCommand() {}

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getOut());
        return ExitCodes.DONE;
    }
}
