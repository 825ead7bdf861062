package dev.tutti.core.settings;

import java.util.List;
import java.util.TreeMap;

/**
 * Complete configuration of a node, from a YAML file or a builder.
 *
 * @param node settings of the node
 * @param groupDefaults settings that every group has unless it has its own
 * @param groups explicit settings by group name; definitions are those of {@code groupDefaults}
 */
public record NodeSpec(Settings node, Settings groupDefaults, TreeMap<String, Settings> groups) {

    public static NodeSpec of(List<Setting<?>> nodeDefinitions, List<Setting<?>> groupDefinitions) {
        return new NodeSpec(Settings.of(nodeDefinitions), Settings.of(groupDefinitions), new TreeMap<>());
    }

    public NodeSpec withNode(Settings settings) {
        return new NodeSpec(settings, groupDefaults, groups);
    }

    /** Returns this with further settings of the node, which have their defaults. Existing ones do not change. */
    public NodeSpec withNodeDefinitions(List<Setting<?>> more) {
        return withNode(node.withDefinitions(more));
    }

    /** Returns this with further settings of groups, which have their defaults. Existing ones do not change. */
    public NodeSpec withGroupDefinitions(List<Setting<?>> more) {
        TreeMap<String, Settings> changed = new TreeMap<>(groups);
        changed.replaceAll((name, settings) -> settings.withDefinitions(more));
        return new NodeSpec(node, groupDefaults.withDefinitions(more), changed);
    }

    public NodeSpec withGroupDefaults(Settings settings) {
        return new NodeSpec(node, settings, groups);
    }

    public NodeSpec withGroup(String name, Settings settings) {
        TreeMap<String, Settings> changed = new TreeMap<>(groups);
        changed.put(name, settings);
        return new NodeSpec(node, groupDefaults, changed);
    }

    /** Returns the settings of a group: its own where it has them, else the defaults of all groups. */
    public Settings group(String name) {
        Settings own = groups.get(name);
        return own == null ? groupDefaults : groupDefaults.withAll(own);
    }
}
