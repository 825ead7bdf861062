import dev.tutti.core.stack.LayerProvider;
import dev.tutti.layers.compression.CompressionProvider;
import dev.tutti.layers.fault.FaultProvider;
import dev.tutti.layers.rate.RateLimitProvider;

/** Layers that a group may have besides those of every group. */
@SuppressWarnings("requires-automatic") // The compressor's jar has no descriptor.
module dev.tutti.layers {
    requires transitive dev.tutti.core;
    requires dev.tutti.protocols;
    requires org.lz4.java;
    requires static transitive org.jspecify;

    exports dev.tutti.layers.compression;
    exports dev.tutti.layers.fault;
    exports dev.tutti.layers.rate;

    provides LayerProvider with CompressionProvider, FaultProvider, RateLimitProvider;
}
