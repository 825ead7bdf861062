package dev.tutti.grid.mediator;

import dev.tutti.grid.member.Clients;
import dev.tutti.grid.member.GridMember;
import java.time.Duration;

/**
 * Parts of a mediator that its connections share.
 *
 * @param node name of the node that it is at
 * @param queueBytes most bytes of measurements that wait for a client
 * @param historyMax most measurements that it keeps for a producer
 */
record MediatorSettings(GridMember grid, Clients clients, String node, Duration lease, long queueBytes, int historyMax) {

    /** Longest time that a question may take. */
    static final Duration DEADLINE_MAX = Duration.ofMinutes(1);
}
