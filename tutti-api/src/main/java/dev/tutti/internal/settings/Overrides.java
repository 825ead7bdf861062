package dev.tutti.internal.settings;

import dev.tutti.core.settings.Nearest;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Settings.Source;
import dev.tutti.internal.Logs;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Applies the settings from the start of the process to a specification: system properties {@code tutti.<setting>},
 * {@code tutti.group.<setting>} and {@code tutti.groups.<name>.<setting>}, and environment variables {@code
 * TUTTI_<SETTING>} and {@code TUTTI_GROUP_<SETTING>}, dots and hyphens as underscores. (A variable can't name one
 * group: it would lose the case and the dots of its name.)
 *
 * <p>A name with such a prefix that is no setting is an error, because a mistyped override without effect is noticed
 * late.
 */
public final class Overrides {

    private static final String PROPERTY = "tutti.";
    private static final String VARIABLE = "TUTTI_";

    /** Beginning of variables that tutti-spring reads. */
    private static final String SPRING_VARIABLE = "TUTTI_SPRING_";

    private static final String GROUP = "group.";
    private static final String GROUPS = "groups.";

    /** Variables that the launcher reads; below, properties that tests and tutti-spring read. */
    private static final Set<String> FOREIGN_VARIABLES = Set.of("TUTTI_JAVA_HOME", "TUTTI_OPTS");

    private static final List<String> FOREIGN_PROPERTIES = List.of("tutti.test.", "tutti.sim.", "tutti.spring.", Logs.PROPERTY);

    private Overrides() {}

    /**
     * @throws SettingException if a name is unknown, with the nearest one, or a value wrong
     */
    public static NodeSpec apply(NodeSpec base, Map<String, String> properties, Map<String, String> environment) {
        NodeSpec spec = base;
        // Sorted, so that of several errors the same one is reported each time.
        for (var property : new TreeMap<>(properties).entrySet()) {
            if (property.getKey().startsWith(PROPERTY)
                    && FOREIGN_PROPERTIES.stream().noneMatch(property.getKey()::startsWith)) {
                spec = property(spec, property.getKey(), property.getValue());
            }
        }
        Map<String, String> variables = variables(base);
        for (var variable : new TreeMap<>(environment).entrySet()) {
            if (variable.getKey().startsWith(VARIABLE)
                    && !FOREIGN_VARIABLES.contains(variable.getKey())
                    && !variable.getKey().startsWith(SPRING_VARIABLE)) {
                spec = variable(spec, variables, variable.getKey(), variable.getValue());
            }
        }
        return spec;
    }

    /** Returns the variable that sets a setting; the setting of a group has {@code group.} before its name. */
    static String variable(String setting) {
        return VARIABLE + setting.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    private static NodeSpec property(NodeSpec spec, String property, String text) {
        String name = property.substring(PROPERTY.length());
        String place = "system property " + property;
        if (spec.node().definitions().stream().anyMatch(setting -> setting.isSecret() && setting.name().equals(name))) {
            throw new SettingException(place + ": everybody on this machine sees the command line; use "
                    + (spec.node().has(name + "-file") ? name + "-file with a file" : "a configuration file")
                    + " that only the process's user may read");
        }
        if (spec.node().has(name)) {
            return spec.withNode(spec.node().with(name, text, Source.SYSTEM_PROPERTY, place));
        }
        if (name.startsWith(GROUPS)) {
            return ofOneGroup(spec, name.substring(GROUPS.length()), text, place);
        }
        if (name.startsWith(GROUP)) {
            String setting = name.substring(GROUP.length());
            return spec.withGroupDefaults(spec.groupDefaults().with(setting, text, Source.SYSTEM_PROPERTY, place));
        }
        throw new SettingException(
                place + ": there is no setting '" + name + "'" + Nearest.suggest(name, names(spec).keySet()));
    }

    /** @param name name of the group, which may contain dots, a dot, and the name of the setting */
    private static NodeSpec ofOneGroup(NodeSpec spec, String name, String text, String place) {
        int dot = name.lastIndexOf('.');
        for (Setting<?> setting : spec.groupDefaults().definitions()) {
            if (name.endsWith("." + setting.name())) {
                dot = name.length() - setting.name().length() - 1;
            }
        }
        if (dot <= 0) {
            throw new SettingException(place + ": write tutti.groups.<name>.<setting>");
        }
        String group = name.substring(0, dot);
        Settings present = spec.groups().get(group);
        Settings own = present == null ? Settings.of(spec.groupDefaults().definitions()) : present;
        return spec.withGroup(group, own.with(name.substring(dot + 1), text, Source.SYSTEM_PROPERTY, place));
    }

    private static NodeSpec variable(NodeSpec spec, Map<String, String> names, String variable, String text) {
        String place = "environment variable " + variable;
        String name = names.get(variable);
        if (name == null) {
            throw new SettingException(
                    place + ": there is no such setting" + Nearest.suggest(variable, names.keySet()));
        }
        if (name.startsWith(GROUP)) {
            String setting = name.substring(GROUP.length());
            return spec.withGroupDefaults(spec.groupDefaults().with(setting, text, Source.ENVIRONMENT, place));
        }
        return spec.withNode(spec.node().with(name, text, Source.ENVIRONMENT, place));
    }

    private static Map<String, String> variables(NodeSpec spec) {
        Map<String, String> variables = new LinkedHashMap<>();
        for (String name : names(spec).keySet()) {
            String before = variables.put(variable(name), name);
            if (before != null) {
                throw new IllegalStateException(before + " and " + name + " have one variable: " + variable(name));
            }
        }
        return variables;
    }

    /** Returns all settings that can be overridden; those of groups have {@code group.} before their names. */
    private static Map<String, Setting<?>> names(NodeSpec spec) {
        Map<String, Setting<?>> names = new LinkedHashMap<>();
        for (Setting<?> setting : spec.node().definitions()) {
            names.put(setting.name(), setting);
        }
        for (Setting<?> setting : spec.groupDefaults().definitions()) {
            names.put(GROUP + setting.name(), setting);
        }
        return names;
    }
}
