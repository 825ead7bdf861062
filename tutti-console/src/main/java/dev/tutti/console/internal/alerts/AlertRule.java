package dev.tutti.console.internal.alerts;

import dev.tutti.core.settings.Durations;
import dev.tutti.core.settings.Size;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A condition of the cluster or of a member, and the time that it has to last: {@code silent for 10 s}, {@code heap > 90 % for 1
 * min}.
 *
 * @param text rule as it was written
 * @param name kind of condition that needs attention, or name of a figure of members
 * @param comparison {@code >} or {@code <}; empty for a kind of condition
 * @param bound value that figures are compared with
 */
public record AlertRule(String text, String name, String comparison, double bound, long holdNanos) {

    /** Conditions that the console reports by itself. */
    private static final Set<String> CONDITIONS = Set.of("split", "silent", "health", "site");

    /** Figures of members that are sizes. */
    private static final Set<String> SIZES = Set.of("unstable", "retained", "out", "in");

    /** Figures of members that are shares, in percent. */
    private static final Set<String> SHARES = Set.of("cpu", "heap");

    /** Figures of members that are numbers. */
    private static final Set<String> NUMBERS = Set.of("repairs", "delivered", "problems");

    private static final Pattern FORM = Pattern.compile("\\s*([a-z]+)\\s*(?:([<>])\\s*(.+?))?\\s*(?:\\bfor\\s+(.+?))?\\s*");

    /**
     * Reads a rule.
     *
     * @throws IllegalArgumentException if it is none; the message says what is right
     */
    public static AlertRule parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text.strip() + "' is no rule; right are: silent for 10 s, heap > 90 % for 1 min");
        }
        String name = matcher.group(1);
        String comparison = matcher.group(2) == null ? "" : matcher.group(2);
        long holdNanos = matcher.group(4) == null ? 0 : Durations.parse(matcher.group(4)).toNanos();
        if (CONDITIONS.contains(name)) {
            if (!comparison.isEmpty()) {
                throw new IllegalArgumentException("'" + name + "' is compared with nothing, in '" + text.strip() + "'");
            }
            return new AlertRule(text.strip(), name, "", 0, holdNanos);
        }
        if (!SIZES.contains(name) && !SHARES.contains(name) && !NUMBERS.contains(name)) {
            throw new IllegalArgumentException("'" + name + "' is nothing that alerts are about; there are split, silent, health, site, cpu, heap,"
                    + " unstable, retained, repairs, delivered, out, in, problems");
        }
        if (comparison.isEmpty()) {
            throw new IllegalArgumentException("'" + name + "' needs a value: " + name + " > 100");
        }
        return new AlertRule(text.strip(), name, comparison, bound(name, matcher.group(3)), holdNanos);
    }

    private static double bound(String name, String text) {
        if (SIZES.contains(name)) {
            return Size.parse(text).bytes();
        }
        String number = SHARES.contains(name) ? text.replaceFirst("\\s*%$", "") : text;
        try {
            return Double.parseDouble(number);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is no number" + (SHARES.contains(name) ? ", such as 90 %" : ""), e);
        }
    }

    /**
     * Returns what meets the condition now, in words, by member or, for the cluster's own, by the words themselves.
     *
     * @param figures figures of the console's page
     */
    public Map<String, String> matches(Map<String, ?> figures) {
        Map<String, String> found = new LinkedHashMap<>();
        if (comparison.isEmpty()) {
            for (Map<?, ?> condition : maps(figures.get("attention"))) {
                if (name.equals(condition.get("kind"))) {
                    String words = String.valueOf(condition.get("text"));
                    found.put(words, words);
                }
            }
            return found;
        }
        for (Map<?, ?> member : maps(figures.get("members"))) {
            double value = value(member);
            boolean isMet = comparison.equals(">") ? value > bound : value < bound;
            if ("answers".equals(member.get("state")) && isMet) {
                String about = String.valueOf(member.get("name"));
                found.put(about, about + ": " + name + " is " + shown(value) + ", " + comparison + ' ' + shown(bound));
            }
        }
        return found;
    }

    private static List<Map<?, ?>> maps(@Nullable Object list) {
        return list instanceof List<?> all
                ? all.stream().<Map<?, ?>>mapMulti((each, out) -> {
                    if (each instanceof Map<?, ?> map) {
                        out.accept(map);
                    }
                }).toList()
                : List.of();
    }

    private double value(Map<?, ?> member) {
        double value = member.get(name) instanceof Number number ? number.doubleValue() : Double.NaN;
        return switch (name) {
            case "cpu" -> value * 100;
            case "heap" -> member.get("heapMax") instanceof Number most ? value * 100 / most.doubleValue() : Double.NaN;
            default -> value;
        };
    }

    private String shown(double value) {
        String number = value == Math.rint(value) ? Long.toString((long) value) : String.format(Locale.ROOT, "%.1f", value);
        return number + (SHARES.contains(name) ? " %" : SIZES.contains(name) ? " B" : "");
    }
}
