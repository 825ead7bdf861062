package dev.tutti.campaign.cluster;

import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.LayerProvider;
import dev.tutti.layers.compression.CompressionProvider;
import dev.tutti.layers.fault.FaultProvider;
import dev.tutti.layers.rate.RateLimitProvider;
import dev.tutti.protocols.node.GroupSettings;
import java.util.List;

/** The layers of {@code tutti-layers}, which groups of schedules may have. */
public final class OptionalLayers {

    private static final List<LayerProvider> ALL =
            List.of(new CompressionProvider(), new FaultProvider(), new RateLimitProvider());

    private OptionalLayers() {}

    /** Returns the settings of a group with their defaults, those of the layers included. */
    static Settings settings() {
        Settings settings = Settings.of(GroupSettings.ALL);
        for (LayerProvider provider : ALL) {
            settings = settings.withDefinitions(provider.settings());
        }
        return settings;
    }

    /** Returns the layers that a group asks for, in its order. */
    static List<LayerProvider> of(Settings group) {
        return group.get(GroupSettings.LAYERS).stream().map(OptionalLayers::named).toList();
    }

    private static LayerProvider named(String name) {
        return ALL.stream()
                .filter(provider -> provider.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no layer '" + name + "'"));
    }

    /** Returns whether messages of the group may be lost although nothing else is wrong. */
    public static boolean isLossy(Settings group) {
        return group.get(GroupSettings.LAYERS).contains("fault")
                && group.get(FaultProvider.DROP) > 0
                && group.get(GroupSettings.STACK) == GroupSettings.StackKind.UNRELIABLE;
    }

    /** Returns counters that show that each layer has done its work, as coverage calls them. */
    public static List<String> works() {
        return List.of(
                "layer.compression.expanded-packets",
                "layer.fault.delayed-packets",
                "layer.fault.dropped-packets",
                "layer.fault.injected-packets",
                "layer.rate-limit.pauses");
    }
}
