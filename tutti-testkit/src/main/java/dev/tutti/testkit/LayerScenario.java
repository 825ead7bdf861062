package dev.tutti.testkit;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Signal;
import dev.tutti.core.stack.Timer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A scenario of one layer, in a readable text file: each input begins a line, and the layer's actions follow, indented.
 *
 * <pre>
 * # A packet gets a number, and loses it again.
 * above sends "hello"
 *     sends 00000001 "hello" to all
 *     arms timer SILENCE for 100 ms
 * n2 sends 00000001 "hi"
 *     delivers "hi" from n2
 * 100 ms pass
 *     timer SILENCE goes off
 *     sends 00000002 to all
 * </pre>
 *
 * <p>Inputs, where content is bytes in hexadecimal, text in quotes, both, or {@code nothing}:
 *
 * <pre>
 * above sends CONTENT [to nK]    n2 sends CONTENT          above has consumed CONTENT
 * above signals NAME             below signals NAME        timer NAME goes off
 * 100 ms pass                    the report                the memory
 * and INPUT                      in the same turn as the input before
 * </pre>
 *
 * Each input is a turn of its own, except those that begin with {@code and}. Signals are named by the test, with {@link
 * #signal}. Lines that begin with {@code #} and empty ones stay as they are.
 *
 * <p>{@link #check} plays the inputs and compares. With {@code -Dtutti.test.golden=write} it writes the actions into
 * the file instead, for its author to review before committing: the inputs alone are enough to start with.
 */
public final class LayerScenario {

    private static final String WRITE = "tutti.test.golden";
    private static final String INDENT = "    ";

    private static final Pattern SENDS = Pattern.compile("above sends (.+?)(?: to n(\\d+))?");
    private static final Pattern ARRIVES = Pattern.compile("n(\\d+) sends (.+)");
    private static final Pattern CONSUMED = Pattern.compile("above has consumed (.+)");
    private static final Pattern SIGNALS = Pattern.compile("(above|below) signals (.+)");
    private static final Pattern TIMER = Pattern.compile("timer (\\S+) goes off");
    private static final Pattern TIME = Pattern.compile("(\\d+) (us|ms|s) pass");
    private static final Pattern CONTENT = Pattern.compile("((?:[0-9a-f]{2})*) ?(?:\"([^\"]*)\")?");

    private final Path file;
    private final TreeMap<String, Signal> signals = new TreeMap<>();
    private int headerBytes;

    private LayerScenario(Path file) {
        this.file = file;
    }

    /** Returns the scenario in a file, as {@code src/test/resources/numbering.txt}. */
    public static LayerScenario in(Path file) {
        return new LayerScenario(file);
    }

    /** Names a signal for the lines that send it. */
    public LayerScenario signal(String name, Signal signal) {
        signals.put(name, signal);
        return this;
    }

    /** Sets the length of the layer's header at the start of packets below it, which is always shown as bytes. */
    public LayerScenario header(int bytes) {
        headerBytes = bytes;
        return this;
    }

    /**
     * Plays the scenario on a new layer.
     *
     * @throws AssertionError if the layer acts differently than the file says, or a line of the file is no valid input
     */
    public void check(Supplier<? extends Layer> layer) {
        List<String> lines = read();
        List<String> played = new Play(layer.get()).all(lines);
        if ("write".equals(System.getProperty(WRITE))) {
            write(played);
            return;
        }
        for (int line = 0; line < Math.max(lines.size(), played.size()); line++) {
            String expected = line < lines.size() ? lines.get(line) : "";
            String actual = line < played.size() ? played.get(line) : "";
            if (!expected.equals(actual)) {
                throw new AssertionError(file + ":" + (line + 1) + ": the scenario says\n" + expected
                        + "\nand the layer does\n" + actual + "\nThe whole of it, as it went:\n"
                        + String.join("\n", played)
                        + "\nIf that is right, -D" + WRITE + "=write puts it into the file.");
            }
        }
    }

    private List<String> read() {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException("the scenario " + file.toAbsolutePath() + " can't be read", e);
        }
    }

    private void write(List<String> lines) {
        try {
            Files.write(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException("the scenario " + file.toAbsolutePath() + " can't be written", e);
        }
    }

    /** One run of the layer through the file. */
    private final class Play {

        private final LayerTest test;
        private final List<String> played = new ArrayList<>();
        private final List<Packet> unconsumed = new ArrayList<>();
        private boolean isTurnOpen;

        Play(Layer layer) {
            test = LayerTest.of(layer);
            test.tell(line -> played.add(INDENT + line), headerBytes);
        }

        List<String> all(List<String> lines) {
            for (int line = 0; line < lines.size(); line++) {
                String text = lines.get(line);
                if (text.isBlank() || text.startsWith("#")) {
                    endTurn();
                    played.add(text);
                } else if (!text.startsWith(INDENT)) {
                    boolean isSameTurn = text.startsWith("and ");
                    if (!isSameTurn) {
                        endTurn();
                    }
                    played.add(text);
                    input(isSameTurn ? text.substring("and ".length()) : text, line + 1);
                }
            }
            endTurn();
            return played;
        }

        private void endTurn() {
            if (isTurnOpen) {
                isTurnOpen = false;
                test.endTurn();
            }
            test.takeSent().forEach(Packet::release);
            unconsumed.addAll(test.takeDelivered());
        }

        private void input(String text, int line) {
            isTurnOpen = false;
            Matcher time = TIME.matcher(text);
            Matcher timer = TIMER.matcher(text);
            if (time.matches()) {
                test.advance(duration(Long.parseLong(time.group(1)), time.group(2)));
            } else if (timer.matches()) {
                test.fire(timer(timer.group(1), line));
            } else if (!give(text, line)) {
                look(text, line);
            }
        }

        /** Gives the layer the input of a line from its neighbours; returns false if the line is no such input. */
        private boolean give(String text, int line) {
            Matcher sends = SENDS.matcher(text);
            Matcher arrives = ARRIVES.matcher(text);
            Matcher consumed = CONSUMED.matcher(text);
            Matcher signals = SIGNALS.matcher(text);
            isTurnOpen = true;
            if (sends.matches()) {
                String to = sends.group(2);
                Packet packet = test.packet(content(sends.group(1), line));
                test.send(packet.withPeer(to == null ? null : member(to)));
            } else if (arrives.matches()) {
                test.receive(member(arrives.group(1)), test.packet(content(arrives.group(2), line)));
            } else if (consumed.matches()) {
                test.consume(delivered(consumed.group(1), line));
            } else if (signals.matches()) {
                signal(signals.group(1).equals("below"), signals.group(2), line);
            } else {
                isTurnOpen = false;
            }
            return isTurnOpen;
        }

        private void look(String text, int line) {
            switch (text) {
                case "the report" ->
                    test.report().forEach((name, value) -> played.add(INDENT + name + " = " + value));
                case "the memory" -> {
                    long held = test.blocksHeld() - unconsumed.size();
                    played.add(INDENT + "the layer holds " + held + (held == 1 ? " block" : " blocks"));
                }
                default -> throw wrong(line, "'" + text + "' is no input; LayerScenario's documentation lists them");
            }
        }

        private Timer timer(String name, int line) {
            for (Timer timer : test.timers()) {
                if (timer.name().equals(name)) {
                    return timer;
                }
            }
            throw wrong(line, "no timer is named '" + name + "', only " + test.timers());
        }

        private void signal(boolean isUpward, String name, int line) {
            Signal signal = signals.get(name);
            if (signal == null) {
                throw wrong(line, "no signal is named '" + name + "', only " + signals.keySet());
            }
            if (isUpward) {
                test.signalUp(signal);
            } else {
                test.signalDown(signal);
            }
        }

        /** Returns the first packet that was delivered with this content and not consumed. */
        private Packet delivered(String words, int line) {
            unconsumed.addAll(test.takeDelivered());
            Packet found = null;
            for (Packet packet : unconsumed) {
                if (found == null && LayerTest.words(packet, 0).equals(words)) {
                    found = packet;
                }
            }
            if (found == null) {
                throw wrong(line, words + " was not delivered, or is consumed already");
            }
            unconsumed.remove(found);
            return found;
        }
    }

    private static Member member(String number) {
        return LayerTest.member(Integer.parseInt(number));
    }

    private static Duration duration(long count, String unit) {
        return switch (unit) {
            case "us" -> Duration.ofNanos(count * 1_000);
            case "ms" -> Duration.ofMillis(count);
            default -> Duration.ofSeconds(count);
        };
    }

    private byte[] content(String words, int line) {
        if (words.equals("nothing")) {
            return new byte[0];
        }
        Matcher matcher = CONTENT.matcher(words);
        if (!matcher.matches()) {
            throw wrong(line, "content is bytes in hexadecimal, text in quotes or both, and not " + words);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(HexFormat.of().parseHex(matcher.group(1)));
        @Nullable String text = matcher.group(2);
        if (text != null) {
            bytes.writeBytes(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    private AssertionError wrong(int line, String what) {
        return new AssertionError(file + ":" + line + ": " + what);
    }
}
