package dev.tutti.tomcat.replication;

import dev.tutti.core.Member;
import dev.tutti.tomcat.replication.acks.Acknowledgements;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Acknowledges the numbered messages of others: one acknowledgement covers all of a member's since the last one.
 *
 * <p>Acknowledgements are sent on the group's thread, at the end of a batch of messages. If there is no room for one,
 * the executor sends it, and waits for room.
 */
final class AckSender {

    private final ConcurrentHashMap<Member, Long> handled = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Member, Long> acknowledged = new ConcurrentHashMap<>();
    private final AtomicBoolean isWaiting = new AtomicBoolean();
    private final Executor executor;
    private final Outbox outbox;

    /** @param executor runs tasks that wait for the network */
    AckSender(Executor executor, Outbox outbox) {
        this.executor = executor;
        this.outbox = outbox;
    }

    void onView(Set<Member> others) {
        handled.keySet().retainAll(others);
        acknowledged.keySet().retainAll(others);
    }

    void onHandled(Member member, long number) {
        handled.put(member, number);
    }

    /** Returns the number of the last message of a member that was handled, or is about to be; 0 if there was none. */
    long handled(Member member) {
        return handled.getOrDefault(member, 0L);
    }

    void onBatchEnd() {
        boolean isRoom = true;
        for (Map.Entry<Member, Long> entry : handled.entrySet()) {
            Member member = entry.getKey();
            long number = entry.getValue();
            if (acknowledged.getOrDefault(member, 0L) < number) {
                if (outbox.tryAcknowledge(member, number)) {
                    acknowledged.put(member, number);
                } else {
                    isRoom = false;
                }
            }
        }
        if (!isRoom && isWaiting.compareAndSet(false, true)) {
            executor.execute(this::acknowledge);
        }
    }

    private void acknowledge() {
        isWaiting.set(false);
        for (Map.Entry<Member, Long> entry : handled.entrySet()) {
            long number = entry.getValue();
            Long before = acknowledged.put(entry.getKey(), number);
            if (before == null || before < number) {
                outbox.acknowledge(entry.getKey(), number);
            }
        }
    }
}
