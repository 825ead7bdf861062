package dev.tutti.tomcat.diagnostics;

import dev.tutti.core.settings.Nearest;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Invalid attributes of a {@code <Manager>}. Tomcat logs exceptions of setters, ignores attributes without a setter,
 * and starts the application all the same. So the errors are kept here, and the application is refused when it starts.
 */
public final class WrongAttributes {

    /** Attributes that Tomcat sets itself, or that are no settings. */
    private static final Set<String> INTERNAL = Set.of(
            "context", "domain", "sessionCodec", "sessionIdGenerator", "property", "expiredSessions", "processingTime",
            "maxActive", "sessionCounter", "sessionMaxAliveTime");

    private final Set<String> names;
    private final Map<String, String> wrong = new TreeMap<>();

    public WrongAttributes(Class<?> type) {
        names = names(type);
    }

    /** Returns an attribute's parsed value. Keeps an exception of {@code parser}, and throws it with the name. */
    public <T> T parse(String attribute, String text, Supplier<T> parser) {
        try {
            T value = parser.get();
            wrong.remove(attribute);
            return value;
        } catch (IllegalArgumentException e) {
            String message = attribute + "=\"" + text + "\": " + e.getMessage();
            wrong.put(attribute, message);
            throw new IllegalArgumentException(message, e);
        }
    }

    /** Notes an attribute that no setter took: none has its name, or none takes such a text. */
    public void unknown(String name, String text) {
        // The text is left out: it may be a secret under a wrong name.
        wrong.put(name, names.contains(name)
                ? name + "=\"" + text + "\" is not a whole number"
                : "there is no attribute " + name + Nearest.suggest(name, names));
    }

    public boolean isEmpty() {
        return wrong.isEmpty();
    }

    @Override
    public String toString() {
        return String.join("; ", wrong.values());
    }

    private static Set<String> names(Class<?> type) {
        Set<String> names = new TreeSet<>();
        for (Method method : type.getMethods()) {
            String name = method.getName();
            if (name.startsWith("set") && name.length() > 3 && method.getParameterCount() == 1) {
                String attribute = Character.toLowerCase(name.charAt(3)) + name.substring(4);
                if (!INTERNAL.contains(attribute)) {
                    names.add(attribute);
                }
            }
        }
        return names;
    }
}
