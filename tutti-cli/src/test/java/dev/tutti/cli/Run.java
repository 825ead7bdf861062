package dev.tutti.cli;

import dev.tutti.cli.terminal.Terminal;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Output and exit code of a command.
 *
 * @param code the exit code
 * @param out its standard output
 * @param err its standard error
 */
record Run(int code, String out, String err) {

    static Run of(String... arguments) {
        return with(new ByteArrayInputStream(new byte[0]), arguments);
    }

    /** Runs a command whose input is available only after {@code gate} has opened. */
    static Run readingAfter(CountDownLatch gate, String input, String... arguments) {
        return with(
                new FilterInputStream(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8))) {
                    @Override
                    public int read(byte[] bytes, int offset, int length) throws IOException {
                        try {
                            if (!gate.await(60, TimeUnit.SECONDS)) {
                                throw new IOException("what the input waits for does not happen");
                            }
                        } catch (InterruptedException e) {
                            throw new InterruptedIOException();
                        }
                        return super.read(bytes, offset, length);
                    }
                },
                arguments);
    }

    static Run with(InputStream in, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Terminal terminal = new Terminal(in, new PrintWriter(out), new PrintWriter(err), false);
        int code = Tutti.execute(terminal, arguments);
        terminal.out().flush();
        terminal.err().flush();
        return new Run(code, out.toString(), err.toString());
    }
}
