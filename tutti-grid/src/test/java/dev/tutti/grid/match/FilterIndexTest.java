package dev.tutti.grid.match;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The index, compared with a list that is looked through. */
class FilterIndexTest {

    private static final String[] LEVELS = {"a", "b", "c", "*", "d1", "d2"};
    private static final String[] NAMES = {"host", "status", "zone"};
    private static final String[] SELECTORS = {
        "value > 5", "value > 5 AND host = 'v1'", "host = 'v0' AND status = 'v1'", "host = 'v0' OR value < 2", "zone IS NULL", "host LIKE 'v%'",
        "status <> 'v1'", "value BETWEEN 2 AND 7 AND zone = 'v2'", "host = 'v1' AND host = 'v2'", "topic LIKE 'a%'", "value > 5 AND host = 'v2'"};

    private final Random random = new Random(4711);

    /** Filters by value, in the order in which values came. */
    private final Map<Integer, Set<Filter>> all = new LinkedHashMap<>();

    private final FilterIndex<Integer> index = new FilterIndex<>();

    private String path(int levelsMax, boolean isPattern) {
        int levels = 1 + random.nextInt(levelsMax);
        String path = IntStream.range(0, levels)
                .mapToObj(level -> LEVELS[random.nextInt(LEVELS.length)])
                .map(level -> level.equals("*") && !isPattern ? "e" : level)
                .collect(Collectors.joining("/"));
        return !isPattern ? path : random.nextInt(12) == 0 ? "#" : random.nextInt(4) == 0 ? path + "/#" : path;
    }

    private Map<String, String> tags(int countMax) {
        Map<String, String> tags = new TreeMap<>();
        for (int i = random.nextInt(countMax + 1); i > 0; i--) {
            tags.put(NAMES[random.nextInt(NAMES.length)], "v" + random.nextInt(3));
        }
        return tags;
    }

    private Filter filter() {
        String where = random.nextInt(3) == 0 ? SELECTORS[random.nextInt(SELECTORS.length)] : "";
        return new Filter(path(4, true), random.nextInt(3) == 0 ? tags(2) : Map.of(), where);
    }

    private Measurement measurement() {
        return SelectorTest.measurement(path(5, false), tags(3), Body.of(random.nextInt(10)));
    }

    private static boolean isChosen(Filter filter, Measurement measurement) {
        return Patterns.matches(filter.topic(), measurement.topic())
                && measurement.tags().entrySet().containsAll(filter.tags().entrySet())
                && Selector.parse(filter.where()).matches(measurement);
    }

