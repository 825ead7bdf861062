package dev.tutti.grid.match;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.Filter;
import dev.tutti.grid.Topic;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** All pairs of patterns of up to three levels, compared with the sets of topics that they choose. */
class PatternsTest {

    /** One level name more than patterns have, and two levels more. */
    private static final List<String> TOPICS = paths(List.of("a", "b", "c"), 5);

    private static final List<String> PATTERNS = patterns();

    private static List<String> paths(List<String> names, int levelsMax) {
        List<String> all = new ArrayList<>(names);
        List<String> longest = names;
        for (int level = 1; level < levelsMax; level++) {
            longest = longest.stream().flatMap(path -> names.stream().map(name -> path + "/" + name)).toList();
            all.addAll(longest);
        }
        return all;
    }

    private static List<String> patterns() {
        List<String> all = new ArrayList<>(paths(List.of("a", "b", "*"), 3));
        all.addAll(all.stream().map(pattern -> pattern + "/#").toList());
        all.add("#");
        return all;
    }

    /** Returns the topics that a pattern chooses, found out in another way. */
    private static BitSet chosen(String pattern) {
        String expression = pattern.equals("#") ? ".*" : pattern.replace("*", "[^/]+").replace("/#", "(/.*)?");
        BitSet chosen = new BitSet();
        for (int i = 0; i < TOPICS.size(); i++) {
            chosen.set(i, Pattern.matches(expression, TOPICS.get(i)));
        }
        return chosen;
    }

    @Test
    void chooseTheTopicsThatTheyDescribe() {
        for (String pattern : PATTERNS) {
            Filter.topic(pattern);
            BitSet chosen = chosen(pattern);
            for (int i = 0; i < TOPICS.size(); i++) {
                assertThat(Patterns.matches(pattern, Topic.of(TOPICS.get(i)))).as(pattern + " " + TOPICS.get(i)).isEqualTo(chosen.get(i));
            }
        }
    }

    @Test
    void overlapIfTheyHaveATopicInCommonAndCoverIfTheyHaveAll() {
        List<BitSet> sets = PATTERNS.stream().map(PatternsTest::chosen).toList();
        for (int a = 0; a < sets.size(); a++) {
            for (int b = 0; b < sets.size(); b++) {
                String both = PATTERNS.get(a) + " and " + PATTERNS.get(b);
                assertThat(Patterns.overlap(PATTERNS.get(a), PATTERNS.get(b))).as(both).isEqualTo(sets.get(a).intersects(sets.get(b)));
                BitSet others = (BitSet) sets.get(b).clone();
                others.andNot(sets.get(a));
                assertThat(Patterns.covers(PATTERNS.get(a), PATTERNS.get(b))).as(both).isEqualTo(others.isEmpty());
            }
        }
    }
}
