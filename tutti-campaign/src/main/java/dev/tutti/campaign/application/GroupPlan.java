package dev.tutti.campaign.application;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Plan by which the members of a cluster use one group.
 *
 * @param settings settings of the group, by name
 * @param isPrimary whether only a majority goes on
 * @param isInline whether listeners are called on the loop
 * @param scopes number of scopes for messages; 0 for none
 * @param largeBytesMax length of the longest message; 0 if none is larger than a packet
 * @param blockMillisMax longest time for which a listener blocks, now and then; 0 if it is always quick
 * @param isFlooding whether most messages are large, so that many bytes wait for a newcomer's state
 * @param state state that newcomers get; null if there is none
 */
record GroupPlan(
        int index,
        String name,
        TreeMap<String, String> settings,
        boolean isPrimary,
        boolean isInline,
        boolean isOutOfBandSent,
        boolean isUnicastSent,
        int scopes,
        int largeBytesMax,
        int blockMillisMax,
        boolean isCallingBack,
        boolean isFlooding,
        @Nullable StatePlan state) {

    /** Behaviour of writers and readers of a state. */
    enum Manner {
        QUICK,
        SLOW,
        FAILING,
        BYTEWISE
    }

    /**
     * The state of a group.
     *
     * @param ballastBytes bytes besides the image of the messages
     * @param isHonest whether a snapshot tells its length
     */
    record StatePlan(
            String of, boolean isReproducible, boolean isAtomic, int ballastBytes, Manner writer, Manner reader, boolean isHonest) {

        static StatePlan draw(SplittableRandom random, boolean isPrimary) {
            List<String> policies = new ArrayList<>(List.of("largest", "largest", "oldest", "each"));
            if (isPrimary) {
                policies.add("primary");
            }
            int chunk = 60 * 1024;
            int ballast =
                    switch (random.nextInt(5)) {
                        case 0 -> 0;
                        case 1 -> random.nextInt(2_000);
                        // Near the end of a chunk, and of the window of a transfer.
                        case 2 -> chunk * (1 + random.nextInt(6)) - random.nextInt(400);
                        case 3 -> random.nextInt(300_000);
                        default -> 200_000 + random.nextInt(500_000);
                    };
            Manner writer = Manner.values()[random.nextInt(ballast > 100_000 ? 3 : 4)];
            Manner reader = Manner.values()[random.nextInt(ballast > 100_000 ? 3 : 4)];
            return new StatePlan(
                    policies.get(random.nextInt(policies.size())),
                    random.nextBoolean(),
                    random.nextBoolean(),
                    ballast,
                    writer,
                    reader,
                    random.nextInt(3) > 0);
        }
    }

    static GroupPlan draw(SplittableRandom random, int index) {
        TreeMap<String, String> settings = new TreeMap<>();
        String stack = List.of("fifo", "fifo", "fifo", "causal", "total", "total", "total", "unreliable")
                .get(random.nextInt(8));
        settings.put("stack", stack);
        if (stack.equals("total")) {
            settings.put("total.by", random.nextBoolean() ? "sequencer" : "rotation");
            settings.put("total.delivery", random.nextInt(3) == 0 ? "safe" : "agreed");
        }
        settings.put("window", List.of("128 KiB", "128 KiB", "256 KiB", "1 MiB").get(random.nextInt(4)));
        settings.put("send-timeout", List.of("1 s", "3 s", "20 s").get(random.nextInt(3)));
        boolean isReliable = !stack.equals("unreliable");
        boolean isPrimary = isReliable && random.nextInt(6) == 0;
        boolean isInline = random.nextInt(4) == 0;
        StatePlan state = isReliable && !isInline && random.nextInt(2) == 0 ? StatePlan.draw(random, isPrimary) : null;
        if (state != null) {
            settings.put("state.of", state.of());
            settings.put("state.transfer-window", random.nextBoolean() ? "128 KiB" : "1 MiB");
            settings.put("state.timeout", random.nextBoolean() ? "2 s" : "5 s");
            settings.put("state.held-memory", "2 MiB");
            settings.put("state.held-file", random.nextInt(3) == 0 ? "0 MiB" : "16 MiB");
            settings.put("state.snapshots", Integer.toString(1 + random.nextInt(4)));
        }
        boolean isFlooding = state != null && random.nextInt(4) == 0;
        int largeBytesMax = random.nextInt(3) == 0 ? 100_000 + random.nextInt(300_000) : 0;
        return new GroupPlan(
                index,
                "g" + index,
                settings,
                isPrimary,
                isInline,
                random.nextInt(3) == 0,
                random.nextInt(2) == 0,
                random.nextInt(2) == 0 ? 1 + random.nextInt(4) : 0,
                isFlooding ? 60_000 : largeBytesMax,
                !isInline && random.nextInt(3) > 0 ? 1 + random.nextInt(15) : 0,
                random.nextInt(2) == 0,
                isFlooding,
                state);
    }

    boolean isReliable() {
        return !"unreliable".equals(settings.get("stack"));
    }

    boolean isTotal() {
        return "total".equals(settings.get("stack"));
    }

    /** Reports whether all members have the same state after each view. */
    boolean isOneState() {
        StatePlan plan = state;
        return plan != null && !plan.of().equals("each");
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("group ").append(name).append(':');
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            text.append(' ').append(setting.getKey()).append('=').append(setting.getValue());
        }
        return text.append(isPrimary ? ", primary" : "")
                .append(isInline ? ", inline" : "")
                .append(isOutOfBandSent ? ", out of band" : "")
                .append(isUnicastSent ? ", unicasts" : "")
                .append(scopes > 0 ? ", " + scopes + " scopes" : "")
                .append(largeBytesMax > 0 ? ", messages of up to " + largeBytesMax + " bytes" : "")
                .append(blockMillisMax > 0 ? ", listeners that take up to " + blockMillisMax + " ms" : "")
                .append(isFlooding ? ", mostly large messages" : "")
                .append(isCallingBack ? ", listeners that call back" : "")
                .append(state == null ? "" : ", " + state)
                .toString();
    }
}
