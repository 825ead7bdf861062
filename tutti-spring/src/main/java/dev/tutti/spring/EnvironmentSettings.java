package dev.tutti.spring;

import dev.tutti.config.PlacedValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * The subtree {@code tutti} of the environment, with the place of each value.
 *
 * <p>System properties and environment variables are left out: the node reads them itself, by the same names, and they
 * take precedence over this as over a file. So is {@code tutti.spring}, which has what only this module knows.
 */
final class EnvironmentSettings {

    static final String PREFIX = "tutti.";

    private static final String OWN = "spring";

    private EnvironmentSettings() {}

    /** Returns the values by precedence: of several sources with one name, or with one list, the first one's. */
    static List<PlacedValue> read(ConfigurableEnvironment environment) {
        Map<List<String>, PropertySource<?>> owners = new HashMap<>();
        List<PlacedValue> values = new ArrayList<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (!(source instanceof EnumerablePropertySource<?> listed) || isReadByNode(source)) {
                continue;
            }
            for (String name : listed.getPropertyNames()) {
                List<String> path = name.startsWith(PREFIX) ? path(name.substring(PREFIX.length())) : List.of();
                if (path.isEmpty() || path.getFirst().equals(OWN)) {
                    continue;
                }
                PropertySource<?> owner = owners.putIfAbsent(withoutIndex(path), source);
                Object value = listed.getProperty(name);
                if ((owner == null || owner == source) && value != null) {
                    values.add(new PlacedValue(
                            path, environment.resolveRequiredPlaceholders(value.toString()), place(source, name)));
                }
            }
        }
        return values;
    }

    private static boolean isReadByNode(PropertySource<?> source) {
        return source.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)
                || source.getName().equals(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
    }

    /** Splits a name at dots; brackets hold an index, or a key with dots of its own. */
    static List<String> path(String name) {
        List<String> path = new ArrayList<>();
        int at = 0;
        while (at < name.length()) {
            int end;
            if (name.charAt(at) == '[' && name.indexOf(']', at) > 0) {
                end = name.indexOf(']', at) + 1;
                String inside = name.substring(at + 1, end - 1);
                boolean isIndex = !inside.isEmpty() && inside.chars().allMatch(each -> each >= '0' && each <= '9');
                path.add(isIndex ? "[" + inside + "]" : inside);
            } else {
                end = at + 1;
                while (end < name.length() && name.charAt(end) != '.' && name.charAt(end) != '[') {
                    end++;
                }
                path.add(name.substring(at, end));
            }
            at = end < name.length() && name.charAt(end) == '.' ? end + 1 : end;
        }
        return path;
    }

    private static List<String> withoutIndex(List<String> path) {
        return path.getLast().startsWith("[") ? path.subList(0, path.size() - 1) : path;
    }

    private static String place(PropertySource<?> source, String name) {
        Origin origin = OriginLookup.getOrigin(source, name);
        return origin == null ? source.getName() + ", " + name : origin.toString();
    }
}
