package dev.tutti.campaign.cluster;

import dev.tutti.core.settings.Durations;
import java.time.Duration;

/** Actions on the sender or the receiver of a message that an {@link Action.Await} has waited for. */
public final class Ends {

    private Ends() {}

    public record KillEnd(boolean isSender) implements Action.OfEnds {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.KILL;
        }

        @Override
        public Action of(int sender, int receiver) {
            return new NodeActions.Kill(isSender ? sender : receiver);
        }

        @Override
        public String toString() {
            return "its " + (isSender ? "sender" : "receiver") + " is killed";
        }
    }

    public record StallEnd(boolean isSender, Duration time) implements Action.OfEnds {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.PAUSE;
        }

        @Override
        public Action of(int sender, int receiver) {
            return new NodeActions.Stall(isSender ? sender : receiver, time);
        }

        @Override
        public String toString() {
            return "its " + (isSender ? "sender" : "receiver") + " stands still for " + Durations.print(time);
        }
    }

    public record PartEnds() implements Action.OfEnds {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.GIVE_UP;
        }

        @Override
        public Action of(int sender, int receiver) {
            return new NetworkActions.Part(Action.setOf(sender), Action.setOf(receiver));
        }

        @Override
        public String toString() {
            return "its sender and receiver give each other up";
        }
    }
}
