package dev.tutti.protocols.node;

import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Settings that all members of a group must share, as text: a line {@code name: value} per setting. Time-outs are not
 * included.
 */
record StackFingerprint(String text) {

    /** Longest text in bytes. There is one text for each group of each node with a session. */
    static final int BYTES_MAX = 1_024;

    private static final List<Setting<?>> COMPARED = List.of(GroupSettings.STACK, GroupSettings.WINDOW);
    private static final List<Setting<?>> COMPARED_IF_TOTAL =
            List.of(GroupSettings.TOTAL_BY, GroupSettings.TOTAL_DELIVERY);

    private static final List<Setting<?>> COMPARED_IF_PRIMARY =
            List.of(GroupSettings.PARTITION, GroupSettings.FOUNDERS);

    static StackFingerprint of(Settings settings) {
        StringBuilder text = new StringBuilder();
        List<Setting<?>> compared = new ArrayList<>(COMPARED);
        if (settings.get(GroupSettings.STACK) == GroupSettings.StackKind.TOTAL) {
            compared.addAll(COMPARED_IF_TOTAL);
        }
        if (settings.get(GroupSettings.DISSEMINATION) != GroupSettings.Dissemination.FAN_OUT) {
            compared.add(GroupSettings.DISSEMINATION);
        }
        if (settings.get(GroupSettings.STATE) != GroupSettings.StateOf.NOBODY) {
            compared.add(GroupSettings.STATE);
        }
        if (settings.get(GroupSettings.PARTITION) == GroupSettings.Partition.PRIMARY) {
            compared.addAll(COMPARED_IF_PRIMARY);
        }
        for (Setting<?> setting : compared) {
            text.append(setting.name()).append(": ").append(settings.text(setting)).append('\n');
        }
        return new StackFingerprint(text.toString());
    }

    /** Returns the first difference in plain words; null if there is none. */
    @Nullable String difference(StackFingerprint other, String otherName) {
        if (text.equals(other.text)) {
            return null;
        }
        TreeMap<String, String> here = lines(text);
        TreeMap<String, String> there = lines(other.text);
        for (var entry : here.entrySet()) {
            String value = there.remove(entry.getKey());
            if (!entry.getValue().equals(value)) {
                return words(entry.getKey(), entry.getValue(), value, otherName);
            }
        }
        for (var entry : there.entrySet()) {
            return words(entry.getKey(), null, entry.getValue(), otherName);
        }
        return "stack is written differently at " + otherName;
    }

    private static String words(String name, @Nullable String here, @Nullable String there, String otherName) {
        return "stack differs: " + name + " is " + (here == null ? "unknown" : here) + " here and "
                + (there == null ? "unknown" : there) + " at " + otherName;
    }

    private static TreeMap<String, String> lines(String text) {
        TreeMap<String, String> lines = new TreeMap<>();
        text.lines().forEach(line -> {
            int colon = line.indexOf(": ");
            if (colon > 0) {
                lines.put(line.substring(0, colon), line.substring(colon + 2));
            }
        });
        return lines;
    }
}
