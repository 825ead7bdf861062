package dev.tutti.grid.match;

import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import dev.tutti.grid.match.Selector.Rest;
import dev.tutti.grid.match.Selector.Tag;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Values by filters: it finds the values whose filters choose a measurement, without looking at the other filters.
 *
 * <p>Patterns of topics are a tree of levels. Below each pattern, filters that require a tag with a value are found by the tag that
 * fewest of them have; a condition {@code name = 'text'} that a selector joins to all others by AND counts as a tag. Selectors are
 * evaluated for the filters that are left, each one once for a measurement however many filters have it. So the time for a
 * measurement grows with the filters that choose it, with the selectors without such a condition whose topic it has, and with the
 * wildcards in front of its levels, and not with the number of filters.
 *
 * <p>Any thread may read at any time, without waiting; changes wait for each other. A change is seen by all reads that begin after
 * it; a read beside a change sees the filter as it was or as it is, and may see one of two changes without the one before. To
 * replace a filter of a value without a gap, readers have to be kept from reading between the two changes. All other filters are
 * found as if there were no change: what readers look at are concurrent maps, and lists that are replaced and not changed.
 *
 * @param <T> type of values; values are the same if they are equal
 */
public final class FilterIndex<T> {

    /** Most filters with their values. */
    public static final int SIZE_MAX = 1_000_000;

    private static final int SEARCHES = 16;

    /** Distance of searches in their array, so that threads do not write to one line of the processor's cache. */
    private static final int APART = 16;

    private final Branch<T> root = new Branch<>("");

    /** Searches that nobody is making, by thread. One that is made meanwhile is a new one. */
    private final AtomicReferenceArray<@Nullable Search<T>> idle = new AtomicReferenceArray<>(SEARCHES * APART);

    // Only for writers.
    private final Map<Filter, Rule<T>> rules = new HashMap<>();
    private final Map<T, Target<T>> targets = new HashMap<>();
    private final Map<String, Condition> conditions = new HashMap<>();
    private long added;
    private int conditionsAdded;

    private final int sizeMax;

    private volatile int size;

    /** Creates an index without filters. */
    public FilterIndex() {
        this(SIZE_MAX);
    }

    FilterIndex(int sizeMax) {
        this.sizeMax = sizeMax;
    }

    /**
     * Adds a filter to those of a value.
     *
     * @return whether the value did not have the filter yet
     * @throws IllegalArgumentException if the filter's selector can't be read; the message says where and why
     * @throws IllegalStateException if there are {@link #SIZE_MAX} filters with values already
     */
    public synchronized boolean add(Filter filter, T value) {
        Rule<T> rule = rules.get(filter);
        Target<T> target = targets.get(value);
        if (rule != null && target != null && rule.targets().contains(target)) {
            return false;
        }
        if (size >= sizeMax) {
            throw new IllegalStateException("there are " + sizeMax + " filters already, and no more are possible");
        }
        Selector selector = rule == null ? Selector.parse(filter.where()) : null;
        if (target == null) {
            target = new Target<>(value, added++);
            targets.put(value, target);
        }
        target.addFilters(1);
        if (selector != null) {
            insert(filter, selector, target);
        } else if (rule != null) {
            rule.targets(rule.targets().with(target));
        }
        size++;
        return true;
    }

    private void insert(Filter filter, Selector selector, Target<T> target) {
        Branch<T> branch = root;
        for (String level : levels(filter.topic())) {
            Branch<T> next = branch.next(level);
            if (next == null) {
                next = new Branch<>(level);
                branch.addNext(next);
            }
            branch = next;
        }
        boolean isRest = isRest(filter.topic());
        Leaf<T> before = branch.leaf(isRest);
        Leaf<T> leaf = before == null ? new Leaf<>() : before;
        List<Tag> required = required(filter, selector);
        Rule<T> rule = new Rule<>(filter, added++, required, condition(selector.rest()), leaf, target);
        rule.enter();
        if (before == null) {
            branch.leaf(isRest, leaf);
        }
        rules.put(filter, rule);
    }

    private static List<Tag> required(Filter filter, Selector selector) {
        Set<Tag> required = new LinkedHashSet<>();
        filter.tags().forEach((name, value) -> required.add(new Tag(name, value)));
        required.addAll(selector.required());
        return List.copyOf(required);
    }

    private @Nullable Condition condition(Rest rest) {
        if (rest.text().isEmpty()) {
            return null;
        }
        Condition condition = conditions.computeIfAbsent(rest.text(), text -> new Condition(rest, conditionsAdded++));
        condition.addRules(1);
        return condition;
    }

