package dev.tutti.config;

import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Settings.Source;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes a specification as nested maps, in the order of the settings' definitions. */
final class YamlPrinter {

    /** Texts that every YAML reader takes literally; others are quoted. */
    private static final Pattern BARE = Pattern.compile("(?!.*:( |$))[A-Za-z0-9_/][A-Za-z0-9_/.:+-]*( [A-Za-z0-9_/.+][A-Za-z0-9_/.:+-]*)*");

    private static final String INDENT = "  ";

    /** A level of the file: values that are written already, or levels of their own. */
    private static final class Level {
        private final Map<String, String> values = new LinkedHashMap<>();
        private final Map<String, Level> levels = new LinkedHashMap<>();

        Level inner(String key) {
            return levels.computeIfAbsent(key, missing -> new Level());
        }
    }

    private YamlPrinter() {}

    static String print(NodeSpec spec) {
        Level root = new Level();
        fill(root, spec.node());
        fill(root.inner("group"), spec.groupDefaults());
        spec.groups().forEach((name, settings) -> fill(root.inner("groups").inner(name), settings));
        if (root.inner("group").values.isEmpty() && root.inner("group").levels.isEmpty()) {
            root.levels.remove("group");
        }
        StringBuilder text = new StringBuilder();
        write(root, 0, text);
        return text.toString();
    }

    private static void fill(Level level, Settings settings) {
        for (Setting<?> setting : settings.definitions()) {
            if (settings.source(setting).compareTo(Source.PRESET) <= 0) {
                continue;
            }
            Level inner = level;
            String key = setting.name();
            for (int dot = key.indexOf('.'); dot >= 0; dot = key.indexOf('.')) {
                inner = inner.inner(key.substring(0, dot));
                key = key.substring(dot + 1);
            }
            inner.values.put(key, value(setting, settings.text(setting)));
        }
    }

    private static void write(Level level, int depth, StringBuilder text) {
        level.values.forEach((key, value) -> text.append(INDENT.repeat(depth))
                .append(scalar(key))
                .append(": ")
                .append(value)
                .append('\n'));
        level.levels.forEach((key, inner) -> {
            text.append(INDENT.repeat(depth)).append(scalar(key)).append(':');
            text.append(inner.values.isEmpty() && inner.levels.isEmpty() ? " {}\n" : "\n");
            write(inner, depth + 1, text);
        });
    }

    private static String value(Setting<?> setting, String text) {
        if (!setting.type().equals("list")) {
            return scalar(text);
        }
        return Stream.of(text.split(","))
                .filter(element -> !element.isEmpty())
                .map(YamlPrinter::scalar)
                .collect(Collectors.joining(", ", "[", "]"));
    }

    /** Returns a text as YAML; one that has to be quoted is written as in JSON, which YAML 1.2 contains. */
    private static String scalar(String value) {
        if (BARE.matcher(value).matches() && !value.toLowerCase(Locale.ROOT).equals("null")) {
            return value;
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (int index = 0; index < value.length(); index++) {
            char character = value.charAt(index);
            switch (character) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (Character.isISOControl(character) || isSeparator(character)) {
                        quoted.append(String.format("\\u%04x", (int) character));
                    } else {
                        quoted.append(character);
                    }
                }
            }
        }
        return quoted.append('"').toString();
    }

    /**
     * Returns whether a character is a line or paragraph separator or the byte order mark, which YAML does not allow in
     * text.
     */
    private static boolean isSeparator(char character) {
        return character == 0x2028 || character == 0x2029 || character == 0xFEFF;
    }
}
