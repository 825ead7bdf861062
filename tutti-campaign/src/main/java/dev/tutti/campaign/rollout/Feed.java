package dev.tutti.campaign.rollout;

import dev.tutti.Group;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.SendException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Numbered multicasts of a pod, and the count of those of all others. */
final class Feed {

    /** First and last number from a sender. */
    record Range(long first, long last) {}

    private final String name;
    private final Consumer<String> findings;
    private final Map<String, Range> ranges = new ConcurrentHashMap<>();
    private final AtomicLong delivered = new AtomicLong();
    private final Group group;
    private volatile long sent;

    /** @param name that no other pod has, also none that is started in its place */
    Feed(Node node, String name, Consumer<String> findings) {
        this.name = name;
        this.findings = findings;
        this.group = node.group("feed").onMessage(this::onMessage).join();
    }

    private void onMessage(Message message) {
        String[] words = new String(message.bytes(), StandardCharsets.UTF_8).split(" ");
        long number = Long.parseLong(words[1]);
        Range before = ranges.get(words[0]);
        if (before != null && number != before.last() + 1) {
            findings.accept("message " + number + " of " + words[0] + " arrives at " + name + " after " + before.last());
        }
        ranges.put(words[0], new Range(before == null ? number : before.first(), number));
        delivered.incrementAndGet();
    }

    /** Sends the next message. One that was accepted has to reach all others. */
    void send() {
        try {
            group.send((name + " " + (sent + 1)).getBytes(StandardCharsets.UTF_8));
            sent++;
        } catch (SendException e) {
            findings.accept("a message of " + name + " is refused: " + e.getMessage());
        }
    }

    long sent() {
        return sent;
    }

    long delivered() {
        return delivered.get();
    }

    Map<String, Range> ranges() {
        return ranges;
    }

    int members() {
        return group.view().size();
    }

    void leave() {
        group.close();
    }
}