    private List<Integer> expected(Measurement measurement) {
        return all.entrySet().stream()
                .filter(each -> each.getValue().stream().anyMatch(filter -> isChosen(filter, measurement)))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static List<Integer> matches(FilterIndex<Integer> index, Measurement measurement) {
        List<Integer> found = new ArrayList<>();
        index.match(measurement, found::add);
        return found;
    }

    private void add(Filter filter, int value) {
        assertThat(index.add(filter, value)).isEqualTo(all.computeIfAbsent(value, key -> new LinkedHashSet<>()).add(filter));
    }

    private void remove(Filter filter, int value) {
        Set<Filter> filters = all.getOrDefault(value, new HashSet<>());
        assertThat(index.remove(filter, value)).isEqualTo(filters.contains(filter));
        if (filters.remove(filter) && filters.isEmpty()) {
            all.remove(value);
        }
    }

    private void check() {
        assertThat(index.size()).isEqualTo(all.values().stream().mapToInt(Collection::size).sum());
        for (int i = 0; i < 60; i++) {
            Measurement measurement = measurement();
            assertThat(matches(index, measurement)).as(measurement.toString()).isEqualTo(expected(measurement));
            Topic topic = measurement.topic();
            assertThat(index.isWanted(topic)).as(topic.path()).isEqualTo(all.values().stream()
                    .flatMap(Set::stream)
                    .anyMatch(filter -> Patterns.matches(filter.topic(), topic)));
            String pattern = path(4, true);
            assertThat(index.overlaps(pattern)).as(pattern).isEqualTo(all.entrySet().stream()
                    .filter(each -> each.getValue().stream().anyMatch(filter -> Patterns.overlap(filter.topic(), pattern)))
                    .map(Map.Entry::getKey)
                    .toList());
        }
    }

    @Test
    void findsWhatAListFindsWhileFiltersComeAndGo() {
        for (int round = 0; round < 60; round++) {
            for (int i = 0; i < 40; i++) {
                add(filter(), random.nextInt(60));
            }
            check();
            // Each third round all go, so that the tree shrinks to nothing.
            List<Integer> values = List.copyOf(all.keySet());
            for (int value : values) {
                for (Filter each : List.copyOf(all.get(value))) {
                    if (round % 3 == 0 || random.nextInt(3) == 0) {
                        remove(each, value);
                    }
                }
            }
            remove(filter(), 1_000);
            check();
        }
    }

    @Test
    void findsFiltersOfManyNamesAfterSomeWereRemoved() {
        for (int i = 0; i < 3_000; i++) {
            add(Filter.topic("a/d" + i % 700 + "/" + i), i);
            add(Filter.tag("host", "h" + i % 500), i);
            if (i % 2 == 0) {
                remove(Filter.topic("a/d" + i / 2 % 700 + "/" + i / 2), i / 2);
            }
        }
        for (int i = 0; i < 3_000; i += 7) {
            Measurement measurement = SelectorTest.measurement("a/d" + i % 700 + "/" + i, Map.of("host", "h" + i % 499), Body.of(1));
            assertThat(matches(index, measurement)).isEqualTo(expected(measurement));
        }
    }

    @Test
    void givesEachValueOnceInTheOrderOfTheirComing() {
        for (int value : new int[] {5, 3, 9, 1}) {
            index.add(Filter.topic("a/b"), value);
        }
        for (int value : new int[] {1, 9, 3, 5, 7}) {
            index.add(Filter.topic("a/*"), value);
            index.add(Filter.ALL.where("value > 0"), value);
        }
        Measurement measurement = SelectorTest.measurement("a/b", Map.of(), Body.of(1));
        assertThat(matches(index, measurement)).containsExactly(5, 3, 9, 1, 7);
        IntStream.range(100, 200).forEach(value -> index.add(Filter.ALL, 300 - value));
        assertThat(matches(index, measurement)).startsWith(5, 3, 9, 1, 7, 200, 199).hasSize(105);
    }

    @Test
    void mayBeUsedByItsConsumer() {
        IntStream.range(0, 5).forEach(value -> index.add(Filter.topic("a"), value));
        Measurement measurement = SelectorTest.measurement("a", Map.of(), Body.of(1));
        List<Integer> found = new ArrayList<>();
        index.match(measurement, value -> {
            index.match(measurement, found::add);
            index.remove(Filter.topic("a"), value);
            index.add(Filter.ALL, 10 + value);
        });
        assertThat(found).hasSize(25).startsWith(0, 1, 2, 3, 4, 1, 2, 3, 4, 10);
        assertThatIllegalStateException().isThrownBy(() -> index.match(measurement, value -> {
            throw new IllegalStateException("no");
        }));
        assertThat(matches(index, measurement)).containsExactly(10, 11, 12, 13, 14);
    }

    @Test
    void isUnchangedByAFilterThatIsRefused() {
        FilterIndex<Integer> small = new FilterIndex<>(2);
        Filter wrong = Filter.topic("a/b").where("value >");
        assertThatIllegalArgumentException().isThrownBy(() -> small.add(wrong, 1)).withMessageContaining("something is missing");
        assertThat(small.remove(wrong, 1)).isFalse();
        assertThat(small.isWanted(Topic.of("a/b"))).isFalse();
        small.add(Filter.ALL, 1);
        small.add(Filter.ALL, 2);
        assertThatIllegalStateException().isThrownBy(() -> small.add(Filter.ALL, 3)).withMessageContaining("there are 2 filters already");
        assertThat(small.add(Filter.ALL, 2)).isFalse();
        assertThat(small.remove(Filter.ALL, 1)).isTrue();
        assertThat(small.add(Filter.ALL, 3)).isTrue();
        assertThat(matches(small, SelectorTest.measurement("a", Map.of(), Body.of(1)))).containsExactly(2, 3);
    }

    /** More selectors than a search keeps results of. */
    @Test
    void evaluatesEachOfManySelectors() {
        for (int value = 0; value < 1_000; value++) {
            add(Filter.ALL.where("value > " + value), value);
            add(Filter.topic("a/#").where("value > " + value), value + 500);
        }
        for (int value = 1; value < 1_000; value += 111) {
            Measurement measurement = SelectorTest.measurement("a/b", Map.of(), Body.of(value));
            assertThat(matches(index, measurement)).isEqualTo(expected(measurement));
        }
    }

    /** Filters that come and go in the lists in which others stay. */
    @Test
    void isReadWhileTheSameListsAreChanged() throws Exception {
        List<Filter> lists = List.of(
                Filter.topic("a/b"), Filter.ALL.where("value > 1"), Filter.ALL.with("host", "v1").where("value > 2"), Filter.tag("host", "v1"));
        List<Filter> others = List.of(
                Filter.topic("a/b"), Filter.ALL.where("value > 3"), Filter.ALL.with("host", "v1").where("value > 4"), Filter.topic("a/c"));
        for (int i = 0; i < lists.size(); i++) {
            add(lists.get(i), i);
        }
        Measurement measurement = SelectorTest.measurement("a/b", Map.of("host", "v1"), Body.of(5));
        AtomicBoolean hasEnded = new AtomicBoolean();
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<Integer> reader = threads.submit(() ->
                    read(List.of(measurement), List.of(List.of(0, 1, 2, 3)), List.of(Set.of(200, 201, 202)), hasEnded));
            try {
                for (int i = 0; i < 100_000; i++) {
                    int other = i % others.size();
                    if (!index.remove(others.get(other), 200 + other)) {
                        index.add(others.get(other), 200 + other);
                    }
                }
            } finally {
                hasEnded.set(true);
            }
            assertThat(reader.get()).isPositive();
        }
    }

