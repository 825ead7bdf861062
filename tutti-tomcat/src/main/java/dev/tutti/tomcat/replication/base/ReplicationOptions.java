package dev.tutti.tomcat.replication.base;

import java.time.Duration;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Options of the replication of sessions.
 *
 * @param acknowledgement members that a request waits for
 * @param acknowledgementTimeout maximum time of that wait
 * @param queryTimeout time that a request waits for the others when its session is not here
 * @param startTimeout time after joining in which a request waits for the state when its session is not here
 * @param keyOf maps the id that a client has to the part that stays the same when another node serves it
 * @param absence treatment of requests after this process has stood still
 * @param copies number of members that hold each session; {@link #ALL} if every member does
 * @param zone returns the zone of this member, which is asked for in each view; empty if it has none. Not used if every member holds
 *     each session
 */
public record ReplicationOptions(
        Acknowledgement acknowledgement,
        Duration acknowledgementTimeout,
        Duration queryTimeout,
        Duration startTimeout,
        UnaryOperator<String> keyOf,
        Absence absence,
        int copies,
        Supplier<String> zone) {

    /** Number of copies that stands for all members. */
    public static final int ALL = 0;

    /**
     * Treatment of requests after this process has stood still for as long as the others wait for an acknowledgement.
     *
     * @param isWaitedFor whether requests wait for contact with the others; they fail otherwise
     * @param timeout time after which a member that meets nobody goes on alone
     */
    public record Absence(boolean isWaitedFor, Duration timeout) {
        public static final Absence DEFAULT = new Absence(true, Duration.ofSeconds(10));
    }

    /**
     * Default timeout of acknowledgements: longer than it takes to exclude a stalled member, so that requests are not
     * answered before all members of the view have their changes, or one is excluded.
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
        this(acknowledgement, acknowledgementTimeout, queryTimeout, startTimeout, keyOf, Absence.DEFAULT, ALL, () -> "");
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
        return new ReplicationOptions(other, acknowledgementTimeout, queryTimeout, startTimeout, keyOf, absence, copies, zone);
    }

    public ReplicationOptions with(Absence other) {
        return new ReplicationOptions(acknowledgement, acknowledgementTimeout, queryTimeout, startTimeout, keyOf, other, copies, zone);
    }

    /** Returns these options with another number of copies, at least 2, or {@link #ALL}. */
    public ReplicationOptions withCopies(int number) {
        return new ReplicationOptions(acknowledgement, acknowledgementTimeout, queryTimeout, startTimeout, keyOf, absence, number, zone);
    }

    /** Returns these options with a source of this member's zone. */
    public ReplicationOptions withZone(Supplier<String> source) {
        return new ReplicationOptions(acknowledgement, acknowledgementTimeout, queryTimeout, startTimeout, keyOf, absence, copies, source);
    }

    /** Returns the number of copies in words. */
    public String copiesText() {
        return isHeldBySome() ? Integer.toString(copies) : "all";
    }

    /** Returns whether only some members hold each session. */
    public boolean isHeldBySome() {
        return copies != ALL;
    }

    /**
     * Returns the time without a beat of this member's timer that counts as an absence: three quarters of the
     * acknowledgement timeout, within 500 ms and 3 s. Others go on without a member after the whole timeout, or when it
     * is excluded, 4 s by default: no shorter absence matters.
     */
    public Duration late() {
        Duration late = acknowledgementTimeout.multipliedBy(3).dividedBy(4);
        return late.compareTo(LATE_MIN) < 0 ? LATE_MIN : late.compareTo(LATE_MAX) > 0 ? LATE_MAX : late;
    }

    /** Returns the time between two beats of this member's timer. */
    public Duration beat() {
        return late().dividedBy(8);
    }
}
