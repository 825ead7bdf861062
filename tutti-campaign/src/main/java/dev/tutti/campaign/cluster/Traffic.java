package dev.tutti.campaign.cluster;

import dev.tutti.core.Member;
import dev.tutti.core.settings.Durations;
import java.time.Duration;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Messages that are sent, and the pace at which applications consume them. */
public final class Traffic {

    private Traffic() {}

    /** @param receiver 0 for all */
    public record Send(int node, int count, int length, int receiver, Band band) implements Action {

        public Send(int node, int count, int length, int receiver) {
            this(node, count, length, receiver, Band.ORDERED);
        }

        @Override
        public ScheduledFault fault() {
            return ScheduledFault.WORK;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return receiver == 0 ? Action.setOf(node) : Action.setOf(node, receiver);
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            if (!cluster.isUp(node)) {
                return false;
            }
            Member to = null;
            if (receiver != 0) {
                // A receiver that has left or crashed is allowed: the other members may not know it yet.
                if (!cluster.wasStarted(receiver) || !cluster.seat(receiver).application.isMember()) {
                    return false;
                }
                to = cluster.seat(receiver).member();
            }
            cluster.seat(node).send(to, count, length, band);
            cluster.sendAside(node);
            return true;
        }

        @Override
        public String toString() {
            return "n" + node + " sends " + count + " messages of " + length + " bytes to "
                    + (receiver == 0 ? "all" : "n" + receiver) + band;
        }
    }

    public record Talk(int node, Duration period) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.WORK;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.chatter(node, period);
            return true;
        }

        @Override
        public String toString() {
            return "n" + node + " talks every " + Durations.print(period);
        }
    }

    public record Quiet() implements Action {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.WORK;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.quiet();
            return false;
        }

        @Override
        public String toString() {
            return "nobody talks";
        }
    }

    /** @param pace zero for at once, null for never */
    public record Consume(int node, @Nullable Duration pace) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.SLOW_APPLICATION;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            if (!cluster.hasProcess(node)) {
                return false;
            }
            if (pace == null) {
                cluster.seat(node).application.stick();
                return true;
            }
            cluster.seat(node).application.setPace(pace);
            cluster.seat(node).application.release();
            return !pace.isZero();
        }

        @Override
        public String toString() {
            return "n" + node
                    + (pace == null ? " consumes nothing" : " consumes a packet in " + Durations.print(pace));
        }
    }
}