    /**
     * Removes a filter from those of a value.
     *
     * @return whether the value had the filter
     */
    public synchronized boolean remove(Filter filter, T value) {
        Rule<T> rule = rules.get(filter);
        Target<T> target = targets.get(value);
        if (rule == null || target == null || !rule.targets().contains(target)) {
            return false;
        }
        if (rule.targets().count() == 1) {
            delete(rule);
        } else {
            rule.targets(rule.targets().without(target));
        }
        if (target.addFilters(-1) == 0) {
            targets.remove(value);
        }
        size--;
        return true;
    }

    private void delete(Rule<T> rule) {
        Filter filter = rule.filter();
        rules.remove(filter);
        Condition condition = rule.condition();
        if (condition != null && condition.addRules(-1) == 0) {
            conditions.remove(condition.rest().text());
        }
        List<String> levels = levels(filter.topic());
        List<Branch<T>> way = new ArrayList<>();
        way.add(root);
        for (String level : levels) {
            Branch<T> next = way.getLast().next(level);
            if (next == null) {
                throw new IllegalStateException("the index has a rule for " + filter + ", and no branch " + level);
            }
            way.add(next);
        }
        boolean isRest = isRest(filter.topic());
        Leaf<T> leaf = way.getLast().leaf(isRest);
        if (leaf == null) {
            throw new IllegalStateException("the index has a rule for " + filter + ", and no leaf");
        }
        rule.leave();
        if (leaf.isEmpty()) {
            way.getLast().leaf(isRest, null);
        }
        for (int i = levels.size(); i > 0 && way.get(i).isEmpty(); i--) {
            way.get(i - 1).removeNext(way.get(i));
        }
    }

    /**
     * Gives each value once that has a filter that chooses the measurement, on this thread, in the order in which the values were
     * added. The consumer may use the index. An exception that it throws goes to the caller; the values after it are not given.
     */
    public void match(Measurement measurement, Consumer<? super T> consumer) {
        Search<T> search = begin();
        try {
            search.match(root, measurement, consumer);
        } finally {
            end(search);
        }
    }

    /** Returns whether there is a filter that chooses measurements with this topic, depending on their tags and values. */
    public boolean isWanted(Topic topic) {
        Search<T> search = begin();
        try {
            return search.isWanted(root, topic);
        } finally {
            end(search);
        }
    }

    private Search<T> begin() {
        Search<T> search = idle.getAndSet(place(), null);
        return search == null ? new Search<>() : search;
    }

    private void end(Search<T> search) {
        search.clear();
        idle.set(place(), search);
    }

    private static int place() {
        return (int) (Thread.currentThread().threadId() & SEARCHES - 1) * APART;
    }

    /**
     * Returns the values that have a filter whose pattern of topics has a topic in common with this pattern, in the order in which
     * they were added.
     */
    public List<T> overlaps(String pattern) {
        TreeSet<Target<T>> found = new TreeSet<>();
        overlaps(root, levels(pattern), 0, isRest(pattern), found);
        return found.stream().map(Target::value).toList();
    }

    private static <T> void overlaps(Branch<T> branch, List<String> levels, int index, boolean isRest, TreeSet<Target<T>> found) {
        addAll(branch.rest(), found);
        if (index == levels.size()) {
            addAll(branch.here(), found);
            if (isRest) {
                branch.forEachNext(next -> overlaps(next, levels, index, true, found));
            }
        } else if (levels.get(index).equals("*")) {
            branch.forEachNext(next -> overlaps(next, levels, index + 1, isRest, found));
        } else {
            Branch<T> any = branch.any();
            if (any != null) {
                overlaps(any, levels, index + 1, isRest, found);
            }
            Branch<T> named = branch.next(levels.get(index));
            if (named != null) {
                overlaps(named, levels, index + 1, isRest, found);
            }
        }
    }

    private static <T> void addAll(@Nullable Leaf<T> leaf, TreeSet<Target<T>> found) {
        if (leaf != null) {
            leaf.forEach(targets -> {
                for (int i = 0; i < targets.count(); i++) {
                    found.add(targets.get(i));
                }
            });
        }
    }

    /** Returns the number of filters, each counted for each of its values. */
    public int size() {
        return size;
    }

    /** Returns the levels of a pattern, without a {@code #} at its end. */
    private static List<String> levels(String pattern) {
        List<String> levels = List.of(pattern.split("/"));
        return isRest(pattern) ? levels.subList(0, levels.size() - 1) : levels;
    }

    private static boolean isRest(String pattern) {
        return pattern.equals("#") || pattern.endsWith("/#");
    }
}
