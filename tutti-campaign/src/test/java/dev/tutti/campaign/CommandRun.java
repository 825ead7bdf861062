package dev.tutti.campaign;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** Runs commands as the launcher does, and keeps what they print. */
abstract class CommandRun {

    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();

    int run(String... arguments) {
        CommandLine line = Campaign.line();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }
}
