package dev.tutti.grid.bridges.internal;

import dev.tutti.grid.Filter;
import dev.tutti.grid.Topic;
import java.util.ArrayList;
import java.util.List;

/** Topics made of names of other systems, whatever characters these have. */
public final class Topics {

    private Topics() {}

    /**
     * Checks a prefix of topics.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static String checkPrefix(String prefix) {
        Topic.of(prefix);
        // There is a level left for a name.
        Filter.topic(prefix + "/#");
        return prefix;
    }

    /** Returns a level of a topic: a name without slashes, wildcards and control characters, which become an underscore each. */
    public static String level(String name) {
        StringBuilder level = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char each = name.charAt(i);
            level.append(each == '/' || each == '*' || each == '#' || Character.isISOControl(each) ? '_' : each);
        }
        return level.isEmpty() ? "_" : level.toString();
    }

    /**
     * Returns the topic for a name whose parts are separated by dots or slashes, such as {@code jvm.memory.used}: each part is a level.
     * Parts beyond the levels that a topic may have stay one level, with dots.
     *
     * @throws IllegalArgumentException if it would be too long
     */
    public static Topic of(String prefix, String name) {
        List<String> levels = new ArrayList<>(List.of(prefix.split("/", -1)));
        for (String part : name.split("[./]", -1)) {
            if (part.isEmpty()) {
                continue;
            }
            if (levels.size() < Topic.LEVELS_MAX) {
                levels.add(level(part));
            } else {
                levels.set(levels.size() - 1, levels.getLast() + "." + level(part));
            }
        }
        return Topic.of(String.join("/", levels));
    }
}
