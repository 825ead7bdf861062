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
 */
public record ReplicationOptions(
        Acknowledgement acknowledgement,
        Duration acknowledgementTimeout,
        Duration queryTimeout,
        Duration startTimeout,
        UnaryOperator<String> keyOf) {

    public static ReplicationOptions defaults() {
        return new ReplicationOptions(
                Acknowledgement.ALL,
                Duration.ofSeconds(2),
                Duration.ofSeconds(1),
                Duration.ofSeconds(10),
                UnaryOperator.identity());
    }

    public ReplicationOptions with(Acknowledgement other) {
        return new ReplicationOptions(other, acknowledgementTimeout, queryTimeout, startTimeout, keyOf);
    }
}
