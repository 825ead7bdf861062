package dev.tutti.campaign.sites.process;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Settings of a process at a site, which are its arguments: {@code name=value}. */
public final class Settings {

    private final TreeMap<String, String> values = new TreeMap<>();

    /** Reads the arguments of a process. */
    public static Settings of(String... arguments) {
        Settings settings = new Settings();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            settings.values.put(argument.substring(0, equals), argument.substring(equals + 1));
        }
        return settings;
    }

    /** Puts a setting and returns this. */
    public Settings put(String name, Object value) {
        values.put(name, value.toString());
        return this;
    }

    /** Puts settings and returns this. */
    public Settings putAll(Map<String, String> more) {
        values.putAll(more);
        return this;
    }

    /** Returns a setting; {@code absent} if it is not there. */
    public String get(String name, String absent) {
        return values.getOrDefault(name, absent);
    }

    /** @throws IllegalArgumentException if it is not there */
    public String get(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the setting " + name + " is missing");
        }
        return value;
    }

    /** @throws IllegalArgumentException if it is not there, or no number */
    public long number(String name) {
        return Long.parseLong(get(name));
    }

    /** Returns the arguments for a process. */
    public List<String> arguments() {
        return values.entrySet().stream().map(each -> each.getKey() + "=" + each.getValue()).toList();
    }
}
