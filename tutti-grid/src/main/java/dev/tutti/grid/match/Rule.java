package dev.tutti.grid.match;

import dev.tutti.grid.Filter;
import dev.tutti.grid.match.Selector.Tag;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A filter with all values that it has, at the place of its pattern in the tree of topics. */
final class Rule<T> implements Comparable<Rule<T>> {

    private final Filter filter;
    private final long number;
    private final @Nullable Condition condition;

    /** The tag by which the rule is found; null if it is found by its topic alone. */
    private final @Nullable Tag key;

    /** Tags that are required besides the key. */
    private final List<Tag> others;

    private final Leaf<T> leaf;

    private volatile Items<Target<T>> targets;

    /**
     * @param required all tags that the filter and its selector require
     * @param leaf place of the rule, to which it is not added yet
     */
    Rule(Filter filter, long number, List<Tag> required, @Nullable Condition condition, Leaf<T> leaf, Target<T> first) {
        this.filter = filter;
        this.number = number;
        this.condition = condition;
        this.leaf = leaf;
        key = leaf.rarest(required);
        others = required.stream().filter(tag -> !tag.equals(key)).toList();
        targets = Items.of(first);
    }

    Filter filter() {
        return filter;
    }

    @Nullable Condition condition() {
        return condition;
    }

    @Nullable Tag key() {
        return key;
    }

    List<Tag> others() {
        return others;
    }

    /** Returns whether a measurement has only to have the topic. */
    boolean isPlain() {
        return key == null && condition == null;
    }

    Items<Target<T>> targets() {
        return targets;
    }

    void targets(Items<Target<T>> next) {
        targets = next;
        if (isPlain()) {
            leaf.plain(next);
        }
    }

    /** Makes the rule be found. */
    void enter() {
        leaf.add(this);
    }

    /** Makes the rule be found no more. */
    void leave() {
        leaf.remove(this);
    }

    @Override
    public int compareTo(Rule<T> other) {
        return Long.compare(number, other.number);
    }
}
