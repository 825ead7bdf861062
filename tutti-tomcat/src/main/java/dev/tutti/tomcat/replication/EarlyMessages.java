package dev.tutti.tomcat.replication;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.EARLY_DROPPED;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.EARLY_HANDLED;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.EARLY_KEPT;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.internal.Logs;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.codec.MessageReader;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;

/**
 * Keeps back what a member sends in a view until this member is in that view, too.
 *
 * <p>A group binds messages to all to their view, but not messages to one member: between two members that go from view to
 * view together, these keep their order and nothing else. A copy that is announced to the home of a coming view would be
 * noted by a member that does not know yet that it is the home. Therefore the first message of a member to another one in
 * a view names the view ({@link MessageReader#enteredView}), and what follows it belongs to that view or a later one.
 *
 * <p>At most {@value #BYTES_MAX} bytes are kept. Beyond, all that a member has sent is handled at once, as if this class
 * did not exist: then a copy may count for nothing at its new home until it is announced again. On the group's thread.
 */
final class EarlyMessages implements SessionChannel.Listener {

    static final long BYTES_MAX = 16 << 20;

    private static final Logger LOG = Logs.of(EarlyMessages.class);

    private final SessionChannel.Listener listener;
    private final ReplicationCounters counters;
    private final Map<Member, ArrayDeque<byte[]>> kept = new HashMap<>();
    private long keptBytes;
    private long view;

    EarlyMessages(SessionChannel.Listener listener, ReplicationCounters counters) {
        this.listener = listener;
        this.counters = counters;
    }

    @Override
    public void onView(View next, Member self) {
        view = next.id().number();
        listener.onView(next, self);
        Set<Member> together = next.transitionalSet(self);
        for (Member sender : List.copyOf(kept.keySet())) {
            if (together.contains(sender)) {
                handle(sender, view);
            } else {
                // It has parted from this member: what it has sent since counts as not arrived.
                counters.add(EARLY_DROPPED, forget(sender));
            }
        }
    }

    @Override
    public void onMessage(Member sender, byte[] message) {
        ArrayDeque<byte[]> messages = kept.get(sender);
        if (messages == null) {
            if (MessageReader.enteredView(message) <= view) {
                listener.onMessage(sender, message);
                return;
            }
            messages = new ArrayDeque<>();
            kept.put(sender, messages);
        }
        counters.increment(EARLY_KEPT);
        messages.add(message);
        keptBytes += message.length;
        if (keptBytes > BYTES_MAX) {
            LOG.warn("{} is ahead by a view, and has sent more than fits into {} bytes. Its messages are handled now; copies of"
                    + " sessions that it has announced may count for nothing", sender, BYTES_MAX);
            counters.add(EARLY_HANDLED, messages.size());
            handle(sender, Long.MAX_VALUE);
        }
    }

    /** Handles what a member has sent in views up to one. */
    private void handle(Member sender, long last) {
        ArrayDeque<byte[]> messages = kept.getOrDefault(sender, new ArrayDeque<>());
        while (!messages.isEmpty() && MessageReader.enteredView(messages.getFirst()) <= last) {
            byte[] message = messages.removeFirst();
            keptBytes -= message.length;
            listener.onMessage(sender, message);
        }
        if (messages.isEmpty()) {
            kept.remove(sender);
        }
        listener.onBatchEnd();
    }

    private int forget(Member sender) {
        ArrayDeque<byte[]> messages = kept.remove(sender);
        if (messages == null) {
            return 0;
        }
        messages.forEach(message -> keptBytes -= message.length);
        return messages.size();
    }

    @Override
    public void onBatchEnd() {
        listener.onBatchEnd();
    }

    @Override
    public void onClosed(String reason) {
        kept.clear();
        keptBytes = 0;
        listener.onClosed(reason);
    }
}
