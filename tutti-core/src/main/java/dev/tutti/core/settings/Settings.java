package dev.tutti.core.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Values for a fixed list of {@link Setting}s, each with its source. Immutable.
 *
 * <p>Other settings have their defaults. A value from a source {@linkplain Source later in the order} replaces one from
 * an earlier source, regardless of the order in which they are given.
 */
public final class Settings {

    /** Source of a value; the later one wins. */
    public enum Source {
        DEFAULT,
        PRESET,
        FILE,
        ENVIRONMENT,
        SYSTEM_PROPERTY,
        BUILDER
    }

    /**
     * @param text as the setting prints it
     * @param source source of the value
     * @param place file and line, property or variable, for error messages
     */
    public record Value(String text, Source source, String place) {

        /** Returns source and place without the text, which may be a secret. */
        @Override
        public String toString() {
            return source + ", " + place;
        }
    }

    private final List<Setting<?>> definitions;
    private final TreeMap<String, Value> values;

    private Settings(List<Setting<?>> definitions, TreeMap<String, Value> values) {
        this.definitions = definitions;
        this.values = values;
    }

    /** Returns settings that all have their defaults. */
    public static Settings of(List<Setting<?>> definitions) {
        return new Settings(List.copyOf(definitions), new TreeMap<>());
    }

    public List<Setting<?>> definitions() {
        return definitions;
    }

    /** Returns this with further settings, which have their defaults. Existing ones do not change. */
    public Settings withDefinitions(List<? extends Setting<?>> more) {
        List<Setting<?>> all = new ArrayList<>(definitions);
        more.stream().filter(setting -> !has(setting.name())).forEach(all::add);
        return new Settings(List.copyOf(all), values);
    }

    public <T> T get(Setting<T> setting) {
        Value value = values.get(setting.name());
        return value == null ? setting.defaultValue() : setting.parse(value.text());
    }

    /** Returns the value as text. */
    public <T> String text(Setting<T> setting) {
        Value value = values.get(setting.name());
        return value == null ? setting.print(setting.defaultValue()) : value.text();
    }

    public Source source(Setting<?> setting) {
        Value value = values.get(setting.name());
        return value == null ? Source.DEFAULT : value.source();
    }

    public <T> Settings with(Setting<T> setting, T value) {
        return with(setting.name(), setting.print(value), Source.BUILDER, "builder");
    }

    /**
     * @param name of a setting
     * @param text its value as the setting reads it
     * @param source decides whether this replaces a value that is there
     * @param place named in the error message
     * @throws SettingException if there is no such setting, with the nearest name, or if the value is wrong
     */
    public Settings with(String name, String text, Source source, String place) {
        Setting<?> setting = find(name, place);
        String normal;
        try {
            normal = normalize(setting, text);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new SettingException(place + ": " + name + ": " + e.getMessage() + " (" + setting.type() + ")", e);
        }
        Value present = values.get(name);
        if (present != null && present.source().compareTo(source) > 0) {
            return this;
        }
        TreeMap<String, Value> changed = new TreeMap<>(values);
        changed.put(name, new Value(normal, source, place));
        return new Settings(definitions, changed);
    }

    /** Returns these settings with the values set in {@code other}, except for settings that do not exist here. */
    public Settings withAll(Settings other) {
        Settings all = this;
        for (Map.Entry<String, Value> entry : other.values.entrySet()) {
            Value value = entry.getValue();
            if (has(entry.getKey())) {
                all = all.with(entry.getKey(), value.text(), value.source(), value.place());
            }
        }
        return all;
    }

    public boolean has(String name) {
        return definitions.stream().anyMatch(setting -> setting.name().equals(name));
    }

    /** Returns the values that were set, by name, without the defaults. */
    public Map<String, Value> explicit() {
        return new TreeMap<>(values);
    }

    private static <T> String normalize(Setting<T> setting, String text) {
        return setting.print(setting.parse(text));
    }

    private Setting<?> find(String name, String place) {
        List<String> names = new ArrayList<>();
        for (Setting<?> setting : definitions) {
            if (setting.name().equals(name)) {
                return setting;
            }
            names.add(setting.name());
        }
        throw new SettingException(place + ": there is no setting '" + name + "'" + Nearest.suggest(name, names));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Setting<?> setting : definitions) {
            boolean isHidden = setting.isSecret() && !text(setting).isEmpty();
            text.append(setting.name()).append(": ").append(isHidden ? "(not shown)" : text(setting)).append('\n');
        }
        return text.toString();
    }
}
