package dev.tutti.cli;

/** Thrown when a command can't do what it was told; the message says why, and what would help. */
final class CommandException extends RuntimeException {

    private static final long serialVersionUID = 1;

    CommandException(String message) {
        super(message);
    }

    CommandException(String message, Throwable cause) {
        super(message, cause);
    }
}
