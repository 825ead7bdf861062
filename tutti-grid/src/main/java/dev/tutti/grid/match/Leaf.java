package dev.tutti.grid.match;

import dev.tutti.grid.match.Selector.Tag;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The rules of one pattern of topics. One writer changes it while others read. */
final class Leaf<T> {

    /** Targets of the rule that all measurements with the topic satisfy. */
    private volatile @Nullable Items<Target<T>> plain;

    /** Rules with conditions that require no tag. */
    private volatile @Nullable Items<Rule<T>> open;

    /** Rules by the value of their key, by its name. */
    private volatile @Nullable Map<String, Map<String, Items<Rule<T>>>> byTag;

    @Nullable Items<Target<T>> plain() {
        return plain;
    }

    void plain(@Nullable Items<Target<T>> targets) {
        plain = targets;
    }

    @Nullable Items<Rule<T>> open() {
        return open;
    }

    @Nullable Map<String, Map<String, Items<Rule<T>>>> byTag() {
        return byTag;
    }

    /** Returns the one of some tags that fewest rules here have; null if there are none. */
    @Nullable Tag rarest(List<Tag> tags) {
        Tag best = null;
        int fewest = Integer.MAX_VALUE;
        for (Tag each : tags) {
            int count = count(each);
            if (count < fewest) {
                best = each;
                fewest = count;
            }
        }
        return best;
    }

    private int count(Tag tag) {
        Map<String, Map<String, Items<Rule<T>>>> all = byTag;
        Map<String, Items<Rule<T>>> byValue = all == null ? null : all.get(tag.name());
        Items<Rule<T>> rules = byValue == null ? null : byValue.get(tag.value());
        return rules == null ? 0 : rules.count();
    }

    void add(Rule<T> rule) {
        Tag key = rule.key();
        if (rule.isPlain()) {
            plain = rule.targets();
        } else if (key == null) {
            Items<Rule<T>> before = open;
            open = before == null ? Items.of(rule) : before.with(rule);
        } else {
            Map<String, Map<String, Items<Rule<T>>>> all = byTag;
            if (all == null) {
                all = new ConcurrentHashMap<>(4);
            }
            Map<String, Items<Rule<T>>> byValue = all.computeIfAbsent(key.name(), name -> new ConcurrentHashMap<>(4));
            Items<Rule<T>> before = byValue.get(key.value());
            byValue.put(key.value(), before == null ? Items.of(rule) : before.with(rule));
            byTag = all;
        }
    }

    void remove(Rule<T> rule) {
        Tag key = rule.key();
        Items<Rule<T>> before = open;
        Map<String, Map<String, Items<Rule<T>>>> all = byTag;
        if (rule.isPlain()) {
            plain = null;
        } else if (key == null && before != null) {
            open = before.count() == 1 ? null : before.without(rule);
        } else if (key != null && all != null) {
            all.computeIfPresent(key.name(), (name, byValue) -> {
                byValue.computeIfPresent(key.value(), (value, rules) -> rules.count() == 1 ? null : rules.without(rule));
                return byValue.isEmpty() ? null : byValue;
            });
            byTag = all.isEmpty() ? null : all;
        }
    }

    boolean isEmpty() {
        return plain == null && open == null && byTag == null;
    }

    void forEach(Consumer<Items<Target<T>>> each) {
        Items<Target<T>> first = plain;
        if (first != null) {
            each.accept(first);
        }
        forEach(open, each);
        Map<String, Map<String, Items<Rule<T>>>> all = byTag;
        if (all != null) {
            all.values().forEach(byValue -> byValue.values().forEach(rules -> forEach(rules, each)));
        }
    }

    private static <T> void forEach(@Nullable Items<Rule<T>> rules, Consumer<Items<Target<T>>> each) {
        for (int i = 0; rules != null && i < rules.count(); i++) {
            each.accept(rules.get(i).targets());
        }
    }
}
