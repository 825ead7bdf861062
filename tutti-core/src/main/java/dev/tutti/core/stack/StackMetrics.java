package dev.tutti.core.stack;

import dev.tutti.core.metrics.Metric;
import dev.tutti.core.metrics.Metric.Place;
import dev.tutti.core.metrics.Metric.Unit;
import java.util.List;
import java.util.Locale;

/** What the runner of a stack counts. */
public final class StackMetrics {

    private StackMetrics() {}

    /** All of them. */
    public static final List<Metric> ALL = dropped();

    private static List<Metric> dropped() {
        Metric.Part part = Metric.part(Place.GROUP, "dropped");
        for (DropReason reason : DropReason.values()) {
            String name = reason.name().toLowerCase(Locale.ROOT);
            part.counter(name, Unit.PACKETS, "Packets that were dropped because " + reason.description() + ".");
        }
        return part.list();
    }
}
