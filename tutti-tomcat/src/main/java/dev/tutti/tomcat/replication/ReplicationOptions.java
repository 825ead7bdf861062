package dev.tutti.tomcat.replication;

import java.time.Duration;
import java.util.function.UnaryOperator;

/**
 * How sessions are replicated.
 *
 * @param acknowledgement whom a request waits for
 * @param acknowledgementTimeout how long at most
 * @param queryTimeout how long a request waits for the others when its session is not here
 * @param startTimeout how long, after joining, a request waits for the state when its session is not here
 * @param keyOf from the id that a client has, the part that stays the same when another node serves it
 * @param absence what becomes of requests after this process has stood still
 */
public record ReplicationOptions(
        Acknowledgement acknowledgement,
        Duration acknowledgementTimeout,
        Duration queryTimeout,
        Duration startTimeout,
        UnaryOperator<String> keyOf,
        Absence absence) {

    /**
     * What becomes of requests after this process has stood still for as long as the others wait for an acknowledgement.
     *
     * @param isWaitedFor whether requests wait for contact with the others; they fail otherwise
     * @param timeout after which a member that meets nobody goes on alone
     */
    public record Absence(boolean isWaitedFor, Duration timeout) {
        public static final Absence DEFAULT = new Absence(true, Duration.ofSeconds(10));
    }

    /**
     * Longer than it takes to exclude a member that stands still, so that requests are not answered before all members of the
     * view have their changes, or somebody is excluded.
     */
    public static final Duration ACKNOWLEDGEMENT_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration LATE_MIN = Duration.ofMillis(500);
    private static final Duration LATE_MAX = Duration.ofSeconds(3);

    public ReplicationOptions(
            Acknowledgement acknowledgement,
            Duration acknowledgementTimeout,
            Duration queryTimeout,
            Duration startTimeout,
            UnaryOperator<String> keyOf) {
        this(acknowledgement, acknowledgementTimeout, queryTimeout, startTimeout, keyOf, Absence.DEFAULT);
    }

    public static ReplicationOptions defaults() {
        return new ReplicationOptions(
                Acknowledgement.ALL,
                ACKNOWLEDGEMENT_TIMEOUT,
                Duration.ofSeconds(1),
                Duration.ofSeconds(10),
                UnaryOperator.identity());
    }

    public ReplicationOptions with(Acknowledgement other) {
        return new ReplicationOptions(other, acknowledgementTimeout, queryTimeout, startTimeout, keyOf, absence);
    }

    public ReplicationOptions with(Absence other) {
        return new ReplicationOptions(acknowledgement, acknowledgementTimeout, queryTimeout, startTimeout, keyOf, other);
    }

    /**
     * Time without a sign of the own timer that counts as an absence: three quarters of the acknowledgement timeout, within 500
     * ms and 3 s. Others go on without a member after the whole of it, or when it is excluded, 4 s by default: no absence that
     * matters is shorter.
     */
    Duration late() {
        Duration late = acknowledgementTimeout.multipliedBy(3).dividedBy(4);
        return late.compareTo(LATE_MIN) < 0 ? LATE_MIN : late.compareTo(LATE_MAX) > 0 ? LATE_MAX : late;
    }

    /** Time between two signs of the own timer. */
    public Duration beat() {
        return late().dividedBy(8);
    }
}
