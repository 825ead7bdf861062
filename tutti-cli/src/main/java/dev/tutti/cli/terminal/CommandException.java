package dev.tutti.cli.terminal;

/** Thrown when a command can't do what it was told; the message says why, and what would help. */
public class CommandException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public CommandException(String message) {
        super(message);
    }

    public CommandException(String message, Throwable cause) {
        super(message, cause);
    }
}
