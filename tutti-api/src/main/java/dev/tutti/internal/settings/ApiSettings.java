package dev.tutti.internal.settings;

import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Setting;
import dev.tutti.internal.admission.AdmissionSettings;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeSettings;
import java.util.List;
import java.util.stream.Stream;

/** Settings of the API's side of a node, and the list of all settings there are. */
public final class ApiSettings {

    private ApiSettings() {}

    static final Setting<Preset> PRESET = Setting.choice(
            "preset",
            Preset.class,
            Preset.DEFAULT,
            "Values that go together for one kind of network; whatever else is set wins over them.");

    public static final Setting<Boolean> DIAGNOSTICS = Setting.flag(
            "diagnostics.enabled",
            false,
            "Answers 'tutti view' on this machine, read-only, to this user alone: a Unix domain socket in a private"
                    + " directory below the directory for temporary files.");

    static final List<Setting<?>> NODE = Stream.of(
                    List.<Setting<?>>of(PRESET, DIAGNOSTICS), AdmissionSettings.ALL, NodeSettings.ALL)
            .flatMap(List::stream)
            .toList();

    /** Returns every setting of nodes and groups, with its default; those of discovery, transports and layers on the class path, too. */
    public static NodeSpec defaults() {
        return NodeSpec.of(NODE, GroupSettings.ALL)
                .withNodeDefinitions(DiscoveryProviders.settings())
                .withNodeDefinitions(Transports.settings())
                .withGroupDefinitions(LayerProviders.settings());
    }
}
