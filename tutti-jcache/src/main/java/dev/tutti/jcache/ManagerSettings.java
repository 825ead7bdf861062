package dev.tutti.jcache;

import dev.tutti.Node;
import dev.tutti.core.settings.Settings;
import dev.tutti.jcache.internal.Bounds;
import dev.tutti.jcache.internal.CacheSettings;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import javax.cache.CacheException;
import org.jspecify.annotations.Nullable;

/** Settings of the caches of a manager: its properties, and system properties of the same names. */
final class ManagerSettings {

    private static final String PREFIX = "dev.tutti.jcache.";
    private static final String ENTRIES_MAX = "entriesMax";
    private static final String BYTES_MAX = "bytesMax";
    private static final String ENTRY_BYTES_MAX = "entryBytesMax";
    private static final String WHEN_FULL = "whenFull";
    private static final String TIMEOUT = "timeout";
    private static final String FOUNDERS = "founders";
    private static final String CLASSES = "classes";
    private static final String NODE = "node";
    private static final List<String> NAMES =
            List.of(ENTRIES_MAX, BYTES_MAX, ENTRY_BYTES_MAX, WHEN_FULL, TIMEOUT, FOUNDERS, CLASSES, NODE);

    private static final Duration TIMEOUT_MIN = Duration.ofMillis(1);
    private static final Duration TIMEOUT_MAX = Duration.ofDays(1);

    private final Properties properties;

    /** @throws CacheException if a property that begins with {@code dev.tutti.jcache.} is none of these */
    ManagerSettings(Properties properties) {
        this.properties = properties;
        Set<String> known = new TreeSet<>(NAMES);
        for (Object each : properties.keySet()) {
            String name = String.valueOf(each);
            if (name.startsWith(PREFIX) && !known.contains(settingOf(name.substring(PREFIX.length())))) {
                throw new CacheException("property " + name + " is no setting; there are " + known + ", each after " + PREFIX
                        + " and, for a single cache, followed by a dot and its name");
            }
        }
    }

    private static String settingOf(String rest) {
        int dot = rest.indexOf('.');
        return dot < 0 ? rest : rest.substring(0, dot);
    }

    /** Returns the node that the application has started for the manager; null if there is none. */
    @Nullable Node node() {
        Object node = properties.get(PREFIX + NODE);
        if (node == null || node instanceof Node) {
            return (Node) node;
        }
        throw new CacheException(PREFIX + NODE + " is a " + node.getClass().getName() + ", a " + Node.class.getName() + " is expected");
    }

    /** Returns the settings of a cache with these types. */
    CacheSettings of(String cache, Class<?> keyType, Class<?> valueType, Node node, String group) {
        try {
            Bounds bounds = new Bounds(
                    number(cache, ENTRIES_MAX, 100_000),
                    number(cache, BYTES_MAX, 256L * 1024 * 1024),
                    (int) Math.min(Integer.MAX_VALUE, number(cache, ENTRY_BYTES_MAX, 1024 * 1024)),
                    whenFull(cache));
            List<String> founders = founders(cache);
            Settings.Value partition = node.spec().group(group).explicit().get("partition");
            boolean isPrimary = partition != null && partition.text().equals("primary");
            return new CacheSettings(
                    bounds,
                    timeout(cache),
                    isPrimary || !founders.isEmpty(),
                    founders,
                    classes(cache, keyType, valueType),
                    keyType.getName() + " to " + valueType.getName());
        } catch (IllegalArgumentException e) {
            throw new CacheException("cache " + cache + ": " + e.getMessage(), e);
        }
    }

    private String text(String cache, String name, String standard) {
        String ofCache = find(PREFIX + name + "." + cache);
        if (ofCache != null) {
            return ofCache;
        }
        String ofAll = find(PREFIX + name);
        return ofAll == null ? standard : ofAll;
    }

    private @Nullable String find(String name) {
        String own = properties.getProperty(name);
        return own == null ? System.getProperty(name) : own;
    }

    private long number(String cache, String name, long standard) {
        String text = text(cache, name, Long.toString(standard)).strip();
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(PREFIX + name + " is '" + text + "', a number like " + standard + " is expected", e);
        }
    }

    private Bounds.WhenFull whenFull(String cache) {
        String text = text(cache, WHEN_FULL, "evict").strip().toLowerCase(Locale.ROOT);
        return switch (text) {
            case "evict" -> Bounds.WhenFull.EVICT;
            case "refuse" -> Bounds.WhenFull.REFUSE;
            default -> throw new IllegalArgumentException(PREFIX + WHEN_FULL + " is '" + text + "', evict or refuse is expected");
        };
    }

    private Duration timeout(String cache) {
        String text = text(cache, TIMEOUT, "PT10S").strip();
        Duration timeout;
        try {
            timeout = Duration.parse(text);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(PREFIX + TIMEOUT + " is '" + text + "', a duration like PT10S is expected", e);
        }
        if (timeout.compareTo(TIMEOUT_MIN) < 0 || timeout.compareTo(TIMEOUT_MAX) > 0) {
            throw new IllegalArgumentException(
                    PREFIX + TIMEOUT + " is " + timeout + ", " + TIMEOUT_MIN + " to " + TIMEOUT_MAX + " is allowed");
        }
        return timeout;
    }

    private List<String> founders(String cache) {
        List<String> founders = new ArrayList<>();
        for (String name : text(cache, FOUNDERS, "").split(",", -1)) {
            if (!name.isBlank()) {
                founders.add(name.strip());
            }
        }
        return founders;
    }

    /** The configured types need no permission of their own: whoever has configured them means to store them. */
    private String classes(String cache, Class<?> keyType, Class<?> valueType) {
        Set<String> allowed = new TreeSet<>();
        for (Class<?> type : List.of(keyType, valueType)) {
            if (type != Object.class && !type.isArray()) {
                allowed.add(type.getName());
            }
        }
        String named = text(cache, CLASSES, "").replace(',', ';').replace(" ", "");
        for (String pattern : named.split(";", -1)) {
            if (!pattern.isEmpty()) {
                allowed.add(pattern);
            }
        }
        return String.join(";", allowed);
    }
}
