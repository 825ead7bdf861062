package dev.tutti.metrics;

import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.NodeInspection.Sample;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last inspection of a node, as old as {@value #AGE_MILLIS} ms at most: a reader of hundreds of single numbers asks
 * the loop once. From any thread.
 */
final class Readings {

    static final long AGE_MILLIS = 1_000;

    /** Identifies a number: its metric and labels. */
    record Key(String id, Map<String, String> labels) {

        static Key of(Sample sample) {
            return new Key(sample.metric().id(), sample.labels());
        }
    }

    private record Reading(long nanos, @Nullable NodeInspection inspection, Map<Key, Long> values) {}

    private final Node node;
    private final Runnable onOthers;
    private @Nullable Reading last;

    /** @param onOthers called by a reader that finds other numbers than the one before, such as those of a new component; must not wait */
    Readings(Node node, Runnable onOthers) {
        this.node = node;
        this.onOthers = onOthers;
    }

    Readings(Node node) {
        this(node, () -> {});
    }

    Node node() {
        return node;
    }

    /** Returns the inspection; null if the node does not answer, or has ended. */
    @Nullable NodeInspection inspection() {
        return reading().inspection();
    }

    /** Returns a number; null if there is no such number now. */
    @Nullable Long value(Key key) {
        return reading().values().get(key);
    }

    private synchronized Reading reading() {
        long now = System.nanoTime();
        Reading known = last;
        if (known != null && now - known.nanos() < AGE_MILLIS * 1_000_000) {
            return known;
        }
        Reading made = read(now);
        last = made;
        if (known != null && !known.values().keySet().equals(made.values().keySet())) {
            onOthers.run();
        }
        return made;
    }

    private Reading read(long now) {
        try {
            NodeInspection inspection = node.inspection();
            Map<Key, Long> values = new HashMap<>();
            inspection.samples().forEach(sample -> values.put(Key.of(sample), sample.value()));
            return new Reading(now, inspection, Collections.unmodifiableMap(values));
        } catch (IllegalStateException e) {
            // The node is closed, or hangs: its health says which, and there are no numbers.
            return new Reading(now, null, Map.of());
        }
    }
}
