package dev.tutti.cli.terminal;

/** Exit codes of the commands; the help text explains them. */
public final class ExitCodes {

    public static final int DONE = 0;
    public static final int FAILED = 1;
    public static final int WRONG = 2;

    private ExitCodes() {}
}
