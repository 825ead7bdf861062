package dev.tutti.tomcat.replication;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.WAITS;
import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.WAIT_TIMEOUTS;

import dev.tutti.core.Member;
import dev.tutti.internal.Logs;
import dev.tutti.tomcat.replication.acks.Acknowledgements;
import dev.tutti.tomcat.replication.base.Acknowledgement;
import dev.tutti.tomcat.replication.base.ReplicaContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;

/** Waits, on the threads of requests, until the other members have a change. Members that are too late are given up. */
final class SafetyWait {

    private static final Logger LOG = Logs.of(SafetyWait.class);

    private final ReplicaContext context;
    private final Acknowledgements acknowledgements;
    private final Outbox outbox;
    private final Contact contact;

    SafetyWait(ReplicaContext context, Acknowledgements acknowledgements, Outbox outbox, Contact contact) {
        this.context = context;
        this.acknowledgements = acknowledgements;
        this.outbox = outbox;
        this.contact = contact;
    }

    /**
     * Waits until the others have message {@code number}, as far as the options require it.
     *
     * @return false if they do not have it, because the time is over or the thread was interrupted
     */
    boolean await(long number) {
        if (number == 0 || context.options().acknowledgement() == Acknowledgement.NONE) {
            return true;
        }
        CompletableFuture<Void> safe = acknowledgements.safe(number);
        if (safe.isDone()) {
            return true;
        }
        context.counters().increment(WAITS);
        if (context.waiting().await(safe, context.options().acknowledgementTimeout().toNanos())) {
            return true;
        }
        context.counters().increment(WAIT_TIMEOUTS);
        if (contact.isInDoubt()) {
            return false;
        }
        List<Member> late = acknowledgements.onTimeout(number, outbox.sent());
        if (!late.isEmpty()) {
            LOG.warn(
                    "{} did not confirm session changes within {}; requests go on without waiting for them until they"
                            + " have caught up",
                    late,
                    context.options().acknowledgementTimeout());
        }
        return false;
    }
}
