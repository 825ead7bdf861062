package dev.tutti.demo;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists, texts, numbers and booleans as JSON on one line. */
final class Json {

    private Json() {}

    static String write(@Nullable Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(@Nullable Object value, StringBuilder out) {
        switch (value) {
            case null -> out.append("null");
            case Boolean truth -> out.append(truth);
            case Number number -> out.append(number);
            case Map<?, ?> map -> {
                char separator = '{';
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    out.append(separator);
                    writeText(String.valueOf(entry.getKey()), out);
                    out.append(':');
                    write(entry.getValue(), out);
                    separator = ',';
                }
                out.append(map.isEmpty() ? "{}" : "}");
            }
            case Iterable<?> list -> {
                out.append('[');
                boolean isFirst = true;
                for (Object each : list) {
                    if (!isFirst) {
                        out.append(',');
                    }
                    write(each, out);
                    isFirst = false;
                }
                out.append(']');
            }
            default -> writeText(value.toString(), out);
        }
    }

    private static void writeText(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                default -> {
                    // < is escaped too, so that the text is harmless inside a page.
                    if (c < 0x20 || c == '<' || c == 0x2028 || c == 0x2029) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
