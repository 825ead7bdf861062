package dev.tutti.config;

import dev.tutti.core.settings.SettingException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A value that another program has read from its own configuration, for {@link YamlFile#of}.
 *
 * @param path keys from the outermost level, such as {@code groups}, {@code chat}, {@code window}; the last key of an
 *     element of a list is its index in brackets, such as {@code [0]}
 * @param text the value, as a file would have it
 * @param place named in errors, such as {@code application.yaml:3}
 */
public record PlacedValue(List<String> path, String text, String place) {

    private static final Pattern INDEX = Pattern.compile("\\[\\d{1,9}]");

    public PlacedValue {
        path = List.copyOf(path);
        if (path.isEmpty()) {
            throw new IllegalArgumentException("a value has at least one key: " + place);
        }
    }

    /** Returns the values as the map that a file with them would be. */
    static YamlNode.Mapping tree(List<PlacedValue> values) {
        return mapping(values, 0);
    }

    private static YamlNode node(List<PlacedValue> values, int depth) {
        for (PlacedValue value : values) {
            if (value.path.size() == depth) {
                if (values.size() > 1) {
                    throw new SettingException(value.place + ": " + String.join(".", value.path)
                            + " has a value here, and parts elsewhere; remove one of them");
                }
                return value.isEmptySection()
                        ? new YamlNode.Nothing(value.place)
                        : new YamlNode.Scalar(value.place, value.text);
            }
        }
        boolean isList = values.stream().allMatch(value -> INDEX.matcher(value.path.get(depth)).matches());
        return isList ? sequence(values, depth) : mapping(values, depth);
    }

    /** Returns whether it stands for a map without entries: those who flatten maps leave an empty text. */
    private boolean isEmptySection() {
        boolean isSection = path.size() == 1 && path.getFirst().equals(YamlFile.GROUP)
                || path.size() <= 2 && path.getFirst().equals(YamlFile.GROUPS);
        return isSection && text.isEmpty();
    }

    private static YamlNode.Mapping mapping(List<PlacedValue> values, int depth) {
        Map<String, List<PlacedValue>> byKey = new LinkedHashMap<>();
        values.forEach(value -> byKey.computeIfAbsent(value.path.get(depth), key -> new ArrayList<>()).add(value));
        List<YamlNode.Entry> entries = new ArrayList<>();
        byKey.forEach((key, inside) -> entries.add(
                new YamlNode.Entry(new YamlNode.Scalar(inside.getFirst().place, key), node(inside, depth + 1))));
        return new YamlNode.Mapping(values.isEmpty() ? "" : values.getFirst().place, List.copyOf(entries));
    }

    private static YamlNode.Sequence sequence(List<PlacedValue> values, int depth) {
        Map<Integer, List<PlacedValue>> byIndex = new TreeMap<>();
        for (PlacedValue value : values) {
            String index = value.path.get(depth);
            byIndex.computeIfAbsent(Integer.valueOf(index.substring(1, index.length() - 1)), key -> new ArrayList<>()).add(value);
        }
        List<YamlNode> elements = new ArrayList<>();
        byIndex.values().forEach(inside -> elements.add(node(inside, depth + 1)));
        return new YamlNode.Sequence(values.getFirst().place, List.copyOf(elements));
    }
}
