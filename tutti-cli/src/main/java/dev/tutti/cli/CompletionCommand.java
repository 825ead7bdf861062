package dev.tutti.cli;

import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tutti completion}: prints a completion script for the shell. */
@Command(
        name = "completion",
        description = "Prints a script that completes commands and options, for bash and zsh.",
        footer = {
            "",
            "Examples:",
            "  source <(tutti completion)",
            "  tutti completion > ~/.local/share/bash-completion/completions/tutti"
        })
final class CompletionCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before the command is called
    private CommandSpec spec;

    CompletionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        terminal.out().print(AutoComplete.bash("tutti", spec.root().commandLine()));
        terminal.out().flush();
        return ExitCodes.DONE;
    }
}
