package dev.tutti.protocols.node;

import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.protocols.link.Versions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Settings that all members of a group must share, as text: a line {@code name: value} per setting, which begins with
 * {@code ~} if the value is the default of its version. Time-outs are not included.
 *
 * <p>Settings are compared by meaning: the values, not their spelling, and a setting that is not listed has its default. A
 * setting that only the newer of two versions knows makes no difference as long as it has its default there.
 */
record StackFingerprint(String text) {

    /** Longest text in bytes. There is one text for each group of each node with a session. */
    static final int BYTES_MAX = 1_024;

    private static final String DEFAULT_MARK = "~";

    private static final List<Setting<?>> COMPARED = List.of(GroupSettings.STACK, GroupSettings.WINDOW);
    private static final List<Setting<?>> COMPARED_IF_TOTAL =
            List.of(GroupSettings.TOTAL_BY, GroupSettings.TOTAL_DELIVERY);

    private static final List<Setting<?>> COMPARED_IF_PRIMARY =
            List.of(GroupSettings.PARTITION, GroupSettings.FOUNDERS);

    /** Names of the settings that determine which others apply: a difference in one of these is the one to report. */
    private static final List<String> FIRST =
            List.of(GroupSettings.STACK.name(), GroupSettings.PARTITION.name(), GroupSettings.LAYERS.name());

    /** Value of a setting, and whether it is the default at its sender. */
    private record Value(String text, boolean isDefault) {}

    /** @param ofLayers lines about layers of the user's own */
    static StackFingerprint of(Settings settings, String ofLayers) {
        StringBuilder text = new StringBuilder();
        List<Setting<?>> compared = new ArrayList<>(COMPARED);
        if (settings.get(GroupSettings.STACK) == GroupSettings.StackKind.TOTAL) {
            compared.addAll(COMPARED_IF_TOTAL);
        }
        if (settings.get(GroupSettings.DISSEMINATION) != GroupSettings.Dissemination.FAN_OUT) {
            compared.add(GroupSettings.DISSEMINATION);
        }
        if (!settings.get(GroupSettings.MUST_MATCH).isEmpty()) {
            compared.add(GroupSettings.MUST_MATCH);
        }
        if (settings.get(GroupSettings.STATE) != GroupSettings.StateOf.NOBODY) {
            compared.add(GroupSettings.STATE);
        }
        if (settings.get(GroupSettings.PARTITION) == GroupSettings.Partition.PRIMARY) {
            compared.addAll(COMPARED_IF_PRIMARY);
        }
        for (Setting<?> setting : compared) {
            String value = settings.text(setting);
            text.append(value.equals(defaultOf(setting)) ? DEFAULT_MARK : "").append(setting.name()).append(": ").append(value).append('\n');
        }
        return new StackFingerprint(text.append(ofLayers).toString());
    }

    private static <T> String defaultOf(Setting<T> setting) {
        return setting.print(setting.defaultValue());
    }

    /** Returns the text as a version of the protocol has it: version 1 does not mark defaults. */
    String text(int version) {
        return version >= Versions.ANNOUNCED ? text : plain(text);
    }

    private static String plain(String marked) {
        StringBuilder plain = new StringBuilder();
        marked.lines().forEach(line -> plain.append(isMarked(line) ? line.substring(DEFAULT_MARK.length()) : line).append('\n'));
        return plain.toString();
    }

    private static boolean isMarked(String line) {
        return line.startsWith(DEFAULT_MARK);
    }

    /** Returns the settings in one line, for people. */
    String describe() {
        return plain(text).strip().replace("\n", ", ");
    }

    /** Returns the first difference in plain words; null if there is none. */
    @Nullable String difference(StackFingerprint other, String otherName) {
        if (text.equals(other.text)) {
            return null;
        }
        TreeMap<String, Value> here = values();
        TreeMap<String, Value> there = other.values();
        List<String> names = new ArrayList<>(FIRST);
        TreeSet<String> all = new TreeSet<>(here.keySet());
        all.addAll(there.keySet());
        names.addAll(all);
        for (String name : names) {
            String difference = difference(name, here.get(name), there.get(name), otherName);
            if (difference != null) {
                return difference;
            }
        }
        return null;
    }

    private static @Nullable String difference(
            String name, @Nullable Value here, @Nullable Value there, String otherName) {
        Setting<?> setting = find(name);
        if (setting == null && here == null) {
            return there == null || there.isDefault ? null : "stack differs: " + name + " is " + there.text + " at " + otherName
                    + ", and this node does not know that setting";
        }
        if (setting == null && there == null) {
            return here == null || here.isDefault ? null : "stack differs: " + name + " is " + here.text + " here, and " + otherName
                    + " does not know that setting";
        }
        String own = text(setting, here);
        String others = text(setting, there);
        return isSame(setting, own, others)
                ? null
                : "stack differs: " + name + " is " + words(own) + " here and " + words(others) + " at " + otherName;
    }

    /** Returns a value for people, to whom an empty list would look like a missing word. */
    private static String words(String value) {
        return value.isEmpty() ? "none" : value;
    }

    /** Returns the text of a value, which is the default if there is none and the setting is known. */
    private static String text(@Nullable Setting<?> setting, @Nullable Value value) {
        if (value != null) {
            return value.text;
        }
        return setting == null ? "" : defaultOf(setting);
    }

    private static @Nullable Setting<?> find(String name) {
        for (Setting<?> setting : GroupSettings.ALL) {
            if (setting.name().equals(name)) {
                return setting;
            }
        }
        return null;
    }

    /** Returns whether two texts mean the same value. Settings of layers of the user's own are compared as texts. */
    private static boolean isSame(@Nullable Setting<?> setting, String one, String other) {
        if (setting == null || one.equals(other)) {
            return one.equals(other);
        }
        try {
            return setting == GroupSettings.FOUNDERS
                    ? Set.copyOf(GroupSettings.FOUNDERS.parse(one)).equals(Set.copyOf(GroupSettings.FOUNDERS.parse(other)))
                    : setting.parse(one).equals(setting.parse(other));
        } catch (IllegalArgumentException | ArithmeticException e) {
            // Only another version accepts the value.
            return false;
        }
    }

    private TreeMap<String, Value> values() {
        TreeMap<String, Value> values = new TreeMap<>();
        text.lines().forEach(line -> {
            int start = isMarked(line) ? DEFAULT_MARK.length() : 0;
            int colon = line.indexOf(": ");
            if (colon > start) {
                values.put(line.substring(start, colon), new Value(line.substring(colon + 2), start > 0));
            }
        });
        return values;
    }
}
