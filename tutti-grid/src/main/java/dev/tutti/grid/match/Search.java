package dev.tutti.grid.match;

import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import dev.tutti.grid.match.Selector.Tag;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One search in the index, by one thread; used again for the next one, so that searches make no garbage. */
final class Search<T> {

    /** Results of conditions that are kept during the search. One that is overwritten is computed again. */
    private static final int RESULTS = 256;

    /** Up to this number of targets they are sorted in place. */
    private static final int FEW = 24;

    /** More room than this is given back. */
    private static final int ROOM_KEPT = 16_384;

    private final int[] ends = new int[Topic.LEVELS_MAX];
    private final int[] hashes = new int[Topic.LEVELS_MAX];
    private final View view = new View();
    private final String[] names = new String[Measurement.TAGS_MAX];
    private final String[] values = new String[Measurement.TAGS_MAX];
    private final BiConsumer<String, String> taker = this::takeTag;
    private final @Nullable Condition[] known = new @Nullable Condition[RESULTS];
    private final long[] results = new long[RESULTS];

    private String path = "";
    private int levels;
    private @Nullable Measurement measurement;
    private int tags;
    private long search;
    private Object[] found = new Object[16];
    private int count;
    private int lists;

    // ------------------------------------------------------------------ topics

    private void aim(Topic topic) {
        path = topic.path();
        levels = 0;
        int hash = 0;
        for (int i = 0; i < path.length(); i++) {
            char each = path.charAt(i);
            if (each == '/') {
                ends[levels] = i;
                hashes[levels] = hash;
                levels++;
                hash = 0;
            } else {
                hash = 31 * hash + each;
            }
        }
        ends[levels] = path.length();
        hashes[levels] = hash;
        levels++;
    }

    private @Nullable Branch<T> named(Branch<T> branch, int level) {
        return branch.named(path, level == 0 ? 0 : ends[level - 1] + 1, ends[level], hashes[level]);
    }

    boolean isWanted(Branch<T> root, Topic topic) {
        aim(topic);
        return isWanted(root, 0);
    }

    private boolean isWanted(Branch<T> branch, int level) {
        if (branch.rest() != null) {
            return true;
        }
        if (level == levels) {
            return branch.here() != null;
        }
        Branch<T> any = branch.any();
        if (any != null && isWanted(any, level + 1)) {
            return true;
        }
        Branch<T> named = named(branch, level);
        return named != null && isWanted(named, level + 1);
    }

    // ------------------------------------------------------------------ measurements

    void match(Branch<T> root, Measurement next, Consumer<? super T> consumer) {
        measurement = next;
        view.show(next);
        aim(next.topic());
        search++;
        tags = -1;
        visit(root, 0);
        tell(consumer);
    }

    private void visit(Branch<T> branch, int level) {
        Leaf<T> rest = branch.rest();
        if (rest != null) {
            visit(rest);
        }
        if (level == levels) {
            Leaf<T> here = branch.here();
            if (here != null) {
                visit(here);
            }
            return;
        }
        Branch<T> any = branch.any();
        if (any != null) {
            visit(any, level + 1);
        }
        Branch<T> named = named(branch, level);
        if (named != null) {
            visit(named, level + 1);
        }
    }

    private void visit(Leaf<T> leaf) {
        Items<Target<T>> plain = leaf.plain();
        if (plain != null) {
            add(plain);
        }
        visit(leaf.open());
        Map<String, Map<String, Items<Rule<T>>>> byTag = leaf.byTag();
        if (byTag != null) {
            takeTags();
            for (int i = 0; i < tags; i++) {
                Map<String, Items<Rule<T>>> byValue = byTag.get(names[i]);
                if (byValue != null) {
                    visit(byValue.get(values[i]));
                }
            }
        }
    }

    private void takeTags() {
        Measurement shown = measurement;
        if (tags < 0 && shown != null) {
            tags = 0;
            shown.tags().forEach(taker);
        }
    }

    private void takeTag(String name, String value) {
        names[tags] = name;
        values[tags] = value;
        tags++;
    }

    private void visit(@Nullable Items<Rule<T>> rules) {
        for (int i = 0; rules != null && i < rules.count(); i++) {
            Rule<T> rule = rules.get(i);
            if (hasTags(rule.others()) && isTrue(rule.condition())) {
                add(rule.targets());
            }
        }
    }

    private boolean hasTags(List<Tag> required) {
        Measurement shown = measurement;
        for (int i = 0; i < required.size(); i++) {
            Tag tag = required.get(i);
            if (shown == null || !tag.value().equals(shown.tags().get(tag.name()))) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a condition holds. One that several rules share is computed once. */
    private boolean isTrue(@Nullable Condition condition) {
        if (condition == null) {
            return true;
        }
        int place = condition.number() & RESULTS - 1;
        if (known[place] == condition && results[place] >> 1 == search) {
            return (results[place] & 1) != 0;
        }
        boolean isTrue = condition.rest().matches(view);
        known[place] = condition;
        results[place] = search << 1 | (isTrue ? 1 : 0);
        return isTrue;
    }

    private void add(Items<Target<T>> targets) {
        int more = targets.count();
        if (count + more > found.length) {
            found = Arrays.copyOf(found, Math.max(count + more, 2 * found.length));
        }
        targets.copyTo(found, count);
        count += more;
        lists++;
    }

    // ------------------------------------------------------------------ targets

    @SuppressWarnings("unchecked")
    private Target<T> found(int index) {
        return (Target<T>) found[index];
    }

    private void tell(Consumer<? super T> consumer) {
        if (lists > 1) {
            sort();
        }
        Target<T> last = null;
        for (int i = 0; i < count; i++) {
            Target<T> each = found(i);
            if (each != last) {
                consumer.accept(each.value());
            }
            last = each;
        }
    }

    private void sort() {
        if (count > FEW) {
            Arrays.sort(found, 0, count);
            return;
        }
        for (int i = 1; i < count; i++) {
            Target<T> each = found(i);
            int place = i;
            while (place > 0 && found(place - 1).compareTo(each) > 0) {
                found[place] = found[place - 1];
                place--;
            }
            found[place] = each;
        }
    }

    /** Forgets what was found, so that it can be freed. */
    void clear() {
        if (found.length > ROOM_KEPT) {
            found = new Object[16];
        } else {
            Arrays.fill(found, 0, count, null);
        }
        count = 0;
        lists = 0;
        measurement = null;
        view.show(null);
    }
}
