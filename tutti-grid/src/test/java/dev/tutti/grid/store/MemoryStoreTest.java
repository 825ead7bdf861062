package dev.tutti.grid.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.Entry;
import dev.tutti.grid.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("seeds")
class MemoryStoreTest {

    private final MemoryStore store = new MemoryStore();

    @Test
    void keepsTheContract() throws StoreException {
        new StoreContract(store).answersAsAListWouldThatIsScanned(Math.min(500, Integer.getInteger("tutti.test.tries", 100)));
        new StoreContract(store).checkAll();
    }

    @Test
    void queriesLookAtTheEntriesThatAnIndexGives() {
        EntryIndex index = new EntryIndex();
        for (int i = 0; i < 20_000; i++) {
            index.put(StoreContract.entry("id" + i, "name" + i, "hosts/web" + i + "/cpu", "hosts/web" + i + "/disk/*"));
        }
        index.put(StoreContract.entry("all", "all", "#"));
        index.put(StoreContract.entry("cpus", "cpus", "hosts/*/cpu"));
        for (Query query : List.of(
                Query.ALL.on("hosts/web17/cpu"),
                Query.ALL.on("hosts/web17/#"),
                Query.ALL.on("hosts/web17/disk/a"),
                Query.ALL.with("number", "id17"),
                Query.ALL.on("hosts/#").with("number", "id17"),
                Query.ALL.on("other/#"))) {
            int candidates = index.candidates(query).stream().mapToInt(each -> each.size()).sum();
            assertThat(candidates).as(query.toString()).isBetween(1, 4);
            assertThat(index.find(query)).as(query.toString()).isNotEmpty();
        }
    }

    /** Each entry is renamed all the time; an answer has it once, with its old name or its new one. */
    @Test
    void anAnswerIsOfOneMoment() throws Exception {
        int entries = 50;
        List<Entry> first = new ArrayList<>();
        for (int i = 0; i < entries; i++) {
            first.add(StoreContract.entry("id" + i, "a", "hosts/web1/cpu", "hosts/*/disk"));
        }
        store.replaceAll(first);
        AtomicBoolean isOver = new AtomicBoolean();
        try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
            List<Future<Integer>> readers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                readers.add(threads.submit(() -> {
                    int answers = 0;
                    while (!isOver.get() || answers == 0) {
                        List<Entry> found = store.find(Query.ALL.on("hosts/web1/#"));
                        assertThat(found).hasSize(entries);
                        assertThat(found.stream().map(Entry::id)).doesNotHaveDuplicates();
                        answers++;
                    }
                    return answers;
                }));
            }
            for (int round = 0; round < 200; round++) {
                String name = round % 2 == 0 ? "z" : "a";
                for (int i = 0; i < entries; i++) {
                    store.put(StoreContract.entry("id" + i, name, "hosts/web1/cpu", "hosts/*/disk"));
                }
                store.replaceAll(first);
            }
            isOver.set(true);
            for (Future<Integer> reader : readers) {
                assertThat(reader.get(60, TimeUnit.SECONDS)).isPositive();
            }
        } finally {
            isOver.set(true);
        }
    }
}