    /** Readers beside a writer find all that stays, once and in order, and nothing that was never there. */
    @Test
    void isReadWhileItIsChanged() throws Exception {
        int kept = 200;
        for (int value = 0; value < kept; value++) {
            add(filter(), value);
        }
        List<Filter> passing = IntStream.range(0, 300).mapToObj(i -> filter()).toList();
        List<Measurement> measurements = IntStream.range(0, 100).mapToObj(i -> measurement()).toList();
        List<List<Integer>> always = measurements.stream().map(this::expected).toList();
        List<Set<Integer>> sometimes = measurements.stream()
                .map(each -> IntStream.range(0, passing.size())
                        .filter(i -> isChosen(passing.get(i), each))
                        .mapToObj(i -> kept + i)
                        .collect(Collectors.toSet()))
                .toList();
        AtomicBoolean hasEnded = new AtomicBoolean();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<Integer>> readers = IntStream.range(0, 2)
                    .mapToObj(reader -> threads.submit(() -> read(measurements, always, sometimes, hasEnded)))
                    .toList();
            try {
                for (int round = 0; round < 400; round++) {
                    for (int i = 0; i < passing.size(); i++) {
                        if (random.nextInt(3) == 0 && !index.remove(passing.get(i), kept + i)) {
                            index.add(passing.get(i), kept + i);
                        }
                    }
                }
            } finally {
                hasEnded.set(true);
            }
            for (Future<Integer> reader : readers) {
                assertThat(reader.get()).isPositive();
            }
        }
        IntStream.range(0, passing.size()).forEach(i -> index.remove(passing.get(i), kept + i));
        check();
    }

    private int read(
            List<Measurement> measurements, List<List<Integer>> always, List<Set<Integer>> sometimes, AtomicBoolean hasEnded) {
        int reads = 0;
        do {
            for (int i = 0; i < measurements.size(); i++) {
                List<Integer> found = matches(index, measurements.get(i));
                assertThat(new HashSet<>(found)).hasSameSizeAs(found);
                assertThat(found.stream().filter(value -> value < 200).toList()).isEqualTo(always.get(i));
                assertThat(sometimes.get(i)).containsAll(found.stream().filter(value -> value >= 200).toList());
                reads++;
            }
        } while (!hasEnded.get());
        return reads;
    }
}
