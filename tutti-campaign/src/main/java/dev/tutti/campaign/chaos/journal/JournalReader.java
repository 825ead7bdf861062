package dev.tutti.campaign.chaos.journal;

import dev.tutti.campaign.host.ChaosException;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.sim.check.History;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads the journals of all processes of a run, torn last lines included. */
final class JournalReader {

    /** An entry of one member, and its time. */
    record Timed(long nanos, History.Entry entry) {}

    /** Entries of one member, in order. */
    record Life(Member member, List<Timed> entries) {}

    private final Map<Long, NodeId> nodes = new LinkedHashMap<>();
    private final Notation notation = new Notation(nodes);
    private final List<String> contradictions = new ArrayList<>();
    private int torn;

    /** Reads the lives of a process: one for each time that it joined the group. */
    List<Life> read(Path journal) {
        try {
            return parse(journal.toString(), Files.readString(journal, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("journal " + journal + " can't be read", e);
        }
    }

    /** Learns the node that wrote a journal, before others that mention it are read; returns null if none is named. */
    @Nullable NodeId learn(Path journal) {
        try (var lines = Files.lines(journal, StandardCharsets.UTF_8)) {
            String[] words = lines.findFirst().orElse("").split(" ");
            return words.length == NODE_WORDS && words[1].equals("node") ? learn(words) : null;
        } catch (IOException e) {
            throw new UncheckedIOException("journal " + journal + " can't be read", e);
        }
    }

    private NodeId learn(String[] words) {
        long incarnation = Long.parseUnsignedLong(words[2], 16);
        NodeId node = new NodeId(incarnation, words[3], words[4]);
        nodes.put(incarnation, node);
        return node;
    }

    /**
     * @param name name of the journal, for messages
     * @throws ChaosException if a complete line is no line of a journal
     */
    List<Life> parse(String name, String text) {
        Map<Member, Life> lives = new LinkedHashMap<>();
        int number = 0;
        int begin = 0;
        for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', begin)) {
            number++;
            String line = text.substring(begin, end);
            try {
                take(line.split(" "), line, lives);
            } catch (RuntimeException e) {
                throw new ChaosException(name + ", line " + number + " is none of a journal: " + line, e);
            }
            begin = end + 1;
        }
        if (begin < text.length()) {
            torn++;
        }
        return new ArrayList<>(lives.values());
    }

    /** Returns the number of journals that ended in the middle of a line. */
    int torn() {
        return torn;
    }

    /** Returns the contradictions of the API that processes have recorded. */
    List<String> contradictions() {
        return contradictions;
    }

    private void take(String[] words, String line, Map<Member, Life> lives) {
        if (words[1].equals("node")) {
            learn(words);
            return;
        }
        Member self = notation.member(words[2]);
        Life life = lives.computeIfAbsent(self, member -> new Life(member, new ArrayList<>()));
        switch (words[1]) {
            case "unsent" -> unsend(life.entries(), receiver(words[3]), Long.parseLong(words[4]));
            case "wrong" -> contradictions.add(self + line.substring(line.indexOf(words[2]) + words[2].length()));
            default -> life.entries().add(new Timed(Long.parseLong(words[0]), entry(self, words, line)));
        }
    }

    private History.Entry entry(Member self, String[] words, String line) {
        return switch (words[1]) {
            case "view" -> new History.Viewed(self, view(words));
            case "submit" -> new History.Submitted(
                    self,
                    new History.Message(self, receiver(words[3]), Long.parseLong(words[4]), Long.parseLong(words[5])));
            case "deliver" -> {
                Member receiver = words[4].equals(Journal.ONE) ? self : null;
                yield new History.Delivered(
                        self,
                        new History.Message(
                                notation.member(words[3]), receiver, Long.parseLong(words[5]), Long.parseLong(words[6])));
            }
            case "joined" -> new History.Joined(self);
            case "left" -> new History.Left(self, line.substring(line.indexOf(words[2]) + words[2].length()).strip());
            default -> throw new IllegalArgumentException("unknown verb " + words[1]);
        };
    }

    private View view(String[] words) {
        return notation.view(words[3], words[4], words[5]);
    }

    private @Nullable Member receiver(String word) {
        return word.equals(Journal.ALL) ? null : notation.member(word);
    }

    /** Removes a submission that was refused; that can only be the last one to a receiver. */
    private static void unsend(List<Timed> entries, @Nullable Member receiver, long index) {
        for (int at = entries.size() - 1; at >= 0; at--) {
            if (entries.get(at).entry() instanceof History.Submitted(Member self, History.Message message)
                    && message.index() == index
                    && Objects.equals(message.receiver(), receiver)) {
                entries.remove(at);
                return;
            }
        }
        throw new IllegalArgumentException("nothing was submitted under number " + index);
    }

    private static final int NODE_WORDS = 5;
}
