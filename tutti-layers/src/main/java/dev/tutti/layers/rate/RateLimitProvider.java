package dev.tutti.layers.rate;

import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Size;
import dev.tutti.core.stack.Guarantee;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.LayerContext;
import dev.tutti.core.stack.LayerProvider;
import java.time.Duration;
import java.util.List;

/**
 * Limits the rate at which this member sends: sends beyond it wait, as they do for a closed window, and nothing is dropped.
 *
 * <p>Messages to all count once, whatever the number of members. The layer concerns this member alone: the others may have
 * another limit or none.
 */
public final class RateLimitProvider implements LayerProvider {

    /** Bytes per second. */
    public static final Setting<Size> BYTES = Setting.size(
            "layer.rate-limit.bytes",
            Size.bytes(0),
            Size.bytes(0),
            Size.mebibytes(100 * 1024),
            "Bytes of messages that this member sends per second; 0 B for no limit.");

    /** Messages per second. */
    public static final Setting<Integer> MESSAGES = Setting.count(
            "layer.rate-limit.messages",
            0,
            0,
            100_000_000,
            "Messages that this member sends per second; 0 for no limit. Messages that wait share packets, and a packet goes as a"
                    + " whole: the limit holds on average.");

    /** Time for which sends may be saved up. */
    public static final Setting<Duration> BURST = Setting.duration(
            "layer.rate-limit.burst",
            Duration.ofMillis(100),
            Duration.ofMillis(1),
            Duration.ofSeconds(10),
            "Time whose sends a member that was quiet may make at once.");

    private static final List<Metric> METRICS = Metric.part(Metric.Place.GROUP, "layer.rate-limit")
            .counter("sent-bytes", Metric.Unit.BYTES, "Bytes of packets that were counted.")
            .counter("sent-messages", Metric.Unit.MESSAGES, "Messages that were counted.")
            .counter("pauses", Metric.Unit.COUNT, "Times that the limit was reached.")
            .list();

    @Override
    public String name() {
        return "rate-limit";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(BYTES, MESSAGES, BURST);
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
        return List.of(Guarantee.APPLICATION);
    }

    @Override
    public Layer create(LayerContext context) {
        long burstNanos = context.settings().get(BURST).toNanos();
        return new RateLimit(
                new Budget(context.settings().get(BYTES).bytes(), burstNanos),
                new Budget(context.settings().get(MESSAGES), burstNanos));
    }
}
