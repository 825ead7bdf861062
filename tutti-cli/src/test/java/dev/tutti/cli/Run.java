package dev.tutti.cli;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;

/**
 * What a command printed, and its exit code.
 *
 * @param code the exit code
 * @param out what it printed
 * @param err what it complained about
 */
record Run(int code, String out, String err) {

    static Run of(String... arguments) {
        return with(new ByteArrayInputStream(new byte[0]), arguments);
    }

    static Run reading(String input, String... arguments) {
        return with(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), arguments);
    }

    static Run with(InputStream in, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Terminal terminal = new Terminal(in, new PrintWriter(out), new PrintWriter(err), false);
        int code = Tutti.commandLine(terminal).execute(arguments);
        terminal.out().flush();
        terminal.err().flush();
        return new Run(code, out.toString(), err.toString());
    }
}
