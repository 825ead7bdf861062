package dev.tutti.campaign;

import dev.tutti.campaign.chaos.ChaosCommand;
import dev.tutti.campaign.grid.GridCommand;
import dev.tutti.campaign.relays.RelaysCommand;
import dev.tutti.campaign.rollout.RolloutCommand;
import dev.tutti.campaign.scale.ScaleCommand;
import dev.tutti.campaign.search.SimCommand;
import dev.tutti.campaign.sessions.SessionsCommand;
import dev.tutti.campaign.sites.commands.SitesCommand;
import dev.tutti.core.settings.Durations;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line of the campaigns that try to break the guarantees. */
@Command(
        name = "tutti",
        mixinStandardHelpOptions = true,
        version = "tutti campaign 0.1.0",
        description = "Tries to break what docs/guarantees.md promises.",
        subcommands = {
            SimCommand.class,
            ChaosCommand.class,
            SessionsCommand.class,
            SitesCommand.class,
            GridCommand.class,
            RelaysCommand.class,
            RolloutCommand.class,
            ScaleCommand.class,
            CommandLine.HelpCommand.class,
        })
public final class Campaign {

    private Campaign() {}

    /** Runs and exits with the code that the help text explains. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        CommandLine line = line();
        return arguments.length == 0 ? usage(line) : line.execute(arguments);
    }

    static CommandLine line() {
        CommandLine line = new CommandLine(new Campaign());
        line.registerConverter(Duration.class, Durations::parse);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setParameterExceptionHandler((error, arguments) -> wrong(error));
        return line;
    }

    /** Says in a line what is wrong with the options, and where help is. */
    private static int wrong(CommandLine.ParameterException error) {
        CommandLine command = error.getCommandLine();
        command.getErr().println("tutti: " + error.getMessage() + " (see '" + command.getCommandSpec().qualifiedName() + " --help')");
        CommandLine.UnmatchedArgumentException.printSuggestions(error, command.getErr());
        command.getErr().flush();
        return CommandLine.ExitCode.USAGE;
    }

    private static int usage(CommandLine line) {
        line.usage(line.getOut());
        return CommandLine.ExitCode.OK;
    }
}
