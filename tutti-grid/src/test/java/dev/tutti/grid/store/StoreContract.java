package dev.tutti.grid.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.GridValues;
import dev.tutti.grid.Query;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Checks that every store has to pass. Each of them leaves the store empty. */
final class StoreContract {

    /** {@code -Dtutti.test.tries=600} tries all; a database takes a second for each. */
    private static final int SEEDS = Math.clamp(Integer.getInteger("tutti.test.tries", 80) / 20, 1, 30);

    private final RegistryStore store;

    StoreContract(RegistryStore store) {
        this.store = store;
    }

    void checkAll() throws StoreException {
        answersAsAListWouldThatIsScanned(SEEDS);
        keepsEveryTextAsItIs();
        replacesAllHoweverOftenAndWhateverWasThere();
        hasOneEntryForEachIdentity();
        answersInOrderAndNoMoreThanTheLimit();
    }

    static Entry entry(String id, String name, String... patterns) {
        return new Entry(
                id,
                Entry.Kind.PRODUCER,
                name,
                "paris",
                "n1",
                "",
                List.of(patterns).stream().map(Filter::topic).toList(),
                "",
                "",
                0.5,
                1,
                Map.of("os", "linux", "number", id));
    }

    private static Entry registered(Entry entry, long registration) {
        return new Entry(
                entry.id(),
                entry.kind(),
                entry.name(),
                entry.site(),
                entry.node(),
                entry.address(),
                entry.filters(),
                entry.type(),
                entry.schema(),
                entry.load(),
                registration,
                entry.attributes());
    }

    private static boolean isFound(Entry entry, Query query) {
        return (query.kind() == null || query.kind().equals(entry.kind()))
                && entry.attributes().entrySet().containsAll(query.attributes().entrySet())
                && (query.topic().equals("#") || entry.filters().stream().anyMatch(each -> hasCommon(levels(each.topic()), levels(query.topic()))));
    }

    private static List<String> levels(String pattern) {
        return List.of(pattern.split("/"));
    }

    /** Compares patterns in the way of their definition. */
    static boolean hasCommon(List<String> one, List<String> other) {
        if (one.equals(List.of("#")) || other.equals(List.of("#"))) {
            return true;
        }
        if (one.isEmpty() || other.isEmpty()) {
            return one.isEmpty() && other.isEmpty();
        }
        boolean isSame = one.getFirst().equals("*") || other.getFirst().equals("*") || one.getFirst().equals(other.getFirst());
        return isSame && hasCommon(one.subList(1, one.size()), other.subList(1, other.size()));
    }

    private static List<Entry> expected(Collection<Entry> entries, Query query) {
        return entries.stream().filter(each -> isFound(each, query)).sorted(Entries.ORDER).toList();
    }

    void answersAsAListWouldThatIsScanned(int seeds) throws StoreException {
        int found = 0;
        for (int seed = 0; seed < seeds; seed++) {
            GridValues values = new GridValues(seed);
            Map<String, Entry> model = new TreeMap<>();
            change(values, model);
            for (int i = 0; i < 20; i++) {
                Query query = values.query();
                if (values.random().nextBoolean() && !model.isEmpty()) {
                    query = like(List.copyOf(model.values()).get(values.random().nextInt(model.size())), query);
                }
                List<Entry> expected = expected(model.values(), query);
                found += check(query, expected, "seed " + seed);
            }
        }
        // A test that finds nothing shows nothing.
        assertThat(found).isGreaterThan(10 * seeds);
        store.replaceAll(List.of());
    }

    /** Returns a query for an attribute or a topic of an entry. */
    private static Query like(Entry entry, Query query) {
        Query some = entry.filters().isEmpty() ? query : query.on(entry.filters().getFirst().topic());
        Query plain = new Query(some.kind(), some.topic(), Map.of(), some.sites(), some.limit(), some.deadline());
        for (Map.Entry<String, String> each : entry.attributes().entrySet()) {
            plain = plain.with(each.getKey(), each.getValue());
        }
        return plain;
    }

    private void change(GridValues values, Map<String, Entry> model) throws StoreException {
        store.replaceAll(List.of());
        for (int i = 0; i < 40; i++) {
            Entry entry = values.entry();
            switch (values.random().nextInt(12)) {
                case 0, 1, 2 -> {
                    store.remove(entry.id());
                    model.remove(entry.id());
                }
                case 3 -> store.replaceAll(model.values());
                default -> {
                    store.put(entry);
                    model.put(entry.id(), entry);
                }
            }
        }
    }

