package dev.tutti.campaign.application;

import dev.tutti.Message;
import dev.tutti.campaign.nodes.Findings;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Messages that a member was told of: each once, from its sender, and in order. */
final class ReceivedMessages {

    private final Findings.Reporter reporter;
    private final Set<String> told = new HashSet<>();

    /** Number of the last message of each source that is in order. */
    private final TreeMap<String, Integer> last = new TreeMap<>();

    private @Nullable Message kept;

    ReceivedMessages(Findings.Reporter reporter) {
        this.reporter = reporter;
    }

    /** Checks a message against what it says of itself and against all earlier ones. */
    void take(Message message, Content content) {
        if (content.node() != Integer.parseInt(message.sender().name().substring(1))
                || content.incarnation() != message.sender().node().incarnation()) {
            reporter.report("S1", "is told that " + content.id() + " is from " + message.sender());
        }
        if (message.length() != content.length()) {
            reporter.report("S1", "is told of " + message.length() + " bytes of " + content.id());
        }
        if (!content.isOutOfBand()) {
            checkOrder(message, content);
        }
        if (!told.add(content.id())) {
            reporter.report("S2", "is told of " + content.id() + " again");
        }
        kept = message;
    }

    /** Checks that messages of one thread to one receiver arrive in the order in which they were sent. */
    private void checkOrder(Message message, Content content) {
        String source = content.source() + (message.isUnicast() ? "/1" : "");
        Integer before = last.put(source, content.number());
        if (before != null && before >= content.number()) {
            reporter.report("S11", "is told of " + content.id() + " after number " + before);
        }
    }

    boolean has(String id) {
        return told.contains(id);
    }

    /** Checks that the last message cannot be read after its callback. */
    void checkUnreadable() {
        Message old = kept;
        if (old != null && isReadable(old)) {
            reporter.report("T11", "can read a message after it was told of it");
        }
    }

    private static boolean isReadable(Message message) {
        try {
            return message.length() >= 0;
        } catch (IllegalStateException e) {
            return false;
        }
    }
}
