package dev.tutti.campaign;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists, texts, numbers and booleans as JSON. */
final class Json {

    private final StringBuilder text = new StringBuilder();

    private Json() {}

    static String print(Map<String, ?> map) {
        Json json = new Json();
        json.write(map, 0);
        return json.text.append('\n').toString();
    }

    private void write(@Nullable Object value, int depth) {
        switch (value) {
            case null -> text.append("null");
            case Map<?, ?> map -> writeMap(map, depth);
            case List<?> list -> writeList(list, depth);
            case Double number -> text.append(Double.isFinite(number) ? number.toString() : "null");
            case Number number -> text.append(number);
            case Boolean flag -> text.append(flag);
            default -> writeText(value.toString());
        }
    }

    private void writeMap(Map<?, ?> map, int depth) {
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            text.append(separator).append('\n').append("  ".repeat(depth + 1));
            writeText(String.valueOf(entry.getKey()));
            text.append(": ");
            write(entry.getValue(), depth + 1);
            separator = ",";
        }
        text.append(map.isEmpty() ? "{}" : "\n" + "  ".repeat(depth) + "}");
    }

    private void writeList(List<?> list, int depth) {
        String separator = "[";
        for (Object each : list) {
            text.append(separator);
            write(each, depth + 1);
            separator = ", ";
        }
        text.append(list.isEmpty() ? "[]" : "]");
    }

    private void writeText(String value) {
        text.append('"');
        for (int index = 0; index < value.length(); index++) {
            char letter = value.charAt(index);
            switch (letter) {
                case '"', '\\' -> text.append('\\').append(letter);
                case '\n' -> text.append("\\n");
                case '\t' -> text.append("\\t");
                default -> {
                    if (letter < ' ') {
                        text.append(String.format("\\u%04x", (int) letter));
                    } else {
                        text.append(letter);
                    }
                }
            }
        }
        text.append('"');
    }
}
