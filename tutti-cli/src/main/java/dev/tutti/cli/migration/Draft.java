package dev.tutti.cli.migration;

import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Settings.Source;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The settings of a translation that is under way, and what people have to do before they can be used. */
final class Draft {

    private static final String GROUP = "group.";

    private final Set<String> names = new LinkedHashSet<>();
    private final List<String> tasks = new ArrayList<>();
    private NodeSpec spec;

    Draft(NodeSpec defaults) {
        spec = defaults;
    }

    NodeSpec spec() {
        return spec;
    }

    /** Returns what people have to do before a node can start. */
    List<String> tasks() {
        return List.copyOf(tasks);
    }

    void task(String task) {
        if (!tasks.contains(task)) {
            tasks.add(task);
        }
    }

    boolean has(String setting) {
        return names.contains(setting);
    }

    /** Returns the text of a setting, the default if it is not set. */
    String text(String setting) {
        Settings settings = setting.startsWith(GROUP) ? spec.groupDefaults() : spec.node();
        String name = setting.startsWith(GROUP) ? setting.substring(GROUP.length()) : setting;
        return settings.definitions().stream()
                .filter(each -> each.name().equals(name))
                .map(settings::text)
                .findFirst()
                .orElseThrow();
    }

    /** @throws dev.tutti.core.settings.SettingException if the setting does not take the value */
    void set(String setting, String text) {
        if (setting.startsWith(GROUP)) {
            spec = spec.withGroupDefaults(
                    spec.groupDefaults().with(setting.substring(GROUP.length()), text, Source.FILE, "migrate"));
        } else {
            spec = spec.withNode(spec.node().with(setting, text, Source.FILE, "migrate"));
        }
        names.add(setting);
    }

    /** Adds an element to a list. */
    void add(String setting, String element) {
        String before = has(setting) ? text(setting) : "";
        set(setting, before.isEmpty() ? element : before + "," + element);
    }
}
