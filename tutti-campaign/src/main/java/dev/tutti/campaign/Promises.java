package dev.tutti.campaign;

import dev.tutti.core.settings.Durations;
import java.time.Duration;

/** Steps of a schedule at which something has to hold. */
final class Promises {

    private Promises() {}

    /** Not a fault, but what is promised: {@link Trial} waits for it, counted from the last thing that went wrong. */
    record OneView(Duration within) implements Action.Promise {
        @Override
        public String toString() {
            return "all that are up are in one view within " + Durations.print(within);
        }
    }

    /** As {@link OneView}: nobody talks any more, and what was submitted has arrived. */
    record Arrived(Duration within) implements Action.Promise {
        @Override
        public String toString() {
            return "everything that was sent arrives within " + Durations.print(within);
        }
    }

    /** As {@link OneView}; and then no other view comes as long as nothing happens that {@link #isBorne views bear}. */
    record Stay(Duration within) implements Action.Promise {
        @Override
        public String toString() {
            return "all that are up are in one view within " + Durations.print(within) + ", and stay in it";
        }
    }

    /** Not a fault, but what is promised: no join waits for longer, though nobody else may be in the group. */
    record Joined(Duration within) implements Action.Promise {
        @Override
        public String toString() {
            return "everybody who joins is told within " + Durations.print(within);
        }
    }

    /** What {@link Action.Await} waits for does not happen any more, so that what is promised next can hold. */
    record Disarm() implements Action.Promise {
        @Override
        public boolean strike(Cluster cluster) {
            cluster.ambush().clear();
            return false;
        }

        @Override
        public String toString() {
            return "no ambush waits any more";
        }
    }

    /** Whether it is no reason for another view. */
    static boolean isBorne(Action action) {
        return switch (action) {
            case Action.Send ignored -> true;
            case Action.Talk ignored -> true;
            case Action.Quiet ignored -> true;
            case Action.Promise ignored -> true;
            case Action.Outage ignored -> true;
            case Action.Break ignored -> true;
            case Action.Corrupt ignored -> true;
            default -> false;
        };
    }
}
