package dev.tutti.console.internal.alerts;

import dev.tutti.core.settings.SettingException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Conditions that rules are about, from the time at which each begins to its end. Each one that has lasted as long as its rule says is
 * told once, and once when it is over. Called by one thread; the numbers may be read by any.
 */
public final class Alerts {

    /** Most conditions that are followed at a time; further ones are counted and not told. */
    static final int CONDITIONS_MAX = 1_000;

    /** A condition that lasts. */
    private static final class Condition {
        final AlertRule rule;
        final String subject;
        final long sinceNanos;
        String text;
        boolean isTold;

        Condition(AlertRule rule, String subject, long sinceNanos, String text) {
            this.rule = rule;
            this.subject = subject;
            this.sinceNanos = sinceNanos;
            this.text = text;
        }
    }

    private final List<AlertRule> rules;
    private final Consumer<Map<String, ?>> told;
    private final LongSupplier nanoTime;
    private final Map<String, Condition> conditions = new LinkedHashMap<>();
    private final LongAdder firing = new LongAdder();
    private final LongAdder leftOut = new LongAdder();

    /** @param told receives each alert, and its end, as a document; must not wait */
    public Alerts(List<AlertRule> rules, Consumer<Map<String, ?>> told, LongSupplier nanoTime) {
        this.rules = List.copyOf(rules);
        this.told = told;
        this.nanoTime = nanoTime;
    }

    /**
     * Reads rules.
     *
     * @throws SettingException if one is wrong
     */
    public static List<AlertRule> rules(List<String> texts) {
        List<AlertRule> rules = new ArrayList<>();
        for (String text : texts) {
            try {
                rules.add(AlertRule.parse(text));
            } catch (IllegalArgumentException e) {
                throw new SettingException("console.alerts: " + e.getMessage(), e);
            }
        }
        return rules;
    }

    /** Compares the rules with new figures. */
    public void onFigures(Map<String, ?> figures) {
        long nowNanos = nanoTime.getAsLong();
        Set<String> present = new HashSet<>();
        for (AlertRule rule : rules) {
            rule.matches(figures).forEach((subject, text) -> {
                String key = rule.text() + '\n' + subject;
                present.add(key);
                Condition condition = conditions.get(key);
                if (condition == null) {
                    if (conditions.size() >= CONDITIONS_MAX) {
                        leftOut.increment();
                        return;
                    }
                    condition = new Condition(rule, subject, nowNanos, text);
                    conditions.put(key, condition);
                }
                condition.text = text;
                if (!condition.isTold && nowNanos - condition.sinceNanos >= rule.holdNanos()) {
                    condition.isTold = true;
                    firing.increment();
                    told.accept(document(figures, condition, "firing", nowNanos));
                }
            });
        }
        conditions.entrySet().removeIf(each -> {
            Condition condition = each.getValue();
            boolean isOver = !present.contains(each.getKey());
            if (isOver && condition.isTold) {
                firing.decrement();
                told.accept(document(figures, condition, "over", nowNanos));
            }
            return isOver;
        });
    }

    private static Map<String, ?> document(Map<String, ?> figures, Condition condition, String state, long nowNanos) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("cluster", String.valueOf(figures.get("cluster")));
        document.put("console", String.valueOf(figures.get("self")));
        document.put("rule", condition.rule.text());
        document.put("subject", condition.subject);
        document.put("state", state);
        // The name that chat programs expect.
        document.put("text", (state.equals("over") ? "Over: " : "") + condition.text);
        document.put("seconds", TimeUnit.NANOSECONDS.toSeconds(nowNanos - condition.sinceNanos));
        document.put("epochMillis", figures.get("at") instanceof Number at ? at.longValue() : 0L);
        return document;
    }

    /** Returns the number of alerts that have begun and are not over. */
    public long firing() {
        return firing.sum();
    }

    /** Returns the number of times that a condition was beyond the number that is followed. */
    public long leftOut() {
        return leftOut.sum();
    }
}
