package dev.tutti.core.settings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Definition of a setting: its name, type, default, bounds and meaning. The builder, the YAML file, system
 * properties, environment variables, {@code tutti view} and the documentation all use it.
 *
 * @param <T> type of its values
 */
public final class Setting<T> {

    private final String name;
    private final String type;
    private final T defaultValue;
    private final String description;
    private final Function<String, T> parse;
    private final Function<T, String> print;
    private final boolean isSecret;

    private Setting(
            String name,
            String type,
            T defaultValue,
            String description,
            Function<String, T> parse,
            Function<T, String> print) {
        this(name, type, defaultValue, description, parse, print, false);
    }

    private Setting(
            String name,
            String type,
            T defaultValue,
            String description,
            Function<String, T> parse,
            Function<T, String> print,
            boolean isSecret) {
        this.name = name;
        this.type = type;
        this.defaultValue = defaultValue;
        this.description = description;
        this.parse = parse;
        this.print = print;
        this.isSecret = isSecret;
    }

    public static Setting<Duration> duration(
            String name, Duration defaultValue, Duration min, Duration max, String description) {
        String bounds = "duration, " + Durations.print(min) + " to " + Durations.print(max);
        return new Setting<>(name, bounds, defaultValue, description, text -> {
            Duration value = Durations.parse(text);
            if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
                throw outOfBounds(text, Durations.print(min), Durations.print(max));
            }
            return value;
        }, Durations::print);
    }

    public static Setting<Size> size(String name, Size defaultValue, Size min, Size max, String description) {
        return new Setting<>(name, "size, " + min + " to " + max, defaultValue, description, text -> {
            Size value = Size.parse(text);
            if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
                throw outOfBounds(text, min.toString(), max.toString());
            }
            return value;
        }, Size::toString);
    }

    public static Setting<Integer> count(String name, int defaultValue, int min, int max, String description) {
        return new Setting<>(name, "number, " + min + " to " + max, defaultValue, description, text -> {
            int value;
            try {
                value = Integer.parseInt(text.strip());
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("'" + text + "' is not a whole number", e);
            }
            if (value < min || value > max) {
                throw outOfBounds(text, Integer.toString(min), Integer.toString(max));
            }
            return value;
        }, value -> Integer.toString(value));
    }

    public static Setting<Boolean> flag(String name, boolean defaultValue, String description) {
        return new Setting<>(name, "true or false", defaultValue, description, text -> switch (text.strip()) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("'" + text + "' is neither true nor false");
        }, value -> Boolean.toString(value));
    }

    public static Setting<String> text(String name, String defaultValue, String description) {
        return new Setting<>(name, "text", defaultValue, description, Function.identity(), Function.identity());
    }

    /**
     * Defines a text that is checked.
     *
     * @param type its form, for people
     * @param check throws {@link IllegalArgumentException} for a text that is wrong; the message says what would be right
     */
    public static Setting<String> text(
            String name, String type, String defaultValue, Consumer<String> check, String description) {
        return new Setting<>(name, type, defaultValue, description, text -> {
            check.accept(text);
            return text;
        }, Function.identity());
    }

    /** Defines a word of up to 64 letters, digits and hyphens, in lower case. */
    public static Setting<String> word(String name, String defaultValue, String description) {
        return new Setting<>(name, "word", defaultValue, description, text -> {
            String word = text.strip().toLowerCase(Locale.ROOT);
            if (!word.matches("[a-z0-9-]{1,64}")) {
                throw new IllegalArgumentException("'" + text + "' is no word of up to 64 letters, digits and hyphens");
            }
            return word;
        }, Function.identity());
    }

    /** Defines a text that is never shown. */
    public static Setting<String> secret(String name, String description) {
        return new Setting<>(name, "text", "", description, Function.identity(), Function.identity(), true);
    }

    /** Returns whether the value must not be shown. */
    public boolean isSecret() {
        return isSecret;
    }

    /** Highest number of elements of a list. */
    public static final int LIST_MAX = 10_000;

    /** Defines a list of at most {@value #LIST_MAX} elements, separated by commas in its text. */
    public static Setting<List<String>> list(String name, String description) {
        return list(name, element -> {}, description);
    }

    /**
     * Defines a list of at most {@value #LIST_MAX} elements that are checked.
     *
     * @param check throws {@link IllegalArgumentException} for an element that is wrong; the message says what would be right
     */
    public static Setting<List<String>> list(String name, Consumer<String> check, String description) {
        return new Setting<>(name, "list", List.of(), description, text -> {
            List<String> elements = new ArrayList<>();
            int start = 0;
            while (start <= text.length()) {
                int comma = text.indexOf(',', start);
                int end = comma < 0 ? text.length() : comma;
                String element = text.substring(start, end).strip();
                if (!element.isEmpty()) {
                    check.accept(element);
                    elements.add(element);
                }
                if (elements.size() > LIST_MAX) {
                    throw new IllegalArgumentException("there are more than " + LIST_MAX + " elements");
                }
                start = end + 1;
            }
            return List.copyOf(elements);
        }, elements -> String.join(",", elements));
    }

    public static <E extends Enum<E>> Setting<E> choice(
            String name, Class<E> type, E defaultValue, String description) {
        List<String> names = Arrays.stream(type.getEnumConstants())
                .map(Setting::spell)
                .toList();
        return new Setting<>(name, "one of " + String.join(", ", names), defaultValue, description, text -> {
            for (E constant : type.getEnumConstants()) {
                if (spell(constant).equalsIgnoreCase(text.strip())) {
                    return constant;
                }
            }
            throw new IllegalArgumentException("'" + text + "' is not one of " + String.join(", ", names));
        }, Setting::spell);
    }

    private static String spell(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static IllegalArgumentException outOfBounds(String text, String min, String max) {
        return new IllegalArgumentException("'" + text + "' is outside " + min + " to " + max);
    }

    /** Returns the name, in lower case with dots: {@code detection.heartbeat}. */
    public String name() {
        return name;
    }

    /** Returns the type and its bounds, for people. */
    public String type() {
        return type;
    }

    public T defaultValue() {
        return defaultValue;
    }

    public String description() {
        return description;
    }

    /**
     * @throws IllegalArgumentException if the text is no valid value; the message names the valid ones
     */
    public T parse(String text) {
        return parse.apply(text);
    }

    /** Returns the text that {@link #parse} reads back as {@code value}. */
    public String print(T value) {
        return print.apply(value);
    }

    @Override
    public String toString() {
        return name;
    }
}