    private int check(Query query, List<Entry> expected, String description) throws StoreException {
        List<Entry> found = store.find(query);
        String text = description + ", " + query;
        assertThat(found).as(text).isSortedAccordingTo(Entries.ORDER).doesNotHaveDuplicates().hasSize(Math.min(query.limit(), expected.size()));
        assertThat(expected).as(text).containsAll(found);
        return found.size();
    }

    void keepsEveryTextAsItIs() throws StoreException {
        GridValues values = new GridValues(1);
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Entry entry = values.entry();
            entries.removeIf(each -> each.id().equals(entry.id()));
            entries.add(entry);
        }
        Entry longest = new Entry(
                "😀".repeat(500), Entry.Kind.CONSUMER, "\0'\"\\", "\0", "\0", "\0", List.of(Filter.tag("\0", "'")), "", "\0".repeat(Entry.SCHEMA_MAX), -1,
                Long.MIN_VALUE, Map.of("\0", "\\", "", "", "a ", "a", "a", "a "));
        entries.add(longest);
        // Identities that databases might take for one.
        for (String id : List.of("a", "A", "a ", "a  ", "ä", "a\0", "\\u0000", "a\\u0000", "x".repeat(299), "x".repeat(300) + " ", "ａ", "\ufffd")) {
            entries.removeIf(each -> each.id().equals(id));
            entries.add(entry(id, "same"));
        }
        for (Entry entry : entries) {
            store.put(entry);
        }
        assertThat(store.find(Query.ALL)).isEqualTo(expected(entries, Query.ALL));
        store.replaceAll(entries);
        assertThat(store.find(Query.ALL)).isEqualTo(expected(entries, Query.ALL));
        for (Entry entry : entries) {
            store.remove(entry.id());
        }
        assertThat(store.find(Query.ALL)).isEmpty();
    }

    void replacesAllHoweverOftenAndWhateverWasThere() throws StoreException {
        List<Entry> some = List.of(entry("1", "a", "hosts/#"), entry("2", "b", "hosts/web1"));
        store.put(entry("3", "c", "hosts/#"));
        store.put(entry("1", "old", "disks/#"));
        for (int i = 0; i < 3; i++) {
            store.replaceAll(some);
            assertThat(store.find(Query.ALL)).isEqualTo(some);
            assertThat(store.find(Query.ALL.on("hosts/web1"))).isEqualTo(some);
            assertThat(store.find(Query.ALL.on("disks/a"))).isEmpty();
        }
        store.replaceAll(List.of());
        assertThat(store.find(Query.ALL)).isEmpty();
    }

    void hasOneEntryForEachIdentity() throws StoreException {
        Entry first = entry("1", "a", "hosts/#");
        Entry second = registered(entry("1", "b", "disks/#"), 2);
        store.replaceAll(List.of(second, first));
        assertThat(store.find(Query.ALL)).containsExactly(second);
        store.put(first);
        assertThat(store.find(Query.ALL)).containsExactly(first);
        assertThat(store.find(Query.ALL.on("disks/a"))).isEmpty();
        store.replaceAll(List.of());
    }

    void answersInOrderAndNoMoreThanTheLimit() throws StoreException {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < 1_250; i++) {
            entries.add(entry("id" + i, "name" + i / 2, "hosts/web" + i + "/cpu", i % 1_000 == 999 ? "rare/" + i : "usual"));
        }
        store.replaceAll(entries);
        for (int limit : new int[] {1, 2, 999, 1_000, 1_001, 1_249, 1_250, 1_251}) {
            for (String pattern : List.of("#", "*/*/cpu", "hosts/#", "usual/#")) {
                Query query = Query.ALL.on(pattern).limit(limit);
                assertThat(store.find(query)).as(pattern).isEqualTo(expected(entries, query).stream().limit(limit).toList());
            }
        }
        assertThat(store.find(Query.ALL.on("*/999").limit(1))).containsExactly(entries.get(999));
        assertThat(store.find(Query.CONSUMERS)).isEmpty();
        assertThat(store.find(Query.ALL.with("number", "id7").with("os", "linux"))).containsExactly(entries.get(7));
        store.replaceAll(List.of());
    }
}
