package dev.tutti.campaign.search;

import dev.tutti.campaign.cluster.ScheduledFault;
import dev.tutti.core.settings.Settings;
import dev.tutti.protocols.node.GroupSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Number of schedules in which each order was checked, and of those with the faults that an order has to survive. */
final class Orders {

    /** Row of schedules that send along a ring. They also count under their order, so they are counted twice. */
    private static final String RING = "by ring";

    private static final List<String> NAMES = List.of(
            "unreliable",
            "fifo",
            "causal",
            "total, sequencer, agreed",
            "total, sequencer, safe",
            "total, rotation, agreed",
            "total, rotation, safe",
            RING);

    /** Columns, each with its names in a schedule's coverage: a schedule counts if one of these has happened. */
    private static final Map<String, List<String>> COLUMNS = columns();

    private Orders() {}

    private static Map<String, List<String>> columns() {
        Map<String, List<String>> columns = new LinkedHashMap<>();
        columns.put("crashes", List.of("fault." + ScheduledFault.KILL, "fault." + ScheduledFault.POWER_OFF));
        columns.put(
                "partitions",
                List.of(
                        "fault." + ScheduledFault.PARTITION,
                        "fault." + ScheduledFault.ONE_WAY,
                        "fault." + ScheduledFault.BRIDGE,
                        "fault." + ScheduledFault.RING,
                        "fault." + ScheduledFault.FLAPPING));
        columns.put("merges", List.of("state.merge: of two views of two or more"));
        columns.put("crash in change", List.of("state.kill-in-view-change", "state.power-off-in-view-change"));
        return columns;
    }

    /** Adds to a schedule's coverage the counts of its order. */
    static void count(Coverage coverage, Settings group, boolean isMulticast) {
        GroupSettings.StackKind stack = group.get(GroupSettings.STACK);
        String name = stack.name().toLowerCase(Locale.ROOT);
        if (stack == GroupSettings.StackKind.TOTAL) {
            name += ", " + group.get(GroupSettings.TOTAL_BY).name().toLowerCase(Locale.ROOT)
                    + ", " + group.get(GroupSettings.TOTAL_DELIVERY).name().toLowerCase(Locale.ROOT);
        }
        count(coverage, name);
        boolean isRing = group.get(GroupSettings.DISSEMINATION) == GroupSettings.Dissemination.RING;
        if (isRing && !isMulticast && stack != GroupSettings.StackKind.UNRELIABLE) {
            count(coverage, RING);
        }
    }

    private static void count(Coverage coverage, String name) {
        coverage.count(key(name, "schedules"));
        COLUMNS.forEach((column, places) -> {
            if (places.stream().anyMatch(place -> coverage.of(place) > 0)) {
                coverage.count(key(name, column));
            }
        });
    }

    private static String key(String name, String column) {
        return "order." + name + "." + column;
    }

    /** Returns by order the number of schedules, and of these the number for each column. */
    static Map<String, Map<String, Long>> of(Coverage coverage) {
        Map<String, Map<String, Long>> orders = new LinkedHashMap<>();
        for (String name : NAMES) {
            Map<String, Long> counts = new LinkedHashMap<>();
            counts.put("schedules", coverage.of(key(name, "schedules")));
            COLUMNS.keySet().forEach(column -> counts.put(column, coverage.of(key(name, column))));
            orders.put(name, counts);
        }
        return orders;
    }

    /** Returns a line for each order, below a line with the names of the columns. */
    static String text(Coverage coverage) {
        StringBuilder text = new StringBuilder();
        of(coverage).forEach((name, counts) -> {
            if (text.isEmpty()) {
                counts.keySet().forEach(column -> text.append(String.format("%16s", column)));
                text.append('\n');
            }
            counts.values().forEach(count -> text.append(String.format(Locale.ROOT, "%,16d", count)));
            text.append("  ").append(name).append('\n');
        });
        return text.toString();
    }
}
