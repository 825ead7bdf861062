package dev.tutti.cli.terminal;

import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Input and outputs of a command.
 *
 * @param in bytes of UTF-8
 * @param out for results
 * @param err for errors
 * @param hasColours whether a person reads the output, in colours
 * @param isInteractive whether a person reads the output and can press keys
 */
public record Terminal(InputStream in, PrintWriter out, PrintWriter err, boolean hasColours, boolean isInteractive) {

    public Terminal(InputStream in, PrintWriter out, PrintWriter err, boolean hasColours) {
        this(in, out, err, hasColours, hasColours);
    }

    public static Terminal system() {
        Console console = System.console();
        boolean isInteractive = console != null && console.isTerminal();
        return new Terminal(
                System.in, writer(FileDescriptor.out), writer(FileDescriptor.err), isInteractive && allowsColours(System.getenv()), isInteractive);
    }

    /** Returns whether the user has not declined colours (no-color.org), and the terminal has some. */
    private static boolean allowsColours(Map<String, String> environment) {
        return environment.getOrDefault("NO_COLOR", "").isEmpty() && !environment.getOrDefault("TERM", "").equals("dumb");
    }

    private static PrintWriter writer(FileDescriptor descriptor) {
        return new PrintWriter(
                new OutputStreamWriter(new FileOutputStream(descriptor), StandardCharsets.UTF_8), true);
    }

    /** Prints one line; from any thread. */
    public void print(String line) {
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }

    public String bold(String text) {
        return hasColours ? "\u001b[1m" + text + "\u001b[0m" : text;
    }

    public String faint(String text) {
        return hasColours ? "\u001b[2m" + text + "\u001b[0m" : text;
    }
}
