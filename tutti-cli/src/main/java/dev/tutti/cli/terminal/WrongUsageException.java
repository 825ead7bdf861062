package dev.tutti.cli.terminal;

/** Thrown when an option or a parameter has a value that is not possible; the message names it and says what is possible. */
public final class WrongUsageException extends CommandException {

    private static final long serialVersionUID = 1;

    public WrongUsageException(String message) {
        super(message);
    }
}
