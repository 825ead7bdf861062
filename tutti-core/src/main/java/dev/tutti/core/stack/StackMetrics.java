package dev.tutti.core.stack;

import dev.tutti.core.metrics.Metric;
import dev.tutti.core.metrics.Metric.Place;
import dev.tutti.core.metrics.Metric.Unit;
import java.util.List;
import java.util.Locale;

/** Metrics of a stack's runner. */
public final class StackMetrics {

    private StackMetrics() {}

    /** All metrics. */
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
