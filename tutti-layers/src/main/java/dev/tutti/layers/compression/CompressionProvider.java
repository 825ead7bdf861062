package dev.tutti.layers.compression;

import dev.tutti.core.metrics.Metric;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Size;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.LayerContext;
import dev.tutti.core.stack.LayerProvider;
import java.util.List;

/**
 * Compresses a group's packets with LZ4, below all other layers, so that windows count the bytes of the application.
 *
 * <p>All members need the layer. Their settings may differ: they concern sending only.
 */
public final class CompressionProvider implements LayerProvider {

    /** Length from which a packet is compressed. */
    public static final Setting<Size> LEAST = Setting.size(
            "layer.compression.least",
            Size.bytes(512),
            Size.bytes(64),
            Size.kibibytes(127),
            "Packets of at least so many bytes are compressed. Small messages share a packet under load, so that short ones are"
                    + " compressed, too.");

    private static final List<Metric> METRICS = Metric.part(Metric.Place.GROUP, "layer.compression")
            .counter("compressed-packets", Metric.Unit.PACKETS, "Packets that were sent compressed.")
            .counter("plain-packets", Metric.Unit.PACKETS, "Packets that were sent as they are: too short, or hardly shorter.")
            .counter("original-bytes", Metric.Unit.BYTES, "Bytes of packets that were sent compressed, before.")
            .counter("compressed-bytes", Metric.Unit.BYTES, "Bytes of packets that were sent compressed, after.")
            .counter("expanded-packets", Metric.Unit.PACKETS, "Packets that arrived compressed.")
            .list();

    @Override
    public String name() {
        return "compression";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(LEAST);
    }

    @Override
    public List<Setting<?>> settingsInCommon() {
        return List.of();
    }

    @Override
    public List<Metric> metrics() {
        return METRICS;
    }

    @Override
    public int headerBytes() {
        return 1;
    }

    @Override
    public Layer create(LayerContext context) {
        return new Compression((int) context.settings().get(LEAST).bytes());
    }
}
