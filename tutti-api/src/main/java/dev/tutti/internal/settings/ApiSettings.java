package dev.tutti.internal.settings;

import dev.tutti.DataView;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
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
            "Answers 'tutti view' on this machine, to this user alone, read-only unless operator.key-file is set: a Unix domain socket in a private"
                    + " directory below the directory for temporary files.");

    public static final Setting<String> OPERATOR_KEY_FILE = Setting.text(
            "operator.key-file",
            "",
            "File with a key of at least 32 characters, which only its owner may read. Operators may change this node while it runs, through"
                    + " the console of a node with the same key: have it leave groups, stop it, have it exclude other nodes, change some"
                    + " settings and its attributes. Empty: nobody may.");

    public static final Setting<Boolean> CONTENT = Setting.flag(
            "operator.content",
            false,
            "Lets operators see contents that are data of the application through the console, such as the keys of maps. Names and holders of"
                    + " locks and numbers of tasks are shown in any case.");

    public static final Setting<Boolean> VALUES = Setting.flag(
            "operator.values",
            false,
            "Lets operators see the values of maps through the console, too, as far as they are texts, and what operator.content permits. They may"
                    + " be personal data.");

    static final List<Setting<?>> NODE = Stream.of(
                    List.<Setting<?>>of(PRESET, DIAGNOSTICS, OPERATOR_KEY_FILE, CONTENT, VALUES), AdmissionSettings.ALL, NodeSettings.ALL)
            .flatMap(List::stream)
            .toList();

    /** Returns the data of the application that a node gives away to operators. */
    public static DataView.Content shownContent(Settings node) {
        if (node.get(VALUES)) {
            return DataView.Content.VALUES;
        }
        return node.get(CONTENT) ? DataView.Content.KEYS : DataView.Content.NONE;
    }

    /** Returns every setting of nodes and groups, with its default; those of discovery, transports and layers on the class path, too. */
    public static NodeSpec defaults() {
        return NodeSpec.of(NODE, GroupSettings.ALL)
                .withNodeDefinitions(DiscoveryProviders.settings())
                .withNodeDefinitions(Transports.settings())
                .withGroupDefinitions(LayerProviders.settings());
    }
}
