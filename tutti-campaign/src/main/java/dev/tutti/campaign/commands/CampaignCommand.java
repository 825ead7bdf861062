package dev.tutti.campaign.commands;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command of the campaign, with the output and the errors of the command line that runs it. */
public abstract class CampaignCommand implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

    /** @throws IllegalStateException if no command line has made the command */
    protected final CommandLine line() {
        CommandSpec present = spec;
        if (present == null) {
            throw new IllegalStateException("the command was not made by the command line");
        }
        return present.commandLine();
    }

    protected final PrintWriter out() {
        return line().getOut();
    }

    protected final PrintWriter err() {
        return line().getErr();
    }

    /** Prints a line about the progress, with the name of the command, where errors are printed. */
    protected final void say(String text) {
        err().println(line().getCommandName() + ": " + text);
        err().flush();
    }
}
