package dev.tutti.cli.migration;

import dev.tutti.cli.migration.Element.Place;
import dev.tutti.core.Printable;
import dev.tutti.core.settings.SettingException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Values for placeholders such as {@code ${jgroups.bind_addr:site_local}}: those given on the command line, else the
 * defaults in the file. System properties and variables of the environment are not read, so that a file means the same on every machine.
 */
final class Placeholders {

    private static final Pattern INNERMOST = Pattern.compile("\\$\\{([^${}]*)}");
    private static final int ROUNDS_MAX = 64;
    private static final int LENGTH_MAX = 64 * 1024;

    private final Map<String, String> properties;

    Placeholders(Map<String, String> properties) {
        this.properties = Map.copyOf(properties);
    }

    /** @throws SettingException if a placeholder has neither a property nor a default */
    String resolve(Place place, String raw) {
        String value = raw;
        for (int round = 0; round < ROUNDS_MAX; round++) {
            Matcher matcher = INNERMOST.matcher(value);
            if (!matcher.find()) {
                return value;
            }
            value = value.substring(0, matcher.start()) + value(place, matcher.group(1)) + value.substring(matcher.end());
            if (value.length() > LENGTH_MAX) {
                break;
            }
        }
        throw new SettingException(place + ": the placeholders of a value name each other without end; write the value itself");
    }

    private String value(Place place, String inner) {
        int colon = inner.indexOf(':');
        String names = colon < 0 ? inner : inner.substring(0, colon);
        for (String name : names.split(",")) {
            String value = properties.get(name.strip());
            if (value != null) {
                return value;
            }
        }
        if (colon < 0) {
            throw new SettingException(place + ": ${" + Printable.escape(inner) + "} has no default; give its value with -D "
                    + Printable.escape(names.split(",")[0].strip()) + "=VALUE");
        }
        return inner.substring(colon + 1);
    }
}
