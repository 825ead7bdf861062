package dev.tutti.testkit.example;

import dev.tutti.Group;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.core.View;
import java.util.Map;
import java.util.TreeMap;

/**
 * A number that all members of a group see, and each can count up.
 *
 * <p>It is the sum of what each run of each node has counted. A message is such a run's whole count so far, and the higher
 * of two counts is the later one: messages that come twice, late, or from the other side of a partition do no harm. In
 * each new view everybody tells what it knows, those who are gone included.
 */
public final class Counter implements AutoCloseable {

    private final Map<String, Long> counts = new TreeMap<>();
    private final Group group;
    private final String self;
    private long own;

    public Counter(Node node) {
        // A node that comes back counts from zero, and is somebody else.
        self = node.name() + "/" + node.id().incarnation();
        group = node.group("counter").onMessage(this::onMessage).onView(this::onView).join();
        tell();
    }

    /** Adds one, at all members. */
    public void increment() {
        String count;
        synchronized (this) {
            own++;
            count = self + "=" + own;
        }
        // Not under the lock, which the listener needs: a send may wait until listeners have done their part.
        group.send(count);
    }

    public synchronized long value() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    private synchronized void onMessage(Message message) {
        for (String count : message.text().split(" ")) {
            int equals = count.indexOf('=');
            counts.merge(count.substring(0, equals), Long.valueOf(count.substring(equals + 1)), Math::max);
        }
    }

    private void onView(View view) {
        // The first views come while the constructor still waits in join, which tells afterwards.
        if (group != null) {
            tell();
        }
    }

    private void tell() {
        StringBuilder known = new StringBuilder();
        synchronized (this) {
            counts.forEach((run, count) -> known.append(run).append('=').append(count).append(' '));
        }
        if (!known.isEmpty()) {
            group.send(known.toString());
        }
    }

    @Override
    public void close() {
        group.close();
    }
}
