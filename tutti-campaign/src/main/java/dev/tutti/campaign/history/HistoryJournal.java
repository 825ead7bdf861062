package dev.tutti.campaign.history;

import dev.tutti.campaign.history.Operation.Outcome;
import dev.tutti.campaign.history.Operation.Request;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * File with the requests and results of the clients of one process, one per line. A line is handed to the operating
 * system before the call returns, a request before it is sent, so that it outlives the process. From any thread.
 *
 * <pre>
 *   nanos ask   number object kind [argument…]
 *   nanos told  number era result
 *   nanos never number
 * </pre>
 */
public final class HistoryJournal implements AutoCloseable {

    private final FileOutputStream file;
    private long numbers;

    public HistoryJournal(Path path) {
        try {
            file = new FileOutputStream(path.toFile(), true);
        } catch (IOException e) {
            throw new UncheckedIOException("journal " + path + " can't be written", e);
        }
    }

    private synchronized void add(String text) {
        try {
            file.write((System.nanoTime() + " " + text + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("the journal can't be written", e);
        }
    }

    /** @return the number under which the outcome is to be recorded */
    public synchronized long ask(String object, Request request) {
        numbers++;
        add("ask " + numbers + " " + object + " " + switch (request) {
            case Request.Add(long delta) -> "add " + delta;
            case Request.Exchange(long era, long expected, long next) -> "exchange " + era + " " + expected + " " + next;
            case Request.Grant() -> "grant";
            case Request.Release(long token) -> "release " + token;
            case Request.Take() -> "take";
        });
        return numbers;
    }

    public void told(long number, long era, long result) {
        add("told " + number + " " + era + " " + result);
    }

    /** Records that the operation was not done and will not be. */
    public void never(long number) {
        add("never " + number);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    // ------------------------------------------------------------------ reading

    /** Reads the operations in a file; ignores a last line that a kill has torn. */
    public static List<Operation> read(Path path) {
        String client = path.getFileName().toString();
        Map<Long, Operation> operations = new LinkedHashMap<>();
        try {
            String text = Files.readString(path);
            for (String line : text.substring(0, text.lastIndexOf('\n') + 1).split("\n")) {
                if (!line.isEmpty()) {
                    read(client, line.split(" "), operations);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("journal " + path + " can't be read", e);
        }
        return new ArrayList<>(operations.values());
    }

    private static void read(String client, String[] words, Map<Long, Operation> operations) {
        long nanos = Long.parseLong(words[0]);
        long number = Long.parseLong(words[2]);
        switch (words[1]) {
            case "ask" -> operations.put(
                    number, new Operation(client, words[3], request(words), nanos, 0, Outcome.UNKNOWN, 0, 0));
            case "told" -> operations.computeIfPresent(number, (key, asked) -> new Operation(
                    client,
                    asked.object(),
                    asked.request(),
                    asked.invokedNanos(),
                    nanos,
                    Outcome.TOLD,
                    Long.parseLong(words[3]),
                    Long.parseLong(words[4])));
            case "never" -> operations.remove(number);
            default -> throw new IllegalArgumentException("a journal has '" + words[1] + "'");
        }
    }

    private static Request request(String[] words) {
        return switch (words[4]) {
            case "add" -> new Request.Add(Long.parseLong(words[5]));
            case "exchange" -> new Request.Exchange(
                    Long.parseLong(words[5]), Long.parseLong(words[6]), Long.parseLong(words[7]));
            case "grant" -> new Request.Grant();
            case "release" -> new Request.Release(Long.parseLong(words[5]));
            case "take" -> new Request.Take();
            default -> throw new IllegalArgumentException("a journal has a request '" + words[4] + "'");
        };
    }
}
