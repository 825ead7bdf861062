package dev.tutti.layers.fault;

import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.stack.Guarantee;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.LayerContext;
import dev.tutti.core.stack.LayerProvider;
import dev.tutti.protocols.node.GroupSettings;
import java.time.Duration;
import java.util.List;

/**
 * Makes the network worse for one member, in tests: packets are late, lost, repeated, or were never sent. It keeps to what the
 * layers above must cope with, so the guarantees of the group hold.
 *
 * <p>Packets are lost only where something repairs that, or nobody promised them: multicasts by IP multicast, and packets of
 * groups with {@code stack: unreliable}. Connections lose nothing, so other packets are late at most, in order for each sender.
 */
public final class FaultProvider implements LayerProvider {

    /** Packets that are lost. */
    public static final Setting<Integer> DROP = Setting.count(
            "layer.fault.drop", 0, 0, 1_000, "Packets that are lost, of 1,000 that may be: by IP multicast, or of an unreliable group.");

    /** Packets that are repeated. */
    public static final Setting<Integer> DUPLICATE = Setting.count(
            "layer.fault.duplicate", 0, 0, 1_000, "Packets that are sent twice, of 1,000 by IP multicast.");

    /** Packets that nobody has sent. */
    public static final Setting<Integer> INJECT = Setting.count(
            "layer.fault.inject", 0, 0, 1_000, "Packets of random bytes that arrive besides each 1,000 packets. They are counted as"
                    + " malformed.");

    /** Delay of arrived packets. */
    public static final Setting<Duration> DELAY = Setting.duration(
            "layer.fault.delay",
            Duration.ZERO,
            Duration.ZERO,
            Duration.ofSeconds(10),
            "Longest time by which a packet arrives late. Packets of one sender stay in order.");

    private static final List<Metric> METRICS = Metric.part(Metric.Place.GROUP, "layer.fault")
            .counter("dropped-packets", Metric.Unit.PACKETS, "Packets that the layer has lost.")
            .counter("duplicated-packets", Metric.Unit.PACKETS, "Packets that the layer has sent twice.")
            .counter("injected-packets", Metric.Unit.PACKETS, "Packets that the layer has made up.")
            .counter("delayed-packets", Metric.Unit.PACKETS, "Packets that the layer has kept back for a while.")
            .gauge("held-packets", Metric.Unit.PACKETS, "Packets that are being kept back.")
            .list();

    @Override
    public String name() {
        return "fault";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(DROP, DUPLICATE, INJECT, DELAY);
    }

    @Override
    public List<Metric> metrics() {
        return METRICS;
    }

    @Override
    public boolean isInCommon() {
        return false;
    }

    @Override
    public List<Guarantee> requires() {
        return List.of(Guarantee.VIEWS);
    }

    @Override
    public Layer create(LayerContext context) {
        Fault.Odds odds = new Fault.Odds(
                context.settings().get(DROP),
                context.settings().get(DUPLICATE),
                context.settings().get(INJECT),
                context.settings().get(DELAY).toNanos());
        return new Fault(odds, context.settings().get(GroupSettings.STACK) == GroupSettings.StackKind.UNRELIABLE);
    }
}
