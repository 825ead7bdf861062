package dev.tutti.internal;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts between JSON (RFC 8259) and maps, lists, texts, numbers, truth values and null. Numbers are {@code Long} if
 * they are whole and fit, otherwise {@code Double}; maps keep their order.
 */
public final class Json {

    /** Greatest depth of nesting in a text. */
    public static final int DEPTH_MAX = 64;

    /** Most values in a text: an empty map takes two characters as JSON, and many times that as an object. */
    public static final int VALUES_MAX = 1 << 20;

    private final String text;
    private int position;
    private int values;

    private Json(String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException if {@code value} contains other types than those above */
    public static String write(@Nullable Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    /** @throws IllegalArgumentException with the position, if {@code text} is no JSON */
    public static @Nullable Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value(0);
        json.skipBlanks();
        if (json.position < text.length()) {
            throw json.error("more after the end");
        }
        return value;
    }

    private static void write(@Nullable Object value, StringBuilder out) {
        switch (value) {
            case null -> out.append("null");
            case String string -> quote(string, out);
            case Boolean truth -> out.append(truth);
            case Double number when !Double.isFinite(number) -> out.append("null");
            case Number number -> out.append(number);
            case Map<?, ?> map -> {
                String separator = "{";
                for (var entry : map.entrySet()) {
                    out.append(separator);
                    quote(String.valueOf(entry.getKey()), out);
                    out.append(':');
                    write(entry.getValue(), out);
                    separator = ",";
                }
                out.append(map.isEmpty() ? "{}" : "}");
            }
            case Iterable<?> elements -> {
                out.append('[');
                String separator = "";
                for (Object element : elements) {
                    out.append(separator);
                    write(element, out);
                    separator = ",";
                }
                out.append(']');
            }
            default -> throw new IllegalArgumentException("no JSON for " + value.getClass().getName());
        }
    }

    private static void quote(String string, StringBuilder out) {
        out.append('"');
        for (int index = 0; index < string.length(); index++) {
            char character = string.charAt(index);
            switch (character) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (isHarmful(character) || Character.isSurrogate(character) && isAlone(string, index)) {
                        out.append(String.format("\\u%04x", (int) character));
                    } else {
                        out.append(character);
                    }
                }
            }
        }
        out.append('"');
    }

    /** Controls, DEL and C1 too, reach terminals; {@code <} and two separators of lines reach scripts within pages. */
    private static boolean isHarmful(char character) {
        return Character.isISOControl(character) || character == '<' || character == 0x2028 || character == 0x2029;
    }

    private static boolean isAlone(String string, int index) {
        char character = string.charAt(index);
        return Character.isHighSurrogate(character)
                ? index + 1 == string.length() || !Character.isLowSurrogate(string.charAt(index + 1))
                : index == 0 || !Character.isHighSurrogate(string.charAt(index - 1));
    }

    private @Nullable Object value(int depth) {
        if (depth > DEPTH_MAX) {
            throw error("nested more than " + DEPTH_MAX + " levels deep");
        }
        values++;
        if (values > VALUES_MAX) {
            throw error("more than " + VALUES_MAX + " values");
        }
        skipBlanks();
        return switch (peek()) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> string();
            case 't' -> literal("true", Boolean.TRUE);
            case 'f' -> literal("false", Boolean.FALSE);
            case 'n' -> literal("null", null);
            default -> number();
        };
    }

    private Map<String, @Nullable Object> object(int depth) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        position++;
        skipBlanks();
        if (take('}')) {
            return map;
        }
        do {
            skipBlanks();
            String key = string();
            skipBlanks();
            expect(':');
            map.put(key, value(depth + 1));
            skipBlanks();
        } while (take(','));
        expect('}');
        return map;
    }

    private List<@Nullable Object> array(int depth) {
        List<@Nullable Object> list = new ArrayList<>();
        position++;
        skipBlanks();
        if (take(']')) {
            return list;
        }
        do {
            list.add(value(depth + 1));
            skipBlanks();
        } while (take(','));
        expect(']');
        return list;
    }

    private String string() {
        expect('"');
        int start = position;
        boolean hasEscapes = false;
        while (peek() != '"') {
            char character = next();
            if (character < ' ') {
                throw error("a control character in a text");
            }
            if (character == '\\') {
                hasEscapes = true;
                next();
            }
        }
        if (!hasEscapes) {
            String plain = text.substring(start, position);
            position++;
            return plain;
        }
        StringBuilder out = new StringBuilder(position - start);
        position = start;
        while (true) {
            char character = next();
            switch (character) {
                case '"' -> {
                    return out.toString();
                }
                case '\\' -> out.append(escaped());
                default -> out.append(character);
            }
        }
    }

    private char escaped() {
        char character = next();
        return switch (character) {
            case '"', '\\', '/' -> character;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                int value = 0;
                for (int index = 0; index < 4; index++) {
                    int digit = Character.digit(next(), 16);
                    if (digit < 0) {
                        throw error("no hexadecimal digit");
                    }
                    value = value * 16 + digit;
                }
                yield (char) value;
            }
            default -> throw error("no escape");
        };
    }

    private @Nullable Object literal(String word, @Nullable Object value) {
        if (!text.startsWith(word, position)) {
            throw error("no value");
        }
        position += word.length();
        return value;
    }

    private Object number() {
        int start = position;
        take('-');
        if (!take('0')) {
            digits();
        }
        boolean isWhole = true;
        if (take('.')) {
            isWhole = false;
            digits();
        }
        if (take('e') || take('E')) {
            isWhole = false;
            if (!take('-')) {
                take('+');
            }
            digits();
        }
        if (position - start > NUMBER_MAX) {
            throw error("a number of more than " + NUMBER_MAX + " characters");
        }
        if (isWhole && position - start <= LONG_DIGITS) {
            return Long.parseLong(text, start, position, 10);
        }
        String digits = text.substring(start, position);
        if (isWhole) {
            BigInteger whole = new BigInteger(digits);
            return whole.bitLength() < Long.SIZE ? (Object) whole.longValue() : (Object) whole.doubleValue();
        }
        return Double.parseDouble(digits);
    }

    private void digits() {
        int start = position;
        while (position < text.length() && '0' <= text.charAt(position) && text.charAt(position) <= '9') {
            position++;
        }
        if (position == start) {
            throw error("no value");
        }
    }

    /** Number of digits up to which every whole number fits into a long. */
    private static final int LONG_DIGITS = 18;

    /** Most characters of a number: more add no information, and parsing time grows with their square. */
    static final int NUMBER_MAX = 1_000;

    private void skipBlanks() {
        while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
    }

    private char peek() {
        if (position >= text.length()) {
            throw error("the text ends early");
        }
        return text.charAt(position);
    }

    private char next() {
        char character = peek();
        position++;
        return character;
    }

    private boolean take(char character) {
        if (position < text.length() && text.charAt(position) == character) {
            position++;
            return true;
        }
        return false;
    }

    private void expect(char character) {
        if (!take(character)) {
            throw error("no '" + character + "'");
        }
    }

    private IllegalArgumentException error(String message) {
        return new IllegalArgumentException("no JSON: " + message + " at character " + position);
    }
}
