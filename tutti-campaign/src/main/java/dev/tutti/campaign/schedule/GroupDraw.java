package dev.tutti.campaign.schedule;

import dev.tutti.campaign.cluster.Neighbours;
import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.GroupSettings;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Draws the settings of a schedule's groups, each from a random stream of its own. */
final class GroupDraw {

    private GroupDraw() {}

    /** Draws the order from a random stream of its own, so that other draws stay as they are. */
    static void order(TreeMap<String, String> settings, long seed, Schedule.Mode mode) {
        SplittableRandom orders = new SplittableRandom(~seed * 31 + mode.ordinal());
        int kind = orders.nextInt(8);
        if (kind == 0) {
            settings.put(GroupSettings.STACK.name(), "causal");
        } else if (kind < 5) {
            settings.put(GroupSettings.STACK.name(), "total");
            settings.put(GroupSettings.TOTAL_BY.name(), orders.nextBoolean() ? "sequencer" : "rotation");
            settings.put(GroupSettings.TOTAL_DELIVERY.name(), orders.nextBoolean() ? "agreed" : "safe");
        }
        if (new SplittableRandom(~seed * 41 + mode.ordinal()).nextBoolean()) {
            // Exactly the length of the longest message, so that senders of large messages take turns.
            settings.put(GroupSettings.MESSAGE_BYTES_MAX.name(), Size.mebibytes(1).toString());
        }
        SplittableRandom ways = new SplittableRandom(~seed * 37 + mode.ordinal());
        if (ways.nextInt(6) == 0) {
            settings.put(GroupSettings.DISSEMINATION.name(), ways.nextInt(4) == 0 ? "auto" : "ring");
            if (ways.nextInt(4) > 0) {
                // So short that members are bypassed all the time, and routes change with every burst.
                settings.put(GroupSettings.RING_PATIENCE.name(), 1 + ways.nextInt(20) + " ms");
            }
        }
    }

    /** Gives every sixth schedule a second group on the same nodes, from a random stream of its own. */
    static void aside(TreeMap<String, String> settings, long seed, Schedule.Mode mode) {
        SplittableRandom asides = new SplittableRandom(~seed * 41 + mode.ordinal());
        if (asides.nextInt(6) > 0) {
            return;
        }
        TreeMap<String, String> aside = new TreeMap<>();
        if (asides.nextInt(5) == 0) {
            aside.put(GroupSettings.STACK.name(), "unreliable");
        } else {
            order(aside, asides.nextLong(), mode);
        }
        aside.putIfAbsent(GroupSettings.WINDOW.name(), "128 KiB");
        aside.forEach((name, value) -> settings.put(Neighbours.PREFIX + name, value));
    }
}
