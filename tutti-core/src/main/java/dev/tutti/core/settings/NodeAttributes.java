package dev.tutti.core.settings;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Attributes of a node as settings write them: {@code zone=eu-1a,rack=r12}. */
public final class NodeAttributes {

    /** Largest number of attributes of a node. */
    public static final int COUNT_MAX = 32;

    /** Longest value of an attribute, in characters. */
    public static final int VALUE_MAX = 256;

    /** Name of the attribute that says in which zone a node is: machines that may fail together, such as a rack or a data centre. */
    public static final String ZONE = "zone";

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");

    public static final Setting<List<String>> SETTING = Setting.list(
            "attributes",
            NodeAttributes::check,
            "Attributes of the node, name=value each, such as zone=eu-1a,rack=r12: at most " + COUNT_MAX + ", each with a value of at most " + VALUE_MAX
                    + " characters. Programs with the block Attributes know those of all nodes. The attribute zone decides where copies of"
                    + " sessions are, and whom a balancer prefers.");

    private NodeAttributes() {}

    /**
     * Returns the attributes of a node, in the order of the setting. Unmodifiable.
     *
     * @throws IllegalArgumentException if there are more than {@link #COUNT_MAX}, or two of one name
     */
    public static Map<String, String> of(Settings node) {
        Map<String, String> attributes = new LinkedHashMap<>();
        for (String attribute : node.get(SETTING)) {
            int sign = attribute.indexOf('=');
            String name = attribute.substring(0, sign);
            if (attributes.put(name, attribute.substring(sign + 1)) != null) {
                throw new IllegalArgumentException("setting attributes has two values of " + name);
            }
        }
        if (attributes.size() > COUNT_MAX) {
            throw new IllegalArgumentException("setting attributes has " + attributes.size() + " attributes, at most " + COUNT_MAX);
        }
        return Collections.unmodifiableMap(attributes);
    }

    /**
     * Returns the zone of a node; empty if it has none.
     *
     * @throws IllegalArgumentException as {@link #of} does
     */
    public static String zoneOf(Settings node) {
        return of(node).getOrDefault(ZONE, "");
    }

    /** @throws IllegalArgumentException if there can be no attribute of this name and value; the message says what would be right */
    public static void check(String name, String value) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("'" + name + "' is no name of an attribute: 1 to 64 of a-z, 0-9, '.', '_' and '-'");
        }
        if (value.length() > VALUE_MAX) {
            throw new IllegalArgumentException("attribute " + name + " has " + value.length() + " characters, at most " + VALUE_MAX);
        }
    }

    private static void check(String text) {
        int sign = text.indexOf('=');
        if (sign < 0) {
            throw new IllegalArgumentException("'" + text + "' is no attribute, which is name=value");
        }
        check(text.substring(0, sign), text.substring(sign + 1));
    }
}
