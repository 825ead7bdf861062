package dev.tutti.cli;

import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;

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

    CompletionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        terminal.out().print(AutoComplete.bash("tutti", Tutti.commandLine(terminal)));
        terminal.out().flush();
        return ExitCodes.DONE;
    }
}
