package dev.tutti.stomp.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.stomp.internal.codec.AckMode;
import dev.tutti.stomp.internal.codec.Destination;
import dev.tutti.stomp.internal.codec.FrameException;
import dev.tutti.stomp.internal.codec.StompVersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SubscriptionTreeTest {

    private static final long SEED = 20_260_912L;

    /** Compares the tree with the definition: both find the same subscriptions, whatever these are. */
    @Test
    void findsWhatMatches() throws FrameException {
        Random random = new Random(SEED);
        SubscriptionTree tree = new SubscriptionTree();
        Map<Integer, Subscription> present = new LinkedHashMap<>();
        for (int step = 0; step < 5_000; step++) {
            if (present.size() > 40 || random.nextInt(3) == 0 && !present.isEmpty()) {
                List<Integer> numbers = new ArrayList<>(present.keySet());
                Subscription gone = present.remove(numbers.get(random.nextInt(numbers.size())));
                tree.remove(gone);
            } else {
                Destination pattern = Destination.pattern(path(random, List.of("a", "b", "*"), true));
                Subscription added = new Subscription(null, "s", step, pattern, AckMode.AUTO, StompVersion.V12);
                present.put(step, added);
                tree.add(added);
            }
            Destination destination = Destination.exact(path(random, List.of("a", "b", "c"), false));
            TreeSet<Integer> expected = new TreeSet<>();
            for (Subscription each : present.values()) {
                if (each.destination().matches(destination)) {
                    expected.add(each.number());
                }
            }
            List<Integer> found = new ArrayList<>();
            tree.match(destination, each -> found.add(each.number()));
            assertThat(found).as("%s, step %d of seed %d", destination.text(), step, SEED)
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
        present.values().forEach(tree::remove);
        assertThat(tree.isEmpty()).isTrue();
    }

    private static String path(Random random, List<String> segments, boolean isPattern) {
        StringBuilder path = new StringBuilder();
        int count = 1 + random.nextInt(4);
        for (int index = 0; index < count; index++) {
            path.append('/').append(segments.get(random.nextInt(segments.size())));
        }
        return path + (isPattern && random.nextInt(3) == 0 ? "/**" : "");
    }

    @Test
    void knowsWhatWildcardsStandFor() throws FrameException {
        for (String pattern : Arrays.asList("/a/b", "/*/b", "/a/*", "/**", "/a/**", "/a/b/**", "/*/*", "/*/**")) {
            assertThat(Destination.pattern(pattern).matches(Destination.exact("/a/b"))).as(pattern).isTrue();
        }
        for (String pattern : Arrays.asList("/a", "/*", "/a/c", "/a/b/c", "/a/b/*", "/b/**", "/*/*/*")) {
            assertThat(Destination.pattern(pattern).matches(Destination.exact("/a/b"))).as(pattern).isFalse();
        }
    }
}
