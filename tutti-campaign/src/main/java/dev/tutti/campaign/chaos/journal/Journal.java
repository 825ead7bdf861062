package dev.tutti.campaign.chaos.journal;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * File in which a process records the events that it saw and its own actions, one per line.
 *
 * <p>Each line is handed to the operating system before the call returns, so that it outlives the process. A
 * {@code kill -9} in the middle of a line leaves a line without an end. {@link JournalReader} reads the file.
 *
 * <pre>
 *   nanos node     incarnation name address
 *   nanos view     self id members parts
 *   nanos submit   self receiver index hash     receiver * for all
 *   nanos unsent   self receiver index          the submission was refused after all
 *   nanos deliver  self sender kind index hash  kind * or 1
 *   nanos joined   self
 *   nanos left     self reason
 *   nanos wrong    self text                    the API contradicts itself
 * </pre>
 */
public final class Journal implements AutoCloseable {

    static final String ALL = "*";
    static final String ONE = "1";

    private final FileOutputStream file;

    public Journal(Path path) {
        try {
            file = new FileOutputStream(path.toFile(), true);
        } catch (IOException e) {
            throw new UncheckedIOException("journal " + path + " can't be written", e);
        }
    }

    /** Adds a line. Lines are in the order of their times, which never go back. */
    private synchronized void add(String verb, String text) {
        byte[] line = (System.nanoTime() + " " + verb + " " + text + "\n").getBytes(StandardCharsets.UTF_8);
        try {
            file.write(line);
        } catch (IOException e) {
            throw new UncheckedIOException("the journal can't be written", e);
        }
    }

    public void node(NodeId node) {
        add("node", Long.toHexString(node.incarnation()) + " " + node.name() + " " + node.address());
    }

    public void view(Member self, View view) {
        add("view", Notation.of(self) + " " + Notation.of(view.id()) + " " + Notation.of(view.members()) + " "
                + Notation.parts(view));
    }

    public void submitted(Member self, @Nullable Member receiver, long index, long hash) {
        add("submit", Notation.of(self) + " " + receiver(receiver) + " " + index + " " + hash);
    }

    public void unsent(Member self, @Nullable Member receiver, long index) {
        add("unsent", Notation.of(self) + " " + receiver(receiver) + " " + index);
    }

    public void delivered(Member self, Member sender, boolean isUnicast, long index, long hash) {
        add("deliver", String.format(
                Locale.ROOT, "%s %s %s %d %d", Notation.of(self), Notation.of(sender), isUnicast ? ONE : ALL, index, hash));
    }

    public void joined(Member self) {
        add("joined", Notation.of(self));
    }

    public void left(Member self, String reason) {
        add("left", Notation.of(self) + " " + reason.replace('\n', ' '));
    }

    public void wrong(Member self, String text) {
        add("wrong", Notation.of(self) + " " + text.replace('\n', ' '));
    }

    private static String receiver(@Nullable Member receiver) {
        return receiver == null ? ALL : Notation.of(receiver);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
