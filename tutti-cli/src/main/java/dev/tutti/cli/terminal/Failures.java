package dev.tutti.cli.terminal;

import dev.tutti.core.Printable;
import dev.tutti.core.settings.SettingException;
import java.io.IOException;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** Prints errors for people: one line, with the stack trace only on request. */
public final class Failures {

    private Failures() {}

    public static int exitCode(Throwable error) {
        return error instanceof SettingException || error instanceof WrongUsageException ? ExitCodes.WRONG : ExitCodes.FAILED;
    }

    public static void print(Throwable error, PrintWriter err, boolean isDebug) {
        err.println("tutti: " + describe(error));
        if (isDebug) {
            error.printStackTrace(err);
        }
        err.flush();
    }

    /** Describes an error in one line: our own by the message, any other also by the name of its class. */
    public static String describe(Throwable error) {
        String message = oneLine(String.valueOf(error.getMessage()));
        boolean isOurs = error.getClass().getName().startsWith("dev.tutti.") || error instanceof IllegalStateException;
        if (isOurs) {
            return message;
        }
        if (error instanceof IOException) {
            return error.getClass().getSimpleName().replace("Exception", "") + ": " + message;
        }
        return error.getClass().getSimpleName() + ": " + message + " (--debug shows where)";
    }

    public static String oneLine(@Nullable String text) {
        return Printable.escape(String.valueOf(text).strip().replaceAll("\\s*\\R\\s*", "; "));
    }
}
