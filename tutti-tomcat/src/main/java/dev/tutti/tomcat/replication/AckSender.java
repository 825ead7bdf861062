package dev.tutti.tomcat.replication;

import dev.tutti.core.Member;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ObjLongConsumer;

/** Acknowledges the numbered messages of others: one acknowledgement covers all that came from a member since the last one. */
final class AckSender {

    private final ConcurrentHashMap<Member, Long> handled = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Member, Long> acknowledged = new ConcurrentHashMap<>();
    private final AtomicBoolean isUnderWay = new AtomicBoolean();
    private final Executor executor;
    private final ObjLongConsumer<Member> sender;

    /**
     * @param sender sends an acknowledgement; may wait
     */
    AckSender(Executor executor, ObjLongConsumer<Member> sender) {
        this.executor = executor;
        this.sender = sender;
    }

    void onView(Set<Member> others) {
        handled.keySet().retainAll(others);
        acknowledged.keySet().retainAll(others);
    }

    void onHandled(Member member, long number) {
        handled.put(member, number);
        if (isUnderWay.compareAndSet(false, true)) {
            executor.execute(this::acknowledge);
        }
    }

    private void acknowledge() {
        isUnderWay.set(false);
        for (Map.Entry<Member, Long> entry : handled.entrySet()) {
            long number = entry.getValue();
            Long before = acknowledged.put(entry.getKey(), number);
            if (before == null || before < number) {
                sender.accept(entry.getKey(), number);
            }
        }
    }
}
