package dev.tutti.campaign.cluster;

import dev.tutti.core.settings.Durations;
import java.time.Duration;

/** Steps of a schedule at which something has to hold. */
public final class Promises {

    private Promises() {}

    /** Promise of one view of all that are up. A run waits for it; the time counts from the last fault. */
    public record OneView(Duration within) implements Action.Promise {
        @Override
        public String toString() {
            return "all that are up are in one view within " + Durations.print(within);
        }
    }

    /** Promise, timed as {@link OneView}, that all submitted messages arrive once the traffic has stopped. */
    public record Arrived(Duration within) implements Action.Promise {
        @Override
        public String toString() {
            return "everything that was sent arrives within " + Durations.print(within);
        }
    }

    /** Promise of {@link OneView}, and of no other view as long as only {@link #isBorne harmless} actions happen. */
    public record Stay(Duration within) implements Action.Promise {
        @Override
        public String toString() {
            return "all that are up are in one view within " + Durations.print(within) + ", and stay in it";
        }
    }

    /** Promise that no join takes longer than this, even if no other member is in the group. */
    public record Joined(Duration within) implements Action.Promise {
        @Override
        public String toString() {
            return "everybody who joins is told within " + Durations.print(within);
        }
    }

    /** Cancels all pending {@link Action.Await}s, so that the promises after it can hold. */
    public record Disarm() implements Action.Promise {
        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.trigger().clear();
            return false;
        }

        @Override
        public String toString() {
            return "no ambush waits any more";
        }
    }

    /** Returns whether a view has to survive the action. */
    public static boolean isBorne(Action action) {
        return switch (action) {
            case Traffic.Send ignored -> true;
            case Traffic.Talk ignored -> true;
            case Traffic.Quiet ignored -> true;
            case Action.Promise ignored -> true;
            case NetworkActions.Outage ignored -> true;
            case NetworkActions.Break ignored -> true;
            case NetworkActions.Corrupt ignored -> true;
            default -> false;
        };
    }
}
