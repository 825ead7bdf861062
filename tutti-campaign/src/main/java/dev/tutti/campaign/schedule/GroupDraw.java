package dev.tutti.campaign.schedule;

import dev.tutti.campaign.cluster.Neighbours;
import dev.tutti.core.settings.Size;
import dev.tutti.layers.compression.CompressionProvider;
import dev.tutti.layers.fault.FaultProvider;
import dev.tutti.layers.rate.RateLimitProvider;
import dev.tutti.protocols.node.GroupSettings;
import java.util.ArrayList;
import java.util.List;
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

    /** Gives one group in five layers besides those of every group, from a random stream of its own. */
    static void layers(TreeMap<String, String> settings, long seed, Schedule.Mode mode) {
        SplittableRandom layers = new SplittableRandom(~seed * 43 + mode.ordinal());
        List<String> names = new ArrayList<>();
        if (layers.nextInt(12) == 0) {
            names.add("compression");
            settings.put(CompressionProvider.LEAST.name(), "64 B");
        }
        if (layers.nextInt(12) == 0) {
            names.add("rate-limit");
            settings.put(RateLimitProvider.BYTES.name(), Size.mebibytes(1 + layers.nextInt(20)).toString());
            settings.put(RateLimitProvider.MESSAGES.name(), layers.nextBoolean() ? "0" : "" + (1_000 + layers.nextInt(10_000)));
            settings.put(RateLimitProvider.BURST.name(), 1 + layers.nextInt(50) + " ms");
        }
        if (layers.nextInt(12) == 0) {
            names.add("fault");
            settings.put(FaultProvider.DROP.name(), "" + layers.nextInt(300));
            settings.put(FaultProvider.DUPLICATE.name(), "" + layers.nextInt(300));
            settings.put(FaultProvider.INJECT.name(), "" + layers.nextInt(100));
            settings.put(FaultProvider.DELAY.name(), layers.nextInt(20) + " ms");
        }
        if (!names.isEmpty()) {
            settings.put(GroupSettings.LAYERS.name(), String.join(",", names));
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
