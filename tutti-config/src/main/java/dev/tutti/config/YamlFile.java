package dev.tutti.config;

import dev.tutti.core.settings.Nearest;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Settings.Source;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A node's specification as a YAML 1.2 file.
 *
 * <p>The dots of a setting's name are levels of the file; entries under {@code group} hold for every group, those under
 * {@code groups} and a name for that one:
 *
 * <pre>{@code
 * cluster: shop
 * bind:
 *   port: 7800
 * discovery:
 *   seeds: [10.0.0.1:7800, 10.0.0.2:7800]
 * group:
 *   window: 4 MiB
 * groups:
 *   load:
 *     stack: unreliable
 * }</pre>
 *
 * A file is at most {@value YamlText#BYTES_MAX} bytes of UTF-8 and has neither anchors nor tags. Every error names the
 * file, the line and what would be right.
 */
public final class YamlFile {

    static final String GROUP = "group";
    static final String GROUPS = "groups";
    private static final String LIST = "list";

    private YamlFile() {}

    /**
     * @param base settings that the file overrides; its definitions say which settings there are
     * @throws SettingException if the file can't be read, is no YAML, or sets something that is no setting
     */
    public static NodeSpec read(Path file, NodeSpec base) {
        return parse(file.toString(), YamlText.read(file), base);
    }

    /**
     * Reads text that is in memory already.
     *
     * @param label name of the text in errors
     * @throws SettingException as for {@link #read}
     */
    public static NodeSpec parse(String label, String text, NodeSpec base) {
        YamlNode root = YamlParser.parse(label, text);
        return switch (root) {
            case YamlNode.Nothing nothing -> base;
            case YamlNode.Scalar scalar -> throw notAMap(scalar, "the file");
            case YamlNode.Sequence sequence -> throw notAMap(sequence, "the file");
            case YamlNode.Mapping mapping -> apply(mapping, base);
        };
    }

    /**
     * Takes values that another program has read from its own configuration, as if they stood in a file.
     *
     * @throws SettingException if a value is wrong, or sets something that is no setting; the message begins with its
     *     place
     */
    public static NodeSpec of(List<PlacedValue> values, NodeSpec base) {
        return apply(PlacedValue.tree(values), base);
    }

    /**
     * Returns the file that {@link #read} reads back as {@code spec}: all explicit settings, without defaults and
     * presets.
     */
    public static String print(NodeSpec spec) {
        return YamlPrinter.print(spec);
    }

    private static NodeSpec apply(YamlNode.Mapping root, NodeSpec base) {
        NodeSpec spec = base;
        Section node = new Section(base.node(), base.groupDefaults());
        for (var entry : root.entries()) {
            switch (entry.key().text()) {
                case GROUP -> {
                    Section section = new Section(base.groupDefaults(), null);
                    section.readAll(map(entry, "'group' is a map of settings that every group has"));
                    spec = spec.withGroupDefaults(section.settings);
                }
                case GROUPS -> {
                    for (var group : map(entry, "'groups' is a map from a group's name to its settings").entries()) {
                        String name = group.key().text();
                        if (name.isBlank()) {
                            throw error(group.key(), "a group needs a name");
                        }
                        Section section = new Section(own(base, name), null);
                        section.readAll(map(group, "a group has a map of settings"));
                        spec = spec.withGroup(name, section.settings);
                    }
                }
                default -> node.read("", entry);
            }
        }
        return spec.withNode(node.settings);
    }

    private static Settings own(NodeSpec base, String group) {
        Settings own = base.groups().get(group);
        return own == null ? Settings.of(base.groupDefaults().definitions()) : own;
    }

    /** Returns the map that an entry holds; an empty one if the entry is empty. */
    private static YamlNode.Mapping map(YamlNode.Entry entry, String expected) {
        return switch (entry.value()) {
            case YamlNode.Mapping mapping -> mapping;
            case YamlNode.Nothing nothing -> new YamlNode.Mapping(nothing.place(), List.of());
            case YamlNode.Scalar scalar -> throw error(scalar, expected + ", not '" + scalar.text() + "'");
            case YamlNode.Sequence sequence -> throw error(sequence, expected + ", not a list");
        };
    }

    private static SettingException notAMap(YamlNode node, String what) {
        return error(node, what + " holds no settings; write one per line, such as 'cluster: shop'");
    }

    private static SettingException error(YamlNode node, String message) {
        return new SettingException(node.place() + ": " + message);
    }

    /** Collects the settings of a node or of a group. */
    private static final class Section {

        private Settings settings;
        private final Settings elsewhere;
        private final TreeMap<String, String> places = new TreeMap<>();

        /** @param elsewhere settings that users often put here by mistake: those of groups among those of the node */
        Section(Settings settings, @Nullable Settings elsewhere) {
            this.settings = settings;
            this.elsewhere = elsewhere == null ? Settings.of(List.of()) : elsewhere;
        }

        void readAll(YamlNode.Mapping mapping) {
            for (var entry : mapping.entries()) {
                read("", entry);
            }
        }

        void read(String prefix, YamlNode.Entry entry) {
            String name = prefix + entry.key().text();
            switch (entry.value()) {
                case YamlNode.Scalar scalar -> set(name, entry.key(), scalar.text());
                case YamlNode.Nothing nothing -> {
                    if (inside(name).isEmpty()) {
                        find(name, entry.key());
                        throw error(entry.key(), name + " has no value; write \"\" for an empty text");
                    }
                }
                case YamlNode.Sequence sequence -> set(name, entry.key(), elements(name, entry.key(), sequence));
                case YamlNode.Mapping mapping -> {
                    if (settings.has(name)) {
                        throw error(entry.key(), name + " is one value (" + find(name, entry.key()).type()
                                + "), not a map");
                    }
                    if (inside(name).isEmpty()) {
                        throw unknown(name, entry.key());
                    }
                    for (var inner : mapping.entries()) {
                        read(name + ".", inner);
                    }
                }
            }
        }

        private void set(String name, YamlNode.Scalar key, String text) {
            find(name, key);
            String before = places.putIfAbsent(name, key.place());
            if (before != null) {
                throw error(key, name + " is set twice, before at " + before);
            }
            settings = settings.with(name, text, Source.FILE, key.place());
        }

        private String elements(String name, YamlNode.Scalar key, YamlNode.Sequence sequence) {
            if (!find(name, key).type().equals(LIST)) {
                throw error(sequence, name + " is one value (" + find(name, key).type() + "), not a list");
            }
            List<String> elements = new ArrayList<>();
            for (YamlNode element : sequence.elements()) {
                if (!(element instanceof YamlNode.Scalar scalar)) {
                    throw error(element, "an element of " + name + " is a text");
                }
                if (scalar.text().contains(",")) {
                    throw error(scalar, "'" + scalar.text() + "' has a comma; write its parts as elements of their own");
                }
                elements.add(scalar.text());
            }
            return String.join(",", elements);
        }

        private Setting<?> find(String name, YamlNode.Scalar key) {
            for (Setting<?> setting : settings.definitions()) {
                if (setting.name().equals(name)) {
                    return setting;
                }
            }
            throw unknown(name, key);
        }

        private SettingException unknown(String name, YamlNode.Scalar key) {
            List<String> inside = inside(name);
            if (!inside.isEmpty()) {
                return error(key, "'" + name + "' is no setting but has some: " + String.join(", ", inside));
            }
            if (elsewhere.has(name)) {
                return error(key, "'" + name + "' is a setting of groups; write it under 'group', for all of them, or"
                        + " under 'groups' and a name");
            }
            LinkedHashSet<String> names = new LinkedHashSet<>();
            for (Setting<?> setting : settings.definitions()) {
                names.add(setting.name());
                if (!name.contains(".") && setting.name().contains(".")) {
                    names.add(setting.name().substring(0, setting.name().indexOf('.')));
                }
            }
            if (!elsewhere.definitions().isEmpty()) {
                names.add(GROUP);
                names.add(GROUPS);
            }
            return error(key, "there is no setting '" + name + "'" + Nearest.suggest(name, names));
        }

        /** Returns the settings whose names continue {@code name}. */
        private List<String> inside(String name) {
            return settings.definitions().stream()
                    .map(Setting::name)
                    .filter(candidate -> candidate.startsWith(name + "."))
                    .toList();
        }
    }
}
